/** What the check asks of a sheet as a whole, from what was understood of it and from its drawing. */
import { rows_a_part } from '../../../contract/words/words.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import type { BatchRow } from '../access.ts'
import type { CheckSheet } from '../rules/check/problems.ts'
import { mergedNames } from '../rules/check/several-rows.ts'
import { statedRows } from '../rules/stated.ts'
import { drawingOf, type Understood } from '../understood.ts'

export function factsOf(ctx: Pick<Ctx, 'vault'>, batch: BatchRow, understood: Understood): CheckSheet {
  const { columns, formula, expected, subtotals, totals_row, says, questions, remembered } = understood
  const drawing = drawingOf(ctx, batch)
  const isAnswered = questions.some(({ kind, answer }) => kind === 'hidden_rows' && answer !== null)
  // Somebody has said that it is another column.
  const others = new Set(
    questions.flatMap(({ kind, key, answer }) => (kind === 'renamed_column' && answer === 'no' ? [key] : [])),
  )
  const part = totals_row ? Math.floor(totals_row.row / rows_a_part) : 0
  const totals = statedRows(understood, drawing.others)
  return {
    columns,
    formula,
    expected,
    fresh: new Set(remembered?.fresh),
    subtotals,
    totals_row,
    ...totals,
    merged_names: mergedNames(understood, drawing.merges),
    isSummed: (row) => Math.floor(row / rows_a_part) === part,
    says_month: says.month,
    title_month: batch.title_month,
    hidden_in_file: new Set(drawing.hidden_rows),
    hidden_rows: isAnswered ? new Set() : new Set(drawing.hidden_rows),
    renamed: new Map(remembered?.renamed.flatMap(({ key, from }) => (others.has(key) ? [] : [[key, from] as const]))),
    accepted: batch.accepted,
  }
}
