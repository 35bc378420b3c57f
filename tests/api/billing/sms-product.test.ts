/**
 * The whole product with a real gateway's adapter, against a simulator that loses replies: a code that works, and one
 * message per member.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as account from '../../../server/contract/auth/sign-in.ts'
import * as member from '../../../server/contract/directory/members.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { createClient } from '../../support/callers/visitor.ts'
import { renderCodeMessage } from '../../support/message-patterns.ts'
import { startSmsGateway } from '../../support/outside/sms-gateway.ts'
import type { Mischief, Requested } from '../../support/outside/sms-simulator.ts'
import {
  deliveries,
  getNet,
  makeBatch,
  manyPeople,
  salaries,
  sender,
  sendManually,
  slip_segments,
  smsLeft,
  untilStopped,
} from '../../support/slips.ts'
import { type Caller, type Corp, type Person, startWorld, type World } from '../../support/world.ts'

const secret = 'an-address-of-the-tests-012345678901234'

describe.each(['aliyun', 'tencent'] as const)('%s', (provider) => {
  /** The short texts of this provider fit into one segment. */
  const each = provider === 'tencent' ? 1 : slip_segments
  let gateway: Awaited<ReturnType<typeof startSmsGateway>>
  let world: World
  let corp: Corp
  let payer: Person
  let caller: Caller
  beforeAll(async () => {
    gateway = await startSmsGateway(provider, () => world?.clock.now() ?? new Date('2026-11-20T10:00:00+08:00'), {
      behind_ms: 30_000,
    })
    world = await startWorld({ sms: () => gateway.sms, sms_reports: { secret, provider } })
    corp = await world.createCompany()
    payer = await corp.person({ power: ['2', '4'] })
  })
  afterAll(async () => {
    await world?.close()
    await gateway?.simulator.close()
  })

  /**
   * Sends a batch with this number of members; the test drives the sender. Returns what the simulator accepted, and how
   * often it was called.
   */
  async function sendTo(count: number, mischief: (asked: Requested, at: number) => Mischief | undefined) {
    const { simulator, sms } = gateway
    caller = await world.signIn(payer)
    const people = await manyPeople(world, corp, count)
    const batch_id = await makeBatch(world, payer, people, { title: `${count} 人的十月工资` })
    const data = await sendManually({ world, corp, caller }, batch_id)
    const [before, requested_before] = [simulator.accepted.length, simulator.requested.length]
    let sent = 0
    simulator.behave((requested) => (requested.action === 'SendSms' ? mischief(requested, (sent += 1)) : undefined))
    const comparison = sender(world, gateway.sms)
    const open = async () =>
      (await deliveries(world, corp, batch_id)).some((one) => one.status === 'queued' || one.status === 'leased')
    let minutes = 0
    // The clock advances in small steps while deliveries are pending.
    for (let step_s = 10; minutes < 120 && (await open()); minutes += step_s / 60) {
      await comparison.send(data, untilStopped)
      world.clock.advance(step_s * 1000)
      if (minutes > 3) step_s = 60
    }
    simulator.behave(() => undefined)
    caller = await world.signIn(payer)
    const statuses: Record<string, number> = {}
    const rows = await deliveries(world, corp, batch_id)
    for (const { status } of rows) statuses[status] = (statuses[status] ?? 0) + 1
    expect(sms).toBe(world.sms)
    return {
      people,
      batch_id,
      rows,
      statuses,
      minutes,
      accepted: simulator.accepted.slice(before),
      requested: simulator.requested.slice(requested_before).map((one) => one.action),
    }
  }

  test('signs in with a code sent by SMS', async () => {
    const person = await corp.person({ power: ['3'] })
    const browser = createClient(world)
    const { data } = await browser.call(account.getVerifyCode, { phone: person.mobile, type: 'login' })
    const getOwn = () => gateway.simulator.accepted.find((one) => one.mobile === person.mobile)
    for (let attempts = 0; attempts < 3_000 && !getOwn(); attempts += 1) await sleep(10)
    expect(getOwn()).toMatchObject({
      id: data.sms,
      text: renderCodeMessage(getOwn()?.params[0] ?? ''),
    })
    const signedIn = await browser.call(account.loginByCode, {
      phone: person.mobile,
      code: getOwn()?.params[0] ?? '',
      sms: data.sms,
    })
    expect([signedIn.code, signedIn.data.corp_id]).toEqual([0, corp.company_id])
  })

  test('sends one message per member for 120 payslips with every other reply lost, without amount or name', async () => {
    const ways: Mischief[] = ['take and lose', 'take and fail', 'take and babble']
    const { people, accepted, statuses, requested } = await sendTo(120, (_, at) => (at % 2 ? ways[at % 3] : undefined))
    expect(statuses).toEqual({ accepted: 120 })
    expect(accepted.map((one) => one.mobile).sort()).toEqual(people.map((one) => one.mobile).sort())
    expect(gateway.simulator.doubled()).toEqual([])
    expect(requested.filter((action) => action === 'SendSms').length).toBe(120)
    const canaries = people.flatMap((person, at) => [person.name, (getNet(at + 2) / 100).toFixed(2), String(getNet(at + 2))])
    // Only messages to these members: codes of other tests have six digits, as an amount may. Links are long random
    // words; six digits in them may equal an amount.
    const inbox = JSON.stringify(accepted.map(({ params, text }) => [params, text])).replaceAll(/[\w-]{12,}/g, '')
    expect(canaries.filter((canary) => inbox.includes(canary))).toEqual([])
  })

  test("decides who received a message by the vendor's reports, not by its acceptance", async () => {
    const { people, batch_id } = await sendTo(4, () => undefined)
    const [got, lost] = people
    const post = async (payload: string) => {
      const headers = { 'content-type': 'application/json' }
      return (await world.product.app.inject({ method: 'POST', url: `/callback/sms/${secret}`, headers, payload })).body
    }
    const arrivals = async () => {
      const { list, batch } = await caller.must(slip.getWageDetail, { batch_id })
      const notified = list.map((line) => [line.status, line.delivery, line.delivered_at !== null])
      return { notified, delivered: batch.delivered }
    }
    const accepted = ['sent', 'accepted', false]
    expect(await arrivals()).toEqual({ notified: [accepted, accepted, accepted, accepted], delivered: 0 })
    const code = provider === 'aliyun' ? 'MOBILE_NOT_ON_SERVICE' : 'UNDELIV'
    const context = new Set([got?.mobile, lost?.mobile])
    const message = await gateway.simulator.report(post, {
      which: ({ mobile }) => context.has(mobile),
      lost: ({ mobile }) => (mobile === lost?.mobile ? code : undefined),
    })
    expect(JSON.parse(message)).toMatchObject(provider === 'aliyun' ? { code: 0 } : { result: 0 })
    expect(await arrivals()).toEqual({
      notified: [['sent', 'accepted', true], ['failed', 'failed', false], accepted, accepted],
      delivered: 1,
    })
    const { list } = await caller.must(slip.getWageDetail, { batch_id, status: 'failed' })
    expect(list.map(({ failure_message }) => failure_message)).toEqual([expect.stringContaining('空号')])
  })

  test('links to the page where the employee signs in and reads the payslip', async () => {
    const { batch_id, accepted } = await sendTo(1, () => undefined)
    const [row] = await salaries(world, corp, batch_id)
    const lead = async (path: string) => (await world.product.app.inject({ method: 'GET', url: path })).headers.location
    const path = new URL(/https?:\S+/.exec(accepted[0]?.text ?? '')?.[0] ?? '').pathname
    if (provider === 'tencent') expect(path).toBe('/m')
    else {
      expect(path).toMatch(/^\/s\/[\w-]{11}$/)
      expect(await lead(path)).toBe(`/m/slip/00000000-0000-7000-${row?.id.slice(19)}?from=sms`)
    }
    // Messages of earlier versions carry the whole id.
    expect(await lead(`/s/${row?.id.replaceAll('-', '')}`)).toBe(`/m/slip/${row?.id}?from=sms`)
    expect(await lead('/i/AbC-/d_E')).toBe('/m/invite?code=AbC-d_E')
    expect(await lead('/i/a/b%2f..%2f')).toBe('/m')
    for (const other of ['/s/x', '/s/..%2f..%2fevil.cn', `/s/${'a'.repeat(33)}`]) expect(await lead(other)).toBe('/m/slips')
  })

  test('repeats lost requests only where the gateway can confirm that it never received them', async () => {
    const left = await smsLeft(world, corp)
    const { accepted, statuses, minutes } = await sendTo(12, (_, at) => (at <= 4 ? 'lose' : undefined))
    expect(gateway.simulator.doubled()).toEqual([])
    if (provider === 'aliyun') {
      expect([statuses, accepted.length]).toEqual([{ accepted: 12 }, 12])
      expect(minutes).toBeLessThan(10)
    } else {
      expect([statuses, accepted.length]).toEqual([{ accepted: 8, unknown: 4 }, 8])
      expect(minutes).toBeLessThan(80)
    }
    expect(await smsLeft(world, corp)).toBe(left - 12 * each)
  })

  test('delays only the phone that is over its limit and serves the others in the same slot', async () => {
    const minute =
      provider === 'aliyun'
        ? { rejection: 'isv.BUSINESS_LIMIT_CONTROL', says: '触发分钟级流控Permits:1' }
        : { rejection: 'LimitExceeded.PhoneNumberThirtySecondLimit' }
    let first = ''
    const until = world.clock.now().getTime() + 60_000
    const { accepted, statuses } = await sendTo(30, ({ mobile }) => {
      first ||= mobile
      return mobile === first && world.clock.now().getTime() < until ? minute : undefined
    })
    expect([statuses, accepted.length, accepted.at(-1)?.mobile]).toEqual([{ accepted: 30 }, 30, first])
    expect(new Set(accepted.slice(0, 29).map((one) => one.at)).size).toBe(1)
    expect((accepted.at(-1)?.at ?? 0) - (accepted[0]?.at ?? 0)).toBeGreaterThanOrEqual(30_000)
  })

  test('fails a rejected message with a readable text and the code, and returns the SMS', async () => {
    const left = await smsLeft(world, corp)
    const rejection = provider === 'aliyun' ? 'isv.AMOUNT_NOT_ENOUGH' : 'FailedOperation.InsufficientBalanceInSmsPackage'
    const { batch_id, accepted } = await sendTo(3, (_, at) => (at === 1 ? { rejection } : undefined))
    expect(accepted.length).toBe(2)
    const info = await caller.must(slip.getSendInfo, { batch_id })
    expect(info.failures).toMatchObject([{ code: rejection, message: '短信服务的余额不足，请联系系统管理员充值后重发' }])
    expect(await smsLeft(world, corp)).toBe(left - 2 * each)
    expect((await salaries(world, corp, batch_id)).filter((one) => one.status === 'failed').length).toBe(1)
  })

  test('defers a security message during a backoff for all messages, and still sends it once', async () => {
    const person = await corp.person({ name: '吴三' })
    caller = await world.signIn(payer)
    await caller.must(member.editMemberInfo, { id: person.member_id, mobile: `139${String(Date.now()).slice(-8)}` })
    const getOwn = () => gateway.simulator.accepted.filter((one) => one.mobile === person.mobile)
    let requested = 0
    gateway.simulator.behave(() => ((requested += 1) <= 2 ? 'busy' : undefined))
    for (let round = 0; round < 3; round += 1) {
      expect(getOwn()).toEqual([])
      await world.product.jobs.drain()
      world.clock.advance(7_000)
      await world.database.pool.query(`update pgboss.job set start_after = now() where name = 'tell' and state = 'created'`)
    }
    await world.product.jobs.drain()
    expect([requested, getOwn().length]).toEqual([3, 1])
  })
})
