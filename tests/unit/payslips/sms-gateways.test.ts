/**
 * The adapters with simulators that check them: what each response of a gateway means, and what a gateway is queried
 * afterwards.
 */
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { SendOutcome } from '../../../platform/carrier.ts'
import { createSmsSender } from '../../../platform/sms/index.ts'
import { renderSms } from '../../../server/contract/messages/rendering.ts'
import type { MessageContent } from '../../../server/contract/messages/sms-templates.ts'
import type { AddressedMessage } from '../../../server/outbox/index.ts'
import { transfer } from '../../support/outside/counter.ts'
import { origin, startSmsGateway } from '../../support/outside/sms-gateway.ts'
import type { Mischief } from '../../support/outside/sms-simulator.ts'

const id = '01890000-0000-7000-8000-000000000001'
const mobile = '13800001234'
let at = new Date('2026-11-20T10:00:00+08:00')
const now = () => at
let close = async () => undefined as void
afterEach(() => close())

async function start(provider: 'aliyun' | 'tencent', more: Parameters<typeof startSmsGateway>[2] = {}) {
  at = new Date('2026-11-20T10:00:00+08:00')
  const gateway = await startSmsGateway(provider, now, more)
  close = gateway.simulator.close
  return gateway
}
const message = (message: MessageContent): AddressedMessage => ({ id, to: mobile, message })
const codeContent: MessageContent = { kind: 'code', params: { code: '012345' } }
const code = message(codeContent)
const slipContent: MessageContent = {
  kind: 'slip',
  params: {
    corp: '上海某某 (信息)*科技有限公司',
    title: '2026年10月工资',
    link: `${origin}/s/0189000000007000800000000000abcd`,
  },
}
const slip = message(slipContent)
/** The result of the port as text: accepted, rejected with a code, rate limited (all or one phone), or unknown. */
async function outcome(work: Promise<readonly SendOutcome[]>): Promise<string> {
  const [message] = await work
  expect(message?.id).toBeTruthy()
  if (message?.result === 'accepted') return message.ref ? 'taken' : 'taken without a reference'
  if (message?.result === 'refused') return `refused ${message.code}`
  if (message?.result === 'put_off') return `${message.recipientOnly ? 'one phone' : 'all'} ${message.retryAfterSeconds} s`
  return 'unknown'
}

describe.each(['aliyun', 'tencent'] as const)('%s', (provider) => {
  test('signs requests, and the recipient reads the registered template', async () => {
    const { simulator, sms } = await start(provider)
    expect(await outcome(transfer(sms, [code]))).toBe('taken')
    expect(await outcome(transfer(sms, [slip]))).toBe('taken')
    const format = { signature: '薪函', brief: provider === 'tencent' }
    expect(simulator.accepted.map((one) => [one.id, one.mobile, one.text])).toEqual(
      [codeContent, slipContent].map((content) => [id, mobile, renderSms(content, format, origin)]),
    )
    expect(simulator.refused).toEqual([])
  })

  test('sends an invite whose code is longer than a variable', async () => {
    const { simulator, sms } = await start(provider)
    const link = `${origin}/m/invite?code=${'Ab'.repeat(11)}${'-_9'.repeat(7)}`
    expect(await outcome(transfer(sms, [message({ kind: 'invite', params: { corp: '甲公司', link } })]))).toBe('taken')
    const address = provider === 'aliyun' ? `${origin}/i/${'Ab'.repeat(11)}/${'-_9'.repeat(7)}` : `${origin}/m`
    expect(simulator.accepted[0]?.text).toContain(address)
  })

  test.each([
    [
      'another secret',
      { key_secret: 'another secret' },
      { aliyun: 'SignatureDoesNotMatch', tencent: 'AuthFailure.SignatureFailure' },
    ],
    [
      'an unapproved signature',
      { signature: '银行' },
      { aliyun: 'isv.SMS_SIGNATURE_ILLEGAL', tencent: 'FailedOperation.SignatureIncorrectOrUnapproved' },
    ],
  ] as const)('rejects a request with %s', async (_, wrong, says) => {
    const { simulator, sms } = await start(provider, wrong)
    expect(await outcome(transfer(sms, [code]))).toBe(`refused ${says[provider]}`)
    expect(simulator.accepted).toEqual([])
  })

  test('rejects a request with a wrong clock', async () => {
    const { simulator, settings } = await start(provider)
    const slow = createSmsSender(settings, () => new Date(at.getTime() - 16 * 60_000))
    expect(await outcome(transfer(slow, [code]))).toBe(
      `refused ${provider === 'aliyun' ? 'InvalidTimeStamp.Expired' : 'AuthFailure.SignatureExpire'}`,
    )
    expect(simulator.accepted).toEqual([])
  })

  test.each<[Mischief, number, string]>([
    ['busy', 0, 'all 7 s'],
    ['lose', 0, 'unknown'],
    ['fail', 0, 'unknown'],
    ['take and lose', 1, 'unknown'],
    ['take and fail', 1, 'unknown'],
    ['take and babble', 1, 'unknown'],
    [{ rejection: 'InternalError' }, 0, 'unknown'],
  ])('%j: %i accepted, result %s', async (mischief, count, says) => {
    const { simulator, sms } = await start(provider)
    simulator.behave(() => mischief)
    expect([await outcome(transfer(sms, [code])), simulator.accepted.length]).toEqual([says, count])
  })

  test('reports that an unreachable gateway has certainly accepted nothing', async () => {
    const { simulator, sms } = await start(provider)
    await simulator.close()
    close = async () => undefined
    expect(await outcome(transfer(sms, [code]))).toBe('all 30 s')
  })

  test('finds a message by our own id among others of the same phone', async () => {
    const { simulator, sms } = await start(provider)
    await transfer(sms, [{ ...code, id: 'another' }])
    simulator.behave(({ number }) => (number === 2 ? 'take and lose' : undefined))
    await outcome(transfer(sms, [code]))
    const matches = await sms.find([{ id, to: mobile, attemptedAt: at }])
    expect(matches).toEqual([{ id, result: 'accepted', ref: provider === 'aliyun' ? id : simulator.accepted[1]?.ref }])
  })

  test('treats a message missing in delayed records as undecided', async () => {
    const { simulator, sms } = await start(provider, { behind_ms: 30_000 })
    simulator.behave(({ action, number }) => (action !== 'SendSms' ? undefined : number === 1 ? 'take and lose' : 'lose'))
    await outcome(transfer(sms, [code]))
    await outcome(transfer(sms, [{ ...code, id: 'lost' }]))
    const requested = [
      { id, to: mobile, attemptedAt: at },
      { id: 'lost', to: mobile, attemptedAt: at },
    ]
    const verdicts = async () => (await sms.find(requested)).map((one) => one.result)
    at = new Date(at.getTime() + 5000)
    expect(await verdicts()).toEqual(['unsure', 'unsure'])
    // Alibaba's records are at most a minute behind: a later query decides.
    expect((await sms.find(requested))[0]).toEqual({
      id,
      result: 'unsure',
      ...(provider === 'aliyun' ? { retryInMs: 55_000 } : {}),
    })
    at = new Date(at.getTime() + 60_000)
    // Tencent lists what carriers have reported: a missing message may still be on its way.
    expect(await verdicts()).toEqual(['accepted', provider === 'aliyun' ? 'not_accepted' : 'unsure'])
  })

  test('reports a failing query for all messages, and treats a failure for one as uncertain', async () => {
    const { simulator, sms } = await start(provider)
    const requested = ['13800000001', '13800000002'].map((one) => ({
      id: one,
      to: one,
      attemptedAt: new Date(at.getTime() - 120_000),
    }))
    simulator.behave((one) => (one.mobile === '13800000001' ? 'fail' : undefined))
    expect((await sms.find(requested)).map((one) => one.result)[0]).toBe('unsure')
    simulator.behave(() => 'fail')
    await expect(sms.find(requested)).rejects.toThrow('unreadable (HTTP 503)')
  })
})

// The behaviour is common to both gateways, hence tested once. Node's own timer is set to ten seconds and fires as soon
// as the message is accepted.
test('ends after ten seconds of silence with an unknown outcome', async () => {
  const { simulator, sms } = await start('aliyun')
  const patience = new AbortController()
  const clock = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(patience.signal)
  simulator.behave(() => 'take and stall')
  const outcomeOfSilence = outcome(transfer(sms, [code]))
  await vi.waitFor(() => expect(simulator.accepted.length).toBe(1), { timeout: 60_000, interval: 5 })
  expect(clock.mock.calls).toEqual([[10_000]])
  clock.mockRestore()
  patience.abort(new DOMException('The operation timed out.', 'TimeoutError'))
  expect(await outcomeOfSilence).toBe('unknown')
})

test('Alibaba Cloud: looks for a message sent after midnight on the date in China', async () => {
  const { sms } = await start('aliyun')
  at = new Date('2026-11-21T01:30:00+08:00')
  await transfer(sms, [code])
  expect(await sms.find([{ id, to: mobile, attemptedAt: at }])).toEqual([{ id, result: 'accepted', ref: id }])
})

test('Alibaba Cloud: finds a message sent before midnight afterwards, and on the second page', async () => {
  const { simulator, sms } = await start('aliyun')
  at = new Date('2026-11-20T23:59:58+08:00')
  for (let count = 0; count < 50; count += 1)
    simulator.accepted.push({ id: `${count}`, mobile, template: '', params: [], text: '', at: at.getTime(), ref: '' })
  await transfer(sms, [code])
  at = new Date('2026-11-21T00:00:20+08:00')
  expect(await sms.find([{ id, to: mobile, attemptedAt: at }])).toEqual([{ id, result: 'accepted', ref: id }])
})
