/** Where a thread stands, whose it is, and until when it is to be answered. */
import type { FeedbackStatus } from '../../../contract/payslips/feedback.ts'
import { getWeekday } from './reminder-dates.ts'

/** What was answered no longer waits; a further word does not open what is done. */
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
/** The longest row of days off is shorter; a calendar without working days would otherwise never end. */
const maxDaysSearched = 120
const getNextDay = (day: string): string => new Date(Date.parse(`${day}T00:00:00Z`) + dayMs).toISOString().slice(0, 10)
/** The last second of a day in Shanghai. */
export const getEndOfDay = (day: string): Date => new Date(`${day}T23:59:59+08:00`)

/** The end of the working day by which a question is answered: `days` working days after the day on which it came; null where the company sets no time (0). */
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

/** What is due after an act: what waits keeps its day, what is asked or opened again gets one, and what waits for nobody has none. */
export const getNextDueDate = (status: FeedbackStatus, previous: Date | null, createDueDate: () => Date | null): Date | null =>
  status === 'open' ? (previous ?? createDueDate()) : null

/** Whose it is: whoever it was given to as long as he still pays people here, else whose batch it is. */
export const getThreadOwner = (
  thread: { readonly given_to: string | null; readonly batch_owner: string },
  payers: ReadonlySet<string>,
) => (thread.given_to !== null && payers.has(thread.given_to) ? thread.given_to : thread.batch_owner)

/** One notice a day for all that somebody has to answer; null where there is nothing. */
export function formatDueReminder({ today, late }: { readonly today: number; readonly late: number }): string | null {
  if (today + late === 0) return null
  const clauses = [today > 0 ? `${today} 条今天到期` : '', late > 0 ? `${late} 条已超时` : '']
  return `员工疑问有 ${clauses.filter(Boolean).join('、')}，请尽快回复`
}
