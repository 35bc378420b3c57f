/** What adds up to what, as a batch's sheet was understood. */
import type { SumOf } from '../../../contract/slip/slip.ts'
import type { understoodOf } from '../../sheet/index.ts'

type Understood = ReturnType<typeof understoodOf>
/** Subtotals, and the sum that is the net pay or leads to it; those that did not hold in every row are what somebody set. */
export const sumsOf = ({ formula, subtotals }: Pick<Understood, 'formula' | 'subtotals'>): SumOf[] => [
  ...subtotals.map(({ key, plus, minus }) => ({ key, plus: [...plus], minus: [...minus] })),
  ...(formula ? [{ key: formula.net, plus: [...formula.plus], minus: [...formula.minus] }] : []),
]
