/** What comes back from annuities (财税 2013-103 art. 3, 财税 2018-164 art. 4) and personal pensions (2022-34): whole, alone, without any deduction. */
import { taxBy } from '../by-table.ts'
import { exact, floored, least, type Quantity } from '../exact.ts'
import { less, plus, type Step } from '../steps.ts'
import { rowFor, type When } from '../tables/dated.ts'
import { annualLevels, type Law, monthlyLevels, statutes } from '../tables/law.ts'
import type { TaxedAlone } from './labor.ts'

/**
 * 按月 · 按季 · 按年 · 一次性: for emigration or to heirs by the annual table (`lump_sum_special`), for any other reason by the monthly one.
 */
export const annuityModes = ['monthly', 'quarterly', 'annual', 'lump_sum', 'lump_sum_special'] as const
export type AnnuityMode = (typeof annuityModes)[number]

export function annuityTax(amount: number, mode: AnnuityMode, month: When = null, law: Law = statutes): TaxedAlone {
  const rule = 'annuity_withdrawal'
  const isAnnual = mode === 'annual' || mode === 'lump_sum_special'
  const levels = isAnnual ? annualLevels(law, month) : monthlyLevels(law, month)
  const parts = mode === 'quarterly' ? 3 : 1
  const share: Quantity = parts === 1 ? amount : exact(amount).over(parts)
  const base_name = parts === 1 ? '领取额' : '每月分摊'
  const { rate_ppm, quick_fen, tax, step } = taxBy(levels, floored(share), { rule, name: '应纳税额', base_name, times: parts })
  const how = { does: 'times', base: plus('领取额', amount), by: 1, over: parts } as const
  const steps: Step[] = parts === 1 ? [step] : [{ rule, name: '每月分摊', result: share, how }, step]
  return { taxable: share, rate_ppm, quick_fen, tax, net: amount - tax, steps }
}

export function pensionTax(amount: number, month: When = null, law: Law = statutes) {
  const { withdrawal_ppm: rate_ppm } = rowFor(law.personal_pension, month).value
  const tax = floored(amount).part(rate_ppm).rounded()
  const base = plus('领取额', amount)
  const how = { does: 'part', base, rate_ppm, unit_fen: 1, mode: 'half_up' } as const
  const steps: Step[] = [{ rule: 'pension_withdrawal', name: '应纳税额', result: tax, how }]
  return { rate_ppm, tax, net: amount - tax, steps }
}

/** What a year's payments into a personal pension save of the year's tax. */
export function pensionSaving(paid: number, annual_taxable_before: number, month: When = null, law: Law = statutes) {
  const rule = 'pension_cap'
  const { year_fen } = rowFor(law.personal_pension, month).value
  const deductible = floored(least(paid, year_fen))
  const after = floored(exact(annual_taxable_before).minus(deductible))
  const levels = annualLevels(law, month)
  const before = taxBy(levels, floored(annual_taxable_before), { rule, name: '扣除前税额', base_name: '扣除前应纳税所得额' })
  const less_taxed = taxBy(levels, after, { rule, name: '扣除后税额', base_name: '扣除后应纳税所得额' })
  const saving = before.tax - less_taxed.tax
  const steps: Step[] = [
    {
      rule,
      name: '可扣除额',
      result: deductible,
      how: { does: 'least', terms: [plus('缴费', paid), plus('每年限额', year_fen)] },
    },
    before.step,
    {
      rule,
      name: '扣除后应纳税所得额',
      result: after,
      how: { does: 'sum', terms: [plus('扣除前应纳税所得额', annual_taxable_before), less('可扣除额', deductible)], floor: true },
    },
    less_taxed.step,
    {
      rule,
      name: '少缴税额',
      result: saving,
      how: { does: 'sum', terms: [plus('扣除前税额', before.tax), less('扣除后税额', less_taxed.tax)], floor: false },
    },
  ]
  return { deductible, tax_before: before.tax, tax_after: less_taxed.tax, saving, steps }
}
