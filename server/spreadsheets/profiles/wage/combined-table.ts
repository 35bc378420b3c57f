/**
 * The people of several tables laid one below the other, under the columns of all of them. Whatever counts over people (roles, sums, formulas)
 * looks at this one grid; what is said of rows says the numbers they bear in the batch.
 */

import type { ColumnRole } from '../../../contract/shared/schemas.ts'
import { uniqueRoles } from '../../../contract/sheets/column-roles.ts'
import { rowsPerSheet } from '../../../contract/sheets/row-number.ts'
import { type CellMark, type Grid, getCellId, type StoredValue } from '../../grid.ts'
import type { LabelMeaning } from '../../recognise/label-meaning.ts'
import { getLabelFingerprint } from '../../recognise/synonyms.ts'
import { type ColumnDraft, recognizeColumns, setColumnQuotes } from './columns.ts'
import type { TableReading } from './table-reading.ts'

/** Column numbers of the nth table begin at n × this: no sheet is wider. */
export const columnsPerTable = 300

/** Tables that share less of their labels are not read together. */
export const minColumnSimilarity = 0.5
/** A second table on the same sheet is taken without asking. */
export const minCertainSimilarity = 0.8

export interface CombinedTable {
  grid: Grid
  /** 0-based rows of the grid that hold people. */
  memberRows: number[]
  columns: ColumnDraft[]
  /** The number of a row in the batch, 1-based. */
  getRowNumber(row: number): number
  /** No table of another month is read with it. */
  isOneMonth: boolean
  /** Where each column stands in each table, 0-based, by its key; a table that lacks it has no entry. */
  positions: Map<string, number>[]
}

export function combineTables(readings: readonly [TableReading, ...TableReading[]]): CombinedTable {
  const [first, ...more] = readings
  if (more.length === 0)
    return {
      grid: first.grid,
      memberRows: first.rows.memberRows,
      columns: first.columns,
      getRowNumber: (row) => row + 1,
      isOneMonth: true,
      positions: [new Map(first.columns.map(({ key, index }) => [key, index]))],
    }
  const joined = joinColumns(readings)
  const rows: StoredValue[][] = []
  const numbers: number[] = []
  const marks = new Map<number, CellMark>()
  readings.forEach(({ grid, rows: { memberRows } }, table) => {
    const at = joined.map(({ indexes }) => indexes[table])
    for (const row of memberRows) {
      const cells = grid.rows[row]
      if (grid.marks.size > 0)
        at.forEach((index, column) => {
          const mark = index === undefined ? undefined : grid.marks.get(getCellId(row, index))
          if (mark) marks.set(getCellId(rows.length, column), mark)
        })
      rows.push(at.map((index) => (index === undefined ? null : cells?.[index])))
      numbers.push(table * rowsPerSheet + row + 1)
    }
  })
  const hidden_columns = new Set(joined.flatMap(({ hidden }, column) => (hidden ? [column] : [])))
  const grid: Grid = { ...first.grid, rows, marks, merges: [], hidden_rows: new Set(), hidden_columns }
  const people = rows.map((_, row) => row)
  const header = {
    top: 0,
    bottom: 0,
    left: 0,
    right: joined.length - 1,
    paths: joined.map(({ path }) => path),
    meanings: joined.map(({ meaning }) => meaning),
    score: 0,
  }
  const columns = recognizeColumns(grid, header, people).map((draft) => {
    const { key, col } = joined[draft.index] ?? draft
    return { ...draft, key, col }
  })
  setColumnQuotes(columns)
  const positions = readings.map(
    (_, table) =>
      new Map(
        columns.flatMap((draft) => {
          const index = joined[draft.index]?.indexes[table]
          return index === undefined ? [] : [[draft.key, index] as const]
        }),
      ),
  )
  const isOneMonth = readings.every(({ month }) => month === first.month)
  return { grid, memberRows: people, columns, getRowNumber: (row) => numbers[row] ?? row + 1, isOneMonth, positions: positions }
}

interface JoinedColumn {
  key: string
  role: ColumnRole
  col: string
  path: string[]
  meaning: LabelMeaning
  hidden: boolean
  /** By table. */
  indexes: (number | undefined)[]
}

/**
 * The nth column of the same labels is the same column; one without labels is the same where it stands in the same place. So are those that plainly
 * say the same of a person or are both what he is paid: 实发 and 实发工资.
 */
function joinColumns(readings: readonly TableReading[]): JoinedColumn[] {
  const joined = new Map<string, JoinedColumn>()
  readings.forEach(({ columns }, table) => {
    const namedColumns = nameColumns(columns)
    const names = new Set(namedColumns.map(([name]) => name))
    const sameRole = ({ role, confidence }: ColumnDraft) =>
      sharedRoles.has(role) && confidence >= minConfidence
        ? [...joined].find(
            ([other, existing]) => existing.role === role && existing.indexes[table] === undefined && !names.has(other),
          )?.[1]
        : undefined
    for (const [name, draft] of namedColumns) {
      const existing = joined.get(name) ?? sameRole(draft)
      if (existing) {
        existing.indexes[table] = draft.index
        // Hidden where it is hidden everywhere.
        existing.hidden &&= draft.hidden
        continue
      }
      const indexes: (number | undefined)[] = []
      indexes[table] = draft.index
      const { col, role, path, meaning, hidden } = draft
      joined.set(name, { key: `c${table * columnsPerTable + draft.index}`, role, col, path, meaning, hidden, indexes })
    }
  })
  return [...joined.values()]
}

function nameColumns(columns: readonly ColumnDraft[]): [string, ColumnDraft][] {
  const times = new Map<string, number>()
  return columns.map((draft) => {
    const text = getLabelFingerprint(draft.path)
    if (text === '') return [`column ${draft.index}`, draft]
    const time = (times.get(text) ?? 0) + 1
    times.set(text, time)
    return [`${text} ${time}`, draft]
  })
}

/** Of these a table has one, whatever it is called. */
const sharedRoles: ReadonlySet<ColumnRole> = new Set([...uniqueRoles, 'gross'])
const minConfidence = 0.6

/** Whether tables can be read as one: their labels are mostly the same, or what is paid and to whom is plain in both. */
export function canCombine(
  first: Pick<TableReading, 'kind' | 'columns' | 'rows'>,
  other: Pick<TableReading, 'kind' | 'columns' | 'rows'>,
): boolean {
  if (getColumnSimilarity(first.columns, other.columns) >= minColumnSimilarity) return true
  const has = ({ columns }: Pick<TableReading, 'columns'>, requested: ColumnRole) =>
    columns.some(({ role, confidence }) => role === requested && confidence >= minConfidence)
  const both = (role: ColumnRole) => has(first, role) && has(other, role)
  // The same word over what is paid here and over an item there would lay the one under the other.
  const getNetByName = ({ columns }: Pick<TableReading, 'columns'>) =>
    new Map(nameColumns(columns).map(([name, { role }]) => [name, role === 'net'] as const))
  const netByName = getNetByName(first)
  const isMixed = [...getNetByName(other)].some(([name, is]) => netByName.has(name) && netByName.get(name) !== is)
  const arePaid = [first, other].every(({ kind, rows }) => kind === 'wage' && rows.memberRows.length > 0)
  return arePaid && !isMixed && both('net') && both('name')
}

/** How much of the labelled columns two tables share: 1 where all of the smaller one stand in the other, and both name people alike. */
export function getColumnSimilarity(a: readonly ColumnDraft[], b: readonly ColumnDraft[]): number {
  const names = (columns: readonly ColumnDraft[]) =>
    new Set(nameColumns(columns.filter(({ label }) => label !== '')).map(([name]) => name))
  const [one, other] = [names(a), names(b)]
  const shared = [...one].filter((name) => other.has(name)).length
  return shared / Math.max(1, Math.max(one.size, other.size))
}
