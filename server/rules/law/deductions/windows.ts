/**
 * First and last month in which an item of 专项附加扣除 counts (国发 2018-41, 2023-13). Months are counted from year 0 so that
 * they can be added and compared.
 */
import { LawError } from '../law-error.ts'

/** Both months are inclusive; if `to` is before `from`, no month counts. */
export type MonthWindow = { readonly from: number; readonly to: number }

/** Converts a month to its index: `2026-07` → 24318. */
export function toMonthIndex(month: string): number {
  return Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1
}
const noEndMonth = 9_999 * 12

export type AdditionalDeductionItem =
  | { readonly code: 'infant_care'; readonly child_birth: string; readonly share_ppm: number }
  | {
      readonly code: 'child_education'
      readonly child_birth: string | null
      readonly start: string | null
      readonly end: string | null
      readonly share_ppm: number
    }
  | { readonly code: 'continuing_degree'; readonly start: string; readonly end: string | null }
  | { readonly code: 'continuing_certificate'; readonly certificate_month: string }
  | { readonly code: 'housing_loan'; readonly first_repay: string; readonly end: string | null; readonly share_ppm: number }
  | { readonly code: 'housing_rent'; readonly start: string; readonly end: string | null; readonly city_tier: number }
  | {
      readonly code: 'elderly'
      readonly elder_birth: string
      /** Null: an only child. */
      readonly share_fen: number | null
      readonly obligation_end: string | null
    }
  | { readonly code: 'serious_illness'; readonly self_paid: number }

/** Legal limits that determine the windows. */
type WindowLimits = {
  readonly child_age: number
  readonly elder_age: number
  readonly degree_months: number
  readonly loan_months: number
}

const toEndIndex = (end: string | null): number => (end === null ? noEndMonth : toMonthIndex(end))
/** Returns the window of an item; null if it does not count in withholding. */
export function getDeductionWindow(item: AdditionalDeductionItem, ages: WindowLimits): MonthWindow | null {
  switch (item.code) {
    case 'infant_care': {
      const birth = toMonthIndex(item.child_birth)
      return { from: birth, to: birth + ages.child_age * 12 - 1 }
    }
    case 'child_education': {
      const third = item.child_birth === null ? 0 : toMonthIndex(item.child_birth) + ages.child_age * 12
      const start = item.start === null ? 0 : toMonthIndex(item.start)
      if (third === 0 && start === 0)
        throw new LawError('child_education', '没有写 child_birth 或 start；请写孩子的出生日期或入学月份')
      return { from: Math.max(third, start), to: toEndIndex(item.end) }
    }
    case 'continuing_degree': {
      const from = toMonthIndex(item.start)
      return { from, to: Math.min(toEndIndex(item.end), from + ages.degree_months - 1) }
    }
    case 'continuing_certificate': {
      const month = toMonthIndex(item.certificate_month)
      return { from: month, to: month }
    }
    case 'housing_loan': {
      const from = toMonthIndex(item.first_repay)
      return { from, to: Math.min(toEndIndex(item.end), from + ages.loan_months - 1) }
    }
    case 'housing_rent':
      return { from: toMonthIndex(item.start), to: toEndIndex(item.end) }
    case 'elderly': {
      const from = toMonthIndex(item.elder_birth) + ages.elder_age * 12
      // The window ends with the year in which the obligation ends.
      const to = item.obligation_end === null ? noEndMonth : Number(item.obligation_end.slice(0, 4)) * 12 + 11
      return { from, to }
    }
    case 'serious_illness':
      return null
  }
}
