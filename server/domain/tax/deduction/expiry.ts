/** Until when an item counts, and how it stands today. Pure. */
import type { DeductionItem, MemberDeductions } from '../../../contract/wage/deductions.ts'
import { additionalDeduction } from '../../../rules/law/deductions/additional.ts'
import { windowOf } from '../../../rules/law/deductions/windows.ts'
import { LawRefusal } from '../../../rules/law/refused.ts'
import { rowFor } from '../../../rules/law/tables/dated.ts'
import { statutes } from '../../../rules/law/tables/law.ts'
import { asLaw } from './items.ts'

const day_ms = 86_400_000
/** What ends within so many days is worth a word. */
const soon_days = 60
/** Further off than anybody plans: no end. */
const far = 9_000 * 12

/** Months since the year 0 as `2026-03`. */
const monthAt = (count: number): string => `${Math.floor(count / 12)}-${String((count % 12) + 1).padStart(2, '0')}`
/** The last day of a month, `2026-02-28`. */
const lastDay = (month: string): string =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)), 0)).toISOString().slice(0, 10)
const daysBetween = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / day_ms)

export type Expiry = { readonly from: string | null; readonly last_day: string | null; readonly days_left: number | null }

/** Null where it never counts in withholding: an illness, or a window that is none. */
export function expiryOf(item: DeductionItem, today: string): Expiry | null {
  if (item.kind === 'personal_pension') return ends(item.from, item.to, today)
  const law = asLaw(item)
  const window = law && windowOf(law, rowFor(statutes.additional, today.slice(0, 7)).value)
  if (!window || window.to < window.from) return null
  return ends(monthAt(window.from), window.to > far ? null : monthAt(window.to), today)
}
function ends(from: string | null, to: string | null, today: string): Expiry {
  const last_day = to === null ? null : lastDay(to)
  return { from, last_day, days_left: last_day === null ? null : daysBetween(today, last_day) }
}

/** It counts today, and soon no more. */
export const isExpiring = (expiry: Expiry | null): boolean =>
  expiry !== null && expiry.days_left !== null && expiry.days_left >= 0 && expiry.days_left <= soon_days

type ShownItem = MemberDeductions['items'][number]
export function shownItem(item: DeductionItem, today: string): ShownItem {
  const month = today.slice(0, 7)
  const expiry = expiryOf(item, today)
  if (item.kind === 'serious_illness') return { ...item, month_fen: null, at: 'settlement', last_day: null, days_left: null }
  const { last_day = null, days_left = null, from = null } = expiry ?? {}
  const at =
    from !== null && from > month ? 'before' : expiry === null || (days_left !== null && days_left < 0) ? 'over' : 'counts'
  return { ...item, month_fen: at === 'counts' ? standardOf(item, month) : 0, at, last_day, days_left }
}

/** What it comes to in a month by itself. */
function standardOf(item: DeductionItem, month: string): number {
  const law = asLaw(item)
  if (!law) return item.amount_fen ?? 0
  const [year, as_of_month] = [Number(month.slice(0, 4)), Number(month.slice(5, 7))]
  try {
    const found = additionalDeduction({ year, as_of_month, employment_start: month }, [law])
    return 'refused' in found ? 0 : found.total
  } catch (error) {
    if (error instanceof LawRefusal) return 0
    throw error
  }
}
