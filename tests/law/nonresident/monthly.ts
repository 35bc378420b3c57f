/**
 * Non-residents (2018-61 art. 9, 2019-35 art. 3): each month separately by the monthly table, without cumulation and
 * additional deductions.
 */
import { computeBracketTax } from '../../../server/rules/law/bracket-tax.ts'
import { clampToZero, type Quantity, toFraction } from '../../../server/rules/law/fraction.ts'
import type { LaborIncomeKind } from '../../../server/rules/law/income/labor.ts'
import { minusTerm, plusTerm, type Step } from '../../../server/rules/law/steps.ts'
import { getDatedRow, type PaymentMonth } from '../../../server/rules/law/tables/dated-table.ts'
import { currentLaw, getMonthlyBrackets, type TaxLaw } from '../../../server/rules/law/tables/law.ts'
import type { BonusTax } from '../../../server/rules/law/wages/bonus.ts'
import type { StandaloneTax } from '../income/labor.ts'

export type NonresidentWage = {
  readonly income: Quantity
  readonly exempt?: number | undefined
  /** Employee's own insurance, if the setting allows the deduction. */
  readonly special?: number | undefined
}

export function computeNonresidentWageTax(
  { income, exempt = 0, special = 0 }: NonresidentWage,
  month: PaymentMonth = null,
  law: TaxLaw = currentLaw,
) {
  const rule = 'nonresident_wage'
  const { basic_fen } = getDatedRow(law.nonresident, month).value
  const terms = [plusTerm('当月收入额', income)]
  if (exempt) terms.push(minusTerm('免税收入', exempt))
  terms.push(minusTerm('减除费用', basic_fen))
  if (special) terms.push(minusTerm('本人社保公积金', special))
  const taxable = clampToZero(toFraction(income).minus(exempt).minus(basic_fen).minus(special))
  const naming = { rule, name: '应代扣代缴税额', base_name: '应纳税所得额' } as const
  const { rate_ppm, quick_fen, tax, step } = computeBracketTax(getMonthlyBrackets(law, month), taxable, naming)
  const steps: Step[] = [{ rule, name: '应纳税所得额', result: taxable, formula: { kind: 'sum', terms, floor: true } }, step]
  return { taxable, rate_ppm, quick_fen, tax, steps }
}

/** Taxes 数月奖金: a sixth by the monthly table, times six, without deductions, once a calendar year. */
export function computeNonresidentBonusTax(
  amount: number,
  used_this_year: boolean,
  month: PaymentMonth = null,
  law: TaxLaw = currentLaw,
): BonusTax {
  if (used_this_year) return { allowed: false, reason: 'already_used_this_year' }
  const rule = 'nonresident_bonus'
  const { bonus_months } = getDatedRow(law.nonresident, month).value
  const share = clampToZero(toFraction(amount).dividedBy(bonus_months))
  const naming = { rule, name: '数月奖金应纳税额', base_name: '每月分摊', times: bonus_months } as const
  const { rate_ppm, quick_fen, tax, step } = computeBracketTax(getMonthlyBrackets(law, month), share, naming)
  const how = { kind: 'times', base: plusTerm('数月奖金', amount), by: 1, over: bonus_months } as const
  const steps: Step[] = [{ rule, name: '每月分摊', result: share, formula: how }, step]
  return { allowed: true, rate_ppm, quick_fen, tax, net: amount - tax, steps }
}

export function computeNonresidentLaborTax(
  item: LaborIncomeKind,
  income: number,
  month: PaymentMonth = null,
  law: TaxLaw = currentLaw,
): StandaloneTax {
  const rule = 'nonresident_labor'
  const { labor_ppm, manuscript_ppm } = getDatedRow(law.nonresident, month).value
  const part = (name: string, base: ReturnType<typeof plusTerm>, rate_ppm: number): Step => ({
    rule,
    name,
    result: clampToZero(toFraction(base.value).timesPpm(rate_ppm)),
    formula: { kind: 'part', base, rate_ppm, unit_fen: null, mode: 'half_up' },
  })
  const isManuscript = item === 'manuscript'
  const left = part(isManuscript ? '减除费用后' : '应纳税所得额', plusTerm('收入', income), labor_ppm)
  const steps = isManuscript ? [left, part('应纳税所得额', plusTerm('减除费用后', left.result), manuscript_ppm)] : [left]
  const taxable = steps.at(-1)?.result ?? 0
  const naming = { rule, name: '应代扣代缴税额', base_name: '应纳税所得额' } as const
  const { rate_ppm, quick_fen, tax, step } = computeBracketTax(getMonthlyBrackets(law, month), taxable, naming)
  return { taxable, rate_ppm, quick_fen, tax, net: income - tax, steps: [...steps, step] }
}
