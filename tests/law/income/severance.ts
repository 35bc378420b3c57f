/**
 * Lump sums at the end of employment: 一次性补偿, 提前退休, 内部退养 (财税 2018-164 art. 5). Each is taxed separately and does not
 * enter the cumulative amounts.
 */
import { computeBracketTax } from '../../../server/rules/law/bracket-tax.ts'
import { clampToZero, type Fraction, minQuantity, type Quantity, toFraction } from '../../../server/rules/law/fraction.ts'
import { LawError } from '../../../server/rules/law/law-error.ts'
import { minusTerm, plusTerm, type Step } from '../../../server/rules/law/steps.ts'
import { getDatedRow, type PaymentMonth } from '../../../server/rules/law/tables/dated-table.ts'
import { currentLaw, getAnnualBrackets, getMonthlyBrackets, type TaxLaw } from '../../../server/rules/law/tables/law.ts'
import type { StandaloneTax } from './labor.ts'

export type SeveranceInput = {
  readonly amount: number
  /** 当地上年职工平均工资, annual. */
  readonly local_avg_annual_wage: number
  /** Employee's own insurance and housing fund, deducted from the payment. */
  readonly contributions: number
}
/** One exemption applies to the entire settlement, even if it is paid in parts. */
export function computeSeveranceTax(
  { amount, local_avg_annual_wage, contributions }: SeveranceInput,
  month: PaymentMonth = null,
  law: TaxLaw = currentLaw,
) {
  const rule = 'severance'
  const { exempt_years } = getDatedRow(law.severance, month).value
  const exempt_limit = toFraction(local_avg_annual_wage).times(exempt_years)
  const exempt = minQuantity(amount, exempt_limit)
  const taxable = clampToZero(toFraction(amount).minus(exempt).minus(contributions))
  const naming = { rule, name: '应纳税额', base_name: '应纳税所得额' } as const
  const { rate_ppm, quick_fen, tax, step } = computeBracketTax(getAnnualBrackets(law, month), taxable, naming)
  const average = plusTerm('当地上年职工年平均工资', local_avg_annual_wage)
  const paid = plusTerm('一次性补偿收入', amount)
  const terms = [paid, minusTerm('免税部分', exempt), minusTerm('实际缴纳的社保公积金', contributions)]
  const steps: Step[] = [
    { rule, name: '免税限额', result: exempt_limit, formula: { kind: 'times', base: average, by: exempt_years, over: 1 } },
    { rule, name: '免税部分', result: exempt, formula: { kind: 'least', terms: [paid, plusTerm('免税限额', exempt_limit)] } },
    { rule, name: '应纳税所得额', result: taxable, formula: { kind: 'sum', terms, floor: true } },
    step,
  ]
  return { exempt_limit, exempt, taxable, rate_ppm, quick_fen, tax, net: amount - tax, steps }
}

export type EarlyRetirementTax = Omit<StandaloneTax, 'taxable'> & { readonly per_year_taxable: Fraction }
/** `years` is the number of full years until the statutory age. */
export function computeEarlyRetirementTax(
  amount: number,
  years: number,
  month: PaymentMonth = null,
  law: TaxLaw = currentLaw,
): EarlyRetirementTax {
  if (years < 1) throw new LawError('years', '至法定退休年龄的年数应至少为 1')
  const rule = 'early_retirement'
  const { year_fen } = getDatedRow(law.basic_deduction, month).value
  const yearlyShare = toFraction(amount).dividedBy(years)
  const per_year_taxable = clampToZero(yearlyShare.minus(year_fen))
  const naming = { rule, name: '应纳税额', base_name: '每年应纳税所得额', times: years } as const
  const { rate_ppm, quick_fen, tax, step } = computeBracketTax(getAnnualBrackets(law, month), per_year_taxable, naming)
  const terms = [plusTerm('每年分摊', yearlyShare), minusTerm('减除费用', year_fen)]
  const steps: Step[] = [
    {
      rule,
      name: '每年分摊',
      result: yearlyShare,
      formula: { kind: 'times', base: plusTerm('一次性补贴', amount), by: 1, over: years },
    },
    { rule, name: '每年应纳税所得额', result: per_year_taxable, formula: { kind: 'sum', terms, floor: true } },
    step,
  ]
  return { per_year_taxable, rate_ppm, quick_fen, tax, net: amount - tax, steps }
}

export type InternalRetirementInput = { readonly amount: number; readonly months: number; readonly wage: number }
/** One month's share plus that month's wage determines the bracket; the full amount plus the wage is taxed by it. */
export function computeInternalRetirementTax(
  input: InternalRetirementInput,
  month: PaymentMonth = null,
  law: TaxLaw = currentLaw,
): StandaloneTax {
  const { amount, months, wage } = input
  if (months < 1) throw new LawError('months', '至法定退休年龄的月数应至少为 1')
  const rule = 'internal_retirement'
  const { month_fen } = getDatedRow(law.basic_deduction, month).value
  const share = toFraction(amount).dividedBy(months)
  const lookupAmount = clampToZero(share.plus(wage).minus(month_fen))
  const taxable: Quantity = clampToZero(toFraction(amount).plus(wage).minus(month_fen))
  const naming = { rule, name: '应纳税额', base_name: '应纳税所得额' } as const
  const { rate_ppm, quick_fen, tax, step } = computeBracketTax(getMonthlyBrackets(law, month), taxable, naming, lookupAmount)
  const own = [plusTerm('当月工资', wage), minusTerm('减除费用', month_fen)]
  const steps: Step[] = [
    {
      rule,
      name: '每月分摊',
      result: share,
      formula: { kind: 'times', base: plusTerm('一次性收入', amount), by: 1, over: months },
    },
    {
      rule,
      name: '找级距的金额',
      result: lookupAmount,
      formula: { kind: 'sum', terms: [plusTerm('每月分摊', share), ...own], floor: true },
    },
    {
      rule,
      name: '应纳税所得额',
      result: taxable,
      formula: { kind: 'sum', terms: [plusTerm('一次性收入', amount), ...own], floor: true },
    },
    step,
  ]
  return { taxable, rate_ppm, quick_fen, tax, net: amount + wage - tax, steps }
}
