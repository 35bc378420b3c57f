/** The end of a deduction item, and its current state. This file is pure. */
import type { DeductionItem, MemberDeductions } from '../../../contract/tax/deductions.ts'
import { computeAdditionalDeduction } from '../../../rules/law/deductions/additional.ts'
import { getDeductionWindow } from '../../../rules/law/deductions/windows.ts'
import { LawError } from '../../../rules/law/law-error.ts'
import { getDatedRow } from '../../../rules/law/tables/dated-table.ts'
import { currentLaw } from '../../../rules/law/tables/law.ts'
import { toAdditionalDeductionItem } from './items.ts'

const dayMs = 86_400_000
/** Items that end within this number of days are reported. */
const expiringSoonDays = 60
/** A date beyond any realistic one, used as no end. */
const farFutureMonth = 9_000 * 12

/** Formats months since year 0 as `2026-03`. */
const formatMonthIndex = (count: number): string => `${Math.floor(count / 12)}-${String((count % 12) + 1).padStart(2, '0')}`
/** Returns the last day of a month, `2026-02-28`. */
const getLastDayOfMonth = (month: string): string =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)), 0)).toISOString().slice(0, 10)
const daysBetween = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / dayMs)

export type Expiry = { readonly from: string | null; readonly last_day: string | null; readonly days_left: number | null }

/** The value is null for items that never apply in withholding: medical expenses, or an invalid period. */
export function getExpiry(item: DeductionItem, today: string): Expiry | null {
  if (item.kind === 'personal_pension') return toExpiry(item.from, item.to, today)
  const lawItem = toAdditionalDeductionItem(item)
  const window = lawItem && getDeductionWindow(lawItem, getDatedRow(currentLaw.additional, today.slice(0, 7)).value)
  if (!window || window.to < window.from) return null
  return toExpiry(formatMonthIndex(window.from), window.to > farFutureMonth ? null : formatMonthIndex(window.to), today)
}
function toExpiry(from: string | null, to: string | null, today: string): Expiry {
  const last_day = to === null ? null : getLastDayOfMonth(to)
  return { from, last_day, days_left: last_day === null ? null : daysBetween(today, last_day) }
}

/** The deduction applies today, but ends soon. */
export const isExpiring = (expiry: Expiry | null): boolean =>
  expiry !== null && expiry.days_left !== null && expiry.days_left >= 0 && expiry.days_left <= expiringSoonDays

type DeductionItemView = MemberDeductions['items'][number]
export function toDeductionItemView(item: DeductionItem, today: string): DeductionItemView {
  const month = today.slice(0, 7)
  const expiry = getExpiry(item, today)
  if (item.kind === 'serious_illness')
    return { ...item, month_fen: null, period_state: 'settlement', last_day: null, days_left: null }
  const { last_day = null, days_left = null, from = null } = expiry ?? {}
  const state =
    from !== null && from > month ? 'before' : expiry === null || (days_left !== null && days_left < 0) ? 'over' : 'counts'
  return {
    ...item,
    month_fen: state === 'counts' ? getMonthlyStandard(item, month) : 0,
    period_state: state,
    last_day,
    days_left,
  }
}

function getMonthlyStandard(item: DeductionItem, month: string): number {
  const lawItem = toAdditionalDeductionItem(item)
  if (!lawItem) return item.amount_fen ?? 0
  const [year, as_of_month] = [Number(month.slice(0, 4)), Number(month.slice(5, 7))]
  try {
    const result = computeAdditionalDeduction({ year, as_of_month, employment_start: month }, [lawItem])
    return 'refused' in result ? 0 : result.total
  } catch (error) {
    if (error instanceof LawError) return 0
    throw error
  }
}
