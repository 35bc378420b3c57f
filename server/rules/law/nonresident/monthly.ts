/** Non-residents (2018-61 art. 9, 2019-35 art. 3): each month alone by the monthly table, no cumulation and no additional deductions. */
import { taxBy } from '../by-table.ts'
import { exact, floored, type Quantity } from '../exact.ts'
import type { LaborItem, TaxedAlone } from '../income/labor.ts'
import { less, plus, type Step } from '../steps.ts'
import { rowFor, type When } from '../tables/dated.ts'
import { type Law, monthlyLevels, statutes } from '../tables/law.ts'
import type { Bonus } from '../wages/bonus.ts'

export type NonresidentWage = {
  readonly income: Quantity
  readonly exempt?: number | undefined
  /** Own insurance, where the setting takes it off. */
  readonly special?: number | undefined
}

export function nonresidentWageTax(
  { income, exempt = 0, special = 0 }: NonresidentWage,
  month: When = null,
  law: Law = statutes,
) {
  const rule = 'nonresident_wage'
  const { basic_fen } = rowFor(law.nonresident, month).value
  const terms = [plus('当月收入额', income)]
  if (exempt) terms.push(less('免税收入', exempt))
  terms.push(less('减除费用', basic_fen))
  if (special) terms.push(less('本人社保公积金', special))
  const taxable = floored(exact(income).minus(exempt).minus(basic_fen).minus(special))
  const naming = { rule, name: '应代扣代缴税额', base_name: '应纳税所得额' } as const
  const { rate_ppm, quick_fen, tax, step } = taxBy(monthlyLevels(law, month), taxable, naming)
  const steps: Step[] = [{ rule, name: '应纳税所得额', result: taxable, how: { does: 'sum', terms, floor: true } }, step]
  return { taxable, rate_ppm, quick_fen, tax, steps }
}

/** 数月奖金: a sixth by the monthly table, six times; nothing taken off; once a calendar year. */
export function nonresidentBonusTax(amount: number, used_this_year: boolean, month: When = null, law: Law = statutes): Bonus {
  if (used_this_year) return { allowed: false, reason: 'already_used_this_year' }
  const rule = 'nonresident_bonus'
  const { bonus_months } = rowFor(law.nonresident, month).value
  const share = floored(exact(amount).over(bonus_months))
  const naming = { rule, name: '数月奖金应纳税额', base_name: '每月分摊', times: bonus_months } as const
  const { rate_ppm, quick_fen, tax, step } = taxBy(monthlyLevels(law, month), share, naming)
  const how = { does: 'times', base: plus('数月奖金', amount), by: 1, over: bonus_months } as const
  const steps: Step[] = [{ rule, name: '每月分摊', result: share, how }, step]
  return { allowed: true, rate_ppm, quick_fen, tax, net: amount - tax, steps }
}

export function nonresidentLaborTax(item: LaborItem, income: number, month: When = null, law: Law = statutes): TaxedAlone {
  const rule = 'nonresident_labor'
  const { labor_ppm, manuscript_ppm } = rowFor(law.nonresident, month).value
  const part = (name: string, base: ReturnType<typeof plus>, rate_ppm: number): Step => ({
    rule,
    name,
    result: floored(exact(base.of).part(rate_ppm)),
    how: { does: 'part', base, rate_ppm, unit_fen: null, mode: 'half_up' },
  })
  const isManuscript = item === 'manuscript'
  const left = part(isManuscript ? '减除费用后' : '应纳税所得额', plus('收入', income), labor_ppm)
  const steps = isManuscript ? [left, part('应纳税所得额', plus('减除费用后', left.result), manuscript_ppm)] : [left]
  const taxable = steps.at(-1)?.result ?? 0
  const naming = { rule, name: '应代扣代缴税额', base_name: '应纳税所得额' } as const
  const { rate_ppm, quick_fen, tax, step } = taxBy(monthlyLevels(law, month), taxable, naming)
  return { taxable, rate_ppm, quick_fen, tax, net: income - tax, steps: [...steps, step] }
}
