/** Limits on codes by recipient and origin: one table, with its reasons (20261122-use-codes-sent-to-the-phone-as-proof.md). */
import type { AttemptBudget } from '../../../http/limits/attempt-budgets.ts'

const minute = 60
const hour = 3600
const day = 86_400

/**
 * Trust in the requester of a code: a browser in which the phone's owner has signed in; one in a network from which the
 * owner recently signed in; anybody. The budget reserved for a higher level is never consumed by a lower one.
 */
export type RequesterTrust = 'browser' | 'network' | 'anybody'

/**
 * The use of a code, as far as budgets are concerned. For `enter` nothing is sent to an unknown phone: if those
 * requests counted with the others, anybody who requests sign-ins with somebody's phone could prevent its owner from
 * registering it.
 */
export type CodeUse = 'enter' | 'register' | 'invite' | 'changephone'

export const codeLimits = {
  /** A phone receives at most ten codes a day, whoever requests them; strangers can use nine of them, over all uses together. */
  phone_hour: { browser: 5, network: 4, anybody: 3 },
  phone_day: { browser: 10, network: 9, anybody: 9 },
  /** The share of the nine for each use; at least two, because two received codes are a proof of possession. */
  phone_day_for: { enter: 4, register: 2, invite: 3, changephone: 2 },
  /**
   * Limits on verifications by two received codes, per address and per phone from all addresses. Five attempts each at
   * 72 pairs of 10^12.
   */
  pair_hour: 5,
  pair_day: 20,
  pair_of_phone: { capacity: 5_000, refillSeconds: 10 },
  /** Sized for an office of two hundred employees behind one address on the morning payslips are sent. */
  peer_hour: 60,
  peer_day: 300,
  /** Codes to the new number of a signed-in user. */
  account_hour: 5,
  account_day: 10,
  /** Codes to unknown phones from one address; sized for a classroom that registers together. */
  outsider_hour: 10,
  outsider_day: 50,
  /** The first requests of an address and of its network draw from a bucket that repeated requests cannot empty. */
  first_of_peer: 2,
  first_of_network: 8,
  /** 500 addresses take 1,000 at once and then no more; 200, and one every two minutes, remain for first-time requesters. */
  firsts: { holds: 1_200, refill_s: 120 },
  /** Repeated requests: one every three minutes for all of them together, sixty after three hours without any. */
  repeats: { holds: 60, refill_s: 180 },
} as const

/** The maximum number of messages that strangers can cause within a day, from any number of addresses. */
export const maxUnknownPhoneCodesPerDay =
  codeLimits.firsts.holds + day / codeLimits.firsts.refill_s + codeLimits.repeats.holds + day / codeLimits.repeats.refill_s

/** Budgets for sending to the phone. A rejected request does not use up the minute limit: all are consumed, or none. */
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
  // Requests from a trusted browser or network do not count with those that anybody can make.
  ...(trust === 'anybody'
    ? [{ key: `sms-day|${use}|${phone}`, max: codeLimits.phone_day_for[use], window_s: day, resource: 'phone' } as const]
    : []),
]

/** Budgets for verification by two received codes: guessing is limited regardless of the number of addresses. */
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

/** Budgets for an unknown phone: of a first-time requester, else of a repeated request. `roster` is never exhausted. */
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
