/** 劳务报酬, 稿酬, 特许权使用费 of residents, per payment (2018-61 art. 8); payments for one project in a month count as one. */
import { sumFen } from '../../../server/contract/shared/money.ts'
import { type BracketTax, computeBracketTax } from '../../../server/rules/law/bracket-tax.ts'
import { type Fraction, maxQuantity, type Quantity, toFraction } from '../../../server/rules/law/fraction.ts'
import type { LaborIncomeKind } from '../../../server/rules/law/income/labor.ts'
import { minusTerm, plusTerm, type Step } from '../../../server/rules/law/steps.ts'
import { getDatedRow, type PaymentMonth } from '../../../server/rules/law/tables/dated-table.ts'
import { currentLaw, type TaxLaw } from '../../../server/rules/law/tables/law.ts'

export const laborIncomeKinds = ['labor', 'royalty', 'manuscript'] as const satisfies readonly LaborIncomeKind[]
/** Tax of one amount, taxed separately. */
export type StandaloneTax = {
  readonly taxable: Quantity
  readonly rate_ppm: number
  readonly quick_fen: number
  readonly tax: number
  readonly net: number
  readonly steps: readonly Step[]
}
export type LaborTax = StandaloneTax & { readonly expense: Fraction }

const buildShareStep = (name: string, base_name: string, base: Quantity, rate_ppm: number): Step => ({
  rule: 'labor_expense',
  name,
  result: toFraction(base).timesPpm(rate_ppm),
  formula: { kind: 'part', base: plusTerm(base_name, base), rate_ppm, unit_fen: null, mode: 'half_up' },
})

/** Computes the tax of an amount without VAT. */
export function computeLaborTax(
  item: LaborIncomeKind,
  income: number,
  month: PaymentMonth = null,
  law: TaxLaw = currentLaw,
): LaborTax {
  const rule = getDatedRow(law.labor_expense, month).value
  const isSmall = income <= rule.flat_up_to_fen
  const expense: Step = isSmall
    ? {
        rule: 'labor_expense',
        name: '减除费用',
        result: toFraction(rule.flat_fen),
        formula: { kind: 'given', note: '收入较低，定额减除' },
      }
    : buildShareStep('减除费用', '收入', income, rule.share_ppm)
  const terms = [plusTerm('收入', income), minusTerm('减除费用', expense.result)]
  const isManuscript = item === 'manuscript'
  const name = isManuscript ? '收入额' : '应纳税所得额'
  const left: Step = {
    rule: 'labor_expense',
    name,
    result: maxQuantity(toFraction(income).minus(expense.result), 0),
    formula: { kind: 'sum', terms, floor: true },
  }
  const steps = [expense, left]
  if (isManuscript) steps.push(buildShareStep('应纳税所得额', '收入额', left.result, rule.manuscript_ppm))
  const taxable = steps.at(-1)?.result ?? 0
  const flat = [{ up_to: null, rate_ppm: rule.flat_rate_ppm, quick_fen: 0 }]
  const levels = item === 'labor' ? getDatedRow(law.labor_rates, month).value : flat
  const bracketTax: BracketTax = computeBracketTax(levels, taxable, {
    rule: 'labor_tax',
    name: '应预扣预缴税额',
    base_name: '应纳税所得额',
  })
  const { rate_ppm, quick_fen, tax, step } = bracketTax
  return { expense: toFraction(expense.result), taxable, rate_ppm, quick_fen, tax, net: income - tax, steps: [...steps, step] }
}

/** `month` is the month of payment, if payments of several months are given together. */
export type LaborPayment = {
  readonly project: string
  readonly item: LaborIncomeKind
  readonly amount: number
  readonly month?: PaymentMonth
}
export type LaborGroup = {
  readonly project: string
  readonly item: LaborIncomeKind
  readonly income: number
  readonly tax: number
  readonly steps: readonly Step[]
}

/** Groups payments in the order of first appearance. Different projects and different kinds are taxed separately. */
export function computeLaborMonthTax(payments: readonly LaborPayment[], law: TaxLaw = currentLaw) {
  const groups = new Map<string, LaborPayment[]>()
  for (const one of payments) {
    const key = JSON.stringify([one.month ?? null, one.item, one.project])
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  const taxed = [...groups.values()].flatMap((all): LaborGroup[] => {
    const [first] = all
    if (!first) return []
    const { project, item } = first
    const income = sumFen(all.map(({ amount }) => amount))
    const result = computeLaborTax(item, income, first.month ?? null, law)
    const terms = all.map(({ amount }) => plusTerm(project, amount))
    const once: Step = { rule: 'labor_once', name: '收入', result: income, formula: { kind: 'sum', terms, floor: false } }
    return [{ project, item, income, tax: result.tax, steps: [once, ...result.steps] }]
  })
  return { groups: taxed, total_tax: sumFen(taxed.map(({ tax }) => tax)) }
}
