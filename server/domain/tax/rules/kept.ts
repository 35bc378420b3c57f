/** What is certainly known of somebody's tax year before a month, and what his deductions add in it. Pure. */
import type { KnownTaxYear } from '../../../rules/law/wages/known-year.ts'
import type { Opening } from '../../../rules/law/wages/withholding.ts'
import type { PersonResult, YearFacts } from './amounts.ts'
import { type DeductionsKnown, type InsuranceKnown, openingOf } from './person-tax.ts'

export type TaxStanding = {
  readonly month: string
  readonly hired: string | null
  readonly left: string | null
  /** Months of the year before this one that are closed. */
  readonly closed: readonly number[]
  /** The last of them that he is in. */
  readonly last: { readonly month: number; readonly result: PersonResult | null } | null
  readonly facts: YearFacts
  /** The year's 专项附加扣除 up to this month, where somebody entered it for the month. */
  readonly entered: number | null
  readonly deductions: DeductionsKnown | null
  readonly insurance: InsuranceKnown | null
}

const nothing = {
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
export function keptOf(of: TaxStanding): KnownTaxYear | null {
  const [year, number] = [Number(of.month.slice(0, 4)), Number(of.month.slice(5))]
  const told = openingOf(of.facts)
  const through = told?.through_month ?? 0
  if (through >= number) return null
  const first = of.hired?.slice(0, 4) === String(year) ? Number(of.hired.slice(5, 7)) : 1
  const wanted = Array.from(
    { length: Math.max(0, number - Math.max(first, through + 1)) },
    (_, at) => Math.max(first, through + 1) + at,
  )
  const is_closed =
    wanted.every((month) => of.closed.includes(month)) && (told !== undefined || wanted.length > 0 || first === number)
  const last = is_closed && of.last && of.last.month > through ? of.last.result : null
  if (is_closed && of.last && of.last.month > through && !last?.figures) return null
  const before: Opening | undefined = last?.figures
    ? { through_month: number - 1, ...last.figures.sums, withheld: last.figures.cum_withheld + last.withheld_fen }
    : is_closed && told === undefined
      ? { ...nothing, through_month: number - 1 }
      : told
  const taken = before?.additional ?? 0
  const counts = of.deductions !== null && of.deductions.refused === null
  // Who took deductions that are not entered here may take more this month; who took none in what was declared here takes none.
  const declared = is_closed && (last !== null || told !== undefined) && taken === 0
  const sum = of.entered ?? (counts ? of.deductions.additional_cumulative : declared ? 0 : null)
  if (sum === null) return null
  const pension = counts ? of.deductions.cumulative.personal_pension - (last?.cumulative.personal_pension ?? 0) : 0
  const { hired, left, facts } = of
  const { first_income_of_year, prior_year_under_60000 } = facts
  return {
    month: of.month,
    employment: { year, hired, left, first_income_of_year, prior_year_under_60000 },
    before,
    is_closed,
    additional: sum - taken,
    pension,
    insurance: of.insurance && !('refused' in of.insurance) ? Object.values(of.insurance.special).reduce((a, b) => a + b, 0) : 0,
  }
}
