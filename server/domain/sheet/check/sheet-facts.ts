/** What the check asks of a sheet as a whole, from what was understood of it and from its drawing. */
import { rows_a_part } from '../../../contract/words.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import type { BatchRow } from '../access.ts'
import type { CheckSheet } from '../rules/check/problems.ts'
import { type Stated, statedTotals } from '../rules/check/problems-sheet.ts'
import { powerOf } from '../rules/unit.ts'
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
  return {
    columns,
    formula,
    expected,
    fresh: new Set(remembered?.fresh),
    subtotals,
    totals_row,
    stated: totals_row && statedOf(understood, totals_row.row, part, drawing.others),
    isSummed: (row) => Math.floor(row / rows_a_part) === part,
    says_month: says.month,
    title_month: batch.title_month,
    hidden_rows: isAnswered ? new Set() : new Set(drawing.hidden_rows),
    renamed: new Map(remembered?.renamed.flatMap(({ key, from }) => (others.has(key) ? [] : [[key, from] as const]))),
    accepted: batch.accepted,
  }
}

/** What the total row says of each column. Over several sheets only the last one is known, and it may be the sum of all: then the net pay alone is compared. */
function statedOf(
  { columns, parts, questions }: Understood,
  row: number,
  part: number,
  others: ReturnType<typeof drawingOf>['others'],
): Stated | null {
  if (parts.length > 1) return null
  const drawn = new Map(others)
  const found = drawn.get(row)
  const cells = typeof found === 'number' ? drawn.get(found) : found
  if (!Array.isArray(cells)) return null
  const own = parts[part] as { readonly places?: readonly (readonly [string, number])[] } | undefined
  const places = new Map(own?.places ?? columns.map(({ key }) => [key, Number(key.slice(1))] as const))
  return statedTotals(row, cells, columns, places, powerOf(questions))
}
