/** Two months of one person beside each other, and which parts of his pay made the difference. Pure; integer fen. */
import type { PayPart } from '../../../contract/wage/chart.ts'
import type { PartSums } from './lines.ts'

export const changes = ['more', 'less', 'same', 'joined', 'left'] as const
export type PayChange = (typeof changes)[number]
export type ComparedPay = {
  readonly change: PayChange
  readonly before_fen: number | null
  readonly after_fen: number | null
  readonly difference_fen: number
  readonly parts: readonly { readonly part: PayPart; readonly difference_fen: number }[]
}

const adding = ['base', 'bonus', 'allowance', 'overtime', 'rest'] as const
const taking = ['absence', 'social', 'fund', 'other'] as const

const payOf = (sums: PartSums | undefined): number | null => (sums ? (sums.orNone('net') ?? sums.orNone('gross')) : null)

/** What a part does to the net pay: what takes away counts as less. */
function effects(sums: PartSums | undefined): [PayPart, number][] {
  return [
    ...adding.map((part): [PayPart, number] => [part, sums?.of(part) ?? 0]),
    ...taking.map((part): [PayPart, number] => [part, -(sums?.of(part) ?? 0)]),
    ['tax', -(sums?.orNone('tax') ?? 0)],
  ]
}

/** Undefined: no slip in that month. Net pay, or gross where a sheet has no net. */
export function compared(before: PartSums | undefined, after: PartSums | undefined): ComparedPay {
  const [before_fen, after_fen] = [payOf(before), payOf(after)]
  const difference_fen = (after_fen ?? 0) - (before_fen ?? 0)
  const earlier = new Map(effects(before))
  const parts = effects(after)
    .map(([part, effect]) => ({ part, difference_fen: effect - (earlier.get(part) ?? 0) }))
    .filter((one) => one.difference_fen !== 0)
    .toSorted((a, b) => Math.abs(b.difference_fen) - Math.abs(a.difference_fen))
  const change = !before ? 'joined' : !after ? 'left' : difference_fen > 0 ? 'more' : difference_fen < 0 ? 'less' : 'same'
  return { change, before_fen, after_fen, difference_fen, parts }
}
