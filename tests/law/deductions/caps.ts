/** Caps of deductible amounts: housing fund, annuity, health insurance, donations (tax-rules §10). */
import { toFen } from '../../../server/contract/shared/money.ts'
import type { DeductionIncrement, MonthlyPayment } from '../../../server/rules/law/deductions/personal-pension.ts'
import { clampToZero, minQuantity, type RoundingMode, toFraction } from '../../../server/rules/law/fraction.ts'
import type { LawRuleName } from '../../../server/rules/law/rules.ts'
import { minusTerm, plusTerm, type Step } from '../../../server/rules/law/steps.ts'
import { getDatedRow, type PaymentMonth } from '../../../server/rules/law/tables/dated-table.ts'
import { currentLaw, type TaxLaw } from '../../../server/rules/law/tables/law.ts'

type ShareBase = {
  readonly rule: LawRuleName
  readonly name: string
  readonly base: readonly [string, number | ReturnType<typeof toFraction>]
}
const buildShareStep = (
  { rule, name, base: [base_name, base] }: ShareBase,
  rate_ppm: number,
  unit_fen = 1,
  mode: RoundingMode = 'half_up',
): Step => ({
  rule,
  name,
  result: toFraction(base).timesPpm(rate_ppm).rounded(mode, unit_fen),
  formula: { kind: 'part', base: plusTerm(base_name, base), rate_ppm, unit_fen, mode },
})

export type HousingFundInput = {
  readonly base: number
  readonly employee_ppm: number
  readonly employer_ppm: number
  readonly unit_fen: number
  readonly mode: RoundingMode
  readonly city_avg_month_wage: number
}
/**
 * The cap is at most 12% of at most three average wages, for employee and employer separately; the excess of the
 * employer's part is income.
 */
export function computeHousingFundCap(input: HousingFundInput, month: PaymentMonth = null, law: TaxLaw = currentLaw) {
  const rule = 'fund_cap'
  const { fund_ppm, average_times } = getDatedRow(law.caps, month).value
  const ceiling = toFraction(input.city_avg_month_wage).times(average_times)
  const capped = minQuantity(input.base, ceiling)
  const average = plusTerm('上年月平均工资', input.city_avg_month_wage)
  const employee = buildShareStep(
    { rule, name: '个人缴存', base: ['缴存基数', input.base] },
    input.employee_ppm,
    input.unit_fen,
    input.mode,
  )
  const employer = buildShareStep(
    { rule, name: '单位缴存', base: ['缴存基数', input.base] },
    input.employer_ppm,
    input.unit_fen,
    input.mode,
  )
  const cap = buildShareStep({ rule, name: '税前限额', base: ['计算限额的基数', capped] }, fund_ppm)
  const within = (name: string, step: Step): Step => ({
    rule,
    name,
    result: minQuantity(step.result, cap.result).rounded(),
    formula: { kind: 'least', terms: [plusTerm(step.name, step.result), plusTerm('税前限额', cap.result)] },
  })
  const over = (name: string, step: Step): Step => ({
    rule,
    name,
    result: clampToZero(toFraction(step.result).minus(cap.result)).rounded(),
    formula: { kind: 'sum', terms: [plusTerm(step.name, step.result), minusTerm('税前限额', cap.result)], floor: true },
  })
  const steps = [
    { rule, name: '平均工资的三倍', result: ceiling, formula: { kind: 'times', base: average, by: average_times, over: 1 } },
    {
      rule,
      name: '计算限额的基数',
      result: capped,
      formula: { kind: 'least', terms: [plusTerm('缴存基数', input.base), plusTerm('平均工资的三倍', ceiling)] },
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

export type AnnuityInput = {
  readonly employee_contribution: number
  /** The employee's average monthly wage of last year. */
  readonly wage_base: number
  readonly city_avg_month_wage: number
}
export function computeAnnuityCap(input: AnnuityInput, month: PaymentMonth = null, law: TaxLaw = currentLaw) {
  const rule = 'annuity_cap'
  const { annuity_ppm, average_times } = getDatedRow(law.caps, month).value
  const ceiling = toFraction(input.city_avg_month_wage).times(average_times)
  const base = minQuantity(input.wage_base, ceiling)
  const limit = buildShareStep({ rule, name: '限额', base: ['计税基数', base] }, annuity_ppm)
  const deductible = minQuantity(input.employee_contribution, limit.result).rounded()
  const excess = toFen(input.employee_contribution - deductible)
  const bounds = [plusTerm('上年月平均工资', input.wage_base), plusTerm('当地平均工资的三倍', ceiling)]
  const steps: Step[] = [
    { rule, name: '计税基数', result: base, formula: { kind: 'least', terms: bounds } },
    limit,
    {
      rule,
      name: '可扣除',
      result: deductible,
      formula: { kind: 'least', terms: [plusTerm('个人缴费', input.employee_contribution), plusTerm('限额', limit.result)] },
    },
    {
      rule,
      name: '超限，并入当月工资',
      result: excess,
      formula: {
        kind: 'sum',
        terms: [plusTerm('个人缴费', input.employee_contribution), minusTerm('可扣除', deductible)],
        floor: false,
      },
    },
  ]
  return { limit: limit.result, deductible, excess, steps }
}

/** 商业健康险: up to a monthly cap; the excess is not carried over to the next month. */
export function computeHealthInsurance(
  months: readonly MonthlyPayment[],
  month: PaymentMonth = null,
  law: TaxLaw = currentLaw,
): DeductionIncrement[] {
  const cap = getDatedRow(law.caps, month).value.health_month_fen
  const deductedByMonth = new Map<number, number>()
  let cumulative = 0
  return months.map((one) => {
    // Two payments in one month share the cap of that month.
    const before = deductedByMonth.get(one.month) ?? 0
    const remaining = cap - before
    const increment = Math.max(0, Math.min(one.paid, remaining))
    deductedByMonth.set(one.month, before + increment)
    cumulative += increment
    const terms = [plusTerm('当月缴费', one.paid), plusTerm(before > 0 ? '当月剩余限额' : '每月限额', remaining)]
    const step: Step = { rule: 'health_cap', name: '当月可扣除', result: increment, formula: { kind: 'least', terms } }
    return { month: one.month, increment, cumulative, steps: [step] }
  })
}
/** Donations: at most 30% of the taxable income before them, unless they are fully deductible. */
export function computeDonationCap(
  donated: number,
  taxable_before: number,
  isInFull: boolean,
  [month, law]: readonly [PaymentMonth, TaxLaw] = [null, currentLaw],
) {
  const rule = 'donation_cap'
  const { donation_ppm } = getDatedRow(law.caps, month).value
  const taxable = clampToZero(taxable_before)
  const limit: Step = isInFull
    ? { rule, name: '扣除限额', result: taxable, formula: { kind: 'given', note: '可全额扣除的捐赠' } }
    : buildShareStep({ rule, name: '扣除限额', base: ['捐赠前应纳税所得额', taxable] }, donation_ppm)
  const deductible = minQuantity(donated, limit.result).rounded()
  const terms = [plusTerm('捐赠额', donated), plusTerm('扣除限额', limit.result)]
  const last: Step = { rule, name: '准予扣除的捐赠', result: deductible, formula: { kind: 'least', terms } }
  return { limit: limit.result, deductible, steps: [limit, last] }
}
