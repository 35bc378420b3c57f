/** 无住所个人: the part of the wage that is taxable in China (2019-35 art. 2), and the six-year rule (2019-34). */
import { computeBracketTax } from '../../../server/rules/law/bracket-tax.ts'
import { clampToZero, type Quantity, toFraction } from '../../../server/rules/law/fraction.ts'
import { LawError } from '../../../server/rules/law/law-error.ts'
import { minusTerm, plusTerm, type Step } from '../../../server/rules/law/steps.ts'
import { getDatedRow, type PaymentMonth } from '../../../server/rules/law/tables/dated-table.ts'
import { currentLaw, getAnnualBrackets, type TaxLaw } from '../../../server/rules/law/tables/law.ts'
import { computeSeparateBonusTax } from '../../../server/rules/law/wages/bonus.ts'
import { computeNonresidentWageTax } from './monthly.ts'

/**
 * Present at most 90 days in the year · more than 90 and less than 183 · a resident who has not been one for six
 * consecutive years.
 */
export const stayRanges = ['le90', '90_183', 'ge183'] as const
export type SourcedWage = {
  readonly month_wage: number
  /** The part paid or borne by an employer in China. */
  readonly paid_in_china: number
  readonly days_in_china: Quantity
  readonly days_in_month: Quantity
  readonly stay: (typeof stayRanges)[number]
  /** 高管 of a resident enterprise. */
  readonly executive: boolean
}

function validateSourcedWage(input: SourcedWage): void {
  if (!toFraction(input.days_in_month).exceeds(0)) throw new LawError('days_in_month', '当月公历天数应大于 0')
  if (toFraction(0).exceeds(input.days_in_china) || toFraction(input.days_in_china).exceeds(input.days_in_month))
    throw new LawError('days_in_china', '境内工作天数应在 0 和当月公历天数之间')
  if (input.paid_in_china < 0 || input.paid_in_china > input.month_wage)
    throw new LawError('paid_in_china', '境内支付应在 0 和当月境内外工资总额之间')
}

type WorkDays = Pick<SourcedWage, 'days_in_china' | 'days_in_month'>
/** Applies 公式三: everything except the part that is both paid abroad and worked abroad. */
function excludeForeignIncome(wage: number, paid_abroad: Quantity, { days_in_china, days_in_month }: WorkDays): Step[] {
  const away = toFraction(days_in_month).minus(days_in_china)
  const abroad = toFraction(paid_abroad).times(away).dividedBy(days_in_month)
  const base = plusTerm('境外支付部分', paid_abroad)
  const terms = [plusTerm('当月境内外工资总额', wage), minusTerm('境外工作且境外支付部分', abroad)]
  return [
    {
      rule: 'sourcing',
      name: '境外工作且境外支付部分',
      result: abroad,
      formula: { kind: 'times', base, by: away, over: days_in_month },
    },
    {
      rule: 'sourcing',
      name: incomeLabel,
      result: toFraction(wage).minus(abroad),
      formula: { kind: 'sum', terms, floor: false },
    },
  ]
}
const incomeLabel = '当月工资薪金收入额'

/** Computes 当月工资薪金收入额, which is the result of the last step. */
export function computeSourcedIncome(input: SourcedWage): Step[] {
  validateSourcedWage(input)
  const { month_wage, paid_in_china, stay, executive, days_in_china, days_in_month } = input
  const byDays = (name: string, amount: number): Step[] => {
    const result = toFraction(amount).times(days_in_china).dividedBy(days_in_month)
    const how = { kind: 'times', base: plusTerm(name, amount), by: days_in_china, over: days_in_month } as const
    return [{ rule: 'sourcing', name: incomeLabel, result, formula: how }]
  }
  if (stay === 'le90' && executive) {
    const how = { kind: 'sum', terms: [plusTerm('境内支付或负担部分', paid_in_china)], floor: false } as const
    return [{ rule: 'sourcing', name: incomeLabel, result: toFraction(paid_in_china), formula: how }]
  }
  if (stay === 'le90') return byDays('境内支付或负担部分', paid_in_china)
  if (stay === '90_183' && !executive) return byDays('当月境内外工资总额', month_wage)
  return excludeForeignIncome(month_wage, month_wage - paid_in_china, input)
}

export function computeSourcedTax(input: SourcedWage, month: PaymentMonth = null, law: TaxLaw = currentLaw) {
  const sourced = computeSourcedIncome(input)
  const income = sourced.at(-1)?.result ?? 0
  const wageTax = computeNonresidentWageTax({ income }, month, law)
  return { ...wageTax, income, steps: [...sourced, ...wageTax.steps] }
}

export type SixYearInput = {
  readonly month_wage: number
  readonly bonus: number
  readonly paid_in_china_share_ppm: number
  readonly days_in_china: Quantity
  readonly days_in_month: Quantity
  /** The condition is 183 days a year in six consecutive years, with no single absence of more than 30 days. */
  readonly six_years_full: boolean
  readonly bonus_merged: boolean
}

/**
 * Computes a year of equal months for a resident without domicile: all income after six years, before that without the
 * part paid and worked abroad.
 */
export function computeSixYearTax(input: SixYearInput, month: PaymentMonth = null, law: TaxLaw = currentLaw) {
  const rule = 'six_years'
  const abroad_ppm = 1_000_000 - input.paid_in_china_share_ppm
  const part = (name: string, amount: number): Step[] => {
    if (input.six_years_full) {
      const how = { kind: 'sum', terms: [plusTerm(name, amount)], floor: false } as const
      return [{ rule, name: `${name}收入额（连续满六年，境内境外全部）`, result: toFraction(amount), formula: how }]
    }
    return excludeForeignIncome(amount, toFraction(amount).timesPpm(abroad_ppm), input)
  }
  const monthly = part('月工资', input.month_wage)
  const wages = toFraction(monthly.at(-1)?.result ?? 0).times(12)
  const bonuses = input.bonus === 0 ? [] : part('奖金', input.bonus)
  const bonus = toFraction(bonuses.at(-1)?.result ?? 0)
  const isSeparate = !input.bonus_merged && input.bonus !== 0
  const taxable_income = isSeparate ? wages : wages.plus(bonus)
  const { year_fen } = getDatedRow(law.basic_deduction, month).value
  const taxable = clampToZero(taxable_income.minus(year_fen))
  const naming = { rule, name: '应纳税额', base_name: '应纳税所得额' } as const
  const { rate_ppm, quick_fen, tax, step } = computeBracketTax(getAnnualBrackets(law, month), taxable, naming)
  const terms = isSeparate
    ? [plusTerm('全年工资收入额', wages)]
    : [plusTerm('全年工资收入额', wages), plusTerm('奖金收入额', bonus)]
  const off = [plusTerm('全年收入额', taxable_income), minusTerm('减除费用', year_fen)]
  const base = plusTerm('月工资收入额', monthly.at(-1)?.result ?? 0)
  const steps: Step[] = [
    ...monthly,
    { rule, name: '全年工资收入额', result: wages, formula: { kind: 'times', base, by: 12, over: 1 } },
    ...bonuses,
    { rule, name: '全年收入额', result: taxable_income, formula: { kind: 'sum', terms, floor: false } },
    { rule, name: '应纳税所得额', result: taxable, formula: { kind: 'sum', terms: off, floor: true } },
    step,
  ]
  const separateBonus = isSeparate ? computeSeparateBonusTax(bonus.rounded(), month, false, law) : null
  if (!separateBonus?.allowed) return { taxable_income, taxable, rate_ppm, quick_fen, tax, bonus_tax: 0, steps }
  const sum = [plusTerm('应纳税额', tax), plusTerm('全年一次性奖金应纳税额', separateBonus.tax)]
  const total: Step = {
    rule,
    name: '税额合计',
    result: tax + separateBonus.tax,
    formula: { kind: 'sum', terms: sum, floor: false },
  }
  const all = [...steps, ...separateBonus.steps, total]
  return { taxable_income, taxable, rate_ppm, quick_fen, tax: tax + separateBonus.tax, bonus_tax: separateBonus.tax, steps: all }
}
