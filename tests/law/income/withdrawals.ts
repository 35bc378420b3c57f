/**
 * Withdrawals from annuities (财税 2013-103 art. 3, 财税 2018-164 art. 4) and personal pensions (2022-34): taxed in full,
 * separately, without any deduction.
 */
import { computeBracketTax } from '../../../server/rules/law/bracket-tax.ts'
import { clampToZero, minQuantity, type Quantity, toFraction } from '../../../server/rules/law/fraction.ts'
import { minusTerm, plusTerm, type Step } from '../../../server/rules/law/steps.ts'
import { getDatedRow, type PaymentMonth } from '../../../server/rules/law/tables/dated-table.ts'
import { currentLaw, getAnnualBrackets, getMonthlyBrackets, type TaxLaw } from '../../../server/rules/law/tables/law.ts'
import type { StandaloneTax } from './labor.ts'

/**
 * 按月 · 按季 · 按年 · 一次性. A lump sum for emigration or to heirs is taxed by the annual table (`lump_sum_special`), one for
 * any other reason by the monthly table.
 */
export const annuityWithdrawalModes = ['monthly', 'quarterly', 'annual', 'lump_sum', 'lump_sum_special'] as const
export type AnnuityWithdrawalMode = (typeof annuityWithdrawalModes)[number]

export function computeAnnuityWithdrawalTax(
  amount: number,
  mode: AnnuityWithdrawalMode,
  month: PaymentMonth = null,
  law: TaxLaw = currentLaw,
): StandaloneTax {
  const rule = 'annuity_withdrawal'
  const isAnnual = mode === 'annual' || mode === 'lump_sum_special'
  const levels = isAnnual ? getAnnualBrackets(law, month) : getMonthlyBrackets(law, month)
  const months = mode === 'quarterly' ? 3 : 1
  const share: Quantity = months === 1 ? amount : toFraction(amount).dividedBy(months)
  const base_name = months === 1 ? '领取额' : '每月分摊'
  const { rate_ppm, quick_fen, tax, step } = computeBracketTax(levels, clampToZero(share), {
    rule,
    name: '应纳税额',
    base_name,
    times: months,
  })
  const how = { kind: 'times', base: plusTerm('领取额', amount), by: 1, over: months } as const
  const steps: Step[] = months === 1 ? [step] : [{ rule, name: '每月分摊', result: share, formula: how }, step]
  return { taxable: share, rate_ppm, quick_fen, tax, net: amount - tax, steps }
}

export function computePensionWithdrawalTax(amount: number, month: PaymentMonth = null, law: TaxLaw = currentLaw) {
  const { withdrawal_ppm: rate_ppm } = getDatedRow(law.personal_pension, month).value
  const tax = clampToZero(amount).timesPpm(rate_ppm).rounded()
  const base = plusTerm('领取额', amount)
  const how = { kind: 'part', base, rate_ppm, unit_fen: 1, mode: 'half_up' } as const
  const steps: Step[] = [{ rule: 'pension_withdrawal', name: '应纳税额', result: tax, formula: how }]
  return { rate_ppm, tax, net: amount - tax, steps }
}

/** Computes how much annual tax a year's payments into a personal pension save. */
export function computePensionSaving(
  paid: number,
  annual_taxable_before: number,
  month: PaymentMonth = null,
  law: TaxLaw = currentLaw,
) {
  const rule = 'pension_cap'
  const { year_fen } = getDatedRow(law.personal_pension, month).value
  const deductible = clampToZero(minQuantity(paid, year_fen))
  const taxableAfter = clampToZero(toFraction(annual_taxable_before).minus(deductible))
  const levels = getAnnualBrackets(law, month)
  const taxBefore = computeBracketTax(levels, clampToZero(annual_taxable_before), {
    rule,
    name: '扣除前税额',
    base_name: '扣除前应纳税所得额',
  })
  const taxAfter = computeBracketTax(levels, taxableAfter, { rule, name: '扣除后税额', base_name: '扣除后应纳税所得额' })
  const saving = taxBefore.tax - taxAfter.tax
  const steps: Step[] = [
    {
      rule,
      name: '可扣除额',
      result: deductible,
      formula: { kind: 'least', terms: [plusTerm('缴费', paid), plusTerm('每年限额', year_fen)] },
    },
    taxBefore.step,
    {
      rule,
      name: '扣除后应纳税所得额',
      result: taxableAfter,
      formula: {
        kind: 'sum',
        terms: [plusTerm('扣除前应纳税所得额', annual_taxable_before), minusTerm('可扣除额', deductible)],
        floor: true,
      },
    },
    taxAfter.step,
    {
      rule,
      name: '少缴税额',
      result: saving,
      formula: {
        kind: 'sum',
        terms: [plusTerm('扣除前税额', taxBefore.tax), minusTerm('扣除后税额', taxAfter.tax)],
        floor: false,
      },
    },
  ]
  return { deductible, tax_before: taxBefore.tax, tax_after: taxAfter.tax, saving, steps }
}
