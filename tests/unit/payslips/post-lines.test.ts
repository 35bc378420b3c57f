/**
 * Sending to a carrier: how messages are grouped into calls and formatted, and what is known of messages without a
 * response.
 */
import { describe, expect, test } from 'vitest'
import {
  type CarrierDescription,
  createCarrierSender,
  type OutgoingMessage,
  rejectRecalls,
  type SendOutcome,
} from '../../../platform/carrier.ts'
import { composeMessage } from '../../../server/outbox/rules/compose.ts'
import { transfer } from '../../support/outside/counter.ts'

const plain: CarrierDescription = { maxPerCall: 3, rateLimit: null, style: 'whole', signature: '薪函', canRecall: false }
const message = { kind: 'code', params: { code: '012345' } } as const
const people = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => ({ id, to: `1380000000${id}`, message }))

/** A carrier that answers as configured, call by call. */
function getCarrier(answer: (messages: readonly OutgoingMessage[]) => Promise<readonly SendOutcome[]>, description = plain) {
  const calls: string[] = []
  const carrier = {
    describe: () => description,
    send: async (_: null, messages: readonly OutgoingMessage[]) => {
      calls.push(messages.map(({ id }) => id).join(''))
      return answer(messages)
    },
    find: async () => [],
    recall: (_: null, messages: Parameters<typeof rejectRecalls>[0]) => rejectRecalls(messages),
  }
  return { line: createCarrierSender('test', carrier, null), calls }
}
const accepted = ({ id }: OutgoingMessage): SendOutcome => ({ id, result: 'accepted', ref: `r-${id}` })
const inLabels = (outcomes: readonly SendOutcome[]) =>
  outcomes
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ id, result }) => `${id} ${result}`)
    .join(', ')

describe('carrier that accepts three messages at once', () => {
  test('sends three messages at once', async () => {
    const { line, calls } = getCarrier(async (messages) => messages.map(accepted))
    const outcomes = await transfer(line, people)
    expect([calls, outcomes.length]).toEqual([['abc', 'def', 'g'], 7])
    expect(outcomes.every((one) => one.result === 'accepted' && one.ref === `r-${one.id}`)).toBe(true)
  })

  test('reports the outcome of each message, and unknown for those without one', async () => {
    const { line } = getCarrier(async (messages) =>
      messages.flatMap((one): SendOutcome[] => {
        if (one.id === 'b') return [{ id: 'b', result: 'refused', code: '60011', message: '不在可见范围' }]
        if (one.id === 'c') return [{ id: 'c', result: 'put_off', retryAfterSeconds: 60, recipientOnly: true }]
        return one.id === 'e' ? [] : [accepted(one)]
      }),
    )
    expect(inLabels(await transfer(line, people))).toBe(
      'a accepted, b refused, c put_off, d accepted, e unclear, f accepted, g accepted',
    )
  })

  test('leaves only its own messages unclear after a failed call', async () => {
    const { line } = getCarrier(async (messages) => {
      if (messages.some(({ id }) => id === 'd')) throw new Error('socket hang up')
      return messages.map(accepted)
    })
    expect(inLabels(await transfer(line, people))).toBe(
      'a accepted, b accepted, c accepted, d unclear, e unclear, f unclear, g accepted',
    )
  })

  test('stops waiting for a silent carrier after the timeout', async () => {
    const { line } = getCarrier(() => new Promise(() => undefined))
    expect(inLabels(await transfer(line, people.slice(0, 2), 5))).toBe('a unclear, b unclear')
  })
})

describe('message text as a carrier requires it', () => {
  const link = 'https://pay.example.cn/s/0189000000007000800000000000abcd'
  const slip = { kind: 'slip', params: { corp: '甲公司', title: '2026年10月工资', link } } as const
  test.each([
    [
      'whole',
      [
        ['corp', '甲公司'],
        ['title', '2026年10月工资'],
        ['link', link],
      ],
    ],
    [
      'named',
      [
        ['corp', '甲公司'],
        ['title', '2026年10月工资'],
        ['link', '0189000000007000800000000000abcd'],
      ],
    ],
    ['brief', []],
  ] as const)('%s', (texts, variables) => {
    expect(composeMessage(slip, { ...plain, style: texts })).toMatchObject({ kind: 'slip', variables, link })
  })

  test('does not pass a foreign link to a carrier that accepts only its variable part', async () => {
    const strange = { ...slip, params: { ...slip.params, link: 'https://evil.cn/x' } }
    const { line, calls } = getCarrier(async (messages) => messages.map(accepted), { ...plain, style: 'named' })
    expect(await transfer(line, [{ id: 'a', to: '13800000000', message: strange }])).toMatchObject([
      { result: 'refused', code: 'bad_link' },
    ])
    expect(calls).toEqual([])
  })
})
