/**
 * Budgets of codes by recipient and origin; their limits are in `http/limits/config.ts`
 * (docs/decisions/20261122-use-codes-sent-to-the-phone-as-proof.md).
 */
import type { AttemptBudget } from '../../../http/limits/attempts.ts'
import { codeLimits } from '../../../http/limits/config.ts'

const minute = 60
const hour = 3600
const day = 86_400

/**
 * Trust in the requester of a code: a browser in which the phone's owner has signed in; a network from which the owner
 * recently signed in; any other. The budget reserved for a higher level is never consumed by a lower one.
 */
export type RequesterTrust = 'browser' | 'network' | 'anybody'

/**
 * The use of a code, as far as budgets are concerned. For `enter` nothing is sent to an unknown phone: if those
 * requests counted with the others, anybody could prevent a phone's owner from registering by requesting sign-ins with
 * it.
 */
export type CodeUse = 'enter' | 'register' | 'invite' | 'changephone'

/** The maximum number of messages that strangers can cause within a day, from any number of addresses. */
export const maxUnknownPhoneCodesPerDay =
  codeLimits.firsts.holds + day / codeLimits.firsts.refill_s + codeLimits.repeats.holds + day / codeLimits.repeats.refill_s

/**
 * Budgets for sending to the phone. The minute limit is consumed together with the others or not at all: a rejected
 * request does not use it up.
 */
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

/**
 * Budgets for an unknown phone: first those of a first-time requester, otherwise those of a repeated request. `roster`
 * is counted but never exhausted.
 */
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
