/**
 * Rows of a sheet in the database: cells sealed by the page, some hundred rows each, and a line of its own for a row about which somebody has
 * decided something: who is meant, that it is left out, what is accepted, or other cells, which then stand in its line.
 */
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { sealedHeaderBytes } from '../../../crypto/secrets.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import type { RowCells } from '../../../rules/amounts.ts'
import { type PackedCells, unpackCells } from '../../../rules/packed-row.ts'
import { loadRecognition } from '../recognition.ts'
import { getSumTerms } from '../rules/check/amount-issues.ts'
import { combineRows } from '../rules/sections.ts'
import { openCells, openPage } from './sealed.ts'

/** Rows opened and looked at without a turn of the event loop. */
const rowsPerYield = 100

export type StoredRow = {
  readonly row: number
  readonly cells: RowCells
  readonly member_id: string | null
  readonly skipped: boolean
  readonly accepted: readonly string[]
  /** Keys of cells that somebody has corrected here. */
  readonly edited: readonly string[]
  /** The first row of the person whose rows become one payslip, where this is another one of them. */
  readonly main_row_no: number | null
}

export type CompanyVaultTx = Pick<HandlerContext, 'db' | 'company_id' | 'vault'>
type SheetTx = Pick<CompanyVaultTx, 'db' | 'company_id'>

/** What was decided about a row. */
type DecisionRow = Pick<StoredRow, 'member_id' | 'skipped' | 'accepted' | 'edited' | 'main_row_no'> & {
  id: string
  row_no: number
  /** Of a row that was written anew; else its cells are those of its page. */
  cells: Buffer | null
}
const decisionColumns = ['id', 'row_no', 'cells', 'member_id', 'skipped', 'accepted', 'edited', 'main_row_no'] as const
const noDecision = { member_id: null, skipped: false, accepted: [], edited: [], main_row_no: null } as const

/** Pages a statement. */
const pagesPerQuery = 8

const selectPages = ({ db, company_id }: SheetTx, batch_id: string) =>
  db.selectFrom('sheet_page').where('company_id', '=', company_id).where('batch_id', '=', batch_id)
const selectDecisionRows = ({ db, company_id }: SheetTx, batch_id: string) =>
  db.selectFrom('sheet_row').where('company_id', '=', company_id).where('batch_id', '=', batch_id)

/** Which rows are asked for: as the database finds their lines and their pages. */
type RowFilter = {
  readonly rowCondition: RawBuilder<boolean>
  readonly pageCondition: RawBuilder<boolean>
  includes(row: number): boolean
}

function byNumbers(numbers: readonly number[]): RowFilter {
  const set = new Set(numbers)
  return {
    rowCondition: sql`row_no = any(${numbers}::int[])`,
    pageCondition: sql`numbers && ${numbers}::int[]`,
    includes: (row) => set.has(row),
  }
}
const byRange = (from: number, to: number): RowFilter => ({
  rowCondition: sql`row_no between ${from} and ${to}`,
  pageCondition: sql`numbers[1] <= ${to} and numbers[cardinality(numbers)] >= ${from}`,
  includes: (row) => row >= from && row <= to,
})

/** Rows as the sheet has them, whether or not some become one payslip. */
async function loadRows(tx: CompanyVaultTx, batch_id: string, filter: RowFilter): Promise<StoredRow[]> {
  const [lines, pages] = await Promise.all([
    selectDecisionRows(tx, batch_id).select(decisionColumns).where(filter.rowCondition).execute(),
    selectPages(tx, batch_id).select('id').where(filter.pageCondition).execute(),
  ])
  const ids = pages.map(({ id }) => id)
  const packed: PackedRowMap = new Map()
  for (let from = 0; from < ids.length; from += pagesPerQuery)
    await openPages(tx, batch_id, ids.slice(from, from + pagesPerQuery), { packed, has: (row) => filter.includes(row) })
  return mergeRows(tx, packed, lines).sort((one, other) => one.row - other.row)
}

/** Cells as their pages have them, by the number of their row. */
type PackedRowMap = Map<number, { readonly cells: PackedCells; readonly page_id: string }>

async function openPages(
  tx: CompanyVaultTx,
  batch_id: string,
  ids: readonly string[],
  { packed, has }: { packed: PackedRowMap; has: (row: number) => boolean },
): Promise<void> {
  if (ids.length === 0) return
  const pages = await selectPages(tx, batch_id).select(['id', 'sealed']).where('id', 'in', ids).execute()
  for (const { id, sealed } of pages) {
    for (const [row, cells] of openPage(tx.vault, batch_id, id, sealed)) if (has(row)) packed.set(row, { cells, page_id: id })
    await setImmediate()
  }
}

/** Rows of pages with what was decided about them; cells of a line stand before those of a page. */
function mergeRows({ vault }: CompanyVaultTx, packed: PackedRowMap, lines: readonly DecisionRow[]): StoredRow[] {
  const byRow = new Map(lines.map((line) => [line.row_no, line]))
  const rows = new Set([...packed.keys(), ...lines.flatMap(({ row_no, cells }) => (cells ? [row_no] : []))])
  return Array.from(rows, (row) => toStoredRow(vault, row, byRow.get(row), packed.get(row)?.cells))
}

function toStoredRow(
  vault: CompanyVaultTx['vault'],
  row: number,
  decision: DecisionRow | undefined,
  packed: PackedCells | undefined,
): StoredRow {
  const { member_id, skipped, accepted, edited, main_row_no } = decision ?? noDecision
  const decided = { row, member_id, skipped, accepted, edited, main_row_no }
  if (decision?.cells) return { ...decided, cells: openCells(vault, decision.id, decision.cells) }
  if (!packed) throw new Error(`row ${row} of a sheet stands in no page`)
  return { ...decided, cells: unpackCells(packed) }
}

/** By the first row of each person whose rows become one payslip: the others, in their order. */
export async function loadCombinedRows(tx: SheetTx, batch_id: string): Promise<Map<number, number[]>> {
  const sections = await selectDecisionRows(tx, batch_id)
    .select(['row_no', 'main_row_no'])
    .where('main_row_no', 'is not', null)
    .orderBy('row_no')
    .execute()
  const others = new Map<number, number[]>()
  for (const { row_no, main_row_no } of sections)
    if (main_row_no !== null) others.set(main_row_no, [...(others.get(main_row_no) ?? []), row_no])
  return others
}

/** Puts the cells of a person's other rows beside those of the first one; null where no rows of the batch become one payslip. */
async function createRowCombiner(tx: CompanyVaultTx, batch_id: string): Promise<((row: StoredRow) => StoredRow) | null> {
  const others = await loadCombinedRows(tx, batch_id)
  if (others.size === 0) return null
  const recognition = await loadRecognition(tx, batch_id)
  const terms = getSumTerms(recognition)
  const combinedRows = await loadRows(tx, batch_id, byNumbers([...others.values()].flat()))
  const rowByNumber = new Map(combinedRows.map((part) => [part.row, part]))
  return (first) => {
    const more = (others.get(first.row) ?? []).flatMap((row) => rowByNumber.get(row) ?? []).filter(({ skipped }) => !skipped)
    return more.length === 0 ? first : { ...first, cells: combineRows([first, ...more], recognition.columns, terms) }
  }
}

/**
 * What a row is known by as a check sees it. What is sealed begins with a number that is never used twice, and a page is never written anew: cells that were
 * are known by it, and not one of them is opened.
 */
const decisionVersion = sql<string>`md5(concat_ws(' ', encode(substring(cells from 1 for ${sealedHeaderBytes}), 'hex'), member_id, skipped, accepted, main_row_no))`
/** Of a row without a line it is its page. */
const getRowVersion = (page_id: string | undefined, line: { isFull: boolean; sign: string } | undefined): string =>
  line?.isFull || page_id === undefined ? (line?.sign ?? '') : `${page_id} ${line?.sign ?? ''}`
type VersionedRow = StoredRow & { readonly version: string }

/** Some hundred rows of a batch: pages, and all lines between two numbers. */
type RowRange = { readonly pages: readonly string[]; readonly from: number; readonly to: number }
const pagesPerRange = 2
const rowsPerRange = 500
const maxRowNumber = 2 ** 31 - 1

async function listRowRanges(tx: SheetTx, batch_id: string): Promise<RowRange[]> {
  const first = sql<number>`numbers[1]`
  const pages = await selectPages(tx, batch_id)
    .select(['id', first.as('first')])
    .orderBy(first)
    .execute()
  const starts = pages.filter((_, at) => at % pagesPerRange === 0).map(({ first }) => first)
  // Of a batch that was kept before there were pages.
  const lines = pages.length > 0 ? [] : await selectDecisionRows(tx, batch_id).select('row_no').orderBy('row_no').execute()
  starts.push(...lines.filter((_, at) => at % rowsPerRange === 0).map(({ row_no }) => row_no))
  return starts.map((_, at) => ({
    pages: pages.slice(at * pagesPerRange, (at + 1) * pagesPerRange).map(({ id }) => id),
    from: at === 0 ? 0 : (starts[at] ?? 0),
    to: (starts[at + 1] ?? maxRowNumber) - 1,
  }))
}

/** All rows of a batch from the top, a person whose rows become one payslip with all of them at the first one. */
export async function* streamCombinedRows(tx: CompanyVaultTx, batch_id: string): AsyncGenerator<VersionedRow[]> {
  const combine = await createRowCombiner(tx, batch_id)
  for await (const page of streamRows(tx, batch_id))
    yield combine ? page.flatMap((row) => (row.main_row_no === null ? [{ ...row, ...combine(row) }] : [])) : page
}

/** The same, each row as the sheet has it; the database reads the next ones while some are worked on, and the event loop turns in between. */
export async function* streamRows(tx: CompanyVaultTx, batch_id: string): AsyncGenerator<VersionedRow[]> {
  const read = ({ pages, from, to }: RowRange) => {
    const packed: PackedRowMap = new Map()
    const lines = selectDecisionRows(tx, batch_id)
      .select([...decisionColumns, decisionVersion.as('sign')])
      .where('row_no', '>=', from)
      .where('row_no', '<=', to)
      .execute()
    const both = Promise.all([lines, openPages(tx, batch_id, pages, { packed, has: () => true })])
    // Whoever leaves early never waits for it; whoever goes on hears of its failure.
    both.catch(() => undefined)
    return both.then(([matches]) => ({ matches, packed }))
  }
  const ranges = await listRowRanges(tx, batch_id)
  const [start] = ranges
  let next = start && read(start)
  for (let at = 0; next; at += 1) {
    const { matches: decisions, packed }: Awaited<typeof next> = await next
    const nextRange = ranges[at + 1]
    next = nextRange && read(nextRange)
    next?.catch(() => undefined)
    const lines = new Map(decisions.map((line) => [line.row_no, { ...line, isFull: line.cells !== null }]))
    const unpagedRows = decisions.flatMap(({ row_no, cells }) => (cells && !packed.has(row_no) ? [row_no] : []))
    const numbers = [...packed.keys(), ...unpagedRows].sort((one, other) => one - other)
    // A few milliseconds at a time: whoever asks for a slip meanwhile waits for no more than that.
    for (let from = 0; from < numbers.length; from += rowsPerYield) {
      yield numbers.slice(from, from + rowsPerYield).map((row) => {
        const [packedRow, line] = [packed.get(row), lines.get(row)]
        return { ...toStoredRow(tx.vault, row, line, packedRow?.cells), version: getRowVersion(packedRow?.page_id, line) }
      })
      await setImmediate()
    }
  }
}

/** All lines of a batch in one text, in their order: ten times as quick as ten thousand answers. */
const decisionRowsText = sql<
  string | null
>`string_agg(concat_ws(' ', row_no, cells is not null, ${decisionVersion}, main_row_no), ',' order by row_no)`
const hashRows = (pages: readonly string[], lines: string): string =>
  pages.length === 0 && lines === '' ? '' : createHash('md5').update(pages.toSorted().join(',')).update(lines).digest('hex')

async function loadDecisionRowsText(tx: SheetTx, batch_id: string): Promise<string> {
  const { text } = await selectDecisionRows(tx, batch_id).select(decisionRowsText.as('text')).executeTakeFirstOrThrow()
  return text ?? ''
}

/** A digest of the rows of a batch. */
export async function computeRowsDigest(tx: SheetTx, batch_id: string): Promise<string> {
  const [pages, lines] = await Promise.all([selectPages(tx, batch_id).select('id').execute(), loadDecisionRowsText(tx, batch_id)])
  return hashRows(
    pages.map(({ id }) => id),
    lines,
  )
}

/** What each row is known by, in their order, and the digest of all of them as `computeRowsDigest` has it. */
export type RowVersions = { readonly byRow: ReadonlyMap<number, string>; readonly digest: string }
export async function getRowVersions(tx: SheetTx, batch_id: string): Promise<RowVersions> {
  const [pages, text] = await Promise.all([
    selectPages(tx, batch_id).select(['id', 'numbers']).execute(),
    loadDecisionRowsText(tx, batch_id),
  ])
  const lines = new Map(
    (text === '' ? [] : text.split(',')).map((one) => {
      const [row, hasCells, sign = '', main_row_no] = one.split(' ')
      return [Number(row), { isFull: hasCells === 't', sign, main_row_no: main_row_no ? Number(main_row_no) : null }]
    }),
  )
  const pageByRow = new Map(pages.flatMap(({ id, numbers }) => numbers.map((row) => [row, id])))
  const unpagedRows = [...lines].flatMap(([row, { isFull: hasCells }]) => (hasCells && !pageByRow.has(row) ? [row] : []))
  const rows = [...pageByRow.keys(), ...unpagedRows].sort((one, other) => one - other)
  const versions = new Map(rows.map((row) => [row, getRowVersion(pageByRow.get(row), lines.get(row))]))
  // A person's first row is another one as soon as one of the others is.
  for (const [row, { main_row_no }] of lines) {
    if (main_row_no === null) continue
    versions.set(main_row_no, `${versions.get(main_row_no) ?? ''} ${versions.get(row) ?? ''}`)
    versions.delete(row)
  }
  return {
    byRow: versions,
    digest: hashRows(
      pages.map(({ id }) => id),
      text,
    ),
  }
}

/** The rows of people between two numbers, both included, as the sheet has them. */
export const loadRowsBetween = (tx: CompanyVaultTx, batch_id: string, from: number, to: number): Promise<StoredRow[]> =>
  loadRows(tx, batch_id, byRange(from, to))

/** Numbers of the rows that are not left out. */
const selectUnskippedRows = ({ db, company_id }: SheetTx, batch_id: string, only: readonly number[] | null) => {
  const numbers = sql<{ row_no: number }>`(
    select unnest(numbers) as row_no from sheet_page where company_id = ${company_id} and batch_id = ${batch_id}
    union select row_no from sheet_row where company_id = ${company_id} and batch_id = ${batch_id} and cells is not null
    except select row_no from sheet_row where company_id = ${company_id} and batch_id = ${batch_id} and (skipped or main_row_no is not null))`
  return db.selectFrom(numbers.as('row')).$if(only !== null, (query) => query.where(sql<boolean>`row_no = any(${only}::int[])`))
}

/** A page of the rows that are not left out, of all or of some numbers, and how many there are. */
export async function loadRowPage(
  tx: CompanyVaultTx,
  batch_id: string,
  { from, count, only }: { from: number; count: number; only: readonly number[] | null },
): Promise<{ rows: StoredRow[]; total: number }> {
  const unskippedRows = selectUnskippedRows(tx, batch_id, only)
  const { total } = await unskippedRows.select(({ fn }) => fn.countAll<string>().as('total')).executeTakeFirstOrThrow()
  const rowNumbers = await unskippedRows.select('row_no').orderBy('row_no').offset(from).limit(count).execute()
  const rows = await getCombinedRows(
    tx,
    batch_id,
    rowNumbers.map(({ row_no }) => row_no),
  )
  return { rows, total: Number(total) }
}

/** Some rows of a batch, by their number in the sheet, each as the sheet has it. */
export const getRows = async (tx: CompanyVaultTx, batch_id: string, numbers: readonly number[]): Promise<StoredRow[]> =>
  numbers.length === 0 ? [] : loadRows(tx, batch_id, byNumbers(numbers))

/** The same; the first row of a person whose rows become one payslip comes with all of them. */
export async function getCombinedRows(tx: CompanyVaultTx, batch_id: string, numbers: readonly number[]): Promise<StoredRow[]> {
  const rows = await getRows(tx, batch_id, numbers)
  const combine = rows.length > 0 ? await createRowCombiner(tx, batch_id) : null
  return combine ? rows.map(combine) : rows
}

/** The rows in which somebody has corrected a cell. */
export async function loadEditedRows(tx: CompanyVaultTx, batch_id: string): Promise<StoredRow[]> {
  const rows = await selectDecisionRows(tx, batch_id).select('row_no').where(sql<boolean>`edited <> '{}'`).execute()
  return getRows(
    tx,
    batch_id,
    rows.map(({ row_no }) => row_no),
  )
}

/** Those of these rows that are there and not skipped. */
export async function filterUnskippedRows(tx: SheetTx, batch_id: string, rowNumbers: readonly number[]): Promise<number[]> {
  const rows = await selectUnskippedRows(tx, batch_id, rowNumbers).select('row_no').orderBy('row_no').execute()
  return rows.map(({ row_no }) => row_no)
}
