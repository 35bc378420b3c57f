/** 无住所个人: which part of the wage is taxed here (2019-35 art. 2), and the rule of six years (2019-34). */
import { taxBy } from '../by-table.ts'
import { exact, floored, type Quantity } from '../exact.ts'
import { LawRefusal } from '../refused.ts'
import { less, plus, type Step } from '../steps.ts'
import { rowFor, type When } from '../tables/dated.ts'
import { annualLevels, type Law, statutes } from '../tables/law.ts'
import { bonusApart } from '../wages/bonus.ts'
import { nonresidentWageTax } from './monthly.ts'

/** Not over 90 days in the year · over 90 and under 183 · a resident who has not been one for six years on end. */
export const stays = ['le90', '90_183', 'ge183'] as const
export type Sourced = {
  readonly month_wage: number
  /** What of it an employer in China pays or bears. */
  readonly paid_in_china: number
  readonly days_in_china: Quantity
  readonly days_in_month: Quantity
  readonly stay: (typeof stays)[number]
  /** 高管 of a resident enterprise. */
  readonly executive: boolean
}

function checked(of: Sourced): void {
  if (!exact(of.days_in_month).exceeds(0)) throw new LawRefusal('days_in_month', '当月公历天数应大于 0')
  if (exact(0).exceeds(of.days_in_china) || exact(of.days_in_china).exceeds(of.days_in_month))
    throw new LawRefusal('days_in_china', '境内工作天数应在 0 和当月公历天数之间')
  if (of.paid_in_china < 0 || of.paid_in_china > of.month_wage)
    throw new LawRefusal('paid_in_china', '境内支付应在 0 和当月境内外工资总额之间')
}

type Days = Pick<Sourced, 'days_in_china' | 'days_in_month'>
/** 公式三: all but what is both paid and worked abroad. */
function withoutAbroad(wage: number, paid_abroad: Quantity, { days_in_china, days_in_month }: Days): Step[] {
  const away = exact(days_in_month).minus(days_in_china)
  const abroad = exact(paid_abroad).times(away).over(days_in_month)
  const base = plus('境外支付部分', paid_abroad)
  const terms = [plus('当月境内外工资总额', wage), less('境外工作且境外支付部分', abroad)]
  return [
    {
      rule: 'sourcing',
      name: '境外工作且境外支付部分',
      result: abroad,
      how: { does: 'times', base, by: away, over: days_in_month },
    },
    { rule: 'sourcing', name: incomeName, result: exact(wage).minus(abroad), how: { does: 'sum', terms, floor: false } },
  ]
}
const incomeName = '当月工资薪金收入额'

/** 当月工资薪金收入额, the last of these steps. */
export function sourcedIncome(of: Sourced): Step[] {
  checked(of)
  const { month_wage, paid_in_china, stay, executive, days_in_china, days_in_month } = of
  const byDays = (name: string, amount: number): Step[] => {
    const result = exact(amount).times(days_in_china).over(days_in_month)
    const how = { does: 'times', base: plus(name, amount), by: days_in_china, over: days_in_month } as const
    return [{ rule: 'sourcing', name: incomeName, result, how }]
  }
  if (stay === 'le90' && executive) {
    const how = { does: 'sum', terms: [plus('境内支付或负担部分', paid_in_china)], floor: false } as const
    return [{ rule: 'sourcing', name: incomeName, result: exact(paid_in_china), how }]
  }
  if (stay === 'le90') return byDays('境内支付或负担部分', paid_in_china)
  if (stay === '90_183' && !executive) return byDays('当月境内外工资总额', month_wage)
  return withoutAbroad(month_wage, month_wage - paid_in_china, of)
}

export function sourcedTax(of: Sourced, month: When = null, law: Law = statutes) {
  const sourced = sourcedIncome(of)
  const income = sourced.at(-1)?.result ?? 0
  const found = nonresidentWageTax({ income }, month, law)
  return { ...found, income, steps: [...sourced, ...found.steps] }
}

export type SixYears = {
  readonly month_wage: number
  readonly bonus: number
  readonly paid_in_china_share_ppm: number
  readonly days_in_china: Quantity
  readonly days_in_month: Quantity
  /** 183 days a year in six years on end, never over 30 days away at once. */
  readonly six_years_full: boolean
  readonly bonus_merged: boolean
}

/** A resident without domicile, a year of equal months: all income after six years, before that without what is paid and worked abroad. */
export function sixYearsTax(of: SixYears, month: When = null, law: Law = statutes) {
  const rule = 'six_years'
  const abroad_ppm = 1_000_000 - of.paid_in_china_share_ppm
  const part = (name: string, amount: number): Step[] => {
    if (of.six_years_full) {
      const how = { does: 'sum', terms: [plus(name, amount)], floor: false } as const
      return [{ rule, name: `${name}收入额（连续满六年，境内境外全部）`, result: exact(amount), how }]
    }
    return withoutAbroad(amount, exact(amount).part(abroad_ppm), of)
  }
  const monthly = part('月工资', of.month_wage)
  const wages = exact(monthly.at(-1)?.result ?? 0).times(12)
  const bonuses = of.bonus === 0 ? [] : part('奖金', of.bonus)
  const bonus = exact(bonuses.at(-1)?.result ?? 0)
  const isApart = !of.bonus_merged && of.bonus !== 0
  const taxable_income = isApart ? wages : wages.plus(bonus)
  const { year_fen } = rowFor(law.basic_deduction, month).value
  const taxable = floored(taxable_income.minus(year_fen))
  const naming = { rule, name: '应纳税额', base_name: '应纳税所得额' } as const
  const { rate_ppm, quick_fen, tax, step } = taxBy(annualLevels(law, month), taxable, naming)
  const terms = isApart ? [plus('全年工资收入额', wages)] : [plus('全年工资收入额', wages), plus('奖金收入额', bonus)]
  const off = [plus('全年收入额', taxable_income), less('减除费用', year_fen)]
  const base = plus('月工资收入额', monthly.at(-1)?.result ?? 0)
  const steps: Step[] = [
    ...monthly,
    { rule, name: '全年工资收入额', result: wages, how: { does: 'times', base, by: 12, over: 1 } },
    ...bonuses,
    { rule, name: '全年收入额', result: taxable_income, how: { does: 'sum', terms, floor: false } },
    { rule, name: '应纳税所得额', result: taxable, how: { does: 'sum', terms: off, floor: true } },
    step,
  ]
  const apart = isApart ? bonusApart(bonus.rounded(), month, false, law) : null
  if (!apart?.allowed) return { taxable_income, taxable, rate_ppm, quick_fen, tax, bonus_tax: 0, steps }
  const sum = [plus('应纳税额', tax), plus('全年一次性奖金应纳税额', apart.tax)]
  const total: Step = { rule, name: '税额合计', result: tax + apart.tax, how: { does: 'sum', terms: sum, floor: false } }
  const all = [...steps, ...apart.steps, total]
  return { taxable_income, taxable, rate_ppm, quick_fen, tax: tax + apart.tax, bonus_tax: apart.tax, steps: all }
}
