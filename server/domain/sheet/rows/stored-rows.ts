/** Rows of a sheet in the database: what stands beside their cells a row, the cells sealed by the page, read some hundred a statement. */
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { RowCells } from '../../../rules/amounts.ts'
import { type PackedCells, unpackCells } from '../../../rules/packed-row.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { sealed_head } from '../../../runtime/secrets.ts'
import { openCells, openPage } from './sealed.ts'

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

export type Where = Pick<Ctx, 'db' | 'company_id' | 'vault'>

const columns = ['id', 'row_no', 'cells', 'page_id', 'member_id', 'skipped', 'accepted', 'edited'] as const
type Raw = Pick<StoredRow, 'id' | 'member_id' | 'skipped' | 'accepted' | 'edited'> & {
  row_no: number
  /** Of a row that was written anew; else its cells are those of its page. */
  cells: Buffer | null
  page_id: string | null
}

/** Pages a statement. */
const some_pages = 8

async function opened(where: Where, batch_id: string, rows: readonly Raw[]): Promise<StoredRow[]> {
  const packed = await packedIn(where, batch_id, rows)
  return rows.map((row) => withCells(where, row, packed))
}

function withCells({ vault }: Where, raw: Raw, packed: ReadonlyMap<number, PackedCells>): StoredRow {
  const { id, row_no, member_id, skipped, accepted, edited } = raw
  const row = { id, row: row_no, member_id, skipped, accepted, edited }
  if (raw.cells) return { ...row, cells: openCells(vault, id, raw.cells) }
  const own = packed.get(row_no)
  if (!own) throw new Error(`row ${row_no} of a sheet stands in no page`)
  return { ...row, cells: unpackCells(own) }
}

/** Of rows without cells of their own those that their pages have, by number; a page is opened once for all of them. */
async function packedIn(
  { db, company_id, vault }: Where,
  batch_id: string,
  rows: readonly Raw[],
): Promise<ReadonlyMap<number, PackedCells>> {
  const numbersOf = new Map<string, Set<number>>()
  for (const { row_no, page_id } of rows)
    if (page_id !== null) numbersOf.set(page_id, (numbersOf.get(page_id) ?? new Set()).add(row_no))
  const packed = new Map<number, PackedCells>()
  const ids = [...numbersOf.keys()]
  for (let from = 0; from < ids.length; from += some_pages) {
    const pages = await db
      .selectFrom('sheet_page')
      .select(['id', 'sealed'])
      .where('company_id', '=', company_id)
      .where('id', 'in', ids.slice(from, from + some_pages))
      .execute()
    for (const { id, sealed } of pages) {
      const wanted = numbersOf.get(id)
      for (const [row, cells] of openPage(vault, batch_id, id, sealed)) if (wanted?.has(row)) packed.set(row, cells)
      await setImmediate()
    }
  }
  return packed
}

/**
 * What a row is known by as a check sees it. What is sealed begins with a number that is never used twice, and a page is never written anew: cells that were
 * are known by it, and not one of them is opened.
 */
const sign = sql<string>`row_no || ' ' || md5(concat_ws(' ', row_no, coalesce(encode(substring(cells from 1 for ${sealed_head}), 'hex'), page_id::text), member_id, skipped, accepted))`
type Signed = StoredRow & { readonly sign: string }

/** All rows of a batch from the top, page by page; the database reads the next page while this one is worked on, and the event loop turns in between. */
export async function* rowsOf(where: Where, batch_id: string, page = 500): AsyncGenerator<Signed[]> {
  const { db, company_id } = where
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
      .then(async (found) => ({ found, packed: await packedIn(where, batch_id, found) }))
    // Whoever leaves early never waits for it; whoever goes on hears of its failure.
    rows.catch(() => undefined)
    return rows
  }
  for (let next: ReturnType<typeof read> | null = read(0); next; ) {
    const { found, packed }: Awaited<ReturnType<typeof read>> = await next
    const last = found.at(-1)
    next = last && found.length === page ? read(last.row_no) : null
    // A few milliseconds at a time: whoever asks for a slip meanwhile waits for no more than that.
    for (let from = 0; from < found.length; from += a_turn) {
      yield found.slice(from, from + a_turn).map(({ sign, ...row }) => ({ ...withCells(where, row, packed), sign }))
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
export async function rowsBetween(where: Where, batch_id: string, from: number, to: number): Promise<StoredRow[]> {
  const rows = await where.db
    .selectFrom('sheet_row')
    .select(columns)
    .where('company_id', '=', where.company_id)
    .where('batch_id', '=', batch_id)
    .where('row_no', '>=', from)
    .where('row_no', '<=', to)
    .orderBy('row_no')
    .execute()
  return opened(where, batch_id, rows)
}

/** A page of the rows that are not left out, of all or of some numbers, and how many there are. */
export async function pageOfRows(
  where: Where,
  batch_id: string,
  { from, count, only }: { from: number; count: number; only: readonly number[] | null },
): Promise<{ rows: StoredRow[]; total: number }> {
  const those = where.db
    .selectFrom('sheet_row')
    .where('company_id', '=', where.company_id)
    .where('batch_id', '=', batch_id)
    .where('skipped', '=', false)
    .$if(only !== null, (query) => query.where(sql<boolean>`row_no = any(${only}::int[])`))
  const { total } = await those.select(({ fn }) => fn.countAll<string>().as('total')).executeTakeFirstOrThrow()
  const rows = await those.select(columns).orderBy('row_no').offset(from).limit(count).execute()
  return { rows: await opened(where, batch_id, rows), total: Number(total) }
}

/** Some rows of a batch, by their number in the sheet. */
export async function rowsAt(where: Where, batch_id: string, numbers: readonly number[]): Promise<StoredRow[]> {
  if (numbers.length === 0) return []
  const rows = await where.db
    .selectFrom('sheet_row')
    .select(columns)
    .where('company_id', '=', where.company_id)
    .where('batch_id', '=', batch_id)
    .where('row_no', 'in', numbers)
    .orderBy('row_no')
    .execute()
  return opened(where, batch_id, rows)
}

/** The rows in which somebody has corrected a cell. */
export async function editedRows(where: Where, batch_id: string): Promise<StoredRow[]> {
  const rows = await where.db
    .selectFrom('sheet_row')
    .select(columns)
    .where('company_id', '=', where.company_id)
    .where('batch_id', '=', batch_id)
    .where(sql<boolean>`edited <> '{}'`)
    .orderBy('row_no')
    .execute()
  return opened(where, batch_id, rows)
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
