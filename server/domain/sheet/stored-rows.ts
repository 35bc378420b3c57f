/** Rows of a sheet in the database: one sealed blob a row, written and read some hundred a statement. Writes sheet_row. */
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { RowCells } from '../../rules/amounts.ts'
import type { Ctx } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import { sealed_head } from '../../runtime/secrets.ts'
import { inUnit, type UnitPower } from './rules/unit.ts'
import { openCells, sealCells, sealWritten, writeCells } from './sealed-row.ts'

/** Rows a statement: enough to be quick, few enough that node turns in between. */
export const a_statement = 250
/** Rows opened and looked at without a turn of the event loop. */
const a_turn = 100

export type StoredRow = {
  readonly id: string
  readonly row: number
  readonly cells: RowCells
  readonly member_id: string | null
  readonly skipped: boolean
  readonly accepted: readonly string[]
  /** Keys of cells that somebody has corrected here. */
  readonly edited: readonly string[]
}

type Where = Pick<Ctx, 'db' | 'company_id' | 'vault'>

export type NewRow = {
  readonly row: number
  readonly cells: RowCells
  readonly member_id?: string | null
  readonly skipped?: boolean
  readonly accepted?: string[]
  readonly edited?: readonly string[]
}

/** A new row whose cells are written already. */
export type WrittenRow = Omit<NewRow, 'cells'> & { readonly written: string }

/** Writes new rows of a batch; answers how many bytes they take. */
export async function insertRows(where: Where, batch_id: string, rows: readonly NewRow[]): Promise<number> {
  const writer = new RowWriter(where, batch_id)
  for (let from = 0; from < rows.length; from += a_statement)
    await writer.add(rows.slice(from, from + a_statement).map((row) => ({ ...row, written: writeCells(row.cells) })))
  return writer.end()
}

/** Writes the rows of a batch as they come: the next ones are sealed while the database writes. */
export class RowWriter {
  readonly #where: Where
  readonly #batch_id: string
  #writing: Promise<unknown> = Promise.resolve()
  #bytes = 0

  constructor(where: Where, batch_id: string) {
    this.#where = where
    this.#batch_id = batch_id
  }

  /** A few hundred rows; those before are written. */
  async add(rows: readonly WrittenRow[]): Promise<void> {
    const ids = rows.map(() => newId())
    const sealed = rows.map(({ written }, at) => sealWritten(this.#where.vault, ids[at] ?? '', written))
    for (const { length } of sealed) this.#bytes += length
    await this.#writing
    this.#writing = this.#insert(rows, ids, sealed)
    // Its failure is heard where it is waited for.
    this.#writing.catch(() => undefined)
    await setImmediate()
  }

  /** All of them are written; answers how many bytes they take. */
  async end(): Promise<number> {
    await this.#writing
    return this.#bytes
  }

  async #insert(rows: readonly WrittenRow[], ids: readonly string[], sealed: readonly Buffer[]): Promise<void> {
    const { db, company_id } = this.#where
    let end = 1
    const starts = sealed.map(({ length }) => (end += length) - length)
    // A handful of parameters whatever the rows, and all blobs as one: a parameter for each field took longer than the table itself. The batch
    // stands beside them so that in a cluster its node writes the rows; of lists alone they would come as a copy, which row-level security refuses.
    await sql`
      insert into sheet_row (company_id, id, batch_id, row_no, cells, member_id, skipped, accepted, edited)
      select batch.company_id, given.id, batch.id, row_no, substring(${Buffer.concat(sealed)}::bytea from start for size), member_id, skipped,
        case when given.accepted = '[]' then '{}' else array(select jsonb_array_elements_text(given.accepted::jsonb)) end,
        case when given.edited = '[]' then '{}' else array(select jsonb_array_elements_text(given.edited::jsonb)) end
      from batch, unnest(${ids}::uuid[], ${rows.map(({ row }) => row)}::int[], ${starts}::int[], ${sealed.map(({ length }) => length)}::int[],
        ${rows.map(({ member_id }) => member_id ?? null)}::uuid[], ${rows.map(({ skipped }) => skipped ?? false)}::boolean[],
        ${rows.map(({ accepted }) => JSON.stringify(accepted ?? []))}::text[],
        ${rows.map(({ edited }) => JSON.stringify(edited ?? []))}::text[])
        as given (id, row_no, start, size, member_id, skipped, accepted, edited)
      where batch.company_id = ${company_id} and batch.id = ${this.#batch_id}`.execute(db)
  }
}

const columns = ['id', 'row_no', 'cells', 'member_id', 'skipped', 'accepted', 'edited'] as const
type Raw = Pick<StoredRow, 'id' | 'member_id' | 'skipped' | 'accepted' | 'edited'> & { row_no: number; cells: Buffer }
const opened = (vault: Ctx['vault'], { row_no, ...row }: Raw): StoredRow => ({
  ...row,
  row: row_no,
  cells: openCells(vault, row.id, row.cells),
})

/**
 * What a row is known by as a check sees it. What is sealed begins with a number that is never used twice: cells that were written anew are known by
 * it, and not one of them is opened.
 */
const sign = sql<string>`row_no || ' ' || md5(concat_ws(' ', row_no, encode(substring(cells from 1 for ${sealed_head}), 'hex'), member_id, skipped, accepted))`
type Signed = StoredRow & { readonly sign: string }

/** All rows of a batch from the top, page by page; the database reads the next page while this one is worked on, and the event loop turns in between. */
export async function* rowsOf({ db, company_id, vault }: Where, batch_id: string, page = 500): AsyncGenerator<Signed[]> {
  const read = (after: number) => {
    const rows = db
      .selectFrom('sheet_row')
      .select([...columns, sign.as('sign')])
      .where('company_id', '=', company_id)
      .where('batch_id', '=', batch_id)
      .where('row_no', '>', after)
      .orderBy('row_no')
      .limit(page)
      .execute()
    // Whoever leaves early never waits for it; whoever goes on hears of its failure.
    rows.catch(() => undefined)
    return rows
  }
  for (let next: ReturnType<typeof read> | null = read(0); next; ) {
    const rows: (Raw & Pick<Signed, 'sign'>)[] = await next
    const last = rows.at(-1)
    next = last && rows.length === page ? read(last.row_no) : null
    // A few milliseconds at a time: whoever asks for a slip meanwhile waits for no more than that.
    for (let from = 0; from < rows.length; from += a_turn) {
      yield rows.slice(from, from + a_turn).map(({ sign, ...row }) => ({ ...opened(vault, row), sign }))
      await setImmediate()
    }
  }
}

/** All rows of a batch in one text, in their order: ten times as quick as ten thousand answers. */
const signs = sql<string | null>`string_agg(${sign}, ',' order by row_no)`

type Asked = Pick<Where, 'db' | 'company_id'>
async function ofRows({ db, company_id }: Asked, batch_id: string, what: typeof signs): Promise<string> {
  const { told } = await db
    .selectFrom('sheet_row')
    .select(what.as('told'))
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .executeTakeFirstOrThrow()
  return told ?? ''
}

/** A digest of the rows of a batch. */
export const rowsDigest = (where: Asked, batch_id: string): Promise<string> => ofRows(where, batch_id, sql`md5(${signs})`)

/** What each row is known by, in their order, and the digest of all of them as `rowsDigest` has it. */
export type RowSigns = { readonly of: ReadonlyMap<number, string>; readonly digest: string }
export async function rowSigns(where: Asked, batch_id: string): Promise<RowSigns> {
  const text = await ofRows(where, batch_id, signs)
  return {
    of: new Map((text === '' ? [] : text.split(',')).map((one) => [Number.parseInt(one, 10), one])),
    digest: text === '' ? '' : createHash('md5').update(text).digest('hex'),
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

/** A page of the rows that are not left out, of all or of some numbers, and how many there are. */
export async function pageOfRows(
  { db, company_id, vault }: Where,
  batch_id: string,
  { from, count, only }: { from: number; count: number; only: readonly number[] | null },
): Promise<{ rows: StoredRow[]; total: number }> {
  const those = db
    .selectFrom('sheet_row')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('skipped', '=', false)
    .$if(only !== null, (query) => query.where(sql<boolean>`row_no = any(${only}::int[])`))
  const { total } = await those.select(({ fn }) => fn.countAll<string>().as('total')).executeTakeFirstOrThrow()
  const rows = await those.select(columns).orderBy('row_no').offset(from).limit(count).execute()
  return { rows: rows.map((row) => opened(vault, row)), total: Number(total) }
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

/** The rows in which somebody has corrected a cell. */
export async function editedRows({ db, company_id, vault }: Where, batch_id: string): Promise<StoredRow[]> {
  const rows = await db
    .selectFrom('sheet_row')
    .select(columns)
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where(sql<boolean>`edited <> '{}'`)
    .orderBy('row_no')
    .execute()
  return rows.map((row) => opened(vault, row))
}

/** Writes the cells of a row anew, with what holds for them. */
export async function updateCells(
  { db, company_id, vault }: Where,
  { id, cells, member_id, edited, accepted }: Pick<StoredRow, 'id' | 'cells' | 'member_id' | 'edited' | 'accepted'>,
): Promise<void> {
  await db
    .updateTable('sheet_row')
    .set({ cells: sealCells(vault, id, cells), member_id, accepted: [...accepted], edited: [...edited] })
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .execute()
}

/** Reads the amounts of all rows anew, in this unit. */
export async function countInUnit(where: Where, batch_id: string, amounts: ReadonlySet<string>, power: UnitPower): Promise<void> {
  const { db, company_id, vault } = where
  for await (const page of rowsOf(where, batch_id, a_statement)) {
    const sealed = page.map(({ id, cells }) => [id, sealCells(vault, id, inUnit(cells, amounts, power)).toString('base64')])
    const anew = JSON.stringify(Object.fromEntries(sealed))
    await db
      .updateTable('sheet_row')
      .set({ cells: sql<Buffer>`decode(${anew}::jsonb ->> id::text, 'base64')` })
      .where('company_id', '=', company_id)
      .where(sql<boolean>`id = any(${page.map(({ id }) => id)}::uuid[])`)
      .execute()
  }
}

/** Leaves rows out, or brings them back. */
export async function skipRows(
  { db, company_id }: Where,
  batch_id: string,
  rows: readonly number[],
  skipped: boolean,
): Promise<void> {
  await db
    .updateTable('sheet_row')
    .set({ skipped })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where(sql<boolean>`row_no = any(${rows}::int[])`)
    .execute()
}

/** Those of these rows that are there and not skipped. */
export async function rowsToSend(
  { db, company_id }: Pick<Ctx, 'db' | 'company_id'>,
  batch_id: string,
  wanted: readonly number[],
): Promise<number[]> {
  const rows = await db
    .selectFrom('sheet_row')
    .select('row_no')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('skipped', '=', false)
    .where('row_no', '=', sql<number>`any(${[...wanted]}::int[])`)
    .orderBy('row_no')
    .execute()
  return rows.map(({ row_no }) => row_no)
}
