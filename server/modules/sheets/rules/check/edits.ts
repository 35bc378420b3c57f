/** Reapplies manual cell edits when the same file is read again with more or fewer of its sheets. */
import { rowsPerSheet } from '../../../../contract/shared/schemas.ts'
import type { RowCell } from '../../../../rules/amounts.ts'
import type { RowCellsOfSheet } from '../reconcile.ts'

type SourceTableRef = { readonly sheet: string }
type SheetRows = { readonly sourceTables: readonly SourceTableRef[]; readonly rows: readonly RowCellsOfSheet[] }
/** Returns the sheet of a row and its number there; null where that sheet has two tables, which may be adjacent. */
const getSheetPosition = (sourceTables: readonly SourceTableRef[], row: number): string | null => {
  const sheet = sourceTables[Math.floor(row / rowsPerSheet)]?.sheet
  return sheet === undefined || sourceTables.filter((part) => part.sheet === sheet).length > 1
    ? null
    : `${row % rowsPerSheet} ${sheet}`
}

/** Creates a lookup from a current row number to the row number before; null where it is unknown. */
export function createRowLookup(
  before: readonly SourceTableRef[],
  after: readonly SourceTableRef[],
): (row: number) => number | null {
  const previousIndexes = after.map(({ sheet }) => {
    const same = (part: SourceTableRef) => part.sheet === sheet
    return before.filter(same).length === 1 && after.filter(same).length === 1 ? before.findIndex(same) : -1
  })
  return (row) => {
    const tableIndex = previousIndexes[Math.floor(row / rowsPerSheet)] ?? -1
    return tableIndex < 0 ? null : tableIndex * rowsPerSheet + (row % rowsPerSheet)
  }
}

/** Copies manual edits into the newly read rows. */
export function reapplyEdits<R extends RowCellsOfSheet & { readonly edited?: readonly string[] }>(
  before: SheetRows,
  after: { readonly sections: readonly SourceTableRef[]; readonly rows: readonly R[] },
  newKeyByOld: ReadonlyMap<string, string>,
): R[] {
  const previousCells = new Map(before.rows.map((row) => [getSheetPosition(before.sourceTables, row.row), row.cells]))
  return after.rows.map((row) => {
    const position = getSheetPosition(after.sections, row.row)
    const old = position === null ? undefined : previousCells.get(position)
    if (!old) return row
    const editedKeys = [...newKeyByOld].filter(([key, now]) => (old[key]?.value ?? '') !== (row.cells[now]?.value ?? ''))
    if (editedKeys.length === 0) return row
    const cells: Record<string, RowCell> = { ...row.cells }
    for (const [key, now] of editedKeys) {
      const cell = old[key]
      if (cell) cells[now] = cell
      else delete cells[now]
    }
    return { ...row, cells, edited: editedKeys.map(([, now]) => now) }
  })
}
