/** What adds up to what, as a batch's sheet was understood. */
import type { ColumnSum } from '../../../contract/payslips/send.ts'
import type { openRecognition } from '../../sheet/index.ts'

type RecognizedSheet = ReturnType<typeof openRecognition>
/** Subtotals, and the sum that is the net pay or leads to it; those that did not hold in every row are what somebody set. */
export const getColumnSums = ({ formula, subtotals }: Pick<RecognizedSheet, 'formula' | 'subtotals'>): ColumnSum[] => [
  ...subtotals.map(({ key, plus, minus }) => ({ key, plus: [...plus], minus: [...minus] })),
  ...(formula ? [{ key: formula.net, plus: [...formula.plus], minus: [...formula.minus] }] : []),
]
