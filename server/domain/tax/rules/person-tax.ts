/** One person's month of withholding: the engine asked with all that is known of the year. Pure. */
import { LawRefusal } from '../../../rules/law/refused.ts'
import { said } from '../../../rules/law/steps.ts'
import type { TaxAmounts } from '../../../rules/law/wages/amounts.ts'
import { bonusApart } from '../../../rules/law/wages/bonus.ts'
import { type Amounts, type Month, type Opening, WageMonth, withhold } from '../../../rules/law/wages/withholding.ts'
import {
  type Cumulative,
  type KeptFigures,
  noneCumulative,
  type OtherParts,
  type PersonResult,
  type SpecialParts,
  type YearFacts,
} from './amounts.ts'

/** An earlier month of the year that is locked. */
export type MonthBefore = { readonly month: number; readonly result: PersonResult }
/** What the person's deductions give up to this month. */
export type DeductionsKnown = {
  readonly cumulative: Cumulative
  readonly additional_cumulative: number
  readonly steps: readonly string[]
  readonly refused: string | null
}
export type InsuranceKnown =
  | {
      readonly scheme_id: string
      readonly special: Readonly<Record<'pension' | 'medical' | 'unemployment' | 'housing_fund', number>>
      readonly steps: readonly string[]
    }
  | { readonly refused: string }

export type PersonMonth = {
  readonly year: number
  readonly month: number
  /** Months as `2026-07`. */
  readonly hired: string | null
  readonly left: string | null
  readonly facts: YearFacts
  readonly before: readonly MonthBefore[]
  readonly amounts: TaxAmounts
  readonly additional_cumulative_fen: number | null
  readonly withheld_fen: number | null
  readonly deductions: DeductionsKnown | null
  readonly insurance: InsuranceKnown | null
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

export function openingOf({ opening }: YearFacts): Opening | undefined {
  return opening?.through_month === undefined
    ? undefined
    : {
        through_month: opening.through_month,
        income: opening.income_fen,
        exempt: opening.exempt_fen,
        special: opening.special_fen,
        additional: opening.additional_fen,
        other: opening.other_fen,
        donation: opening.donation_fen,
        reduction: opening.reduction_fen,
        withheld: opening.withheld_fen,
      }
}

/** Own insurance: what is known of the month itself, else the scheme's. */
function specialOf({ amounts, insurance }: PersonMonth): { parts: SpecialParts; scheme_id: string | null; notes: string[] } {
  const { pension_fen, medical_fen, unemployment_fen, housing_fund_fen, social_fen } = amounts
  const isKnown = [pension_fen, medical_fen, unemployment_fen, housing_fund_fen].some((one) => one !== null) || social_fen !== 0
  if (isKnown || !insurance || 'refused' in insurance) {
    const parts = {
      pension: pension_fen ?? 0,
      medical: medical_fen ?? 0,
      unemployment: unemployment_fen ?? 0,
      housing_fund: housing_fund_fen ?? 0,
      social: social_fen,
    }
    return { parts, scheme_id: null, notes: !isKnown && insurance && 'refused' in insurance ? [insurance.refused] : [] }
  }
  return { parts: { ...insurance.special, social: 0 }, scheme_id: insurance.scheme_id, notes: [...insurance.steps] }
}

/** 专项附加扣除 and 个人养老金 of this month: the year's sum less what earlier months have taken. */
function deductionsOf(of: PersonMonth, before: readonly MonthBefore[]) {
  const { deductions, additional_cumulative_fen, facts } = of
  const taken = sum(before.map(({ result }) => result.used.additional)) + (facts.opening?.additional_fen ?? 0)
  const pension_taken = sum(before.map(({ result }) => result.other.personal_pension))
  const counts = deductions !== null && deductions.refused === null
  const cumulative = counts ? deductions.cumulative : noneCumulative
  const additional =
    additional_cumulative_fen !== null ? additional_cumulative_fen - taken : counts ? deductions.additional_cumulative - taken : 0
  const personal_pension = counts ? cumulative.personal_pension - pension_taken : 0
  const notes = [...(deductions?.steps ?? []), ...(deductions?.refused ? [deductions.refused] : [])]
  return { additional, personal_pension, cumulative, notes }
}

const figuresOf = (found: WageMonth): KeptFigures => ({
  month: found.month,
  months_counted: found.months_counted,
  month_basic: found.month_basic,
  basic_rule: found.basic_rule,
  sums: found.sums,
  cum_basic: found.cum_basic,
  cum_taxable: found.cum_taxable,
  rate_ppm: found.rate_ppm,
  quick_fen: found.quick_fen,
  full_tax: found.full_tax,
  cum_tax: found.cum_tax,
  cum_withheld: found.cum_withheld,
})

/** What comes out, or why nothing does; never a zero in the place of an answer. */
export function taxOfPerson(of: PersonMonth): PersonResult {
  const { amounts, facts, year, month } = of
  // What an opening contains is not counted a second time.
  const before = of.before.filter((one) => one.month > (facts.opening?.through_month ?? 0))
  const special = specialOf(of)
  const deducted = deductionsOf(of, before)
  const { annuity_fen: annuity, health_fen: health, other_fen } = amounts
  const other: OtherParts = { annuity, health, other: other_fen, personal_pension: deducted.personal_pension }
  const used: Amounts = {
    income: amounts.income_fen,
    exempt: amounts.exempt_fen,
    special: sum(Object.values(special.parts)),
    additional: deducted.additional,
    other: sum(Object.values(other)),
    donation: amounts.donation_fen,
    reduction: amounts.reduction_fen,
  }
  const kept = {
    used,
    special: special.parts,
    other,
    cumulative: deducted.cumulative,
    notes: [...deducted.notes, ...special.notes],
    scheme_id: special.scheme_id,
  }
  const nothing = { ...kept, figures: null, tax_fen: 0, credit_fen: 0, bonus: null, withheld_fen: 0 }
  try {
    const bonus = bonusOf(of)
    if (bonus && 'refused' in bonus) return { ...nothing, refused: bonus.refused }
    const employment = {
      year,
      hired: of.hired,
      left: of.left,
      first_income_of_year: facts.first_income_of_year,
      prior_year_under_60000: facts.prior_year_under_60000,
    }
    const months: Month[] = before.map(({ month: at, result }) => ({ month: at, ...result.used, withheld: result.withheld_fen }))
    const found = withhold(employment, [...months, { month, ...used }], { opening: openingOf(facts) }).at(-1)
    if (!found) return { ...nothing, refused: '没有可以计算的月份' }
    return {
      ...kept,
      refused: null,
      figures: figuresOf(found),
      tax_fen: found.tax,
      credit_fen: found.credit,
      bonus,
      withheld_fen: of.withheld_fen ?? found.tax,
    }
  } catch (error) {
    if (error instanceof LawRefusal) return { ...nothing, refused: error.message }
    throw error
  }
}

const apart = (amount_fen: number, month: string) => bonusApart(amount_fen, month, false)
const monthText = (year: number, month: number): string => `${year}-${String(month).padStart(2, '0')}`

const whyNot = {
  already_used_this_year: '今年已经用过一次全年一次性奖金单独计税；请把这笔奖金改为并入当月工资',
  policy_expired: '全年一次性奖金单独计税的规定在这个月份已经到期；请把这笔奖金改为并入当月工资',
} as const

function bonusOf({ amounts, year, month, before }: PersonMonth): PersonResult['bonus'] | { refused: string } {
  const amount_fen = amounts.bonus_fen
  if (amount_fen === 0) return null
  const used = before.some(({ result }) => (result.bonus?.amount_fen ?? 0) !== 0)
  const found = bonusApart(amount_fen, monthText(year, month), used)
  if (!found.allowed) return { refused: whyNot[found.reason] }
  return { amount_fen, tax_fen: found.tax, rate_ppm: found.rate_ppm, quick_fen: found.quick_fen }
}

/** How a month came about, said of the figures that are kept. */
export const stepsOf = ({ figures }: Pick<PersonResult, 'figures'>): string[] =>
  figures ? new WageMonth({ ...figures, province: null }).steps.map(said) : []
export function bonusStepsOf({ bonus }: Pick<PersonResult, 'bonus'>, month: string): string[] {
  const found = bonus && apart(bonus.amount_fen, month)
  return found?.allowed ? found.steps.map(said) : []
}
