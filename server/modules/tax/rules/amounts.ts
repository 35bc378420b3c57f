/** The amounts of a member and tax period as values, and rules for several of them. */

import type { TaxAmounts } from '../../../rules/law/wages/amounts.ts'
import type { WageAmounts } from '../../../rules/law/wages/month-values.ts'
import type { WageMonth } from '../../../rules/law/wages/withholding.ts'

export const zeroAmounts: TaxAmounts = {
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

export type ImportedIncome = {
  readonly batch_id: string
  readonly way: 'wages' | 'bonus'
  readonly amounts: TaxAmounts
  /** Tax withheld according to the sheet; null if it does not say. */
  readonly tax_fen: number | null
}

/** The income of a member from one batch. */
export const createImportedIncome = (
  batch_id: string,
  incomeKind: ImportedIncome['way'],
  amounts: TaxAmounts,
  tax_fen: number | null,
): ImportedIncome => ({ batch_id, way: incomeKind, amounts, tax_fen })

const addNullable = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : a + b)

/** Merges several payments of a month: amounts are added, and a payment without insurance amounts does not change them. */
export function mergeAmounts(all: readonly TaxAmounts[]): TaxAmounts {
  let sum = zeroAmounts
  for (const one of all)
    sum = {
      income_fen: sum.income_fen + one.income_fen,
      exempt_fen: sum.exempt_fen + one.exempt_fen,
      pension_fen: addNullable(sum.pension_fen, one.pension_fen),
      medical_fen: addNullable(sum.medical_fen, one.medical_fen),
      unemployment_fen: addNullable(sum.unemployment_fen, one.unemployment_fen),
      housing_fund_fen: addNullable(sum.housing_fund_fen, one.housing_fund_fen),
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

type IncomeSources = { readonly accepted: readonly ImportedIncome[]; readonly own: TaxAmounts | null }
/** Returns the amounts that apply to a member's month: those entered manually, otherwise all imported ones. */
export const getEffectiveAmounts = ({ accepted: imported, own }: IncomeSources): TaxAmounts =>
  own ?? mergeAmounts(imported.map(({ amounts }) => amounts))
/** Returns the tax withheld by all sheets; null if none of them contains it. */
export const sumSheetTax = ({ accepted: imported }: Pick<IncomeSources, 'accepted'>): number | null =>
  imported.reduce<number | null>((sum, { tax_fen }) => addNullable(sum, tax_fen), null)

/** For a batch paid as a separately taxed annual bonus, the whole amount counts as bonus. */
export const toBonusAmounts = (amounts: TaxAmounts): TaxAmounts => ({
  ...zeroAmounts,
  bonus_fen: amounts.income_fen + amounts.bonus_fen,
})

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
export type CumulativeDeductions = Readonly<Record<DeductionCode, number>>
export const zeroCumulativeDeductions: CumulativeDeductions = {
  child_education: 0,
  infant_care: 0,
  continuing_education: 0,
  housing_loan: 0,
  housing_rent: 0,
  elderly: 0,
  personal_pension: 0,
}

export type SpecialDeductions = Readonly<Record<'pension' | 'medical' | 'unemployment' | 'housing_fund' | 'social', number>>
export type OtherDeductions = Readonly<Record<'annuity' | 'health' | 'other' | 'personal_pension', number>>
/** The stored amounts from which a month's steps are generated. */
export type StoredWageMonth = Pick<
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
export type MemberTaxResult = {
  readonly refused: string | null
  /** The amounts that this month adds. */
  readonly used: WageAmounts
  readonly special: SpecialDeductions
  readonly other: OtherDeductions
  readonly cumulative: CumulativeDeductions
  readonly figures: StoredWageMonth | null
  readonly tax_fen: number
  readonly credit_fen: number
  readonly bonus: {
    readonly amount_fen: number
    readonly tax_fen: number
    readonly rate_ppm: number
    readonly quick_fen: number
  } | null
  /** Actually withheld from wages. */
  readonly withheld_fen: number
  /** Notes on which deductions and contributions apply, and why. */
  readonly notes: readonly string[]
  readonly scheme_id: string | null
}

export type TaxYearProfile = {
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
export const defaultTaxYearProfile: TaxYearProfile = { first_income_of_year: false, prior_year_under_60000: false, opening: null }
