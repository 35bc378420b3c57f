/** The status of a thread, its responsible administrator, and its due date. */
import type { FeedbackStatus } from '../../../contract/payslips/feedback.ts'
import { getWeekday } from './reminder-dates.ts'

/** An answered thread no longer waits; a further message does not reopen a closed one. */
export function getStatusAfterAction(
  previous: FeedbackStatus,
  action: 'reply' | 'resolve' | 'reopen',
  content: string,
): FeedbackStatus {
  if (action === 'resolve') return 'resolved'
  if (action === 'reopen') return content === '' ? 'open' : 'answered'
  return previous === 'resolved' ? 'resolved' : 'answered'
}

const dayMs = 86_400_000
const shanghaiOffsetMs = 8 * 3_600_000
const toDay = (at: Date): string => new Date(at.getTime() + shanghaiOffsetMs).toISOString().slice(0, 10)
/** Longer than any series of days off; without a limit a calendar without working days would loop forever. */
const maxDaysSearched = 120
const getNextDay = (day: string): string => new Date(Date.parse(`${day}T00:00:00Z`) + dayMs).toISOString().slice(0, 10)
/** Returns the last second of a day in Shanghai. */
export const getEndOfDay = (day: string): Date => new Date(`${day}T23:59:59+08:00`)

/**
 * Returns the end of the working day by which feedback must be answered: `days` working days after the day of
 * submission; null where the company sets no limit (0).
 */
export function getDueDate(submittedAt: Date, days: number, isWorkday: (day: string, weekday: number) => boolean): Date | null {
  if (days === 0) return null
  let day = toDay(submittedAt)
  let remainingDays = days
  for (let step = 0; step < maxDaysSearched && remainingDays > 0; step += 1) {
    day = getNextDay(day)
    if (isWorkday(day, getWeekday(day))) remainingDays -= 1
  }
  return getEndOfDay(day)
}

/** Returns the due date after an action: a waiting thread keeps its date, a new or reopened one gets one, others have none. */
export const getNextDueDate = (status: FeedbackStatus, previous: Date | null, createDueDate: () => Date | null): Date | null =>
  status === 'open' ? (previous ?? createDueDate()) : null

/** Returns the responsible administrator: the assignee as long as they still pay members, otherwise the batch's owner. */
export const getThreadOwner = (
  thread: { readonly given_to: string | null; readonly batch_owner: string },
  payers: ReadonlySet<string>,
) => (thread.given_to !== null && payers.has(thread.given_to) ? thread.given_to : thread.batch_owner)

/** Formats one notification a day for all feedback an administrator has to answer; null if there is none. */
export function formatDueReminder({ today, late }: { readonly today: number; readonly late: number }): string | null {
  if (today + late === 0) return null
  const clauses = [today > 0 ? `${today} 条今天到期` : '', late > 0 ? `${late} 条已超时` : '']
  return `员工反馈有 ${clauses.filter(Boolean).join('、')}，请尽快回复`
}
