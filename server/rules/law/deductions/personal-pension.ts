import { plusTerm, type Step } from '../steps.ts'
import { getDatedRow, type PaymentMonth } from '../tables/dated-table.ts'
import { currentLaw, type TaxLaw } from '../tables/law.ts'

export type MonthlyPayment = { readonly month: number; readonly paid: number }
export type DeductionIncrement = {
  readonly month: number
  readonly increment: number
  readonly cumulative: number
  readonly steps: readonly Step[]
}
/** 个人养老金: up to an annual cap, however the payments are distributed. */
export function computePersonalPension(
  months: readonly MonthlyPayment[],
  month: PaymentMonth = null,
  law: TaxLaw = currentLaw,
): DeductionIncrement[] {
  const cap = getDatedRow(law.personal_pension, month).value.year_fen
  let cumulative = 0
  return months.map((one) => {
    const remaining = cap - cumulative
    const increment = Math.max(0, Math.min(one.paid, remaining))
    cumulative += increment
    const terms = [plusTerm('当月缴费', one.paid), plusTerm('当年剩余限额', remaining)]
    const step: Step = { rule: 'pension_cap', name: '当月可扣除', result: increment, formula: { kind: 'least', terms } }
    return { month: one.month, increment, cumulative, steps: [step] }
  })
}
