/**
 * How many codes may leave, for whom, from where: one table, with its reasons
 * (docs/decisions/20261122-use-codes-sent-to-the-phone-as-proof.md).
 */
import type { AttemptBudget } from '../../../http/limits/attempt-budgets.ts'

const minute = 60
const hour = 3600
const day = 86_400

/**
 * Who asks for a code to this phone. A browser in which its owner has signed in; one in a network from which he has signed in lately; anybody.
 * What is kept for the one is never reached by the others.
 */
export type RequesterTrust = 'browser' | 'network' | 'anybody'

/**
 * What a code is for, as far as budgets are concerned. To `enter` nothing is sent to a phone that nobody knows: were those counted with the
 * others, whoever asks to sign in with somebody's phone could keep him from registering it.
 */
export type CodeUse = 'enter' | 'register' | 'invite' | 'changephone'

export const codeLimits = {
  /** A phone rings ten times a day at most, whoever makes it ring; strangers reach nine of the ten, by all that a code is for together. */
  phone_hour: { browser: 5, network: 4, anybody: 3 },
  phone_day: { browser: 10, network: 9, anybody: 9 },
  /** So many of the nine by each; two at least, because two that rang are a proof. */
  phone_day_for: { enter: 4, register: 2, invite: 3, changephone: 2 },
  /** Questions answered by two codes that rang: of an address, and of a phone from everywhere. Five tries each at 72 pairs of 10^12. */
  pair_hour: 5,
  pair_day: 20,
  pair_of_phone: { capacity: 5_000, refillSeconds: 10 },
  /** An office of two hundred behind one address, on the morning of the slips. */
  peer_hour: 60,
  peer_day: 300,
  /** The new number of somebody who is signed in. */
  account_hour: 5,
  account_day: 10,
  /** To phones that nobody knows, from one address; a class-room that registers together. */
  outsider_hour: 10,
  outsider_day: 50,
  /** The first of an address and of its neighbours draw from a bucket that nobody can empty by asking again. */
  first_of_peer: 2,
  first_of_network: 8,
  /** 500 addresses take 1,000 at once and then no more; 200 and one every two minutes are left to those who come for the first time. */
  firsts: { holds: 1_200, refill_s: 120 },
  /** Whoever asks again: one every three minutes for all of them, sixty when nobody has asked for three hours. */
  repeats: { holds: 60, refill_s: 180 },
} as const

/** The most that strangers can make us send within a day, from however many addresses. */
export const maxUnknownPhoneCodesPerDay =
  codeLimits.firsts.holds + day / codeLimits.firsts.refill_s + codeLimits.repeats.holds + day / codeLimits.repeats.refill_s

/** What rings the phone. The minute is counted with the others or not at all: what is refused holds nobody's minute. */
export const getPhoneBudgets = (phone: string, trust: RequesterTrust, use: CodeUse): AttemptBudget[] => [
  {
    key: `sms-minute|${phone}`,
    max: 1,
    window_s: minute,
    error: 'too_often',
    formatMessage: () => '验证码刚刚发过，请稍后再获取',
  },
  { key: `sms-hour|${phone}`, max: codeLimits.phone_hour[trust], window_s: hour, resource: 'phone' },
  { key: `sms-day|${phone}`, max: codeLimits.phone_day[trust], window_s: day, resource: 'phone' },
  // What he asks for himself where he is known is not counted with what anybody asks for.
  ...(trust === 'anybody'
    ? [{ key: `sms-day|${use}|${phone}`, max: codeLimits.phone_day_for[use], window_s: day, resource: 'phone' } as const]
    : []),
]

/** For a question that is answered by two codes that rang: whoever guesses at it is bounded, from however many addresses. */
export const getCodePairBudgets = (phone: string, peer: string): AttemptBudget[] => [
  { key: `sms-pair-hour|${peer}`, max: codeLimits.pair_hour, window_s: hour },
  { key: `sms-pair-day|${peer}`, max: codeLimits.pair_day, window_s: day },
  { key: `sms-pair|${phone}`, ...codeLimits.pair_of_phone },
]

export const getPeerBudgets = (peer: string): AttemptBudget[] => [
  { key: `sms-peer-hour|${peer}`, max: codeLimits.peer_hour, window_s: hour },
  { key: `sms-peer-day|${peer}`, max: codeLimits.peer_day, window_s: day },
]

export const getAccountBudgets = (account_id: string): AttemptBudget[] => [
  { key: `sms-account-hour|${account_id}`, max: codeLimits.account_hour, window_s: hour },
  { key: `sms-account-day|${account_id}`, max: codeLimits.account_day, window_s: day },
]

const unlimited = 1e9
const formatBusyMessage = (wait_s: number): string => `现在申请的人较多，请在 ${Math.ceil(wait_s / 60)} 分钟后再获取验证码`

/** For a phone that nobody knows: first as one who comes for the first time, else as one who asks again. `roster` is counted and never short. */
export function getUnknownPhoneBudgets(
  origin: { peer: string; network: string },
  kind: 'stranger' | 'roster',
): AttemptBudget[][] {
  const { peer, network } = origin
  const max = (limit: number): number => (kind === 'stranger' ? limit : unlimited)
  const peers: AttemptBudget[] = [
    { key: `sms-${kind}-hour|${peer}`, max: max(codeLimits.outsider_hour), window_s: hour },
    { key: `sms-${kind}-day|${peer}`, max: max(codeLimits.outsider_day), window_s: day },
  ]
  const { firsts, repeats } = codeLimits
  return [
    [
      ...peers,
      { key: `sms-${kind}-first|${peer}`, max: max(codeLimits.first_of_peer), window_s: day },
      { key: `sms-${kind}-first|${network}`, max: max(codeLimits.first_of_network), window_s: day },
      {
        key: `sms-${kind}-firsts`,
        capacity: max(firsts.holds),
        refillSeconds: firsts.refill_s,
        formatMessage: formatBusyMessage,
      },
    ],
    [
      ...peers,
      {
        key: `sms-${kind}-repeats`,
        capacity: max(repeats.holds),
        refillSeconds: repeats.refill_s,
        formatMessage: formatBusyMessage,
      },
    ],
  ]
}
