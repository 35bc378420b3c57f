/** Cells of rows corrected by hand, and two rows that take their amounts back. Writes sheet_row. */
import { identityRoles, moneyRoles } from '../../../contract/sheet/column-roles.ts'
import type { Problem } from '../../../contract/sheet/sheet.ts'
import type { ColumnRole } from '../../../contract/words/words.ts'
import { cellOfText, type RowCell, typedFlaw } from '../../../rules/amounts.ts'
import { type Ctx, invalid } from '../../../runtime/handle.ts'
import type { BatchRow } from '../access.ts'
import { forgetNames } from '../names/sheet-names.ts'
import { rowsAsWrittenAt, type StoredRow } from '../rows/stored-rows.ts'
import { updateCells } from '../rows/written-rows.ts'
import { getUnitPowers, typedInUnit } from '../rules/unit.ts'
import type { Understood } from '../understood.ts'
import { keepEdit, type RowEdit } from './undo.ts'

/** A cell of a row and what somebody wrote into it. */
export type Edit = { readonly row: number; readonly column: string; readonly value: string }
type Work = { readonly row: StoredRow; readonly cells: Record<string, RowCell>; readonly roles: Map<string, ColumnRole> }

/** What the rows of these numbers become; nothing is written yet. */
async function opened(ctx: Ctx, batch: BatchRow, numbers: readonly number[]): Promise<Map<number, Work>> {
  const rows = await rowsAsWrittenAt(ctx, batch.id, [...new Set(numbers)])
  return new Map(rows.map((row) => [row.row, { row, cells: { ...row.cells }, roles: new Map() }]))
}

function put({ cells, roles }: Work, column: string, role: ColumnRole, cell: RowCell | null | undefined): void {
  if (cell) cells[column] = cell
  else delete cells[column]
  roles.set(column, role)
}

async function keep(ctx: Ctx, batch: BatchRow, kind: 'edit' | 'swap', changed: Iterable<Work>): Promise<void> {
  const kept: RowEdit[] = []
  const written: Parameters<typeof updateCells>[2][number][] = []
  for (const { row, cells, roles } of changed) {
    if (roles.size === 0) continue
    kept.push(editOf(row, cells, [...roles.keys()]))
    const edited = [...new Set([...row.edited, ...roles.keys()])]
    // Who was chosen by hand was chosen for the name that stood there.
    const isOther = [...roles.values()].some((role) => identityRoles.has(role))
    // What was accepted of the old ones no longer holds.
    written.push({ row: row.row, cells, member_id: isOther ? null : row.member_id, edited, accepted: [] })
  }
  if (kept.length === 0) return
  await updateCells(ctx, batch.id, written)
  await keepEdit(ctx, batch, kind, kept)
  await forgetNames(ctx, batch.id)
}

const editOf = (row: StoredRow, cells: Readonly<Record<string, RowCell>>, columns: readonly string[]): RowEdit => ({
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

export async function editCells(ctx: Ctx, batch: BatchRow, understood: Understood, edits: readonly Edit[]): Promise<void> {
  const roleOf = new Map(understood.columns.map(({ key, role }) => [key, role]))
  const powers = getUnitPowers(understood.columns, understood.questions)
  const rows = await opened(
    ctx,
    batch,
    edits.map(({ row }) => row),
  )
  for (const { row, column, value } of edits) {
    const role = roleOf.get(column)
    const work = rows.get(row)
    if (!role || !work) throw invalid('actions', '表里没有这一格，请刷新后重试')
    const flaw = typedFlaw(value, role)
    if (flaw) throw invalid('value', flaw)
    const typed = cellOfText(value, role)
    put(work, column, role, typed && typedInUnit(typed, powers.get(column) ?? 0))
  }
  await keep(ctx, batch, 'edit', rows.values())
}

/** Two rows whose amounts changed places take them back: those of one column, or all of them. */
export async function swapBack(ctx: Ctx, batch: BatchRow, understood: Understood, problems: readonly Problem[]): Promise<void> {
  const pairs = problems.flatMap(({ row, other_row, column }) => (other_row === undefined ? [] : [{ row, other_row, column }]))
  const rows = await opened(
    ctx,
    batch,
    pairs.flatMap(({ row, other_row }) => [row, other_row]),
  )
  for (const { row, other_row, column } of pairs) {
    const [one, other] = [rows.get(row), rows.get(other_row)]
    if (!one || !other) continue
    for (const { key, role } of understood.columns) {
      if (column === null ? !moneyRoles.has(role) : key !== column) continue
      const [mine, theirs] = [one.cells[key], other.cells[key]]
      // What is the same on both sides was corrected by nobody.
      if (mine?.value === theirs?.value && mine?.fen === theirs?.fen) continue
      put(one, key, role, theirs)
      put(other, key, role, mine)
    }
  }
  await keep(ctx, batch, 'swap', rows.values())
}
