/** What is certain about a member's tax year before a month, and what their deductions add in it. Pure. */
import type { TaxYearToDate } from '../../../rules/law/wages/tax-year-to-date.ts'
import type { OpeningBalance } from '../../../rules/law/wages/withholding.ts'
import type { MemberTaxResult, TaxYearProfile } from './amounts.ts'
import { type DeductionTotals, type InsuranceTotals, toOpening } from './member-tax.ts'

export type TaxYearContext = {
  readonly month: string
  readonly hire_month: string | null
  readonly leave_month: string | null
  /** Closed months of the year before this one. */
  readonly locked_months: readonly number[]
  /** The last of these months that includes the member. */
  readonly last_locked: { readonly month: number; readonly result: MemberTaxResult | null } | null
  readonly profile: TaxYearProfile
  /** The year's 专项附加扣除 up to this month, if entered for the month. */
  readonly entered: number | null
  readonly deductions: DeductionTotals | null
  readonly insurance: InsuranceTotals | null
}

const emptyOpening = {
  through_month: 0,
  income: 0,
  exempt: 0,
  special: 0,
  additional: 0,
  other: 0,
  donation: 0,
  reduction: 0,
  withheld: 0,
}

/** The value is null if the deductions are unknown, or if an earlier month has no result. */
export function deriveTaxYearToDate(context: TaxYearContext): TaxYearToDate | null {
  const [year, monthNumber] = [Number(context.month.slice(0, 4)), Number(context.month.slice(5))]
  const opening = toOpening(context.profile)
  const throughMonth = opening?.through_month ?? 0
  if (throughMonth >= monthNumber) return null
  const first = context.hire_month?.slice(0, 4) === String(year) ? Number(context.hire_month.slice(5, 7)) : 1
  const requiredMonths = Array.from(
    { length: Math.max(0, monthNumber - Math.max(first, throughMonth + 1)) },
    (_, at) => Math.max(first, throughMonth + 1) + at,
  )
  const isClosed =
    requiredMonths.every((month) => context.locked_months.includes(month)) &&
    (opening !== undefined || requiredMonths.length > 0 || first === monthNumber)
  const last = isClosed && context.last_locked && context.last_locked.month > throughMonth ? context.last_locked.result : null
  if (isClosed && context.last_locked && context.last_locked.month > throughMonth && !last?.figures) return null
  const base: OpeningBalance | undefined = last?.figures
    ? { through_month: monthNumber - 1, ...last.figures.sums, withheld: last.figures.cum_withheld + last.withheld_fen }
    : isClosed && opening === undefined
      ? { ...emptyOpening, through_month: monthNumber - 1 }
      : opening
  const deductedBefore = base?.additional ?? 0
  const isCounted = context.deductions !== null && context.deductions.refused === null
  // A member with deductions that are not entered here may deduct more this month; one without any in earlier
  // declarations deducts none.
  const declared = isClosed && (last !== null || opening !== undefined) && deductedBefore === 0
  const sum = context.entered ?? (isCounted ? context.deductions.additional_cumulative : declared ? 0 : null)
  if (sum === null) return null
  const pension = isCounted ? context.deductions.cumulative.personal_pension - (last?.cumulative.personal_pension ?? 0) : 0
  const { hire_month, leave_month, profile } = context
  const { first_income_of_year, prior_year_under_60000 } = profile
  return {
    month: context.month,
    employment: { year, hire_month, leave_month, first_income_of_year, prior_year_under_60000 },
    opening: base,
    is_closed: isClosed,
    additional: sum - deductedBefore,
    pension,
    insurance:
      context.insurance && !('refused' in context.insurance)
        ? Object.values(context.insurance.special).reduce((a, b) => a + b, 0)
        : 0,
  }
}
