/** Compares two months of one member and finds the pay components that caused the difference. Pure; integer fen. */
import type { PayComponent } from '../../../contract/reports/charts.ts'
import type { ComponentTotals } from './totals.ts'

export const payChanges = ['more', 'less', 'same', 'joined', 'left'] as const
export type PayChange = (typeof payChanges)[number]
export type PayComparison = {
  readonly change: PayChange
  readonly before_fen: number | null
  readonly after_fen: number | null
  readonly difference_fen: number
  readonly components: readonly { readonly part: PayComponent; readonly difference_fen: number }[]
}

const earningComponents = ['base', 'bonus', 'allowance', 'overtime', 'rest'] as const
const deductionComponents = ['absence', 'social', 'fund', 'other'] as const

const getPay = (sums: ComponentTotals | undefined): number | null =>
  sums ? (sums.getOrNull('net') ?? sums.getOrNull('gross')) : null

/** Returns the effect of each component on net pay; deductions are negative. */
function getNetEffects(sums: ComponentTotals | undefined): [PayComponent, number][] {
  return [
    ...earningComponents.map((part): [PayComponent, number] => [part, sums?.get(part) ?? 0]),
    ...deductionComponents.map((part): [PayComponent, number] => [part, -(sums?.get(part) ?? 0)]),
    ['tax', -(sums?.getOrNull('tax') ?? 0)],
  ]
}

/** Compares net pay, or gross where a wage sheet has no net. Undefined means no payslip in that month. */
export function comparePay(before: ComponentTotals | undefined, after: ComponentTotals | undefined): PayComparison {
  const [before_fen, after_fen] = [getPay(before), getPay(after)]
  const difference_fen = (after_fen ?? 0) - (before_fen ?? 0)
  const effectsBefore = new Map(getNetEffects(before))
  const components = getNetEffects(after)
    .map(([part, effect]) => ({ part, difference_fen: effect - (effectsBefore.get(part) ?? 0) }))
    .filter((one) => one.difference_fen !== 0)
    .toSorted((a, b) => Math.abs(b.difference_fen) - Math.abs(a.difference_fen))
  const change = !before ? 'joined' : !after ? 'left' : difference_fen > 0 ? 'more' : difference_fen < 0 ? 'less' : 'same'
  return { change, before_fen, after_fen, difference_fen, components }
}
