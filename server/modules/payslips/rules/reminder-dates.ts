/** When payslips are confirmed automatically and who is reminded when, in days of Shanghai's calendar (no summer time). */

const dayMs = 86_400_000

/** `2026-03-01`, 1 → `2026-02-28`. */
export const subtractDays = (day: string, count: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - count * dayMs).toISOString().slice(0, 10)

export type TimeSpan = { readonly from: Date; readonly to: Date }
/** Returns the time span (end excluded) in which payslips due for a reminder on `day` were sent: the day of sending is day 0. */
export function getReminderSpan(day: string, after_days: number): TimeSpan {
  const from = new Date(`${subtractDays(day, after_days)}T00:00:00+08:00`)
  return { from, to: new Date(from.getTime() + dayMs) }
}

/**
 * Payslips sent until then are confirmed automatically; null if the company does not want it. Days are whole days of 24
 * hours: a payslip sent in the evening is not confirmed the next morning.
 */
export const getAutoConfirmCutoff = (now: Date, after_days: number): Date | null =>
  after_days > 0 ? new Date(now.getTime() - after_days * dayMs) : null

/**
 * Returns when a payslip is confirmed automatically; null if never. Uses the current rule for payslips sent since it
 * was set; a correction counts as sent.
 */
export function getAutoConfirmAt(
  slip: { readonly sent_at: Date | null; readonly corrected_at: Date | null },
  rule: { readonly days: number; readonly since: Date | null },
): Date | null {
  const deliveredAtMs = Math.max(slip.sent_at?.getTime() ?? 0, slip.corrected_at?.getTime() ?? 0)
  if (rule.days === 0 || deliveredAtMs === 0 || deliveredAtMs < (rule.since?.getTime() ?? 0)) return null
  return new Date(deliveredAtMs + rule.days * dayMs)
}

/** `2026-11-20` → 5: Monday is 1, Sunday 7. */
export const getWeekday = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay() || 7

/** The longest series of days off, plus a week. */
const maxDaysOff = 16

/**
 * Returns the days whose reminders are sent on `day`: the day itself and the days off right before it. Nobody is
 * reminded on a day off, and nobody is forgotten because of it.
 */
export function getReminderDays(day: string, isWorkday: (day: string) => boolean): readonly string[] {
  if (!isWorkday(day)) return []
  const days = [day]
  for (
    let previousDay = subtractDays(day, 1);
    !isWorkday(previousDay) && days.length <= maxDaysOff;
    previousDay = subtractDays(previousDay, 1)
  )
    days.push(previousDay)
  return days
}

export type BatchProgress = { readonly title: string; readonly unviewed: number; readonly unconfirmed: number }
const maxTitles = 3

/** Formats 「10月工资」还有 3 人没有查看、5 人没有确认, which contains only counts. */
export function formatProgressReport(batches: readonly BatchProgress[]): string {
  const sentences = batches.slice(0, maxTitles).map(({ title, unviewed, unconfirmed }) => {
    const clauses = [unviewed > 0 ? `${unviewed} 人没有查看` : '', unconfirmed > 0 ? `${unconfirmed} 人没有确认` : '']
    return `「${title}」还有 ${clauses.filter(Boolean).join('、')}`
  })
  return `${sentences.join('；')}${batches.length > maxTitles ? `；另有 ${batches.length - maxTitles} 批` : ''}`
}

/** Returns the parameters of the message template: 「10月工资等3批」 and the total counts. */
export function getProgressReportParams(batches: readonly BatchProgress[]): {
  title: string
  unviewed: string
  unconfirmed: string
} {
  const [first] = batches
  const sumText = (read: (one: BatchProgress) => number): string => String(batches.reduce((all, one) => all + read(one), 0))
  return {
    title: `${[...(first?.title ?? '')].slice(0, 20).join('')}${batches.length > 1 ? `等${batches.length}批` : ''}`,
    unviewed: sumText((batch) => batch.unviewed),
    unconfirmed: sumText((batch) => batch.unconfirmed),
  }
}
