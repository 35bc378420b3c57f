/** 全年一次性奖金 (财税 2018-164 art. 1, 国税发 2005-9): taxed separately from wages once per person and year. */
import { computeBracketTax } from '../bracket-tax.ts'
import { toFraction } from '../fraction.ts'
import { plusTerm, type Step } from '../steps.ts'
import { findDatedRow, type PaymentMonth } from '../tables/dated-table.ts'
import { currentLaw, getMonthlyBrackets, type TaxLaw } from '../tables/law.ts'

export type BonusNotAllowed = { readonly allowed: false; readonly reason: 'already_used_this_year' | 'policy_expired' }
type SeparatelyTaxedBonus = {
  readonly allowed: true
  readonly rate_ppm: number
  readonly quick_fen: number
  readonly tax: number
  readonly net: number
  readonly steps: readonly Step[]
}
export type BonusTax = SeparatelyTaxedBonus | BonusNotAllowed

/** `month`: month of payment. A twelfth determines the bracket and is not rounded; the quick deduction is subtracted once. */
export function computeSeparateBonusTax(
  amount_fen: number,
  month: PaymentMonth,
  used_this_year: boolean,
  law: TaxLaw = currentLaw,
): BonusTax {
  const row = findDatedRow(law.separate_bonus, month)
  if (!row) return { allowed: false, reason: 'policy_expired' }
  if (used_this_year) return { allowed: false, reason: 'already_used_this_year' }
  const by = row.value.share_months
  const share = toFraction(amount_fen).dividedBy(by)
  const rule = 'bonus_apart'
  const naming = { rule, name: '全年一次性奖金应纳税额', base_name: '奖金全额' } as const
  const { rate_ppm, quick_fen, tax, step } = computeBracketTax(getMonthlyBrackets(law, month), amount_fen, naming, share)
  const how = { kind: 'times', base: plusTerm('奖金全额', amount_fen), by: 1, over: by } as const
  const steps: Step[] = [{ rule, name: '按月换算找级距', result: share, formula: how }, step]
  return { allowed: true, rate_ppm, quick_fen, tax, net: amount_fen - tax, steps }
}
