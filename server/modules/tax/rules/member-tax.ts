/** A member's tax for one period: runs the engine on all known data of the year. Pure. */
import { LawError } from '../../../rules/law/law-error.ts'
import { formatStep } from '../../../rules/law/steps.ts'
import type { TaxAmounts } from '../../../rules/law/wages/amounts.ts'
import { computeSeparateBonusTax } from '../../../rules/law/wages/bonus.ts'
import type { WageAmounts } from '../../../rules/law/wages/month-values.ts'
import { computeWithholding, type OpeningBalance, WageMonth, type WageMonthInput } from '../../../rules/law/wages/withholding.ts'
import {
  type CumulativeDeductions,
  type MemberTaxResult,
  type OtherDeductions,
  type SpecialDeductions,
  type StoredWageMonth,
  type TaxYearProfile,
  zeroCumulativeDeductions,
} from './amounts.ts'

/** An earlier locked month of the year. */
export type EarlierMonth = { readonly month: number; readonly result: MemberTaxResult }
/** The member's deductions up to this month. */
export type DeductionTotals = {
  readonly cumulative: CumulativeDeductions
  readonly additional_cumulative: number
  readonly steps: readonly string[]
  readonly refused: string | null
}
export type InsuranceTotals =
  | {
      readonly scheme_id: string
      readonly special: Readonly<Record<'pension' | 'medical' | 'unemployment' | 'housing_fund', number>>
      readonly steps: readonly string[]
    }
  | { readonly refused: string }

export type MemberMonth = {
  readonly year: number
  readonly month: number
  /** Months as `2026-07`. */
  readonly hire_month: string | null
  readonly leave_month: string | null
  readonly profile: TaxYearProfile
  readonly earlier_months: readonly EarlierMonth[]
  readonly amounts: TaxAmounts
  readonly additional_cumulative_fen: number | null
  readonly withheld_fen: number | null
  readonly deductions: DeductionTotals | null
  readonly insurance: InsuranceTotals | null
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

export function toOpening({ opening }: TaxYearProfile): OpeningBalance | undefined {
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

/** The employee's contributions, from the month's own data if known, otherwise from the scheme. */
function computeSpecialDeductions({ amounts, insurance }: MemberMonth): {
  sections: SpecialDeductions
  scheme_id: string | null
  notes: string[]
} {
  const { pension_fen, medical_fen, unemployment_fen, housing_fund_fen, social_fen } = amounts
  const isEntered = [pension_fen, medical_fen, unemployment_fen, housing_fund_fen].some((one) => one !== null) || social_fen !== 0
  if (isEntered || !insurance || 'refused' in insurance) {
    const amountsByKind = {
      pension: pension_fen ?? 0,
      medical: medical_fen ?? 0,
      unemployment: unemployment_fen ?? 0,
      housing_fund: housing_fund_fen ?? 0,
      social: social_fen,
    }
    return {
      sections: amountsByKind,
      scheme_id: null,
      notes: !isEntered && insurance && 'refused' in insurance ? [insurance.refused] : [],
    }
  }
  return { sections: { ...insurance.special, social: 0 }, scheme_id: insurance.scheme_id, notes: [...insurance.steps] }
}

/** 专项附加扣除 and 个人养老金 of this month: the year's cumulative amount minus that of earlier months. */
function computeMonthlyDeductions(member: MemberMonth, before: readonly EarlierMonth[]) {
  const { deductions, additional_cumulative_fen, profile } = member
  const deductedBefore = sum(before.map(({ result }) => result.used.additional)) + (profile.opening?.additional_fen ?? 0)
  const pensionBefore = sum(before.map(({ result }) => result.other.personal_pension))
  const isCounted = deductions !== null && deductions.refused === null
  const cumulative = isCounted ? deductions.cumulative : zeroCumulativeDeductions
  const additional =
    additional_cumulative_fen !== null
      ? additional_cumulative_fen - deductedBefore
      : isCounted
        ? deductions.additional_cumulative - deductedBefore
        : 0
  const personal_pension = isCounted ? cumulative.personal_pension - pensionBefore : 0
  const notes = [...(deductions?.steps ?? []), ...(deductions?.refused ? [deductions.refused] : [])]
  return { additional, personal_pension, cumulative, notes }
}

const toStoredWageMonth = (wageMonth: WageMonth): StoredWageMonth => ({
  month: wageMonth.month,
  months_counted: wageMonth.months_counted,
  month_basic: wageMonth.month_basic,
  basic_rule: wageMonth.basic_rule,
  sums: wageMonth.sums,
  cum_basic: wageMonth.cum_basic,
  cum_taxable: wageMonth.cum_taxable,
  rate_ppm: wageMonth.rate_ppm,
  quick_fen: wageMonth.quick_fen,
  full_tax: wageMonth.full_tax,
  cum_tax: wageMonth.cum_tax,
  cum_withheld: wageMonth.cum_withheld,
})

/** Returns the result, or the reason why there is none; an unknown result never becomes zero. */
export function computeMemberTax(member: MemberMonth): MemberTaxResult {
  const { amounts, profile, year, month } = member
  // Months contained in the opening balance are not counted again.
  const before = member.earlier_months.filter((one) => one.month > (profile.opening?.through_month ?? 0))
  const special = computeSpecialDeductions(member)
  const deductions = computeMonthlyDeductions(member, before)
  const { annuity_fen: annuity, health_fen: health, other_fen } = amounts
  const other: OtherDeductions = { annuity, health, other: other_fen, personal_pension: deductions.personal_pension }
  const used: WageAmounts = {
    income: amounts.income_fen,
    exempt: amounts.exempt_fen,
    special: sum(Object.values(special.sections)),
    additional: deductions.additional,
    other: sum(Object.values(other)),
    donation: amounts.donation_fen,
    reduction: amounts.reduction_fen,
  }
  const base = {
    used,
    special: special.sections,
    other,
    cumulative: deductions.cumulative,
    notes: [...deductions.notes, ...special.notes],
    scheme_id: special.scheme_id,
  }
  const emptyResult = { ...base, figures: null, tax_fen: 0, credit_fen: 0, bonus: null, withheld_fen: 0 }
  try {
    const bonus = computeBonus(member)
    if (bonus && 'refused' in bonus) return { ...emptyResult, refused: bonus.refused }
    const employment = {
      year,
      hire_month: member.hire_month,
      leave_month: member.leave_month,
      first_income_of_year: profile.first_income_of_year,
      prior_year_under_60000: profile.prior_year_under_60000,
    }
    const months: WageMonthInput[] = before.map(({ month: at, result }) => ({
      month: at,
      ...result.used,
      withheld: result.withheld_fen,
    }))
    const wageMonth = computeWithholding(employment, [...months, { month, ...used }], { opening: toOpening(profile) }).at(-1)
    if (!wageMonth) return { ...emptyResult, refused: '没有可以计算的月份' }
    return {
      ...base,
      refused: null,
      figures: toStoredWageMonth(wageMonth),
      tax_fen: wageMonth.tax,
      credit_fen: wageMonth.credit,
      bonus,
      withheld_fen: member.withheld_fen ?? wageMonth.tax,
    }
  } catch (error) {
    if (error instanceof LawError) return { ...emptyResult, refused: error.message }
    throw error
  }
}

const computeSeparateBonus = (amount_fen: number, month: string) => computeSeparateBonusTax(amount_fen, month, false)
const formatMonth = (year: number, month: number): string => `${year}-${String(month).padStart(2, '0')}`

const bonusErrorMessages = {
  already_used_this_year: '今年已经用过一次全年一次性奖金单独计税；请把这笔奖金改为并入当月工资',
  policy_expired: '全年一次性奖金单独计税的规定在这个月份已经到期；请把这笔奖金改为并入当月工资',
} as const

function computeBonus({ amounts, year, month, earlier_months }: MemberMonth): MemberTaxResult['bonus'] | { refused: string } {
  const amount_fen = amounts.bonus_fen
  if (amount_fen === 0) return null
  const used = earlier_months.some(({ result }) => (result.bonus?.amount_fen ?? 0) !== 0)
  const computed = computeSeparateBonusTax(amount_fen, formatMonth(year, month), used)
  if (!computed.allowed) return { refused: bonusErrorMessages[computed.reason] }
  return { amount_fen, tax_fen: computed.tax, rate_ppm: computed.rate_ppm, quick_fen: computed.quick_fen }
}

/** Generates a month's computation steps from its stored amounts. */
export const getWageSteps = ({ figures }: Pick<MemberTaxResult, 'figures'>): string[] =>
  figures ? new WageMonth({ ...figures, province: null }).steps.map(formatStep) : []
export function getBonusSteps({ bonus }: Pick<MemberTaxResult, 'bonus'>, month: string): string[] {
  const result = bonus && computeSeparateBonus(bonus.amount_fen, month)
  return result?.allowed ? result.steps.map(formatStep) : []
}
