/** What becomes of one message: whether it is still wanted, what an answer or a silence means, when it is tried again. */
import type { Channel, MemberStatus, SalaryStatus } from '../../../contract/words.ts'

export const most_attempts = 8
/**
 * How long after a try whose outcome is unclear the gateways still know our id. Lark forgets after an hour; ten minutes are kept
 * as a margin. Later a missing answer proves nothing any more.
 */
export const window_ms = 50 * 60_000
/** Waits between the eight tries, seconds: 33 minutes in all, inside the window. */
const waits_s = [5, 15, 45, 120, 300, 600, 900]

/** Milliseconds to wait after try number `attempts`; `spread` from 0 to 1 moves it by up to a fifth, so that tries do not bunch. */
export function backOff(attempts: number, spread = 0.5): number {
  const wait_s = waits_s[Math.min(Math.max(attempts, 1), waits_s.length) - 1] ?? 900
  return Math.round(wait_s * 1000 * (0.8 + 0.4 * spread))
}

/** After a try that failed without a clear no. */
export const afterError = (attempts: number): 'retry' | 'unknown' => (attempts >= most_attempts ? 'unknown' : 'retry')

/**
 * A try was begun before and its outcome is not known. `found` is what the gateway says when asked for our id: it has taken it, it has
 * none such, it is unsure because its books are behind; silent when it could not be asked. A message that was taken is never repeated;
 * one whose trace may be forgotten, or of which nothing is certain, is not repeated either.
 */
export function afterLookup(asked: {
  found: 'taken' | 'none' | 'unsure' | 'silent'
  attempts: number
  since_ms: number
}): 'accepted' | 'send' | 'unknown' | 'later' {
  if (asked.found === 'taken') return 'accepted'
  if (asked.found === 'silent') return 'later'
  if (asked.since_ms > window_ms) return 'unknown'
  if (asked.found === 'unsure') return 'later'
  return asked.attempts >= most_attempts ? 'unknown' : 'send'
}

/** Milliseconds until the gateway is asked again for a message it could not tell of: a third of the time that has passed, at least. */
export const untilAskedAgain = (attempts: number, since_ms: number): number =>
  Math.max(backOff(attempts), Math.round(since_ms / 3))

/** Milliseconds before the ledger is looked at again for what is under way: soon at first, a message takes a blink; then calmly. */
export const waitBefore = (looked: number): number => Math.min(400, 25 * 2 ** looked)

export type Purpose = 'slip' | 'corrected' | 'remind' | 'answered'
/** A message that a question was answered; the answer's id makes it one message an answer. */
export const answerPurpose = (message_id: string): string => `answered-${message_id}`
export const purposeOf = (text: string): Purpose =>
  text === 'slip' || text === 'corrected' ? text : text.startsWith('answered-') ? 'answered' : 'remind'

export type Wanted = {
  readonly purpose: string
  readonly channel: Channel
  readonly version: number
  readonly salary_status: SalaryStatus
  readonly salary_version: number
  readonly member_status: MemberStatus
  readonly mobile: string
  readonly platform_user_id: string | null
  /** Why nothing may leave for this person, in words. */
  readonly stop: string | null
}
export type Verdict =
  | { readonly send: true; readonly to: string }
  | { readonly send: false; readonly status: 'cancelled' | 'failed'; readonly code: string; readonly message: string }

const no = (status: 'cancelled' | 'failed', code: string, message: string): Verdict => ({ send: false, status, code, message })

/** Asked right before a message leaves: is it still wanted, and where does the person live now? */
export function stillWanted(it: Wanted): Verdict {
  const purpose = purposeOf(it.purpose)
  if (it.salary_status === 'withdrawn') return no('cancelled', 'withdrawn', '工资条已撤回')
  if (purpose === 'slip' && it.salary_status !== 'queued') return no('cancelled', 'not_queued', '工资条已不在待发送状态')
  if (purpose === 'corrected' && it.version < it.salary_version) return no('cancelled', 'superseded', '已有更新的更正')
  if (purpose === 'remind' && it.salary_status !== 'sent') return no('cancelled', 'viewed', '员工已查看，无需提醒')
  if (it.member_status === 'left') return no('failed', 'left', '员工已离职，没有发送')
  if (it.stop !== null) return no('failed', 'identity', it.stop)
  const to = it.channel === 'platform' ? it.platform_user_id : it.mobile
  if (!to) {
    const message = it.channel === 'platform' ? '员工没有绑定办公平台，请改用短信或链接' : '员工没有手机号，请补充后重发'
    return no('failed', 'unreachable', message)
  }
  return { send: true, to }
}
