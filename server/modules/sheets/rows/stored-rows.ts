/**
 * Rows of a wage sheet in the database. Cells are encrypted in pages of some hundred rows. A row with a decision
 * (chosen member, skipped, accepted warnings, changed cells) also has a decision row, which holds changed cells.
 */
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { sealedHeaderBytes } from '../../../crypto/cipher.ts'
import type { CompanyVaultTx } from '../../../database/company-tx.ts'
import type { RowCells } from '../../../rules/amounts.ts'
import { type PackedCells, unpackCells } from '../../../rules/packed-row.ts'
import { selectSentRows } from '../../payslip-records/index.ts'
import { loadRecognition } from '../recognition.ts'
import { getSumTerms } from '../rules/check/amount-issues.ts'
import { combineRows } from '../rules/sections.ts'
import { openCells, openPage } from './sealed.ts'

/** Number of rows decrypted before yielding to the event loop. */
const rowsPerYield = 100

export type StoredRow = {
  readonly row: number
  readonly cells: RowCells
  readonly member_id: string | null
  readonly skipped: boolean
  readonly accepted: readonly string[]
  /** Keys of manually corrected cells. */
  readonly edited: readonly string[]
  /** For a further row of a member whose rows are combined, the member's first row. */
  readonly main_row_no: number | null
}

type SheetTx = Pick<CompanyVaultTx, 'db' | 'company_id'>

type DecisionRow = Pick<StoredRow, 'member_id' | 'skipped' | 'accepted' | 'edited' | 'main_row_no'> & {
  id: string
  row_no: number
  /** Cells of a row that was changed; null if those of its page apply. */
  cells: Buffer | null
}
const decisionColumns = ['id', 'row_no', 'cells', 'member_id', 'skipped', 'accepted', 'edited', 'main_row_no'] as const
const noDecision = { member_id: null, skipped: false, accepted: [], edited: [], main_row_no: null } as const

const pagesPerQuery = 8

const selectPages = ({ db, company_id }: SheetTx, batch_id: string) =>
  db.selectFrom('sheet_page').where('company_id', '=', company_id).where('batch_id', '=', batch_id)
const selectDecisionRows = ({ db, company_id }: SheetTx, batch_id: string) =>
  db.selectFrom('sheet_row').where('company_id', '=', company_id).where('batch_id', '=', batch_id)

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

/** Loads single rows of the wage sheet, without combining rows of one payslip. */
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

/** Merges rows of pages with their decisions; the cells of a decision row override those of its page. */
function mergeRows({ vault }: CompanyVaultTx, packed: PackedRowMap, lines: readonly DecisionRow[]): StoredRow[] {
  const byRow = new Map(lines.map((line) => [line.row_no, line]))
  return Array.from(packed, ([row, { cells }]) => toStoredRow(vault, row, byRow.get(row), cells))
}

function toStoredRow(
  vault: CompanyVaultTx['vault'],
  row: number,
  decision: DecisionRow | undefined,
  packed: PackedCells,
): StoredRow {
  const { member_id, skipped, accepted, edited, main_row_no } = decision ?? noDecision
  const decided = { row, member_id, skipped, accepted, edited, main_row_no }
  return { ...decided, cells: decision?.cells ? openCells(vault, decision.id, decision.cells) : unpackCells(packed) }
}

/** Loads the combined rows: first row of each member → further rows in order. */
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

/** Creates a function that adds the cells of a member's further rows to the first; null where no rows are combined. */
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
 * The version of a row as the check sees it. Ciphertexts begin with a nonce that is never reused and pages are never
 * rewritten, so cells are identified by it without being decrypted.
 */
const decisionVersion = sql<string>`md5(concat_ws(' ', encode(substring(cells from 1 for ${sealedHeaderBytes}), 'hex'), member_id, skipped, accepted, main_row_no))`
/** A row without its own cells is identified by its page. */
const getRowVersion = (page_id: string, line: { isFull: boolean; sign: string } | undefined): string =>
  line?.isFull ? line.sign : `${page_id} ${line?.sign ?? ''}`
type VersionedRow = StoredRow & { readonly version: string }

/** A range of some hundred rows of a batch: pages, and all decision rows between two numbers. */
type RowRange = { readonly pages: readonly string[]; readonly from: number; readonly to: number }
const pagesPerRange = 2
const maxRowNumber = 2 ** 31 - 1

async function listRowRanges(tx: SheetTx, batch_id: string): Promise<RowRange[]> {
  const first = sql<number>`numbers[1]`
  const pages = await selectPages(tx, batch_id)
    .select(['id', first.as('first')])
    .orderBy(first)
    .execute()
  const starts = pages.filter((_, at) => at % pagesPerRange === 0).map(({ first }) => first)
  return starts.map((_, at) => ({
    pages: pages.slice(at * pagesPerRange, (at + 1) * pagesPerRange).map(({ id }) => id),
    from: at === 0 ? 0 : (starts[at] ?? 0),
    to: (starts[at + 1] ?? maxRowNumber) - 1,
  }))
}

/** Streams all rows of a batch in order; combined rows of a member come together at the first of them. */
export async function* streamCombinedRows(tx: CompanyVaultTx, batch_id: string): AsyncGenerator<VersionedRow[]> {
  const combine = await createRowCombiner(tx, batch_id)
  for await (const page of streamRows(tx, batch_id))
    yield combine ? page.flatMap((row) => (row.main_row_no === null ? [{ ...row, ...combine(row) }] : [])) : page
}

/** Streams single rows; the database reads the next ones while some are processed, and the event loop can run in between. */
export async function* streamRows(tx: CompanyVaultTx, batch_id: string): AsyncGenerator<VersionedRow[]> {
  const read = ({ pages, from, to }: RowRange) => {
    const packed: PackedRowMap = new Map()
    const lines = selectDecisionRows(tx, batch_id)
      .select([...decisionColumns, decisionVersion.as('sign')])
      .where('row_no', '>=', from)
      .where('row_no', '<=', to)
      .execute()
    const both = Promise.all([lines, openPages(tx, batch_id, pages, { packed, has: () => true })])
    // Prevents an unhandled rejection if the consumer stops early; a consumer that continues receives the error.
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
    const pagedRows = [...packed].sort(([one], [other]) => one - other)
    // The work runs in steps of a few milliseconds, so that other requests are not delayed for longer.
    for (let from = 0; from < pagedRows.length; from += rowsPerYield) {
      yield pagedRows.slice(from, from + rowsPerYield).map(([row, { cells, page_id }]) => {
        const line = lines.get(row)
        return { ...toStoredRow(tx.vault, row, line, cells), version: getRowVersion(page_id, line) }
      })
      await setImmediate()
    }
  }
}

/** All decision rows of a batch as one text, in order: ten times faster than ten thousand result rows. */
const decisionRowsText = sql<
  string | null
>`string_agg(concat_ws(' ', row_no, cells is not null, ${decisionVersion}, main_row_no), ',' order by row_no)`
const hashRows = (pages: readonly string[], lines: string): string =>
  pages.length === 0 && lines === '' ? '' : createHash('md5').update(pages.toSorted().join(',')).update(lines).digest('hex')

async function loadDecisionRowsText(tx: SheetTx, batch_id: string): Promise<string> {
  const { text } = await selectDecisionRows(tx, batch_id).select(decisionRowsText.as('text')).executeTakeFirstOrThrow()
  return text ?? ''
}

export async function computeRowsDigest(tx: SheetTx, batch_id: string): Promise<string> {
  const [pages, lines] = await Promise.all([selectPages(tx, batch_id).select('id').execute(), loadDecisionRowsText(tx, batch_id)])
  return hashRows(
    pages.map(({ id }) => id),
    lines,
  )
}

/** Versions of the rows in order, and their digest as `computeRowsDigest` returns it. */
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
  const pagedRows = pages.flatMap(({ id, numbers }) => numbers.map((row) => [row, id] as const))
  pagedRows.sort(([one], [other]) => one - other)
  const versions = new Map(pagedRows.map(([row, page_id]) => [row, getRowVersion(page_id, lines.get(row))]))
  // The first row of a member changes with each of the combined rows.
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

/** Loads the single rows between two numbers, both included. */
export const loadRowsBetween = (tx: CompanyVaultTx, batch_id: string, from: number, to: number): Promise<StoredRow[]> =>
  loadRows(tx, batch_id, byRange(from, to))

/** Selects the numbers of rows that are not skipped and have not been sent. */
const selectUnskippedRows = ({ db, company_id }: SheetTx, batch_id: string, only: readonly number[] | null) => {
  const numbers = sql<{ row_no: number }>`(
    select unnest(numbers) as row_no from sheet_page where company_id = ${company_id} and batch_id = ${batch_id}
    except select row_no from sheet_row where company_id = ${company_id} and batch_id = ${batch_id} and (skipped or main_row_no is not null)
    except ${selectSentRows(company_id, batch_id)})`
  return db.selectFrom(numbers.as('row')).$if(only !== null, (query) => query.where(sql<boolean>`row_no = any(${only}::int[])`))
}

/** Loads a page of the rows that are not skipped and have not been sent, optionally limited to some numbers, and their total count. */
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

export const getRows = async (tx: CompanyVaultTx, batch_id: string, numbers: readonly number[]): Promise<StoredRow[]> =>
  numbers.length === 0 ? [] : loadRows(tx, batch_id, byNumbers(numbers))

/** Loads rows by number; the first row of combined rows includes all of them. */
export async function getCombinedRows(tx: CompanyVaultTx, batch_id: string, numbers: readonly number[]): Promise<StoredRow[]> {
  const rows = await getRows(tx, batch_id, numbers)
  const combine = rows.length > 0 ? await createRowCombiner(tx, batch_id) : null
  return combine ? rows.map(combine) : rows
}

/** Loads the rows with manually corrected cells. */
export async function loadEditedRows(tx: CompanyVaultTx, batch_id: string): Promise<StoredRow[]> {
  const rows = await selectDecisionRows(tx, batch_id).select('row_no').where(sql<boolean>`edited <> '{}'`).execute()
  return getRows(
    tx,
    batch_id,
    rows.map(({ row_no }) => row_no),
  )
}

/** Returns those of these rows that exist, are not skipped and have not been sent. */
export async function filterUnskippedRows(tx: SheetTx, batch_id: string, rowNumbers: readonly number[]): Promise<number[]> {
  const rows = await selectUnskippedRows(tx, batch_id, rowNumbers).select('row_no').orderBy('row_no').execute()
  return rows.map(({ row_no }) => row_no)
}
