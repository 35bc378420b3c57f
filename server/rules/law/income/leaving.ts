/** One-off sums on leaving: 一次性补偿, 提前退休, 内部退养 (财税 2018-164 art. 5). Each is taxed alone and enters no cumulative figure. */
import { taxBy } from '../by-table.ts'
import { type Exact, exact, floored, least, type Quantity } from '../exact.ts'
import { LawRefusal } from '../refused.ts'
import { less, plus, type Step } from '../steps.ts'
import { rowFor, type When } from '../tables/dated.ts'
import { annualLevels, type Law, monthlyLevels, statutes } from '../tables/law.ts'
import type { TaxedAlone } from './labor.ts'

export type Severance = {
  readonly amount: number
  /** 当地上年职工平均工资, of a year. */
  readonly local_avg_annual_wage: number
  /** Own insurance and fund paid out of it. */
  readonly contributions: number
}
/** One exemption for the whole settlement, also where it is paid in parts. */
export function severanceTax(
  { amount, local_avg_annual_wage, contributions }: Severance,
  month: When = null,
  law: Law = statutes,
) {
  const rule = 'severance'
  const { exempt_years } = rowFor(law.severance, month).value
  const exempt_limit = exact(local_avg_annual_wage).times(exempt_years)
  const exempt = least(amount, exempt_limit)
  const taxable = floored(exact(amount).minus(exempt).minus(contributions))
  const naming = { rule, name: '应纳税额', base_name: '应纳税所得额' } as const
  const { rate_ppm, quick_fen, tax, step } = taxBy(annualLevels(law, month), taxable, naming)
  const average = plus('当地上年职工年平均工资', local_avg_annual_wage)
  const paid = plus('一次性补偿收入', amount)
  const terms = [paid, less('免税部分', exempt), less('实际缴纳的社保公积金', contributions)]
  const steps: Step[] = [
    { rule, name: '免税限额', result: exempt_limit, how: { does: 'times', base: average, by: exempt_years, over: 1 } },
    { rule, name: '免税部分', result: exempt, how: { does: 'least', terms: [paid, plus('免税限额', exempt_limit)] } },
    { rule, name: '应纳税所得额', result: taxable, how: { does: 'sum', terms, floor: true } },
    step,
  ]
  return { exempt_limit, exempt, taxable, rate_ppm, quick_fen, tax, net: amount - tax, steps }
}

export type EarlyRetirement = Omit<TaxedAlone, 'taxable'> & { readonly per_year_taxable: Exact }
/** `years`: whole ones up to the statutory age. */
export function earlyRetirementTax(amount: number, years: number, month: When = null, law: Law = statutes): EarlyRetirement {
  if (years < 1) throw new LawRefusal('years', '至法定退休年龄的年数应至少为 1')
  const rule = 'early_retirement'
  const { year_fen } = rowFor(law.basic_deduction, month).value
  const a_year = exact(amount).over(years)
  const per_year_taxable = floored(a_year.minus(year_fen))
  const naming = { rule, name: '应纳税额', base_name: '每年应纳税所得额', times: years } as const
  const { rate_ppm, quick_fen, tax, step } = taxBy(annualLevels(law, month), per_year_taxable, naming)
  const terms = [plus('每年分摊', a_year), less('减除费用', year_fen)]
  const steps: Step[] = [
    { rule, name: '每年分摊', result: a_year, how: { does: 'times', base: plus('一次性补贴', amount), by: 1, over: years } },
    { rule, name: '每年应纳税所得额', result: per_year_taxable, how: { does: 'sum', terms, floor: true } },
    step,
  ]
  return { per_year_taxable, rate_ppm, quick_fen, tax, net: amount - tax, steps }
}

export type InternalRetirement = { readonly amount: number; readonly months: number; readonly wage: number }
/** The share of a month with that month's wage chooses the level; the whole sum with the wage is taxed by it. */
export function internalRetirementTax(of: InternalRetirement, month: When = null, law: Law = statutes): TaxedAlone {
  const { amount, months, wage } = of
  if (months < 1) throw new LawRefusal('months', '至法定退休年龄的月数应至少为 1')
  const rule = 'internal_retirement'
  const { month_fen } = rowFor(law.basic_deduction, month).value
  const share = exact(amount).over(months)
  const looked_up = floored(share.plus(wage).minus(month_fen))
  const taxable: Quantity = floored(exact(amount).plus(wage).minus(month_fen))
  const naming = { rule, name: '应纳税额', base_name: '应纳税所得额' } as const
  const { rate_ppm, quick_fen, tax, step } = taxBy(monthlyLevels(law, month), taxable, naming, looked_up)
  const own = [plus('当月工资', wage), less('减除费用', month_fen)]
  const steps: Step[] = [
    { rule, name: '每月分摊', result: share, how: { does: 'times', base: plus('一次性收入', amount), by: 1, over: months } },
    {
      rule,
      name: '找级距的金额',
      result: looked_up,
      how: { does: 'sum', terms: [plus('每月分摊', share), ...own], floor: true },
    },
    {
      rule,
      name: '应纳税所得额',
      result: taxable,
      how: { does: 'sum', terms: [plus('一次性收入', amount), ...own], floor: true },
    },
    step,
  ]
  return { taxable, rate_ppm, quick_fen, tax, net: amount + wage - tax, steps }
}
