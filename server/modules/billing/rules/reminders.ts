/** When a company is notified that its edition ends or that prepaid messages run low, and with which text. Pure. */
import { editionLabels } from '../../../contract/billing/editions.ts'
import { trialDays } from './edition.ts'
import { isBalanceLow, type PrepaidBalance } from './prepaid.ts'

const dayMs = 86_400_000
/** Days before the end in Shanghai's calendar; 0 is the last day itself. */
const reminderDays = [30, 7, 1, 0] as const
/** After an outage on a reminder day the reminder is sent up to this many days later, but never after the next reminder day. */
const graceDays = 2

export type ReminderDay = (typeof reminderDays)[number]
export type EditionExpiry = {
  readonly edition: number
  readonly on_trial: boolean
  /** The last day in Shanghai's calendar. */
  readonly last_day: string
  readonly is_over: boolean
}
export type ExpiryReminder = { readonly daysBefore: ReminderDay; readonly text: string }

/** Returns today's reminder of the end of an edition or trial, or null. A trial starts 30 days before it: none on that day. */
export function getExpiryReminder(
  { edition: editionCode, on_trial, last_day, is_over }: EditionExpiry,
  today: string,
): ExpiryReminder | null {
  const edition = editionCode === 53 || editionCode === 60 ? editionCode : null
  if (!edition) return null
  const daysRemaining = (Date.parse(last_day) - Date.parse(today)) / dayMs
  const daysBefore = reminderDays.find(
    (one, at) =>
      daysRemaining <= one &&
      daysRemaining >= one - graceDays &&
      daysRemaining > (reminderDays[at + 1] ?? Number.NEGATIVE_INFINITY),
  )
  if (daysBefore === undefined || (on_trial && daysBefore >= trialDays)) return null
  const label = on_trial ? '试用' : editionLabels[edition]
  const [, month, day] = last_day.split('-').map(Number)
  const date = `${month} 月 ${day} 日`
  const advice = on_trial ? '购买后可继续使用全部功能' : '续费后功能不中断'
  const text = is_over
    ? `${label}已于 ${date}到期，现为免费版；资料都在，${on_trial ? '购买' : '续费'}后即可恢复全部功能`
    : daysRemaining <= 0
      ? `${label}今天到期，之后转为免费版；${advice}`
      : `${label}还有 ${daysRemaining} 天到期（${date}），之后转为免费版；${advice}`
  return { daysBefore, text }
}

export type PrepaidState = PrepaidBalance & {
  /** Whether messages were used after the last refill: otherwise the balance has not fallen but was low from the start. */
  readonly is_spent: boolean
}

/** Returns the message about a balance that will not last another month; null while it does. */
export function getLowBalanceMessage({ is_spent, ...pool }: PrepaidState): string | null {
  const { left: remaining, used_last_month: used } = pool
  if (!is_spent || !isBalanceLow(pool)) return null
  const lastMonthText = used > 0 ? `，上月用了 ${used} 条` : ''
  return `短信余额还剩 ${remaining} 条${lastMonthText}；请及时充值，余额用完后短信将无法送达`
}
