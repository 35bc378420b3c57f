/** Ceilings of what may be taken off: housing fund, annuity, health insurance, personal pension, donations (tax-rules §10). */
import { fen } from '../../../contract/words/money.ts'
import { exact, floored, least, type Rounding } from '../exact.ts'
import type { RuleName } from '../rules.ts'
import { less, plus, type Step } from '../steps.ts'
import { rowFor, type When } from '../tables/dated.ts'
import { type Law, statutes } from '../tables/law.ts'

type Share = {
  readonly rule: RuleName
  readonly name: string
  readonly base: readonly [string, number | ReturnType<typeof exact>]
}
const partOf = (
  { rule, name, base: [base_name, base] }: Share,
  rate_ppm: number,
  unit_fen = 1,
  mode: Rounding = 'half_up',
): Step => ({
  rule,
  name,
  result: exact(base).part(rate_ppm).rounded(mode, unit_fen),
  how: { does: 'part', base: plus(base_name, base), rate_ppm, unit_fen, mode },
})

export type FundCap = {
  readonly base: number
  readonly employee_ppm: number
  readonly employer_ppm: number
  readonly unit_fen: number
  readonly mode: Rounding
  readonly city_avg_month_wage: number
}
/** At most 12% of at most three average wages, for the person and for the employer each; the employer's excess is income. */
export function fundCap(of: FundCap, month: When = null, law: Law = statutes) {
  const rule = 'fund_cap'
  const { fund_ppm, average_times } = rowFor(law.caps, month).value
  const ceiling = exact(of.city_avg_month_wage).times(average_times)
  const capped = least(of.base, ceiling)
  const average = plus('上年月平均工资', of.city_avg_month_wage)
  const employee = partOf({ rule, name: '个人缴存', base: ['缴存基数', of.base] }, of.employee_ppm, of.unit_fen, of.mode)
  const employer = partOf({ rule, name: '单位缴存', base: ['缴存基数', of.base] }, of.employer_ppm, of.unit_fen, of.mode)
  const cap = partOf({ rule, name: '税前限额', base: ['计算限额的基数', capped] }, fund_ppm)
  const within = (name: string, step: Step): Step => ({
    rule,
    name,
    result: least(step.result, cap.result).rounded(),
    how: { does: 'least', terms: [plus(step.name, step.result), plus('税前限额', cap.result)] },
  })
  const over = (name: string, step: Step): Step => ({
    rule,
    name,
    result: floored(exact(step.result).minus(cap.result)).rounded(),
    how: { does: 'sum', terms: [plus(step.name, step.result), less('税前限额', cap.result)], floor: true },
  })
  const steps = [
    { rule, name: '平均工资的三倍', result: ceiling, how: { does: 'times', base: average, by: average_times, over: 1 } },
    {
      rule,
      name: '计算限额的基数',
      result: capped,
      how: { does: 'least', terms: [plus('缴存基数', of.base), plus('平均工资的三倍', ceiling)] },
    },
    employee,
    employer,
    cap,
    within('个人可扣除', employee),
    over('个人超限，不得扣除', employee),
    over('单位超限，并入收入', employer),
  ] as const satisfies readonly Step[]
  return {
    employee_amount: employee.result,
    employer_amount: employer.result,
    cap: cap.result,
    deductible_employee: steps[5].result,
    employee_excess: steps[6].result,
    employer_excess_to_income: steps[7].result,
    steps,
  }
}

export type AnnuityCap = {
  readonly employee_contribution: number
  /** The person's average monthly wage of last year. */
  readonly wage_base: number
  readonly city_avg_month_wage: number
}
export function annuityCap(of: AnnuityCap, month: When = null, law: Law = statutes) {
  const rule = 'annuity_cap'
  const { annuity_ppm, average_times } = rowFor(law.caps, month).value
  const ceiling = exact(of.city_avg_month_wage).times(average_times)
  const base = least(of.wage_base, ceiling)
  const limit = partOf({ rule, name: '限额', base: ['计税基数', base] }, annuity_ppm)
  const deductible = least(of.employee_contribution, limit.result).rounded()
  const excess = fen(of.employee_contribution - deductible)
  const bounds = [plus('上年月平均工资', of.wage_base), plus('当地平均工资的三倍', ceiling)]
  const steps: Step[] = [
    { rule, name: '计税基数', result: base, how: { does: 'least', terms: bounds } },
    limit,
    {
      rule,
      name: '可扣除',
      result: deductible,
      how: { does: 'least', terms: [plus('个人缴费', of.employee_contribution), plus('限额', limit.result)] },
    },
    {
      rule,
      name: '超限，并入当月工资',
      result: excess,
      how: { does: 'sum', terms: [plus('个人缴费', of.employee_contribution), less('可扣除', deductible)], floor: false },
    },
  ]
  return { limit: limit.result, deductible, excess, steps }
}

export type PaidMonth = { readonly month: number; readonly paid: number }
export type Increment = {
  readonly month: number
  readonly increment: number
  readonly cumulative: number
  readonly steps: readonly Step[]
}
/** 商业健康险: up to a sum each month; what is over does not wait for the next. */
export function healthInsurance(months: readonly PaidMonth[], month: When = null, law: Law = statutes): Increment[] {
  const cap = rowFor(law.caps, month).value.health_month_fen
  const taken = new Map<number, number>()
  let cumulative = 0
  return months.map((one) => {
    // Two payments of one month share what that month allows.
    const before = taken.get(one.month) ?? 0
    const left = cap - before
    const increment = Math.max(0, Math.min(one.paid, left))
    taken.set(one.month, before + increment)
    cumulative += increment
    const terms = [plus('当月缴费', one.paid), plus(before > 0 ? '当月剩余限额' : '每月限额', left)]
    const step: Step = { rule: 'health_cap', name: '当月可扣除', result: increment, how: { does: 'least', terms } }
    return { month: one.month, increment, cumulative, steps: [step] }
  })
}
/** 个人养老金: up to a sum a year, however it is spread. */
export function personalPension(months: readonly PaidMonth[], month: When = null, law: Law = statutes): Increment[] {
  const cap = rowFor(law.personal_pension, month).value.year_fen
  let cumulative = 0
  return months.map((one) => {
    const left = cap - cumulative
    const increment = Math.max(0, Math.min(one.paid, left))
    cumulative += increment
    const terms = [plus('当月缴费', one.paid), plus('当年剩余限额', left)]
    const step: Step = { rule: 'pension_cap', name: '当月可扣除', result: increment, how: { does: 'least', terms } }
    return { month: one.month, increment, cumulative, steps: [step] }
  })
}

/** Donations: at most 30% of what is taxable before them, unless they count in full. */
export function donationCap(
  donated: number,
  taxable_before: number,
  isInFull: boolean,
  [month, law]: readonly [When, Law] = [null, statutes],
) {
  const rule = 'donation_cap'
  const { donation_ppm } = rowFor(law.caps, month).value
  const taxable = floored(taxable_before)
  const limit: Step = isInFull
    ? { rule, name: '扣除限额', result: taxable, how: { does: 'given', note: '可全额扣除的捐赠' } }
    : partOf({ rule, name: '扣除限额', base: ['捐赠前应纳税所得额', taxable] }, donation_ppm)
  const deductible = least(donated, limit.result).rounded()
  const terms = [plus('捐赠额', donated), plus('扣除限额', limit.result)]
  const last: Step = { rule, name: '准予扣除的捐赠', result: deductible, how: { does: 'least', terms } }
  return { limit: limit.result, deductible, steps: [limit, last] }
}
