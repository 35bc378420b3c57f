/** What is certainly known of somebody's tax year before a month, and what his deductions add in it. Pure. */
import type { TaxYearToDate } from '../../../rules/law/wages/tax-year-to-date.ts'
import type { OpeningBalance } from '../../../rules/law/wages/withholding.ts'
import type { MemberTaxResult, TaxYearProfile } from './amounts.ts'
import { type DeductionTotals, type InsuranceTotals, toOpening } from './member-tax.ts'

export type TaxYearContext = {
  readonly month: string
  readonly hired: string | null
  readonly left: string | null
  /** Months of the year before this one that are closed. */
  readonly closed: readonly number[]
  /** The last of them that he is in. */
  readonly last: { readonly month: number; readonly result: MemberTaxResult | null } | null
  readonly facts: TaxYearProfile
  /** The year's 专项附加扣除 up to this month, where somebody entered it for the month. */
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

/** Null: what his deductions add is not known, or a month before was refused. */
export function deriveTaxYearToDate(context: TaxYearContext): TaxYearToDate | null {
  const [year, monthNumber] = [Number(context.month.slice(0, 4)), Number(context.month.slice(5))]
  const opening = toOpening(context.facts)
  const throughMonth = opening?.through_month ?? 0
  if (throughMonth >= monthNumber) return null
  const first = context.hired?.slice(0, 4) === String(year) ? Number(context.hired.slice(5, 7)) : 1
  const requiredMonths = Array.from(
    { length: Math.max(0, monthNumber - Math.max(first, throughMonth + 1)) },
    (_, at) => Math.max(first, throughMonth + 1) + at,
  )
  const isClosed =
    requiredMonths.every((month) => context.closed.includes(month)) &&
    (opening !== undefined || requiredMonths.length > 0 || first === monthNumber)
  const last = isClosed && context.last && context.last.month > throughMonth ? context.last.result : null
  if (isClosed && context.last && context.last.month > throughMonth && !last?.figures) return null
  const base: OpeningBalance | undefined = last?.figures
    ? { through_month: monthNumber - 1, ...last.figures.sums, withheld: last.figures.cum_withheld + last.withheld_fen }
    : isClosed && opening === undefined
      ? { ...emptyOpening, through_month: monthNumber - 1 }
      : opening
  const deductedBefore = base?.additional ?? 0
  const isCounted = context.deductions !== null && context.deductions.refused === null
  // Who took deductions that are not entered here may take more this month; who took none in what was declared here takes none.
  const declared = isClosed && (last !== null || opening !== undefined) && deductedBefore === 0
  const sum = context.entered ?? (isCounted ? context.deductions.additional_cumulative : declared ? 0 : null)
  if (sum === null) return null
  const pension = isCounted ? context.deductions.cumulative.personal_pension - (last?.cumulative.personal_pension ?? 0) : 0
  const { hired, left, facts: profile } = context
  const { first_income_of_year, prior_year_under_60000 } = profile
  return {
    month: context.month,
    employment: { year, hired, left, first_income_of_year, prior_year_under_60000 },
    before: base,
    is_closed: isClosed,
    additional: sum - deductedBefore,
    pension,
    insurance:
      context.insurance && !('refused' in context.insurance)
        ? Object.values(context.insurance.special).reduce((a, b) => a + b, 0)
        : 0,
  }
}
