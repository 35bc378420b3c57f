/** When slips confirm themselves and who is reminded when. Days are days of Shanghai's calendar, which knows no summer time. */

const day_ms = 86_400_000

/** `2026-03-01`, 1 → `2026-02-28`. */
export const daysBefore = (day: string, count: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - count * day_ms).toISOString().slice(0, 10)

export type Span = { readonly from: Date; readonly to: Date }
/** From when to when (excluded) a slip was given whose reminder is due on `day`: the day of giving is day 0. */
export function givenFor(day: string, after_days: number): Span {
  const from = new Date(`${daysBefore(day, after_days)}T00:00:00+08:00`)
  return { from, to: new Date(from.getTime() + day_ms) }
}

/**
 * Slips given until then confirm themselves; null where the company wants none. Whole days of 24 hours: a slip of the evening does not
 * confirm itself the next morning.
 */
export const confirmsUpTo = (now: Date, after_days: number): Date | null =>
  after_days > 0 ? new Date(now.getTime() - after_days * day_ms) : null

/**
 * When a slip confirms itself; null where it never does. By the rule as it is now, of slips given since it was made; what was corrected was
 * given then.
 */
export function confirmsAt(
  slip: { readonly sent_at: Date | null; readonly corrected_at: Date | null },
  rule: { readonly days: number; readonly since: Date | null },
): Date | null {
  const given = Math.max(slip.sent_at?.getTime() ?? 0, slip.corrected_at?.getTime() ?? 0)
  if (rule.days === 0 || given === 0 || given < (rule.since?.getTime() ?? 0)) return null
  return new Date(given + rule.days * day_ms)
}

/** `2026-11-20` → 5: Monday is 1, Sunday 7. */
export const weekdayOf = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay() || 7

/** The longest row of days off that there is, and a week besides. */
const most_days_off = 16

/**
 * Whose reminders leave on `day`: its own, and those of the days off right before it. On a day off nobody is reminded, and nobody is forgotten for it.
 */
export function remindedOn(day: string, isWorked: (day: string) => boolean): readonly string[] {
  if (!isWorked(day)) return []
  const days = [day]
  for (let before = daysBefore(day, 1); !isWorked(before) && days.length <= most_days_off; before = daysBefore(before, 1))
    days.push(before)
  return days
}

export type Standing = { readonly title: string; readonly unviewed: number; readonly unconfirmed: number }
const most_titles = 3

/** 「10月工资」还有 3 人没有查看、5 人没有确认. Counts only. */
export function standingText(batches: readonly Standing[]): string {
  const lines = batches.slice(0, most_titles).map(({ title, unviewed, unconfirmed }) => {
    const parts = [unviewed > 0 ? `${unviewed} 人没有查看` : '', unconfirmed > 0 ? `${unconfirmed} 人没有确认` : '']
    return `「${title}」还有 ${parts.filter(Boolean).join('、')}`
  })
  return `${lines.join('；')}${batches.length > most_titles ? `；另有 ${batches.length - most_titles} 批` : ''}`
}

/** The same for a message, whose text is a template: 「10月工资等3批」, and the counts of all of them together. */
export function standingParams(batches: readonly Standing[]): { title: string; unviewed: string; unconfirmed: string } {
  const [first] = batches
  const sum = (read: (one: Standing) => number): string => String(batches.reduce((all, one) => all + read(one), 0))
  return {
    title: `${[...(first?.title ?? '')].slice(0, 20).join('')}${batches.length > 1 ? `等${batches.length}批` : ''}`,
    unviewed: sum((one) => one.unviewed),
    unconfirmed: sum((one) => one.unconfirmed),
  }
}
