/** Figures of one person and month of withholding as values, and what holds of several of them. */

import type { TaxAmounts } from '../../../rules/law/wages/amounts.ts'
import type { Amounts, WageMonth } from '../../../rules/law/wages/withholding.ts'

export const noAmounts: TaxAmounts = {
  income_fen: 0,
  exempt_fen: 0,
  pension_fen: null,
  medical_fen: null,
  unemployment_fen: null,
  housing_fund_fen: null,
  social_fen: 0,
  annuity_fen: 0,
  health_fen: 0,
  other_fen: 0,
  donation_fen: 0,
  reduction_fen: 0,
  bonus_fen: 0,
}

export type TakenIncome = {
  readonly batch_id: string
  readonly way: 'wages' | 'bonus'
  readonly amounts: TaxAmounts
  /** What the sheet withheld; null where it does not say. */
  readonly tax_fen: number | null
}

const plus = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : a + b)

/** Several payments of a month are one: amounts add up, and one that knows nothing of an insurance changes nothing of it. */
export function together(all: readonly TaxAmounts[]): TaxAmounts {
  let sum = noAmounts
  for (const one of all)
    sum = {
      income_fen: sum.income_fen + one.income_fen,
      exempt_fen: sum.exempt_fen + one.exempt_fen,
      pension_fen: plus(sum.pension_fen, one.pension_fen),
      medical_fen: plus(sum.medical_fen, one.medical_fen),
      unemployment_fen: plus(sum.unemployment_fen, one.unemployment_fen),
      housing_fund_fen: plus(sum.housing_fund_fen, one.housing_fund_fen),
      social_fen: sum.social_fen + one.social_fen,
      annuity_fen: sum.annuity_fen + one.annuity_fen,
      health_fen: sum.health_fen + one.health_fen,
      other_fen: sum.other_fen + one.other_fen,
      donation_fen: sum.donation_fen + one.donation_fen,
      reduction_fen: sum.reduction_fen + one.reduction_fen,
      bonus_fen: sum.bonus_fen + one.bonus_fen,
    }
  return sum
}

type Income = { readonly taken: readonly TakenIncome[]; readonly own: TaxAmounts | null }
/** What holds of a person's month: what somebody entered, else all that was taken. */
export const amountsOf = ({ taken, own }: Income): TaxAmounts => own ?? together(taken.map(({ amounts }) => amounts))
/** What the sheets withheld together; null where none of them says. */
export const sheetTaxOf = ({ taken }: Pick<Income, 'taken'>): number | null =>
  taken.reduce<number | null>((sum, { tax_fen }) => plus(sum, tax_fen), null)

/** A run that is paid as the yearly bonus apart: all of it is bonus. */
export const asBonus = (amounts: TaxAmounts): TaxAmounts => ({ ...noAmounts, bonus_fen: amounts.income_fen + amounts.bonus_fen })

export const deductionCodes = [
  'child_education',
  'infant_care',
  'continuing_education',
  'housing_loan',
  'housing_rent',
  'elderly',
  'personal_pension',
] as const
export type DeductionCode = (typeof deductionCodes)[number]
export type Cumulative = Readonly<Record<DeductionCode, number>>
export const noneCumulative: Cumulative = {
  child_education: 0,
  infant_care: 0,
  continuing_education: 0,
  housing_loan: 0,
  housing_rent: 0,
  elderly: 0,
  personal_pension: 0,
}

export type SpecialParts = Readonly<Record<'pension' | 'medical' | 'unemployment' | 'housing_fund' | 'social', number>>
export type OtherParts = Readonly<Record<'annuity' | 'health' | 'other' | 'personal_pension', number>>
/** The figures that a month's steps are said of, as they are kept. */
export type KeptFigures = Pick<
  WageMonth,
  | 'month'
  | 'months_counted'
  | 'month_basic'
  | 'basic_rule'
  | 'sums'
  | 'cum_basic'
  | 'cum_taxable'
  | 'rate_ppm'
  | 'quick_fen'
  | 'full_tax'
  | 'cum_tax'
  | 'cum_withheld'
>
export type PersonResult = {
  readonly refused: string | null
  /** What this month adds. */
  readonly used: Amounts
  readonly special: SpecialParts
  readonly other: OtherParts
  readonly cumulative: Cumulative
  readonly figures: KeptFigures | null
  readonly tax_fen: number
  readonly credit_fen: number
  readonly bonus: {
    readonly amount_fen: number
    readonly tax_fen: number
    readonly rate_ppm: number
    readonly quick_fen: number
  } | null
  /** From wages, really. */
  readonly withheld_fen: number
  /** What counts of deductions and insurance, and why. */
  readonly notes: readonly string[]
  readonly scheme_id: string | null
}

export type YearFacts = {
  readonly first_income_of_year: boolean
  readonly prior_year_under_60000: boolean
  readonly opening:
    | ({ readonly through_month: number; readonly withheld_fen: number } & Readonly<
        Record<
          'income_fen' | 'exempt_fen' | 'special_fen' | 'additional_fen' | 'other_fen' | 'donation_fen' | 'reduction_fen',
          number
        >
      >)
    | null
}
export const noFacts: YearFacts = { first_income_of_year: false, prior_year_under_60000: false, opening: null }
