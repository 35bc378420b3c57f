/** Whether a message is still to be sent. What a response or a timeout means is decided in outbox/rules/outcome.ts. */
import type { Channel, MemberStatus, PayslipStatus } from '../../../contract/shared/schemas.ts'

/** Milliseconds before the ledger is polled again for messages in progress: soon at first, then less often. */
export const getPollDelayMs = (attempt: number): number => Math.min(400, 25 * 2 ** attempt)

type MessagePurpose = 'slip' | 'corrected' | 'remind' | 'answered'
/** The purpose of a message about an answer; the answer's id makes it one message per answer. */
export const toAnswerPurpose = (message_id: string): string => `answered-${message_id}`
export const parsePurpose = (text: string): MessagePurpose =>
  text === 'slip' || text === 'corrected' ? text : text.startsWith('answered-') ? 'answered' : 'remind'

export type DispatchCandidate = {
  readonly purpose: string
  readonly channel: Channel
  readonly version: number
  readonly salary_status: PayslipStatus
  readonly salary_version: number
  readonly member_status: MemberStatus
  /** An administrator has confirmed that the recipient gets it although they were terminated. */
  readonly is_for_leaver: boolean
  readonly mobile: string
  readonly email: string
  readonly platform_user_id: string | null
  /** Why nothing may be sent to this recipient, as text. */
  readonly blockMessage: string | null
}
export type DispatchCheck =
  | { readonly send: true; readonly to: string }
  | { readonly send: false; readonly status: 'cancelled' | 'failed'; readonly code: string; readonly message: string }

const skipDispatch = (status: 'cancelled' | 'failed', code: string, message: string): DispatchCheck => ({
  send: false,
  status,
  code,
  message,
})

/** The failure message for members terminated between plan and sending. */
export const left_after_plan = '员工在确认发送之后离职，没有发送；仍要发给本人，请单独点「重发」'

/** Checks right before a message is sent whether it is still required, and which address is current. */
export function checkDispatch(candidate: DispatchCandidate): DispatchCheck {
  const purpose = parsePurpose(candidate.purpose)
  if (candidate.salary_status === 'withdrawn') return skipDispatch('cancelled', 'withdrawn', '工资条已撤回')
  if (purpose === 'slip' && candidate.salary_status !== 'queued')
    return skipDispatch('cancelled', 'not_queued', '工资条已不在待发送状态')
  if (purpose === 'corrected' && candidate.version < candidate.salary_version)
    return skipDispatch('cancelled', 'superseded', '已有更新的更正')
  if (purpose === 'remind' && candidate.salary_status !== 'sent')
    return skipDispatch('cancelled', 'viewed', '员工已查看，无需提醒')
  if (candidate.member_status === 'left' && !candidate.is_for_leaver) return skipDispatch('failed', 'left', left_after_plan)
  if (candidate.blockMessage !== null) return skipDispatch('failed', 'identity', candidate.blockMessage)
  const [to, unreachableMessage] = getAddress(candidate)
  return to ? { send: true, to } : skipDispatch('failed', 'unreachable', unreachableMessage)
}

/** Returns the address, or the message shown where there is none. */
function getAddress({ channel, platform_user_id, email, mobile }: DispatchCandidate): [to: string | null, without: string] {
  if (channel === 'platform') return [platform_user_id, '员工没有绑定办公平台，请改用短信或链接']
  if (channel === 'email') return [email, '员工没有邮箱，请在花名册补充后重发，或改用其他渠道']
  return [mobile, '员工没有手机号，请补充后重发']
}

const undeliveredPatterns: readonly (readonly [RegExp, string])[] = [
  [/black|refuse|reject|td$|unsub/i, '号码退订了短信，或在运营商的黑名单里'],
  [/not_on_service|noexist|illegal|invalid|unknown|undeliv|empty|halt/i, '号码是空号、停机或长期不用'],
  [/expire|timeout|time_out|poweroff|absent/i, '手机长时间关机或没有信号'],
  [/full|limit|overload/i, '手机短信已满，或收得太频繁'],
]
/** Converts a gateway's code for an undelivered SMS to a message that says what to do. */
export const formatUndeliveredMessage = (code: string): string =>
  `短信未送达：${undeliveredPatterns.find(([like]) => like.test(code))?.[1] ?? '运营商没有送到手机'}，请核对号码或改用其他渠道`

/** Minutes between two checks for bounces, by the time since the last mail: most bounces arrive at once, the last after days. */
const inboxPollIntervals: readonly (readonly [age_min: number, every_min: number])[] = [
  [10, 1],
  [60, 5],
  [6 * 60, 15],
  [5 * 24 * 60, 60],
]
/** A check may start slightly early where the queue's clock is ahead: it must not schedule the same minute again. */
const clockSkewMs = 20_000
/**
 * Returns the time of the next check for bounces, on full multiples of its interval, so that requests at about the same
 * time get the same result; null: no bounces are expected any more.
 */
export function getNextInboxPoll(now: Date, mailed_at: Date): Date | null {
  const age_ms = now.getTime() - mailed_at.getTime()
  const step = inboxPollIntervals.find(([age_min]) => age_ms < age_min * 60_000)
  if (!step) return null
  const every_ms = step[1] * 60_000
  return new Date((Math.floor((now.getTime() + clockSkewMs) / every_ms) + 1) * every_ms)
}
