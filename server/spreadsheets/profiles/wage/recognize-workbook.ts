/**
 * The recognition result of a workbook: the sheets, the header, the role of each column, the members. It is a plain
 * JSON value.
 */
import { isNet } from '../../../contract/sheets/column-roles.ts'
import { rowsPerSheet } from '../../../contract/sheets/row-number.ts'
import type { WageSheetInfo } from '../../../contract/sheets/sheet.ts'
import { sortMonths } from '../../../rules/months.ts'
import { computeMissingResults } from '../../formulas.ts'
import type { Grid } from '../../grid.ts'
import { getDeclaredMonth, getSheetTitle } from '../../recognise/sheet-title.ts'
import { computeHeaderFingerprint } from '../../recognise/synonyms.ts'
import type { IgnoredRow } from '../../recognise/types.ts'
import { canCombine, columnsPerTable, combineTables, getColumnSimilarity, minCertainSimilarity } from './combined-table.ts'
import { createReceivedQuestion, type NetReading, readNetCandidates } from './net-candidates.ts'
import { createQuestions, getMemberKeys, isMostlyContained, selectQuestionTables } from './questions.ts'
import { removeProof, type SumFormula, toPlainSum } from './sums.ts'
import { countNamesWithPay, readTables } from './table-reading.ts'
import { countSheetMembers, listTotalRows, readTotalsRow, sumColumn, type TotalsRow, toReadColumn } from './totals.ts'
import type { CombinedTable, SheetKind, TableReading, WageColumn } from './types.ts'
import { readUnits } from './units.ts'
import {
  createOtherTablesWarning,
  createSkippedSheetWarnings,
  createUnassignedWarnings,
  createWarnings,
  maxSheetNameLength,
} from './warnings.ts'

export type { SheetKind } from './types.ts'

/** Rows are numbered as in the batch (`rowsPerSheet`). */
type SourceTable = WageSheetInfo['parts'][number] & {
  /** Positions of its columns: key and 0-based index. A column that this sheet lacks is not listed. */
  places: [key: string, index: number][]
  /** The rows of the table are not those of the file. */
  turned?: true
}

export interface RecognitionResult {
  kind: SheetKind
  /** The reason why the table is not a wage sheet, in Chinese. */
  reason?: string
  /** The selected sheet, or the first of several. */
  sheet: string
  sheets: WageSheetInfo['sheets']
  /** The tables read together; exactly one unless several were requested or are on one sheet. */
  parts: SourceTable[]
  says: WageSheetInfo['says']
  /** 1-based. */
  header: { rows: number[]; first_data_row: number | null; last_data_row: number | null }
  columns: WageColumn[]
  /** 1-based member rows. */
  data_rows: number[]
  /** Rows with amounts that the sheet assigns to no member, 1-based; the user assigns them. */
  unclaimed: number[]
  /** Number of distinct members; smaller than the number of rows if a member has several. */
  people: number
  ignored: IgnoredRow[]
  /** Key of the net column. */
  net_column: string | null
  /** Sum of the net column over the members, each cell rounded to the fen; null if it contains no amount. */
  net_sum_fen: number | null
  formula: SumFormula | null
  subtotals: WageSheetInfo['subtotals']
  /** Questions that only the user can answer. */
  questions: WageSheetInfo['questions']
  /** How the sheet is interpreted with each candidate, if the net pay is asked for. */
  net_readings: NetReading[]
  totals_row: TotalsRow | null
  /** All rows labelled as a total; whether they are one is checked. */
  total_rows: number[]
  /** In Chinese. */
  warnings: string[]
  /** Normalized header text to be hashed, the same for every month of one template. */
  fingerprint: string
}

interface WorkbookRecognition {
  recognition: RecognitionResult
  /** The tables of `parts` in order, with missing results computed. */
  grids: Grid[]
}

/** Maximum number of tables read together: their columns are numbered with four digits. */
const maxTables = Math.floor(9_999 / columnsPerTable)
/** Maximum number of sheets examined; a workbook with more is a collection, not a wage sheet. */
const maxSheets = 60
/** Selects a sheet, or takes the named ones, and reads them as one. */
export function recognizeWorkbook(grids: readonly Grid[], requestedSheets?: readonly string[]): WorkbookRecognition {
  const tables = grids.slice(0, maxSheets).flatMap((grid) => readTables(computeMissingResults(grid)))
  const selected = requestedSheets === undefined ? chooseTables(tables) : selectNamedTables(tables, requestedSheets)
  const result =
    typeof selected === 'string' ? createRejection(selected) : buildRecognition(selected, tables, requestedSheets !== undefined)
  result.recognition.warnings.push(...createSkippedSheetWarnings(grids, maxSheets))
  result.recognition.sheets = listSheets(grids, tables, typeof selected === 'string' ? [] : selected)
  return result
}

/** Selects the best table, with tables on its sheet under the same header. */
function chooseTables(tables: readonly TableReading[]): [TableReading, ...TableReading[]] | string {
  const ranks = tables.map(rankReading)
  const bestRank = Math.max(...ranks)
  const [first, ...more] = tables.filter((_, at) => ranks[at] === bestRank)
  return first ? addNeighbours(selectLatestMonth([first, ...more]), tables) : '这个工作表是空的'
}

/** Selects the last month, if one sheet contains several months or each sheet is a month of the same members. */
function selectLatestMonth([first, ...more]: readonly [TableReading, ...TableReading[]]): TableReading {
  const month = hasDataRows(first) ? getDeclaredMonth(first) : null
  if (month === null) return first
  const isBelow = (other: TableReading) => other.sheet === first.sheet && other.month !== undefined
  const same = more.filter((other) => isBelow(other) || areMonthsOfSameMembers(first, other))
  const months = new Map<string, TableReading>([[month, first]])
  for (const other of same) {
    const own = getDeclaredMonth(other)
    if (own !== null && !months.has(own)) months.set(own, other)
  }
  return months.get(sortMonths([...months.keys()]).at(-1) ?? month) ?? first
}

/**
 * Returns whether the other table is another month of the same members: the same labels and half of the members in
 * common.
 */
const areMonthsOfSameMembers = (first: TableReading, other: TableReading): boolean =>
  hasDataRows(other) &&
  getColumnSimilarity(first.columns, other.columns) >= minCertainSimilarity &&
  isMostlyContained(getMemberKeys(other), getMemberKeys(first))

/**
 * Ranks tables: members with net pay, then without net pay, then with gross pay, then empty templates, then rosters.
 * The first of equals is taken.
 */
function rankReading({ kind, columns, grid, rows }: TableReading): number {
  const has = (role: string) => kind === 'wage' && columns.some((column) => column.role === role)
  const hasNoMembers = kind === 'wage' && rows.memberRows.length === 0
  const kinds = { wage: hasNoMembers ? 30 : 40, template: 20, member_list: 10, not_a_wage_sheet: 0 }
  return 60 + kinds[kind] + (has('net') ? 5 : 0) + (has('gross') ? 2 : 0) - (grid.hidden ? 50 : 0)
}

/** Returns whether there are member rows or unassigned amounts. */
const hasDataRows = ({ rows, unassignedRows }: TableReading) => rows.memberRows.length > 0 || unassignedRows.length > 0

function addNeighbours(first: TableReading, tables: readonly TableReading[]): [TableReading, ...TableReading[]] {
  const same = tables.filter(
    (table) =>
      table !== first &&
      table.sheet === first.sheet &&
      table.month === first.month &&
      hasDataRows(table) &&
      getColumnSimilarity(first.columns, table.columns) >= minCertainSimilarity,
  )
  return [first, ...same]
}

/** Returns a message if the tables cannot be read together. */
function selectNamedTables(
  tables: readonly TableReading[],
  requestedSheets: readonly string[],
): [TableReading, ...TableReading[]] | string {
  const selected: TableReading[] = []
  for (const name of requestedSheets) {
    const matchingTable =
      tables.find((table) => table.name === name) ??
      tables.find((table) => table.name.trim() === name.trim()) ??
      tables.findLast((table) => table.month !== undefined && table.sheet === name)
    if (!matchingTable) return `没有名为「${name.trim().slice(0, maxSheetNameLength)}」的工作表，请重新选择`
    for (const table of addNeighbours(matchingTable, tables)) if (!selected.includes(table)) selected.push(table)
  }
  const [first, ...more] = selected
  if (!first) return '请选择要读取的工作表'
  if (selected.length > maxTables) return `一次最多读取 ${maxTables} 个工作表，请分几次上传`
  for (const other of more) {
    if (other.kind === 'not_a_wage_sheet') return `「${other.name.trim()}」不是工资表：${other.reason ?? '没有找到表头'}`
    if (!canCombine(first, other))
      return `「${other.name.trim()}」的表头和「${first.name.trim()}」相差太多，不能一起发，请分开上传`
  }
  const peopled = selected.filter(hasDataRows)
  const [head = first, ...rest] = peopled
  return [head, ...rest]
}

function listSheets(
  grids: readonly Grid[],
  tables: readonly TableReading[],
  selected: readonly TableReading[],
): WageSheetInfo['sheets'] {
  const header = selected[0]?.header
  const mark = header ? computeHeaderFingerprint(header.paths) : null
  return grids.flatMap((grid, at) => {
    const own = at < maxSheets ? tables.filter(({ sheet }) => sheet === grid.name) : []
    const listed = own.length > 0 ? own : [undefined]
    return listed.map((table) => ({
      name: table?.name ?? grid.name,
      rows: grid.rows.length,
      hidden: grid.hidden,
      chosen: table !== undefined && selected.includes(table),
      like:
        table !== undefined && mark !== null && table.header !== null && computeHeaderFingerprint(table.header.paths) === mark,
    }))
  })
}

/** Merges several tables; each one's rows carry the numbers of its part. */
function buildRecognition(
  readings: [TableReading, ...TableReading[]],
  tables: readonly TableReading[],
  isExplicit: boolean,
): WorkbookRecognition {
  const [first] = readings
  const { header } = first
  if (!header) return createRejection(first.reason ?? '没有找到表头', first)
  const combined = combineTables(readings)
  const { questions: units, pool: inUnits } = readUnits(combined, readings)
  const read = readNetCandidates(inUnits)
  const { formula, subtotals } = read.relation
  const { pool } = read
  const { grid, memberRows, columns } = pool
  const net = columns.find((column) => isNet(column.role))
  const nets = net ? sumColumn(grid, memberRows, net.index) : null
  const sourceTables = readings.map((reading, part) => toSourceTable(reading, part, pool))
  const number = (part: number, row: number) => part * rowsPerSheet + row
  const isNeighbour = (table: TableReading) =>
    table.sheet === first.sheet && table.kind !== 'wage' && countNamesWithPay(table) > 0
  const others = tables.filter(
    (table) => !readings.includes(table) && !table.grid.hidden && (table.kind === 'wage' || isNeighbour(table)),
  )
  const warnings = createWarnings(pool, nets?.blank ?? 0, readings.length)
  warnings.push(...createUnassignedWarnings(readings))
  // The total row is compared with the amounts as written.
  const writtenNets = net && sumColumn(combined.grid, memberRows, net.index)
  const totals_row = readTotalsRow(readings, combined, net, writtenNets && writtenNets.read > 0 ? writtenNets.fen : null)
  const unlisted = readings.reduce((sum, { rows }) => sum + rows.unlisted, 0)
  if (unlisted > 0) warnings.push(`还有 ${unlisted} 行不是员工，没有一一列出`)
  // A table that a question asks about is not reported in a warning as well.
  const questionTables = selectQuestionTables(readings, others, pool)
  const otherTables = others.filter((other) => !questionTables.includes(other))
  if (!isExplicit && otherTables.length > 0 && first.kind === 'wage') warnings.push(createOtherTablesWarning(otherTables, first))
  return {
    grids: readings.map((reading) => reading.grid),
    recognition: {
      kind: first.kind,
      sheet: first.name,
      sheets: [],
      header: {
        rows: sourceTables[0]?.header_rows ?? [],
        first_data_row: sourceTables[0]?.first_data_row ?? null,
        last_data_row: sourceTables[0]?.last_data_row ?? null,
      },
      columns: columns.map((draft) => toReadColumn(draft, subtotals)),
      data_rows: memberRows.map((row) => pool.getRowNumber(row)),
      unclaimed: readings.flatMap(({ unassignedRows }, part) => unassignedRows.map((row) => number(part, row + 1))),
      people: countSheetMembers(grid, memberRows, columns),
      ignored: readings.flatMap(({ rows }, part) => rows.ignoredRows.map(({ row, why }) => ({ row: number(part, row), why }))),
      net_column: net?.key ?? null,
      net_sum_fen: nets && nets.read > 0 ? nets.fen : null,
      formula: formula && removeProof(formula),
      says: getSheetTitle(readings, pool),
      subtotals: subtotals.map((one) => ({ key: one.key, ...toPlainSum(one) })),
      questions:
        first.kind === 'wage'
          ? [...createReceivedQuestion(read), ...createQuestions(pool, readings, { others: isExplicit ? [] : others, units })]
          : [],
      net_readings: read.readings,
      parts: sourceTables,
      totals_row,
      total_rows: readings.flatMap((reading, part) => listTotalRows(reading).map((row) => number(part, row + 1))),
      warnings,
      fingerprint: computeHeaderFingerprint(header.paths),
    },
  }
}

function toSourceTable(
  { sheet, grid, header, isTransposed, rows: { memberRows } }: TableReading,
  part: number,
  pool: CombinedTable,
): SourceTable {
  const number = (row: number | undefined) => (row === undefined ? null : part * rowsPerSheet + row + 1)
  return {
    sheet,
    header_rows: header
      ? Array.from({ length: header.bottom - header.top + 1 }, (_, at) => part * rowsPerSheet + header.top + at + 1)
      : [],
    first_data_row: number(memberRows[0]),
    last_data_row: number(memberRows.at(-1)),
    last_row: part * rowsPerSheet + grid.rows.length,
    people_rows: memberRows.length,
    places: [...(pool.positions[part] ?? [])],
    ...(isTransposed && { turned: isTransposed }),
  }
}

function createRejection(reason: string, reading?: TableReading): WorkbookRecognition {
  return {
    grids: reading ? [reading.grid] : [],
    recognition: {
      kind: 'not_a_wage_sheet',
      reason,
      sheet: reading?.name ?? '',
      sheets: [],
      header: { rows: [], first_data_row: null, last_data_row: null },
      columns: [],
      data_rows: [],
      unclaimed: [],
      people: 0,
      ignored: [],
      net_column: null,
      net_sum_fen: null,
      formula: null,
      says: { title: null, month: null },
      subtotals: [],
      questions: [],
      net_readings: [],
      parts: [],
      totals_row: null,
      total_rows: [],
      warnings: [],
      fingerprint: '',
    },
  }
}
