/** Rows of a sheet in the database: one sealed blob a row, written and read some hundred a statement. Writes sheet_row. */
import { setImmediate } from 'node:timers/promises'
import { type CellKind, cellKinds } from '../../contract/words.ts'
import type { Ctx } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import type { RowCell, RowCells } from './rules/amounts.ts'

/** Rows a statement: enough to be quick, few enough that node turns in between. */
export const a_statement = 250

const place = (row_id: string) => ({ table: 'sheet_row', row: row_id, column: 'cells' })

/** On the way into the blob a cell is `[key, text, kind, fen, flaw]` with numbers for words: half the size, twice as quick to read. */
type Packed = [key: string, value: string, kind: number, fen?: number | null, flaw?: 1 | 2]
const kindNumber = new Map<CellKind, number>(cellKinds.map((kind, at) => [kind, at]))

function pack(cells: RowCells): Packed[] {
  const packed: Packed[] = []
  for (const key in cells) {
    const cell = cells[key]
    if (!cell) continue
    const one: Packed = [key, cell.value, kindNumber.get(cell.kind) ?? 0]
    if (cell.fen !== undefined || cell.flaw) one.push(cell.fen ?? null)
    if (cell.flaw) one.push(cell.flaw === 'damaged' ? 1 : 2)
    packed.push(one)
  }
  return packed
}

function unpack(packed: readonly Packed[]): RowCells {
  const cells = Object.create(null) as Record<string, RowCell>
  for (const [key, value, kind, fen, flaw] of packed) {
    cells[key] = {
      value,
      kind: cellKinds[kind] ?? 'text',
      ...(typeof fen === 'number' ? { fen } : {}),
      ...(flaw ? { flaw: flaw === 1 ? ('damaged' as const) : ('uncached' as const) } : {}),
    }
  }
  return cells
}

export type StoredRow = {
  readonly id: string
  readonly row: number
  readonly cells: RowCells
  readonly member_id: string | null
  readonly skipped: boolean
  readonly accepted: readonly string[]
}

type Where = Pick<Ctx, 'db' | 'company_id' | 'vault'>

/** Writes new rows of a batch. */
export async function insertRows(
  { db, company_id, vault }: Where,
  batch_id: string,
  rows: readonly { row: number; cells: RowCells }[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += a_statement) {
    const values = rows.slice(from, from + a_statement).map(({ row, cells }) => {
      const id = newId()
      return { company_id, id, batch_id, row_no: row, cells: vault.seal(place(id), pack(cells)) }
    })
    await db.insertInto('sheet_row').values(values).execute()
    await setImmediate()
  }
}

const columns = ['id', 'row_no', 'cells', 'member_id', 'skipped', 'accepted'] as const
type Raw = { id: string; row_no: number; cells: Buffer; member_id: string | null; skipped: boolean; accepted: string[] }
const opened = (vault: Ctx['vault'], { row_no, ...row }: Raw): StoredRow => ({
  ...row,
  row: row_no,
  cells: unpack(vault.open<Packed[]>(place(row.id), row.cells)),
})

/** All rows of a batch from the top, page by page; the event loop turns in between. */
export async function* rowsOf({ db, company_id, vault }: Where, batch_id: string, page = 500): AsyncGenerator<StoredRow[]> {
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom('sheet_row')
      .select(columns)
      .where('company_id', '=', company_id)
      .where('batch_id', '=', batch_id)
      .where('row_no', '>', after)
      .orderBy('row_no')
      .limit(page)
      .execute()
    if (rows.length > 0) yield rows.map((row) => opened(vault, row))
    const last = rows.at(-1)
    if (!last || rows.length < page) return
    after = last.row_no
    await setImmediate()
  }
}

/** The rows of people between two numbers, both included. */
export async function rowsBetween(
  { db, company_id, vault }: Where,
  batch_id: string,
  from: number,
  to: number,
): Promise<StoredRow[]> {
  const rows = await db
    .selectFrom('sheet_row')
    .select(columns)
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('row_no', '>=', from)
    .where('row_no', '<=', to)
    .orderBy('row_no')
    .execute()
  return rows.map((row) => opened(vault, row))
}

/** Some rows of a batch, by their number in the sheet. */
export async function rowsAt(
  { db, company_id, vault }: Where,
  batch_id: string,
  numbers: readonly number[],
): Promise<StoredRow[]> {
  if (numbers.length === 0) return []
  const rows = await db
    .selectFrom('sheet_row')
    .select(columns)
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('row_no', 'in', numbers)
    .orderBy('row_no')
    .execute()
  return rows.map((row) => opened(vault, row))
}

/** Writes the cells of a row anew. What was accepted of the old ones no longer holds. */
export async function updateCells(
  { db, company_id, vault }: Where,
  row: { readonly id: string; readonly cells: RowCells; readonly member_id: string | null },
): Promise<void> {
  await db
    .updateTable('sheet_row')
    .set({ cells: vault.seal(place(row.id), pack(row.cells)), member_id: row.member_id, accepted: [] })
    .where('company_id', '=', company_id)
    .where('id', '=', row.id)
    .execute()
}
