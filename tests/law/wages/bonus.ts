/** 全年一次性奖金: which way of taxing it is cheaper, and where a higher bonus leaves less (财税 2018-164 art. 1). */
import { type Fen, toFen } from '../../../server/contract/shared/money.ts'
import { computeBracketTax } from '../../../server/rules/law/bracket-tax.ts'
import { toFraction } from '../../../server/rules/law/fraction.ts'
import { minusTerm, plusTerm, type Step } from '../../../server/rules/law/steps.ts'
import { getDatedRow, type PaymentMonth } from '../../../server/rules/law/tables/dated-table.ts'
import { currentLaw, getAnnualBrackets, getMonthlyBrackets, type TaxLaw } from '../../../server/rules/law/tables/law.ts'
import { computeSeparateBonusTax } from '../../../server/rules/law/wages/bonus.ts'

export type YearIncome = {
  readonly income: number
  readonly special?: number | undefined
  readonly additional?: number | undefined
  readonly other?: number | undefined
}
export type BonusComparison = {
  readonly separate: { readonly salary_tax: number; readonly bonus_tax: number; readonly total: number }
  readonly merged: { readonly total: number }
  /** Separate minus merged. */
  readonly difference: number
  readonly better: 'separate' | 'merged' | 'same'
  readonly steps: readonly Step[]
}

/** Computes both methods for an entire year; a merged bonus uses the deductions that the wages leave unused. */
export function compareBonusMethods(
  year: YearIncome,
  bonus_fen: number,
  month: PaymentMonth = null,
  law: TaxLaw = currentLaw,
): BonusComparison {
  const rule = 'bonus_compare'
  const { income, special = 0, additional = 0, other = 0 } = year
  const { year_fen } = getDatedRow(law.basic_deduction, month).value
  const terms = [plusTerm('全年工资收入', income), minusTerm('减除费用', year_fen), minusTerm('专项扣除', special)]
  terms.push(minusTerm('专项附加扣除', additional), minusTerm('其他扣除', other))
  const own = income - year_fen - special - additional - other
  const taxable = (name: string, with_fen: number): Step => ({
    rule,
    name,
    result: toFen(Math.max(0, own + with_fen)),
    formula: { kind: 'sum', terms: with_fen ? [...terms, plusTerm('奖金', with_fen)] : terms, floor: true },
  })
  const tax = (base: Step, name: string) =>
    computeBracketTax(getAnnualBrackets(law, month), base.result, { rule, name, base_name: base.name })
  const salaryTaxable = taxable('全年工资应纳税所得额', 0)
  const salary = tax(salaryTaxable, '工资应纳税额')
  const all = taxable('并入后应纳税所得额', bonus_fen)
  const merged = tax(all, '并入后应纳税额')
  const bonus = computeSeparateBonusTax(bonus_fen, month, false, law)
  const steps = [salaryTaxable, salary.step, all, merged.step]
  // If the bonus may not be taxed separately, merging is the only option.
  if (!bonus.allowed) {
    const total = merged.tax
    return {
      separate: { salary_tax: salary.tax, bonus_tax: 0, total },
      merged: { total },
      difference: 0,
      better: 'merged',
      steps,
    }
  }
  const total = salary.tax + bonus.tax
  const difference = total - merged.tax
  const compared = [plusTerm('单独计税合计', total), minusTerm('并入合计', merged.tax)]
  const sum = [plusTerm('工资应纳税额', salary.tax), plusTerm('全年一次性奖金应纳税额', bonus.tax)]
  return {
    separate: { salary_tax: salary.tax, bonus_tax: bonus.tax, total },
    merged: { total: merged.tax },
    difference,
    better: difference < 0 ? 'separate' : difference > 0 ? 'merged' : 'same',
    steps: [
      ...steps,
      ...bonus.steps,
      { rule, name: '单独计税合计', result: total, formula: { kind: 'sum', terms: sum, floor: false } },
      { rule, name: '单独比并入多', result: difference, formula: { kind: 'sum', terms: compared, floor: false } },
    ],
  }
}

/**
 * A range of bonuses with a lower net than the end of the previous bracket: from one fen above that end up to and
 * including `to_fen`.
 */
export type BonusTrap = { readonly end_fen: Fen; readonly to_fen: Fen; readonly costs_fen: Fen }
export function findBonusTraps(month: PaymentMonth = null, law: TaxLaw = currentLaw): BonusTrap[] {
  const getNetBonus = (amount: number): number => {
    const bonus = computeSeparateBonusTax(amount, month, false, law)
    return bonus.allowed ? bonus.net : amount
  }
  const months = getDatedRow(law.separate_bonus, month).value.share_months
  const levels = getMonthlyBrackets(law, month)
  return levels.flatMap(({ up_to }, at) => {
    const next = levels[at + 1]
    if (up_to === null || !next) return []
    const end = up_to * months
    const targetNet = getNetBonus(end)
    // net = amount × (1 − rate) + quick; solved for the amount whose net equals the net at the bracket end, to the fen.
    let upperBound = toFraction(targetNet - next.quick_fen)
      .dividedBy(1_000_000 - next.rate_ppm)
      .times(1_000_000)
      .rounded('down')
    while (getNetBonus(upperBound) >= targetNet) upperBound = toFen(upperBound - 1)
    while (getNetBonus(upperBound + 1) < targetNet) upperBound = toFen(upperBound + 1)
    return [{ end_fen: toFen(end), to_fen: upperBound, costs_fen: toFen(targetNet - getNetBonus(end + 1)) }]
  })
}
