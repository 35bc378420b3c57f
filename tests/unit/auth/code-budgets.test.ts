/**
 * Rate limits for codes: what a window and a bucket allow, and a day under attack, with the same table and decision as
 * the product.
 */
import { describe, expect, it, test } from 'vitest'
import {
  type AttemptBudget,
  type BudgetExceeded,
  getNextStoredTime,
  getWaitSeconds,
  selectBudget,
} from '../../../server/http/limits/attempts.ts'
import { codeLimits } from '../../../server/http/limits/config.ts'
import { toNetworkAddress, toPeerAddress } from '../../../server/http/limits/rate-limits.ts'
import {
  getCodePairBudgets,
  getPeerBudgets,
  getPhoneBudgets,
  getUnknownPhoneBudgets,
  maxUnknownPhoneCodesPerDay,
  type RequesterTrust,
} from '../../../server/modules/auth/phone/code-budgets.ts'
import { seeded } from '../../support/random.ts'
import { trial } from '../../support/run/trial.ts'

const began = Date.parse('2026-11-22T00:00:00+08:00')
const at = (seconds: number): Date => new Date(began + seconds * 1000)
const view = (...seconds: number[]): Date[] => seconds.map(at)

describe('single rate limit', () => {
  const window: AttemptBudget = { key: 'w', max: 3, window_s: 100 }
  const bucket: AttemptBudget = { key: 'b', capacity: 3, refillSeconds: 10 }
  test.each<[string, AttemptBudget, Date[], number, number]>([
    ['an unused window', window, [], 0, 0],
    ['a window with one attempt remaining', window, view(1, 2), 3, 0],
    ['a full window, until the oldest attempt expires', window, view(1, 2, 3), 50, 51],
    ['a window that is full until the last second', window, view(1, 2, 3), 100.5, 1],
    ['a window whose oldest attempt has expired', window, view(1, 2, 3), 101, 0],
    ['a window over a reduced limit, until enough attempts expire', window, view(1, 2, 3, 4, 5), 50, 53],
    ['a full bucket', bucket, [], 0, 0],
    ['a bucket with one token', bucket, view(20), 0, 0],
    ['an empty bucket, until the next token is refilled', bucket, view(30), 0, 10],
    ['an empty bucket after half a refill', bucket, view(30), 5, 5],
    ['a bucket with one refilled token', bucket, view(30), 10, 0],
    ['a bucket that has been full for long', bucket, view(30), 5000, 0],
  ])('%s', (_what, budget, before, now, wait) => {
    expect(getWaitSeconds(budget, before, at(now))).toBe(wait)
  })

  test.each<[string, AttemptBudget, Date[], number, Date]>([
    ['for a window, the current time', window, view(1), 7, at(7)],
    ['for a full bucket, one refill', bucket, [], 7, at(17)],
    ['for a partly refilled bucket, one more refill', bucket, view(20), 7, at(30)],
    ['for a bucket, never more than its capacity', bucket, view(20), 500, at(510)],
  ])('stores attempts: %s', (_what, budget, before, now, stored) => {
    expect(getNextStoredTime(budget, before, at(now))).toEqual(stored)
  })

  it('selects the first option with capacity, and otherwise returns the shortest wait', () => {
    const of = (most: number, key: string): AttemptBudget => ({ key, max: most, window_s: 100 })
    const used = new Map([
      ['x', view(0, 1)],
      ['y', view(40)],
    ])
    const viewedOf = (key: string) => used.get(key) ?? []
    expect(selectBudget([[of(2, 'x')], [of(2, 'y')]], viewedOf, at(50))).toEqual({ selected: 1 })
    expect(selectBudget([[of(3, 'x'), of(2, 'y')], [of(9, 'y')]], viewedOf, at(50))).toEqual({ selected: 0 })
    expect(selectBudget([[of(2, 'x')], [of(1, 'y')]], viewedOf, at(50))).toEqual({ budget: of(2, 'x'), retryAfterSeconds: 50 })
    // All limits of an option must have capacity: the longest wait counts.
    expect(selectBudget([[of(2, 'x'), of(1, 'y')]], viewedOf, at(50))).toEqual({ budget: of(1, 'y'), retryAfterSeconds: 90 })
  })

  test.each([
    ['10.1.2.3', '10.1.2.0/24'],
    ['::ffff:10.1.2.3', '10.1.2.0/24'],
    ['2001:db8:1:2::9', '2001:db8:1::/48'],
    ['2001:0db8:0001:ffff::9', '2001:db8:1::/48'],
    ['::1', '0:0:0::/48'],
  ])('%s is in network %s', (address, network) => {
    expect(toNetworkAddress(address)).toBe(network)
  })
})

/** The database rows in memory: the same decision, the same rows. */
class Book {
  readonly #seen = new Map<string, Date[]>()
  /** The exceeded limit, or null; consumes nothing. */
  short(choices: readonly (readonly AttemptBudget[])[], now: Date): BudgetExceeded | null {
    const result = selectBudget(choices, (key) => this.#seen.get(key) ?? [], now)
    return 'selected' in result ? null : result
  }
  /** Seconds to wait; 0 if the request was accepted. */
  call(choices: readonly (readonly AttemptBudget[])[], now: Date): number {
    const result = selectBudget(choices, (key) => this.#seen.get(key) ?? [], now)
    if (!('selected' in result)) return result.retryAfterSeconds
    for (const budget of choices[result.selected] ?? []) {
      const before = this.#seen.get(budget.key) ?? []
      const stored = getNextStoredTime(budget, before, now)
      if ('capacity' in budget) this.#seen.set(budget.key, [stored])
      else this.#seen.set(budget.key, [...before.filter((one) => now.getTime() - one.getTime() < budget.window_s * 1000), stored])
    }
    return 0
  }
}

type SendRequest = { readonly phone: string; readonly address: string; readonly status?: RequesterTrust }
type Rules = (ask: SendRequest) => AttemptBudget[][]
const hour = 3600
const day = 86_400
const presently: Rules = ({ phone, address }) =>
  getUnknownPhoneBudgets({ peer: toPeerAddress(address), network: toNetworkAddress(address) }, 'stranger').map((some) => [
    ...getPhoneBudgets(phone, 'anybody', 'register'),
    ...some,
  ])
/** The rules until 22 November: 500 a day for everybody together. */
const formerly: Rules = ({ phone, address }) => [
  [
    { key: `hour|${address}`, max: 10, window_s: hour },
    { key: `day|${address}`, max: 50, window_s: day },
    ...getPhoneBudgets(phone, 'browser', 'register'),
    { key: 'all', max: 500, window_s: day },
  ],
]
const findExisting: Rules = ({ phone, address, status = 'anybody' }) => [
  [...getPhoneBudgets(phone, status, 'enter'), ...(status === 'browser' ? [] : getPeerBudgets(toPeerAddress(address)))],
]

/** A user who needs one code and asks again when the server says so. */
type Patient = { readonly from: number; readonly request: SendRequest; readonly rules: Rules; got: number | null }

/**
 * Simulates a day. The attacker has 500 addresses, each of which sends a request every twelve seconds in the first ten
 * minutes, then every `pause` seconds. Legitimate users send their request on arrival, and again when the server told
 * them to, after at least ten seconds.
 */
function getDay(rules: Rules, attack: (n: number) => SendRequest, pause: number, patients: readonly Patient[]) {
  const book = new Book()
  let sent = 0
  let attempts = 0
  let empty_after: number | null = null
  const due = patients.map((one) => ({ one, at: one.from }))
  for (let second = 0; second < day; second += 1) {
    for (let n = 0; n < 500; n += 1)
      if ((second + n) % (second < 600 ? 12 : pause) === 0) {
        attempts += 1
        if (book.call(rules(attack(n)), at(second)) === 0) sent += 1
        else empty_after ??= second
      }
    for (const next of due)
      if (next.one.got === null && next.at <= second) {
        const wait = book.call(next.one.rules(next.one.request), at(second))
        if (wait === 0) next.one.got = second - next.one.from
        else next.at = second + Math.max(10, wait)
      }
  }
  const waits = patients.map(({ got, from }) => got ?? day - from)
  return { sent, attempts, empty_after, longest: Math.max(...waits), waits }
}

describe('verification codes during a day of attacks', () => {
  const size = { full: 10, sample: 900, of: 'seconds between tries of an address', goal: 'S1' }
  let made = 0
  const freshPhone = () => `1${String((made += 1)).padStart(10, '0')}`
  const comers = (chance: ReturnType<typeof seeded>): Patient[] =>
    Array.from({ length: 100 }, (_, n) => ({
      from: 60 + chance.below(day - 7200),
      request: { phone: freshPhone(), address: `172.16.${n}.9` },
      rules: presently,
      got: null,
    }))

  trial(
    'budget-strangers',
    'sends codes to newcomers while 500 addresses register at full speed',
    size,
    ({ size: pause, says, seed }) => {
      const each = (n: number): SendRequest => ({ phone: freshPhone(), address: `10.${n >> 8}.${n & 255}.1` })
      const before = getDay(
        formerly,
        each,
        pause,
        comers(seeded(seed)).map((one) => ({ ...one, rules: formerly })),
      )
      const after = getDay(presently, each, pause, comers(seeded(seed)))
      says(
        `before: ${before.sent} messages, empty after ${before.empty_after} s, a newcomer waits up to ${Math.round(before.longest / 60)} min; now: ${after.sent} of ${after.attempts} tries, ${after.longest} s`,
      )
      // The former rules: seconds of attack block codes for the day.
      expect(before.empty_after).toBeLessThanOrEqual(12)
      expect(before.longest).toBeGreaterThan(20 * hour)
      expect(after.sent).toBeLessThanOrEqual(1_000 + codeLimits.repeats.holds + day / codeLimits.repeats.refill_s)
      expect(after.sent).toBeLessThanOrEqual(maxUnknownPhoneCodesPerDay)
      expect(after.longest).toBeLessThanOrEqual(5 * 60)
    },
  )

  trial(
    'budget-victim',
    'sends one phone ten messages from 500 addresses, and still signs its owner in',
    size,
    ({ size: pause, says, seed }) => {
      const chance = seeded(seed)
      const phone = freshPhone()
      const own = (status: RequesterTrust, from: number): Patient => ({
        from,
        request: { phone, address: '172.20.0.1', status },
        rules: findExisting,
        got: null,
      })
      const crowd = (n: number): SendRequest => ({ phone, address: `10.${n >> 8}.${n & 255}.1` })
      const noon = day / 2
      const owners = [
        own('browser', 30 + chance.below(600)),
        own('network', noon + chance.below(hour)),
        own('network', noon + 2 * hour + chance.below(hour)),
        own('browser', noon + 5 * hour + chance.below(hour)),
      ]
      const { sent, attempts, waits } = getDay(findExisting, crowd, pause, owners)
      says(`${sent} of ${attempts} tries rang, ${sent + owners.length} messages in all; the owner waited ${waits.join(', ')} s`)
      expect(sent).toBeGreaterThan(0)
      expect(sent).toBeLessThanOrEqual(codeLimits.phone_day.anybody)
      expect(sent + owners.length).toBeLessThanOrEqual(10)
      expect(Math.max(...waits)).toBeLessThanOrEqual(60)
    },
  )

  /**
   * The rules until the afternoon of 22 November: six a day for anyone, four of them from one network, and then nothing
   * until the next day.
   */
  const sixADay: Rules = ({ phone, address }) => [
    [
      ...getPhoneBudgets(phone, 'anybody', 'enter').filter(({ key }) => !key.startsWith('sms-day|')),
      { key: `sms-day|${phone}`, max: 6, window_s: day },
      { key: `sms-day|${phone}|${toNetworkAddress(address)}`, max: 4, window_s: day },
      ...getPeerBudgets(toPeerAddress(address)),
    ],
  ]
  /**
   * The attacker's networks request a code for the victim's phone every minute; from nine o'clock its owner does, in a
   * new place. The owner gets in with a code that is sent to them, or, with `pairs`, as soon as the phone has received
   * two codes and gets no more: those two prove possession.
   */
  function waitConcurrently(networks: number, rules: Rules, pairs: boolean) {
    const [book, phone, from] = [new Book(), freshPhone(), 9 * hour]
    const own: SendRequest = { phone, address: '172.20.0.1' }
    const ofThePhone = new Set(
      rules(own).flatMap((choice) => choice.flatMap(({ key, resource }) => (resource === 'phone' ? [key] : []))),
    )
    let rang = 0
    let wait: number | null = null
    for (let second = 0; second < day; second += 60) {
      // With many networks each one requests a code every half hour, with few every minute.
      for (let n = networks > 30 ? (second / 60) % 30 : 0; n < networks; n += networks > 30 ? 30 : 1)
        if (book.call(rules({ phone, address: `10.${n >> 8}.${n & 255}.1` }), at(second)) === 0) rang += 1
      if (wait !== null || second < from) continue
      const choices = rules(own)
      const result = book.short(choices, at(second + 30))
      const isIn = result === null || (pairs && rang >= 2 && ofThePhone.has(result.budget.key))
      if (result === null) book.call(choices, at(second + 30))
      if (isIn) wait = second + 30 - from
    }
    return { wait: wait ?? day - from, rang }
  }

  it.each([
    [1, 30, 30],
    [2, 15 * hour, 30],
    [300, 15 * hour, 30],
  ])(
    'an owner with a new browser and network against %i networks gets in after %i s before, %i s now',
    (networks, before, now) => {
      expect(waitConcurrently(networks, sixADay, false).wait).toBe(before)
      const after = waitConcurrently(networks, findExisting, true)
      expect(after.wait).toBe(now)
      // The cost: messages that the phone may get at anyone's request; the owner's proof costs nothing.
      expect(after.rang).toBeLessThanOrEqual(codeLimits.phone_day_for.enter)
      // Without the proof by received codes, the wait would be as long as before, so that proof is what lets the owner
      // in.
      if (networks > 1) expect(waitConcurrently(networks, findExisting, false).wait).toBe(15 * hour)
    },
  )

  it('does not let sign-in requests for an unknown phone prevent its registration, though no message is sent', () => {
    const [book, phone] = [new Book(), freshPhone()]
    const from = (n: number) => ({ peer: `10.0.${n}.1`, network: `10.0.${n}.0/24` })
    let longest = 0
    for (let second = 0; second < day; second += 60) {
      for (let n = (second / 60) % 30; n < 300; n += 30)
        for (const what of ['enter', 'invite'] as const)
          book.call([[...getPhoneBudgets(phone, 'anybody', what), ...getPeerBudgets(from(n).peer)]], at(second + n / 10))
      const own = getUnknownPhoneBudgets(from(301), 'stranger').map((some) => [
        ...getPhoneBudgets(phone, 'anybody', 'register'),
        ...some,
      ])
      longest = Math.max(longest, book.short(own, at(second + 45))?.retryAfterSeconds ?? 0)
    }
    expect(longest).toBeLessThanOrEqual(hour)
  })

  it('delays a challenge from a new address where the phone has been challenged too often from all addresses', () => {
    const { capacity, refillSeconds } = codeLimits.pair_of_phone
    const requested = new Map([['sms-pair|13900000000', view(capacity * refillSeconds)]])
    const call = (phone: string) =>
      selectBudget([getCodePairBudgets(phone, '10.9.8.7')], (key) => requested.get(key) ?? [], at(0))
    expect(call('13900000000')).toMatchObject({ budget: { key: 'sms-pair|13900000000' }, retryAfterSeconds: refillSeconds })
    expect(call('13900000001')).toEqual({ selected: 0 })
  })

  it('keeps guessing the twelve digits improbable from any number of addresses', () => {
    const { capacity, refillSeconds } = codeLimits.pair_of_phone
    const codes = codeLimits.phone_day.anybody
    const attempts = 5 * (capacity + day / refillSeconds)
    const single = (codes * 5) / 1e6
    expect(single + (attempts * codes * (codes - 1)) / 1e12).toBeLessThanOrEqual(5e-5)
    // To use up that limit as well, the attacker needs more addresses than this.
    expect((capacity + day / refillSeconds) / codeLimits.pair_day).toBeGreaterThan(600)
  })

  trial('budget-known', 'does not delay known users while strangers use up their limits', size, ({ size: pause, says, seed }) => {
    const chance = seeded(seed)
    const people = Array.from(
      { length: 100 },
      (): Patient => ({
        from: chance.below(day - 7200),
        request: { phone: freshPhone(), address: `172.21.${chance.below(250)}.1` },
        rules: findExisting,
        got: null,
      }),
    )
    const { longest } = getDay(presently, (n) => ({ phone: freshPhone(), address: `10.${n >> 8}.${n & 255}.1` }), pause, people)
    says(`a known phone in a new browser waited ${longest} s at most`)
    expect(longest).toBe(0)
  })
})
