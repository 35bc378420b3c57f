/** A workbook understood: which sheets, which header, what each column is for, who stands in it. One plain JSON value. */
import { rows_a_part } from '../../../contract/sheet/row-number.ts'
import type { SheetInfo } from '../../../contract/sheet/sheet.ts'
import { inOrder } from '../../../rules/months.ts'
import { computeMissing } from '../../formulas.ts'
import type { Grid } from '../../grid.ts'
import type { Ignored } from '../../recognise/rows.ts'
import { monthSaid, saysIn } from '../../recognise/says.ts'
import { fingerprint } from '../../recognise/synonyms.ts'
import type { WageColumn } from './columns.ts'
import { areJoined, columns_a_part, likeness, type Pool, poolOf, surelyAlike } from './pool.ts'
import { isMostlyIn, questionsOf, tablesAskedAbout, whoIn } from './questions.ts'
import { paidNames, type Reading, readSheet, type SheetKind } from './reading.ts'
import { type NetReading, readNets, receivedQuestion } from './received.ts'
import { plainFormula, plainSum, type SumFormula } from './sums.ts'
import { countPeople, sumOf, type TotalsRow, told, totalRows, totalsOf } from './totals.ts'
import { readUnits } from './units.ts'
import { longest_name, lostSaid, othersSaid, unlookedSaid, warningsOf } from './warnings.ts'

export type { SheetKind } from './reading.ts'

/** Rows are numbered as in the batch (`rows_a_part`). */
type Part = SheetInfo['parts'][number] & {
  /** Where its columns stand: key and 0-based index. A column that this sheet lacks is not listed. */
  places: [key: string, index: number][]
  /** Its rows are not those of the file. */
  turned?: true
}

export interface Understanding {
  kind: SheetKind
  /** Why it is no wage sheet: a Chinese sentence. */
  reason?: string
  /** The sheet that was chosen, the first of several. */
  sheet: string
  sheets: SheetInfo['sheets']
  /** The tables that were read together; one, unless several were asked for or stand on one sheet. */
  parts: Part[]
  says: SheetInfo['says']
  /** 1-based. */
  header: { rows: number[]; first_data_row: number | null; last_data_row: number | null }
  columns: WageColumn[]
  /** 1-based rows that hold people. */
  data_rows: number[]
  /** 1-based rows with amounts of which the sheet does not say whose they are: whoever uploads it says. */
  unclaimed: number[]
  /** Different people; fewer than rows when one person has several. */
  people: number
  ignored: Ignored[]
  /** Key of the net column. */
  net_column: string | null
  /** Sum of the net column over the people, each cell rounded to the fen; null without a single amount in it. */
  net_sum_fen: number | null
  formula: SumFormula | null
  subtotals: SheetInfo['subtotals']
  /** What only a person can say. */
  questions: SheetInfo['questions']
  /** Where it is asked which column is the net pay: how the sheet is read with each of them. */
  net_readings: NetReading[]
  totals_row: TotalsRow | null
  /** Every row that calls itself a total, of which it is checked whether it is one. */
  total_rows: number[]
  /** Chinese sentences. */
  warnings: string[]
  /** Normalised header text, the same for every month of one template; to be hashed. */
  fingerprint: string
}

interface Understood {
  understanding: Understanding
  /** The tables of `parts`, in order, with missing results filled in. */
  grids: Grid[]
}

/** Tables read together: their columns are numbered with four digits. */
const mostParts = Math.floor(9_999 / columns_a_part)
/** Sheets looked at; a workbook with more is a collection, not a wage sheet. */
const mostSheets = 60
/** Chooses a sheet, or takes the named ones, and reads them as one. */
export function understand(grids: readonly Grid[], wanted?: readonly string[]): Understood {
  const tables = grids.slice(0, mostSheets).flatMap((grid) => readSheet(computeMissing(grid)))
  const chosen = wanted === undefined ? chooseTables(tables) : namedTables(tables, wanted)
  const understood = typeof chosen === 'string' ? refuse(chosen) : together(chosen, tables, wanted !== undefined)
  understood.understanding.warnings.push(...unlookedSaid(grids, mostSheets))
  understood.understanding.sheets = sheetsOf(grids, tables, typeof chosen === 'string' ? [] : chosen)
  return understood
}

/** The best one, and what stands on its sheet under the same header. */
function chooseTables(tables: readonly Reading[]): [Reading, ...Reading[]] | string {
  const ranks = tables.map(rankOf)
  const bestRank = Math.max(...ranks)
  const [first, ...more] = tables.filter((_, at) => ranks[at] === bestRank)
  return first ? withNeighbours(latestOf([first, ...more]), tables) : '这个工作表是空的'
}

/** Of the months of one sheet, and of sheets that are a month each of the same people, the last one. */
function latestOf([first, ...more]: readonly [Reading, ...Reading[]]): Reading {
  const month = hasRows(first) ? monthSaid(first) : null
  if (month === null) return first
  const isBelow = (other: Reading) => other.sheet === first.sheet && other.month !== undefined
  const same = more.filter((other) => isBelow(other) || areMonthsOf(first, other))
  const months = new Map<string, Reading>([[month, first]])
  for (const other of same) {
    const own = monthSaid(other)
    if (own !== null && !months.has(own)) months.set(own, other)
  }
  return months.get(inOrder([...months.keys()]).at(-1) ?? month) ?? first
}

/** Another month of the same people: the same labels, and half of those who stand there stand here. */
const areMonthsOf = (first: Reading, other: Reading): boolean =>
  hasRows(other) && likeness(first.columns, other.columns) >= surelyAlike && isMostlyIn(whoIn(other), whoIn(first))

/** People with net pay before people without, with gross pay before those without, before empty templates, before lists of staff. The first of equals is taken. */
function rankOf({ kind, columns, grid, rows }: Reading): number {
  const has = (role: string) => kind === 'wage' && columns.some((column) => column.role === role)
  const isNobody = kind === 'wage' && rows.people.length === 0
  const kinds = { wage: isNobody ? 30 : 40, template: 20, member_list: 10, not_a_wage_sheet: 0 }
  return 60 + kinds[kind] + (has('net') ? 5 : 0) + (has('gross') ? 2 : 0) - (grid.hidden ? 50 : 0)
}

/** Of people, or of amounts that are somebody's. */
const hasRows = ({ rows, lost }: Reading) => rows.people.length > 0 || lost.length > 0

function withNeighbours(first: Reading, tables: readonly Reading[]): [Reading, ...Reading[]] {
  const same = tables.filter(
    (table) =>
      table !== first &&
      table.sheet === first.sheet &&
      table.month === first.month &&
      hasRows(table) &&
      likeness(first.columns, table.columns) >= surelyAlike,
  )
  return [first, ...same]
}

/** A sentence where they cannot be read together. */
function namedTables(tables: readonly Reading[], wanted: readonly string[]): [Reading, ...Reading[]] | string {
  const chosen: Reading[] = []
  for (const name of wanted) {
    const found =
      tables.find((table) => table.name === name) ??
      tables.find((table) => table.name.trim() === name.trim()) ??
      tables.findLast((table) => table.month !== undefined && table.sheet === name)
    if (!found) return `没有名为「${name.trim().slice(0, longest_name)}」的工作表，请重新选择`
    for (const table of withNeighbours(found, tables)) if (!chosen.includes(table)) chosen.push(table)
  }
  const [first, ...more] = chosen
  if (!first) return '请选择要读取的工作表'
  if (chosen.length > mostParts) return `一次最多读取 ${mostParts} 个工作表，请分几次上传`
  for (const other of more) {
    if (other.kind === 'not_a_wage_sheet') return `「${other.name.trim()}」不是工资表：${other.reason ?? '没有找到表头'}`
    if (!areJoined(first, other))
      return `「${other.name.trim()}」的表头和「${first.name.trim()}」相差太多，不能一起发，请分开上传`
  }
  const peopled = chosen.filter(hasRows)
  const [head = first, ...rest] = peopled
  return [head, ...rest]
}

function sheetsOf(grids: readonly Grid[], tables: readonly Reading[], chosen: readonly Reading[]): SheetInfo['sheets'] {
  const header = chosen[0]?.header
  const mark = header ? fingerprint(header.paths) : null
  return grids.flatMap((grid, at) => {
    const own = at < mostSheets ? tables.filter(({ sheet }) => sheet === grid.name) : []
    const shown = own.length > 0 ? own : [undefined]
    return shown.map((table) => ({
      name: table?.name ?? grid.name,
      rows: grid.rows.length,
      hidden: grid.hidden,
      chosen: table !== undefined && chosen.includes(table),
      like: table !== undefined && mark !== null && table.header !== null && fingerprint(table.header.paths) === mark,
    }))
  })
}

/** Several tables as one; what each says of itself bears the numbers of its part. */
function together(chosen: [Reading, ...Reading[]], tables: readonly Reading[], asked: boolean): Understood {
  const [first] = chosen
  const { header } = first
  if (!header) return refuse(first.reason ?? '没有找到表头', first)
  const written = poolOf(chosen)
  const { questions: units, pool: inUnits } = readUnits(written, chosen)
  const read = readNets(inUnits)
  const { formula, subtotals } = read.relation
  const { pool } = read
  const { grid, people, columns } = pool
  const net = columns.find((column) => column.role === 'net')
  const nets = net ? sumOf(grid, people, net.index) : null
  const parts = chosen.map((reading, part) => partOf(reading, part, pool))
  const number = (part: number, row: number) => part * rows_a_part + row
  const isBeside = (table: Reading) => table.sheet === first.sheet && table.kind !== 'wage' && paidNames(table) > 0
  const others = tables.filter(
    (table) => !chosen.includes(table) && !table.grid.hidden && (table.kind === 'wage' || isBeside(table)),
  )
  const warnings = warningsOf(pool, nets?.blank ?? 0, chosen.length)
  warnings.push(...lostSaid(chosen))
  // The total row is compared as it is written.
  const writtenNets = net && sumOf(written.grid, people, net.index)
  const totals_row = totalsOf(chosen, written, net, writtenNets && writtenNets.read > 0 ? writtenNets.fen : null)
  const unlisted = chosen.reduce((sum, { rows }) => sum + rows.unlisted, 0)
  if (unlisted > 0) warnings.push(`还有 ${unlisted} 行不是员工，没有一一列出`)
  // What is asked about is not also said.
  const about = tablesAskedAbout(chosen, others, pool)
  const unsaid = others.filter((other) => !about.includes(other))
  if (!asked && unsaid.length > 0 && first.kind === 'wage') warnings.push(othersSaid(unsaid, first))
  return {
    grids: chosen.map((reading) => reading.grid),
    understanding: {
      kind: first.kind,
      sheet: first.name,
      sheets: [],
      header: {
        rows: parts[0]?.header_rows ?? [],
        first_data_row: parts[0]?.first_data_row ?? null,
        last_data_row: parts[0]?.last_data_row ?? null,
      },
      columns: columns.map((draft) => told(draft, subtotals)),
      data_rows: people.map((row) => pool.numberOf(row)),
      unclaimed: chosen.flatMap(({ lost }, part) => lost.map((row) => number(part, row + 1))),
      people: countPeople(grid, people, columns),
      ignored: chosen.flatMap(({ rows }, part) => rows.ignored.map(({ row, why }) => ({ row: number(part, row), why }))),
      net_column: net?.key ?? null,
      net_sum_fen: nets && nets.read > 0 ? nets.fen : null,
      formula: formula && plainFormula(formula),
      says: saysIn(chosen, pool),
      subtotals: subtotals.map((one) => ({ key: one.key, ...plainSum(one) })),
      questions:
        first.kind === 'wage'
          ? [...receivedQuestion(read), ...questionsOf(pool, chosen, { others: asked ? [] : others, units })]
          : [],
      net_readings: read.readings,
      parts,
      totals_row,
      total_rows: chosen.flatMap((reading, part) => totalRows(reading).map((row) => number(part, row + 1))),
      warnings,
      fingerprint: fingerprint(header.paths),
    },
  }
}

function partOf({ sheet, grid, header, turned, rows: { people } }: Reading, part: number, pool: Pool): Part {
  const number = (row: number | undefined) => (row === undefined ? null : part * rows_a_part + row + 1)
  return {
    sheet,
    header_rows: header
      ? Array.from({ length: header.bottom - header.top + 1 }, (_, at) => part * rows_a_part + header.top + at + 1)
      : [],
    first_data_row: number(people[0]),
    last_data_row: number(people.at(-1)),
    last_row: part * rows_a_part + grid.rows.length,
    people_rows: people.length,
    places: [...(pool.places[part] ?? [])],
    ...(turned && { turned }),
  }
}

function refuse(reason: string, reading?: Reading): Understood {
  return {
    grids: reading ? [reading.grid] : [],
    understanding: {
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
