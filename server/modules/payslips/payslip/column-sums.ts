/** The sums between columns according to the recognition result. */
import type { ColumnSum } from '../../../contract/payslips/send.ts'
import type { openRecognition } from '../../sheets/display/index.ts'

type RecognizedSheet = ReturnType<typeof openRecognition>
/**
 * Returns subtotals, and the sum that is or leads to net pay; sums that did not hold in every row were set by an
 * administrator.
 */
export const getColumnSums = ({ formula, subtotals }: Pick<RecognizedSheet, 'formula' | 'subtotals'>): ColumnSum[] => [
  ...subtotals.map(({ key, plus, minus }) => ({ key, plus: [...plus], minus: [...minus] })),
  ...(formula ? [{ key: formula.net, plus: [...formula.plus], minus: [...formula.minus] }] : []),
]
