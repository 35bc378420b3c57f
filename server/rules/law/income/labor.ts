/** 劳务报酬, 稿酬, 特许权使用费 of residents, per payment (2018-61 art. 8); payments for one project in a month are one. */
import { sum } from '../../../contract/words/money.ts'
import { type ByTable, taxBy } from '../by-table.ts'
import { type Exact, exact, most, type Quantity } from '../exact.ts'
import { less, plus, type Step } from '../steps.ts'
import { rowFor, type When } from '../tables/dated.ts'
import { type Law, statutes } from '../tables/law.ts'

export const laborItems = ['labor', 'royalty', 'manuscript'] as const
export type LaborItem = (typeof laborItems)[number]
/** Tax of one sum of money, taken alone. */
export type TaxedAlone = {
  readonly taxable: Quantity
  readonly rate_ppm: number
  readonly quick_fen: number
  readonly tax: number
  readonly net: number
  readonly steps: readonly Step[]
}
export type LaborTax = TaxedAlone & { readonly expense: Exact }

const part = (name: string, base_name: string, base: Quantity, rate_ppm: number): Step => ({
  rule: 'labor_expense',
  name,
  result: exact(base).part(rate_ppm),
  how: { does: 'part', base: plus(base_name, base), rate_ppm, unit_fen: null, mode: 'half_up' },
})

/** Without VAT. */
export function laborTax(item: LaborItem, income: number, month: When = null, law: Law = statutes): LaborTax {
  const figures = rowFor(law.labor_expense, month).value
  const isSmall = income <= figures.flat_up_to_fen
  const expense: Step = isSmall
    ? {
        rule: 'labor_expense',
        name: '减除费用',
        result: exact(figures.flat_fen),
        how: { does: 'given', note: '收入较低，定额减除' },
      }
    : part('减除费用', '收入', income, figures.share_ppm)
  const terms = [plus('收入', income), less('减除费用', expense.result)]
  const isManuscript = item === 'manuscript'
  const name = isManuscript ? '收入额' : '应纳税所得额'
  const left: Step = {
    rule: 'labor_expense',
    name,
    result: most(exact(income).minus(expense.result), 0),
    how: { does: 'sum', terms, floor: true },
  }
  const steps = [expense, left]
  if (isManuscript) steps.push(part('应纳税所得额', '收入额', left.result, figures.manuscript_ppm))
  const taxable = steps.at(-1)?.result ?? 0
  const flat = [{ up_to: null, rate_ppm: figures.flat_rate_ppm, quick_fen: 0 }]
  const levels = item === 'labor' ? rowFor(law.labor_rates, month).value : flat
  const found: ByTable = taxBy(levels, taxable, { rule: 'labor_tax', name: '应预扣预缴税额', base_name: '应纳税所得额' })
  const { rate_ppm, quick_fen, tax, step } = found
  return { expense: exact(expense.result), taxable, rate_ppm, quick_fen, tax, net: income - tax, steps: [...steps, step] }
}

/** `month`: of payment, where payments of several months are given together. */
export type LaborPayment = { readonly project: string; readonly item: LaborItem; readonly amount: number; readonly month?: When }
export type LaborGroup = {
  readonly project: string
  readonly item: LaborItem
  readonly income: number
  readonly tax: number
  readonly steps: readonly Step[]
}

/** In the order of first appearance. Different projects and different kinds are apart. */
export function laborOfMonth(payments: readonly LaborPayment[], law: Law = statutes) {
  const groups = new Map<string, LaborPayment[]>()
  for (const one of payments) {
    const key = JSON.stringify([one.month ?? null, one.item, one.project])
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  const taxed = [...groups.values()].flatMap((all): LaborGroup[] => {
    const [first] = all
    if (!first) return []
    const { project, item } = first
    const income = sum(all.map(({ amount }) => amount))
    const found = laborTax(item, income, first.month ?? null, law)
    const terms = all.map(({ amount }) => plus(project, amount))
    const once: Step = { rule: 'labor_once', name: '收入', result: income, how: { does: 'sum', terms, floor: false } }
    return [{ project, item, income, tax: found.tax, steps: [once, ...found.steps] }]
  })
  return { groups: taxed, total_tax: sum(taxed.map(({ tax }) => tax)) }
}

/** 收入额 of a year's settlement: without the expense, and 70% of it for manuscripts; the flat 800 is only of withholding. */
export function laborIncome(item: LaborItem, income: number, month: When = null, law: Law = statutes): Quantity {
  const { share_ppm, manuscript_ppm } = rowFor(law.labor_expense, month).value
  const left = exact(income).part(1_000_000 - share_ppm)
  return item === 'manuscript' ? left.part(manuscript_ppm) : left
}
