/** Manual corrections of a wage sheet, stored with the previous values for undoing. Writes sheet_edit and sheet_row. */
import * as z from 'zod/mini'
import { cellKinds } from '../../../contract/shared/schemas.ts'
import { can } from '../../../contract/shared/statuses.ts'
import * as contract from '../../../contract/sheets/sheet.ts'
import { defineDocument } from '../../../crypto/sealed-document.ts'
import type { CompanyTx } from '../../../database/company-tx.ts'
import { assertAllowed, defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import type { RowCell, RowCells } from '../../../rules/amounts.ts'
import { newId } from '../../../shared/ids.ts'
import { type BatchRow, requireBatch } from '../access.ts'
import { deleteCachedNames } from '../names/row-names.ts'
import type { RecognizedSheet } from '../recognition.ts'
import { getRows, type StoredRow } from '../rows/stored-rows.ts'
import { updateCells } from '../rows/written-rows.ts'
import { readIdentity } from '../rules/check/amount-issues.ts'
import { saveCheckStatus } from './run-check.ts'
import { getCheckOutcome } from './stored-check.ts'

/** A corrected row with the changed cells and the previous values. */
export type RowEdit = {
  readonly row: number
  readonly member_id: string | null
  readonly accepted: readonly string[]
  readonly cells: readonly {
    readonly column: string
    readonly before: RowCell | null
    readonly after: RowCell | null
    readonly was_edited: boolean
  }[]
}
const cellSchema = z.nullable(
  z.object({
    value: z.string(),
    kind: z.enum(cellKinds),
    fen: z.optional(z.int()),
    flaw: z.optional(z.enum(['damaged', 'uncached'])),
  }),
)
const sheetEditDocument = defineDocument<{ readonly rows: readonly RowEdit[] }>({
  kind: 'sheet edit',
  version: 1,
  schema: z.object({
    rows: z.array(
      z.object({
        row: z.int(),
        member_id: z.nullable(z.string()),
        accepted: z.array(z.string()),
        cells: z.array(z.object({ column: z.string(), before: cellSchema, after: cellSchema, was_edited: z.boolean() })),
      }),
    ),
  }),
})
type EditKind = 'edit' | 'swap'
const getEditPosition = (id: string) => ({ table: 'sheet_edit', row: id, column: 'changed' })

export async function saveEdit(ctx: HandlerContext, batch: BatchRow, kind: EditKind, rows: readonly RowEdit[]): Promise<void> {
  const { db, company_id, currentUser, now, vault } = ctx
  const id = newId()
  const changed = sheetEditDocument.seal(vault, getEditPosition(id), { rows })
  await db
    .insertInto('sheet_edit')
    .values({ company_id, id, batch_id: batch.id, admin_id: currentUser.admin_id, kind, changed, at: now })
    .execute()
}

/** Closes the edits when the rows have been replaced or are read differently; earlier corrections are then only history. */
export const closeEdits = ({ db, company_id }: CompanyTx, batch_id: string) =>
  db
    .updateTable('sheet_edit')
    .set({ is_undoable: false })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('is_undoable', '=', true)
    .execute()

const findLastEdit = ({ db, company_id }: CompanyTx, batch_id: string) =>
  db
    .selectFrom('sheet_edit')
    .select(['id', 'kind', 'changed'])
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('is_undoable', '=', true)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Returns the next edit that can be undone, for display; null where there is none. */
export async function getLastEdit(ctx: HandlerContext, batch_id: string, recognition: Pick<RecognizedSheet, 'columns'>) {
  const last = await findLastEdit(ctx, batch_id)
  if (!last) return null
  const { rows } = sheetEditDocument.open(ctx.vault, getEditPosition(last.id), last.changed)
  const [first] = rows
  const [cell] = first?.cells ?? []
  if (!first || !cell) return null
  const [stored] = await getRows(ctx, batch_id, [first.row])
  return {
    edit_id: last.id,
    kind: last.kind === 'swap' ? ('swap' as const) : ('edit' as const),
    rows: rows.map(({ row }) => row).slice(0, 2),
    cells: rows.reduce((sum, { cells }) => sum + cells.length, 0),
    name: (stored && readIdentity(stored.cells, recognition.columns).names[0]) ?? '',
    column: cell.column,
    from: cell.before?.value ?? '',
    to: cell.after?.value ?? '',
  }
}

const isSameCell = (one: RowCell | null, other: RowCell | null): boolean =>
  (one?.value ?? '') === (other?.value ?? '') && one?.fen === other?.fen

/** Returns the row before the edit, or null where one of its cells was changed again since. */
function getRowBefore(stored: StoredRow, edit: RowEdit): Pick<StoredRow, 'cells' | 'edited' | 'accepted' | 'member_id'> | null {
  const cells: Record<string, RowCell> = { ...(stored.cells satisfies RowCells) }
  const edited = new Set(stored.edited)
  for (const { column, before: previous, after, was_edited } of edit.cells) {
    if (!isSameCell(cells[column] ?? null, after)) return null
    if (previous) cells[column] = previous
    else delete cells[column]
    if (!was_edited) edited.delete(column)
  }
  return { cells, edited: [...edited], accepted: edit.accepted, member_id: edit.member_id }
}

export const undoEdit = defineHandler(contract.undoEdit, async (ctx, { batch_id, edit_id }) => {
  const { db, company_id, now } = ctx
  const batch = await requireBatch(ctx, batch_id, 'manage')
  assertAllowed(can.arrange(batch.status), { status: batch.status })
  const last = await findLastEdit(ctx, batch_id)
  // The edit has already been undone by a double click or in a second window.
  if (last?.id !== edit_id) throw fail('wrong_state', '这次修改已经撤销，或之后又有别的修改，请看一下现在的内容')
  const { rows: edits } = sheetEditDocument.open(ctx.vault, getEditPosition(last.id), last.changed)
  const rows = new Map(
    (
      await getRows(
        ctx,
        batch_id,
        edits.map(({ row }) => row),
      )
    ).map((row) => [row.row, row]),
  )
  const undone = edits.map((edit) => {
    const stored = rows.get(edit.row)
    const previous = stored && getRowBefore(stored, edit)
    if (!stored || !previous) throw fail('wrong_state', '这一格之后又改过，不能撤销，请直接修改')
    return { row: edit.row, ...previous }
  })
  await updateCells(ctx, batch_id, undone)
  await db
    .updateTable('sheet_edit')
    .set({ is_undoable: false, undone_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', edit_id)
    .execute()
  await db.updateTable('batch').set({ updated_at: now }).where('company_id', '=', company_id).where('id', '=', batch_id).execute()
  await deleteCachedNames(ctx, batch_id)
  const fresh = await requireBatch(ctx, batch_id, 'manage')
  await saveCheckStatus(ctx, fresh, await getCheckOutcome(ctx, fresh))
  ctx.addAuditDetails({ undone: edits.length })
  return {}
})
