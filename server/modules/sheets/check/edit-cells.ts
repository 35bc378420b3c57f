/** Corrects cells manually and swaps the amounts of two rows. Writes sheet_row. */

import type { ColumnRole } from '../../../contract/shared/schemas.ts'
import { identityRoles, moneyRoles } from '../../../contract/sheets/column-roles.ts'
import type { Issue } from '../../../contract/sheets/sheet.ts'
import { type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { parseTypedCell, type RowCell, validateTypedText } from '../../../rules/amounts.ts'
import type { BatchRow } from '../access.ts'
import { deleteCachedNames } from '../names/row-names.ts'
import type { RecognizedSheet } from '../recognition.ts'
import { getRows, type StoredRow } from '../rows/stored-rows.ts'
import { updateCells } from '../rows/written-rows.ts'
import { getUnitPowers, toSheetUnit } from '../rules/unit.ts'
import { type RowEdit, saveEdit } from './undo.ts'

/** A new value for one cell of a row. */
export type CellEdit = { readonly row: number; readonly column: string; readonly value: string }
type EditedRow = { readonly row: StoredRow; readonly cells: Record<string, RowCell>; readonly roles: Map<string, ColumnRole> }

/** Loads the rows with these numbers for editing; nothing is written yet. */
async function loadRows(ctx: HandlerContext, batch: BatchRow, rowNumbers: readonly number[]): Promise<Map<number, EditedRow>> {
  const rows = await getRows(ctx, batch.id, [...new Set(rowNumbers)])
  return new Map(rows.map((row) => [row.row, { row, cells: { ...row.cells }, roles: new Map() }]))
}

function setCell({ cells, roles }: EditedRow, column: string, role: ColumnRole, cell: RowCell | null | undefined): void {
  if (cell) cells[column] = cell
  else delete cells[column]
  roles.set(column, role)
}

async function saveEdits(
  ctx: HandlerContext,
  batch: BatchRow,
  kind: 'edit' | 'swap',
  changed: Iterable<EditedRow>,
): Promise<void> {
  const rowEdits: RowEdit[] = []
  const written: Parameters<typeof updateCells>[2][number][] = []
  for (const { row, cells, roles } of changed) {
    if (roles.size === 0) continue
    rowEdits.push(toRowEdit(row, cells, [...roles.keys()]))
    const edited = [...new Set([...row.edited, ...roles.keys()])]
    // A manually chosen member was chosen for the old name.
    const changesIdentity = [...roles.values()].some((role) => identityRoles.has(role))
    // Warnings accepted for the old values no longer apply.
    written.push({ row: row.row, cells, member_id: changesIdentity ? null : row.member_id, edited, accepted: [] })
  }
  if (rowEdits.length === 0) return
  await updateCells(ctx, batch.id, written)
  await saveEdit(ctx, batch, kind, rowEdits)
  await deleteCachedNames(ctx, batch.id)
}

const toRowEdit = (row: StoredRow, cells: Readonly<Record<string, RowCell>>, columns: readonly string[]): RowEdit => ({
  row: row.row,
  member_id: row.member_id,
  accepted: row.accepted,
  cells: columns.map((column) => ({
    column,
    before: row.cells[column] ?? null,
    after: cells[column] ?? null,
    was_edited: row.edited.includes(column),
  })),
})

export async function editCells(
  ctx: HandlerContext,
  batch: BatchRow,
  recognition: RecognizedSheet,
  edits: readonly CellEdit[],
): Promise<void> {
  const roleByColumn = new Map(recognition.columns.map(({ key, role }) => [key, role]))
  const powers = getUnitPowers(recognition.columns, recognition.questions)
  const rows = await loadRows(
    ctx,
    batch,
    edits.map(({ row }) => row),
  )
  for (const { row, column, value } of edits) {
    const role = roleByColumn.get(column)
    const work = rows.get(row)
    if (!role || !work) throw invalidInput('actions', '表里没有这一格，请刷新后重试')
    const cellError = validateTypedText(value, role)
    if (cellError) throw invalidInput('value', cellError)
    const typed = parseTypedCell(value, role)
    setCell(work, column, role, typed && toSheetUnit(typed, powers.get(column) ?? 0))
  }
  await saveEdits(ctx, batch, 'edit', rows.values())
}

/** Swaps the amounts of two rows: those of one column, or all of them. */
export async function swapRows(
  ctx: HandlerContext,
  batch: BatchRow,
  recognition: RecognizedSheet,
  issues: readonly Issue[],
): Promise<void> {
  const pairs = issues.flatMap(({ row, other_row, column }) => (other_row === undefined ? [] : [{ row, other_row, column }]))
  const rows = await loadRows(
    ctx,
    batch,
    pairs.flatMap(({ row, other_row }) => [row, other_row]),
  )
  for (const { row, other_row, column } of pairs) {
    const [one, other] = [rows.get(row), rows.get(other_row)]
    if (!one || !other) continue
    for (const { key, role } of recognition.columns) {
      if (column === null ? !moneyRoles.has(role) : key !== column) continue
      const [firstCell, secondCell] = [one.cells[key], other.cells[key]]
      // Cells that are equal in both rows do not count as edited.
      if (firstCell?.value === secondCell?.value && firstCell?.fen === secondCell?.fen) continue
      setCell(one, key, role, secondCell)
      setCell(other, key, role, firstCell)
    }
  }
  await saveEdits(ctx, batch, 'swap', rows.values())
}
