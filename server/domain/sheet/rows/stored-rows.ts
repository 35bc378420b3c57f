/**
 * Rows of a sheet in the database: cells sealed by the page, some hundred rows each, and a line of its own for a row about which somebody has
 * decided something: who is meant, that it is left out, what is accepted, or other cells, which then stand in its line.
 */
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { RowCells } from '../../../rules/amounts.ts'
import { type PackedCells, unpackCells } from '../../../rules/packed-row.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { sealed_head } from '../../../runtime/secrets.ts'
import { sumTerms } from '../rules/check/problems-amounts.ts'
import { combineRows } from '../rules/sections.ts'
import { understoodIn } from '../understood.ts'
import { openCells, openPage } from './sealed.ts'

/** Rows opened and looked at without a turn of the event loop. */
const a_turn = 100

export type StoredRow = {
  readonly row: number
  readonly cells: RowCells
  readonly member_id: string | null
  readonly skipped: boolean
  readonly accepted: readonly string[]
  /** Keys of cells that somebody has corrected here. */
  readonly edited: readonly string[]
  /** The first row of the person whose rows become one payslip, where this is another one of them. */
  readonly part_of: number | null
}

export type Where = Pick<Ctx, 'db' | 'company_id' | 'vault'>
type Asked = Pick<Where, 'db' | 'company_id'>

/** What was decided about a row. */
type Line = Pick<StoredRow, 'member_id' | 'skipped' | 'accepted' | 'edited' | 'part_of'> & {
  id: string
  row_no: number
  /** Of a row that was written anew; else its cells are those of its page. */
  cells: Buffer | null
}
const columns = ['id', 'row_no', 'cells', 'member_id', 'skipped', 'accepted', 'edited', 'part_of'] as const
const undecided = { member_id: null, skipped: false, accepted: [], edited: [], part_of: null } as const

/** Pages a statement. */
const some_pages = 8

const pagesOf = ({ db, company_id }: Asked, batch_id: string) =>
  db.selectFrom('sheet_page').where('company_id', '=', company_id).where('batch_id', '=', batch_id)
const linesOf = ({ db, company_id }: Asked, batch_id: string) =>
  db.selectFrom('sheet_row').where('company_id', '=', company_id).where('batch_id', '=', batch_id)

/** Which rows are asked for: as the database finds their lines and their pages. */
type Wanted = { readonly line: RawBuilder<boolean>; readonly page: RawBuilder<boolean>; has(row: number): boolean }

function numbered(numbers: readonly number[]): Wanted {
  const set = new Set(numbers)
  return { line: sql`row_no = any(${numbers}::int[])`, page: sql`numbers && ${numbers}::int[]`, has: (row) => set.has(row) }
}
const between = (from: number, to: number): Wanted => ({
  line: sql`row_no between ${from} and ${to}`,
  page: sql`numbers[1] <= ${to} and numbers[cardinality(numbers)] >= ${from}`,
  has: (row) => row >= from && row <= to,
})

/** Rows as the sheet has them, whether or not some become one payslip. */
async function rowsOfThese(where: Where, batch_id: string, wanted: Wanted): Promise<StoredRow[]> {
  const [lines, pages] = await Promise.all([
    linesOf(where, batch_id).select(columns).where(wanted.line).execute(),
    pagesOf(where, batch_id).select('id').where(wanted.page).execute(),
  ])
  const ids = pages.map(({ id }) => id)
  const packed: Packed = new Map()
  for (let from = 0; from < ids.length; from += some_pages)
    await openPages(where, batch_id, ids.slice(from, from + some_pages), { packed, has: (row) => wanted.has(row) })
  return joined(where, packed, lines).sort((one, other) => one.row - other.row)
}

/** Cells as their pages have them, by the number of their row. */
type Packed = Map<number, { readonly cells: PackedCells; readonly page_id: string }>

async function openPages(
  where: Where,
  batch_id: string,
  ids: readonly string[],
  { packed, has }: { packed: Packed; has: (row: number) => boolean },
): Promise<void> {
  if (ids.length === 0) return
  const pages = await pagesOf(where, batch_id).select(['id', 'sealed']).where('id', 'in', ids).execute()
  for (const { id, sealed } of pages) {
    for (const [row, cells] of openPage(where.vault, batch_id, id, sealed)) if (has(row)) packed.set(row, { cells, page_id: id })
    await setImmediate()
  }
}

/** Rows of pages with what was decided about them; cells of a line stand before those of a page. */
function joined({ vault }: Where, packed: Packed, lines: readonly Line[]): StoredRow[] {
  const byRow = new Map(lines.map((line) => [line.row_no, line]))
  const rows = new Set([...packed.keys(), ...lines.flatMap(({ row_no, cells }) => (cells ? [row_no] : []))])
  return Array.from(rows, (row) => storedRow(vault, row, byRow.get(row), packed.get(row)?.cells))
}

function storedRow(vault: Where['vault'], row: number, line: Line | undefined, packed: PackedCells | undefined): StoredRow {
  const { member_id, skipped, accepted, edited, part_of } = line ?? undecided
  const decided = { row, member_id, skipped, accepted, edited, part_of }
  if (line?.cells) return { ...decided, cells: openCells(vault, line.id, line.cells) }
  if (!packed) throw new Error(`row ${row} of a sheet stands in no page`)
  return { ...decided, cells: unpackCells(packed) }
}

/** By the first row of each person whose rows become one payslip: the others, in their order. */
export async function combinedIn(where: Asked, batch_id: string): Promise<Map<number, number[]>> {
  const parts = await linesOf(where, batch_id)
    .select(['row_no', 'part_of'])
    .where('part_of', 'is not', null)
    .orderBy('row_no')
    .execute()
  const others = new Map<number, number[]>()
  for (const { row_no, part_of } of parts) if (part_of !== null) others.set(part_of, [...(others.get(part_of) ?? []), row_no])
  return others
}

/** Puts the cells of a person's other rows beside those of the first one; null where no rows of the batch become one payslip. */
async function combining(where: Where, batch_id: string): Promise<((row: StoredRow) => StoredRow) | null> {
  const others = await combinedIn(where, batch_id)
  if (others.size === 0) return null
  const understood = await understoodIn(where, batch_id)
  const terms = sumTerms(understood)
  const parts = await rowsOfThese(where, batch_id, numbered([...others.values()].flat()))
  const partOf = new Map(parts.map((part) => [part.row, part]))
  return (first) => {
    const more = (others.get(first.row) ?? []).flatMap((row) => partOf.get(row) ?? []).filter(({ skipped }) => !skipped)
    return more.length === 0 ? first : { ...first, cells: combineRows([first, ...more], understood.columns, terms) }
  }
}

/**
 * What a row is known by as a check sees it. What is sealed begins with a number that is never used twice, and a page is never written anew: cells that were
 * are known by it, and not one of them is opened.
 */
const ofLine = sql<string>`md5(concat_ws(' ', encode(substring(cells from 1 for ${sealed_head}), 'hex'), member_id, skipped, accepted, part_of))`
/** Of a row without a line it is its page. */
const signOf = (page_id: string | undefined, line: { isWhole: boolean; sign: string } | undefined): string =>
  line?.isWhole || page_id === undefined ? (line?.sign ?? '') : `${page_id} ${line?.sign ?? ''}`
type Signed = StoredRow & { readonly sign: string }

/** Some hundred rows of a batch: pages, and all lines between two numbers. */
type Stretch = { readonly pages: readonly string[]; readonly from: number; readonly to: number }
const pages_a_stretch = 2
const lines_a_stretch = 500
const after_all = 2 ** 31 - 1

async function stretchesOf(where: Asked, batch_id: string): Promise<Stretch[]> {
  const first = sql<number>`numbers[1]`
  const pages = await pagesOf(where, batch_id)
    .select(['id', first.as('first')])
    .orderBy(first)
    .execute()
  const starts = pages.filter((_, at) => at % pages_a_stretch === 0).map(({ first }) => first)
  // Of a batch that was kept before there were pages.
  const lines = pages.length > 0 ? [] : await linesOf(where, batch_id).select('row_no').orderBy('row_no').execute()
  starts.push(...lines.filter((_, at) => at % lines_a_stretch === 0).map(({ row_no }) => row_no))
  return starts.map((_, at) => ({
    pages: pages.slice(at * pages_a_stretch, (at + 1) * pages_a_stretch).map(({ id }) => id),
    from: at === 0 ? 0 : (starts[at] ?? 0),
    to: (starts[at + 1] ?? after_all) - 1,
  }))
}

/** All rows of a batch from the top, a person whose rows become one payslip with all of them at the first one. */
export async function* rowsOf(where: Where, batch_id: string): AsyncGenerator<Signed[]> {
  const combine = await combining(where, batch_id)
  for await (const page of rowsAsWritten(where, batch_id))
    yield combine ? page.flatMap((row) => (row.part_of === null ? [{ ...row, ...combine(row) }] : [])) : page
}

/** The same, each row as the sheet has it; the database reads the next ones while some are worked on, and the event loop turns in between. */
export async function* rowsAsWritten(where: Where, batch_id: string): AsyncGenerator<Signed[]> {
  const read = ({ pages, from, to }: Stretch) => {
    const packed: Packed = new Map()
    const lines = linesOf(where, batch_id)
      .select([...columns, ofLine.as('sign')])
      .where('row_no', '>=', from)
      .where('row_no', '<=', to)
      .execute()
    const both = Promise.all([lines, openPages(where, batch_id, pages, { packed, has: () => true })])
    // Whoever leaves early never waits for it; whoever goes on hears of its failure.
    both.catch(() => undefined)
    return both.then(([found]) => ({ found, packed }))
  }
  const stretches = await stretchesOf(where, batch_id)
  const [start] = stretches
  let next = start && read(start)
  for (let at = 0; next; at += 1) {
    const { found, packed }: Awaited<typeof next> = await next
    const following = stretches[at + 1]
    next = following && read(following)
    next?.catch(() => undefined)
    const lines = new Map(found.map((line) => [line.row_no, { ...line, isWhole: line.cells !== null }]))
    const alone = found.flatMap(({ row_no, cells }) => (cells && !packed.has(row_no) ? [row_no] : []))
    const numbers = [...packed.keys(), ...alone].sort((one, other) => one - other)
    // A few milliseconds at a time: whoever asks for a slip meanwhile waits for no more than that.
    for (let from = 0; from < numbers.length; from += a_turn) {
      yield numbers.slice(from, from + a_turn).map((row) => {
        const [own, line] = [packed.get(row), lines.get(row)]
        return { ...storedRow(where.vault, row, line, own?.cells), sign: signOf(own?.page_id, line) }
      })
      await setImmediate()
    }
  }
}

/** All lines of a batch in one text, in their order: ten times as quick as ten thousand answers. */
const textOfLines = sql<
  string | null
>`string_agg(concat_ws(' ', row_no, cells is not null, ${ofLine}, part_of), ',' order by row_no)`
const digestOf = (pages: readonly string[], lines: string): string =>
  pages.length === 0 && lines === '' ? '' : createHash('md5').update(pages.toSorted().join(',')).update(lines).digest('hex')

async function linesText(where: Asked, batch_id: string): Promise<string> {
  const { text } = await linesOf(where, batch_id).select(textOfLines.as('text')).executeTakeFirstOrThrow()
  return text ?? ''
}

/** A digest of the rows of a batch. */
export async function rowsDigest(where: Asked, batch_id: string): Promise<string> {
  const [pages, lines] = await Promise.all([pagesOf(where, batch_id).select('id').execute(), linesText(where, batch_id)])
  return digestOf(
    pages.map(({ id }) => id),
    lines,
  )
}

/** What each row is known by, in their order, and the digest of all of them as `rowsDigest` has it. */
export type RowSigns = { readonly of: ReadonlyMap<number, string>; readonly digest: string }
export async function rowSigns(where: Asked, batch_id: string): Promise<RowSigns> {
  const [pages, text] = await Promise.all([
    pagesOf(where, batch_id).select(['id', 'numbers']).execute(),
    linesText(where, batch_id),
  ])
  const lines = new Map(
    (text === '' ? [] : text.split(',')).map((one) => {
      const [row, isWhole, sign = '', part_of] = one.split(' ')
      return [Number(row), { isWhole: isWhole === 't', sign, part_of: part_of ? Number(part_of) : null }]
    }),
  )
  const pageOf = new Map(pages.flatMap(({ id, numbers }) => numbers.map((row) => [row, id])))
  const alone = [...lines].flatMap(([row, { isWhole }]) => (isWhole && !pageOf.has(row) ? [row] : []))
  const rows = [...pageOf.keys(), ...alone].sort((one, other) => one - other)
  const signs = new Map(rows.map((row) => [row, signOf(pageOf.get(row), lines.get(row))]))
  // A person's first row is another one as soon as one of the others is.
  for (const [row, { part_of }] of lines) {
    if (part_of === null) continue
    signs.set(part_of, `${signs.get(part_of) ?? ''} ${signs.get(row) ?? ''}`)
    signs.delete(row)
  }
  return {
    of: signs,
    digest: digestOf(
      pages.map(({ id }) => id),
      text,
    ),
  }
}

/** The rows of people between two numbers, both included, as the sheet has them. */
export const rowsBetween = (where: Where, batch_id: string, from: number, to: number): Promise<StoredRow[]> =>
  rowsOfThese(where, batch_id, between(from, to))

/** Numbers of the rows that are not left out. */
const kept = ({ db, company_id }: Asked, batch_id: string, only: readonly number[] | null) => {
  const numbers = sql<{ row_no: number }>`(
    select unnest(numbers) as row_no from sheet_page where company_id = ${company_id} and batch_id = ${batch_id}
    union select row_no from sheet_row where company_id = ${company_id} and batch_id = ${batch_id} and cells is not null
    except select row_no from sheet_row where company_id = ${company_id} and batch_id = ${batch_id} and (skipped or part_of is not null))`
  return db.selectFrom(numbers.as('row')).$if(only !== null, (query) => query.where(sql<boolean>`row_no = any(${only}::int[])`))
}

/** A page of the rows that are not left out, of all or of some numbers, and how many there are. */
export async function pageOfRows(
  where: Where,
  batch_id: string,
  { from, count, only }: { from: number; count: number; only: readonly number[] | null },
): Promise<{ rows: StoredRow[]; total: number }> {
  const those = kept(where, batch_id, only)
  const { total } = await those.select(({ fn }) => fn.countAll<string>().as('total')).executeTakeFirstOrThrow()
  const shown = await those.select('row_no').orderBy('row_no').offset(from).limit(count).execute()
  const rows = await rowsAt(
    where,
    batch_id,
    shown.map(({ row_no }) => row_no),
  )
  return { rows, total: Number(total) }
}

/** Some rows of a batch, by their number in the sheet, each as the sheet has it. */
export const rowsAsWrittenAt = async (where: Where, batch_id: string, numbers: readonly number[]): Promise<StoredRow[]> =>
  numbers.length === 0 ? [] : rowsOfThese(where, batch_id, numbered(numbers))

/** The same; the first row of a person whose rows become one payslip comes with all of them. */
export async function rowsAt(where: Where, batch_id: string, numbers: readonly number[]): Promise<StoredRow[]> {
  const rows = await rowsAsWrittenAt(where, batch_id, numbers)
  const combine = rows.length > 0 ? await combining(where, batch_id) : null
  return combine ? rows.map(combine) : rows
}

/** The rows in which somebody has corrected a cell. */
export async function editedRows(where: Where, batch_id: string): Promise<StoredRow[]> {
  const rows = await linesOf(where, batch_id).select('row_no').where(sql<boolean>`edited <> '{}'`).execute()
  return rowsAsWrittenAt(
    where,
    batch_id,
    rows.map(({ row_no }) => row_no),
  )
}

/** Those of these rows that are there and not skipped. */
export async function rowsToSend(where: Asked, batch_id: string, wanted: readonly number[]): Promise<number[]> {
  const rows = await kept(where, batch_id, wanted).select('row_no').orderBy('row_no').execute()
  return rows.map(({ row_no }) => row_no)
}
