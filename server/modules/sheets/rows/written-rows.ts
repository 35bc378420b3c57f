/** Writes pages of some hundred rows during upload, and later decisions about rows. Writes sheet_page and sheet_row. */
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { CompanyVaultTx } from '../../../database/company-tx.ts'
import { formatPostgresArray } from '../../../database/postgres-array.ts'
import type { RowCells } from '../../../rules/amounts.ts'
import { unpackCells } from '../../../rules/packed-row.ts'
import { newId } from '../../../shared/ids.ts'
import { applyUnitPowers, type UnitPowers } from '../rules/unit.ts'
import { openCells, openPage, sealCells, sealPage, serializePage } from './sealed.ts'
import type { StoredRow } from './stored-rows.ts'

/** Rows per statement: a compromise between speed and event loop blocking. */
export const rowsPerStatement = 250

export type NewRow = {
  readonly row: number
  readonly cells: RowCells
  readonly member_id?: string | null
  readonly skipped?: boolean
  readonly accepted?: string[]
  readonly edited?: readonly string[]
}
/** Data of a new row other than its cells. */
export type RowMetadata = Omit<NewRow, 'cells'>

/** Writes new rows of a batch and returns their size in bytes. */
export async function insertRows(tx: CompanyVaultTx, batch_id: string, rows: readonly NewRow[]): Promise<number> {
  const writer = new RowWriter(tx, batch_id)
  for (let from = 0; from < rows.length; from += rowsPerStatement) {
    const chunk = rows.slice(from, from + rowsPerStatement)
    await writer.add(chunk, serializePage(chunk))
  }
  return writer.finish()
}

/** Writes the rows of a batch as a stream: the next page is encrypted while the database writes. */
export class RowWriter {
  readonly #tx: CompanyVaultTx
  readonly #batch_id: string
  #writing: Promise<unknown> = Promise.resolve()
  #bytes = 0

  constructor(where: CompanyVaultTx, batch_id: string) {
    this.#tx = where
    this.#batch_id = batch_id
  }

  /** Adds a page of rows with their serialized cells, after the previous page was written. */
  async add(rows: readonly RowMetadata[], written: Buffer): Promise<void> {
    const page = createSealedPage(
      this.#tx,
      this.#batch_id,
      rows.map(({ row }) => row),
      written,
    )
    this.#bytes += page.sealed.length
    await this.#writing
    const decided = rows.filter(hasDecision)
    this.#writing = Promise.all([
      insertPage(this.#tx, this.#batch_id, page),
      insertDecisionRows(this.#tx, this.#batch_id, decided),
    ])
    // Errors are reported where the promise is awaited.
    this.#writing.catch(() => undefined)
    await setImmediate()
  }

  /** Waits until all rows are written and returns their size in bytes. */
  async finish(): Promise<number> {
    await this.#writing
    return this.#bytes
  }
}

const hasDecision = ({ member_id, skipped, accepted, edited }: RowMetadata): boolean =>
  Boolean(member_id) || skipped === true || Boolean(accepted?.length) || Boolean(edited?.length)

async function insertDecisionRows(
  { db, company_id }: CompanyVaultTx,
  batch_id: string,
  rows: readonly RowMetadata[],
): Promise<void> {
  if (rows.length === 0) return
  // The number of parameters is constant: a parameter for each field took longer than the insert itself. The batch is
  // joined so that in a cluster the node that holds it writes the rows; from lists alone they would be sent with COPY,
  // which row-level security rejects.
  await sql`
    insert into sheet_row (company_id, id, batch_id, row_no, member_id, skipped, accepted, edited)
    select batch.company_id, given.id, batch.id, row_no, member_id, skipped,
      case when given.accepted = '[]' then '{}' else array(select jsonb_array_elements_text(given.accepted::jsonb)) end,
      case when given.edited = '[]' then '{}' else array(select jsonb_array_elements_text(given.edited::jsonb)) end
    from batch, unnest(${rows.map(() => newId())}::uuid[], ${rows.map(({ row }) => row)}::int[],
      ${rows.map(({ member_id }) => member_id ?? null)}::uuid[], ${rows.map(({ skipped }) => skipped ?? false)}::boolean[],
      ${rows.map(({ accepted }) => JSON.stringify(accepted ?? []))}::text[],
      ${rows.map(({ edited }) => JSON.stringify(edited ?? []))}::text[])
      as given (id, row_no, member_id, skipped, accepted, edited)
    where batch.company_id = ${company_id} and batch.id = ${batch_id}`.execute(db)
}

type SealedPage = { readonly id: string; readonly numbers: number[]; readonly sealed: Buffer }
function createSealedPage({ vault }: CompanyVaultTx, batch_id: string, numbers: number[], serialized: Buffer): SealedPage {
  const id = newId()
  return { id, numbers, sealed: sealPage(vault, batch_id, id, serialized) }
}
const insertPage = ({ db, company_id }: CompanyVaultTx, batch_id: string, page: SealedPage) =>
  db
    .insertInto('sheet_page')
    .values({ company_id, batch_id, ...page })
    .execute()

/** Deletes the rows of a batch before they are replaced. */
export async function deleteRows({ db, company_id }: Omit<CompanyVaultTx, 'vault'>, batch_id: string): Promise<void> {
  await db.deleteFrom('sheet_row').where('company_id', '=', company_id).where('batch_id', '=', batch_id).execute()
  await db.deleteFrom('sheet_page').where('company_id', '=', company_id).where('batch_id', '=', batch_id).execute()
}

/** Inserts decision rows for those of these rows that have none yet. Numbers that are no member rows are ignored. */
export async function insertMissingRows(
  { db, company_id }: Pick<CompanyVaultTx, 'db' | 'company_id'>,
  batch_id: string,
  rows: readonly number[],
): Promise<void> {
  const numbers = [...new Set(rows)]
  if (numbers.length === 0) return
  await sql`
    insert into sheet_row (company_id, id, batch_id, row_no)
    select batch.company_id, given.id, batch.id, given.row_no
    from batch, unnest(${numbers.map(() => newId())}::uuid[], ${numbers}::int[]) as given (id, row_no)
    where batch.company_id = ${company_id} and batch.id = ${batch_id} and given.row_no in
      (select unnest(numbers) from sheet_page where company_id = ${company_id} and batch_id = ${batch_id})
    on conflict (company_id, batch_id, row_no) do nothing`.execute(db)
}

export async function updateCells(
  { db, company_id, vault }: CompanyVaultTx,
  batch_id: string,
  rows: readonly Pick<StoredRow, 'row' | 'cells' | 'member_id' | 'edited' | 'accepted'>[],
): Promise<void> {
  const numbers = rows.map(({ row }) => row)
  await insertMissingRows({ db, company_id }, batch_id, numbers)
  const lines = await db
    .selectFrom('sheet_row')
    .select(['id', 'row_no'])
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where(sql<boolean>`row_no = any(${numbers}::int[])`)
    .execute()
  const ids = new Map(lines.map(({ id, row_no }) => [row_no, id]))
  for (const { row, cells, member_id, edited, accepted } of rows) {
    const id = ids.get(row) ?? ''
    await db
      .updateTable('sheet_row')
      .set({ cells: sealCells(vault, id, cells), member_id, accepted: [...accepted], edited: [...edited] })
      .where('company_id', '=', company_id)
      .where('id', '=', id)
      .execute()
  }
}

/** Reparses the amounts of all rows with the unit of each column; pages are replaced, decision rows are updated. */
export async function applyUnits(tx: CompanyVaultTx, batch_id: string, powers: UnitPowers): Promise<void> {
  const { db, company_id, vault } = tx
  const convertCells = (cells: RowCells) => applyUnitPowers(cells, powers)
  const pages = await db
    .selectFrom('sheet_page')
    .select('id')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .execute()
  for (const { id } of pages) {
    const { numbers, sealed } = await db
      .deleteFrom('sheet_page')
      .where('company_id', '=', company_id)
      .where('id', '=', id)
      .returning(['numbers', 'sealed'])
      .executeTakeFirstOrThrow()
    const rows = openPage(vault, batch_id, id, sealed).map(([row, cells]) => ({ row, cells: convertCells(unpackCells(cells)) }))
    await insertPage(tx, batch_id, createSealedPage(tx, batch_id, numbers, serializePage(rows)))
    await setImmediate()
  }
  const lines = await db
    .selectFrom('sheet_row')
    .select(['id', 'cells'])
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('cells', 'is not', null)
    .execute()
  for (let from = 0; from < lines.length; from += rowsPerStatement) {
    const chunk = lines.slice(from, from + rowsPerStatement)
    const ids = formatPostgresArray(chunk.map(({ id }) => id))
    const sealed = chunk.map(({ id, cells }) => cells && sealCells(vault, id, convertCells(openCells(vault, id, cells))))
    await sql`
      update sheet_row set cells = given.cells from unnest(${ids}::uuid[], ${formatPostgresArray(sealed)}::bytea[]) as given (id, cells)
      where sheet_row.company_id = ${company_id} and sheet_row.id = any(${ids}::uuid[]) and sheet_row.id = given.id`.execute(db)
    await setImmediate()
  }
}

export async function skipRows(
  { db, company_id }: Pick<CompanyVaultTx, 'db' | 'company_id'>,
  batch_id: string,
  rows: readonly number[],
  skipped: boolean,
): Promise<void> {
  if (skipped) await insertMissingRows({ db, company_id }, batch_id, rows)
  await db
    .updateTable('sheet_row')
    .set({ skipped })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where(sql<boolean>`row_no = any(${rows}::int[])`)
    .execute()
}

/** Combines rows of one member into one payslip at the first of them, also rows already combined with one of them. */
export async function combineRowsInto(
  { db, company_id }: Pick<CompanyVaultTx, 'db' | 'company_id'>,
  batch_id: string,
  firstRow: number,
  others: readonly number[],
): Promise<void> {
  await insertMissingRows({ db, company_id }, batch_id, [firstRow, ...others])
  await db
    .updateTable('sheet_row')
    .set({ main_row_no: firstRow })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where(sql<boolean>`(row_no = any(${others}::int[]) or main_row_no = any(${others}::int[]))`)
    .execute()
}

/** Separates combined rows of one member, or of all where none is named. Returns the number of members. */
export async function separateRows(
  { db, company_id }: Pick<CompanyVaultTx, 'db' | 'company_id'>,
  batch_id: string,
  firstRows: readonly number[] | null,
): Promise<number> {
  const separated = await db
    .updateTable('sheet_row')
    .set({ main_row_no: null })
    .from('sheet_row as before')
    .whereRef('before.company_id', '=', 'sheet_row.company_id')
    .whereRef('before.id', '=', 'sheet_row.id')
    .where('sheet_row.company_id', '=', company_id)
    .where('sheet_row.batch_id', '=', batch_id)
    .where('before.company_id', '=', company_id)
    .where('sheet_row.main_row_no', 'is not', null)
    .$if(firstRows !== null, (query) => query.where(sql<boolean>`sheet_row.main_row_no = any(${firstRows}::int[])`))
    .returning('before.main_row_no')
    .execute()
  return new Set(separated.map(({ main_row_no }) => main_row_no)).size
}
