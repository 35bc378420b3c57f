/** Prepares the sheet-level input of the check from the recognition result and the layout. */
import { rowsPerSheet } from '../../../contract/shared/schemas.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import type { BatchRow } from '../access.ts'
import { openSheetLayout, type RecognizedSheet } from '../recognition.ts'
import type { CheckSheet } from '../rules/check/check-input.ts'
import { findMergedNames } from '../rules/check/duplicate-members.ts'
import { getDeclaredTotals } from '../rules/declared-totals.ts'

export function toCheckSheet(ctx: Pick<HandlerContext, 'vault'>, batch: BatchRow, recognition: RecognizedSheet): CheckSheet {
  const { columns, formula, expected, subtotals, totals_row, says, questions, remembered } = recognition
  const sheetLayout = openSheetLayout(ctx, batch)
  const isAnswered = questions.some(({ kind, answer }) => kind === 'hidden_rows' && answer !== null)
  // The user has answered that it is a different column.
  const others = new Set(
    questions.flatMap(({ kind, key, answer }) => (kind === 'renamed_column' && answer === 'no' ? [key] : [])),
  )
  const tableIndex = totals_row ? Math.floor(totals_row.row / rowsPerSheet) : 0
  const totals = getDeclaredTotals(recognition, sheetLayout.others)
  return {
    columns,
    formula,
    expected,
    newColumns: new Set(remembered?.fresh),
    subtotals,
    totals_row,
    ...totals,
    merged_names: findMergedNames(recognition, sheetLayout.merges),
    isInTotals: (row) => Math.floor(row / rowsPerSheet) === tableIndex,
    declared_month: says.month,
    title_month: batch.title_month,
    hidden_in_file: new Set(sheetLayout.hidden_rows),
    hidden_rows: isAnswered ? new Set() : new Set(sheetLayout.hidden_rows),
    renamed: new Map(remembered?.renamed.flatMap(({ key, from }) => (others.has(key) ? [] : [[key, from] as const]))),
    accepted: batch.accepted,
  }
}
