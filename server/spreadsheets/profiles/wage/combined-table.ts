/**
 * The members of several tables one below the other, under the union of their columns. Everything computed over members
 * (roles, sums, formulas) uses this grid; row numbers in results are those of the batch.
 */

import type { ColumnRole } from '../../../contract/shared/schemas.ts'
import { isGross, isName, isNet, uniqueRoles } from '../../../contract/sheets/column-roles.ts'
import { rowsPerSheet } from '../../../contract/sheets/row-number.ts'
import { type CellMark, type Grid, getCellId, type StoredValue } from '../../grid.ts'
import type { LabelMeaning } from '../../recognise/label-meaning.ts'
import { getLabelFingerprint } from '../../recognise/synonyms.ts'
import { recognizeColumns, setColumnQuotes } from './columns.ts'
import type { ColumnDraft, CombinedTable, TableReading } from './types.ts'

/** Column numbers of the nth table start at n × this value: no sheet is wider. */
export const columnsPerTable = 300

/** Tables with fewer common labels are not combined. */
export const minColumnSimilarity = 0.5
/** From this similarity on, a second table on the same sheet is included without a question. */
export const minCertainSimilarity = 0.8

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
  return { grid, memberRows: people, columns, getRowNumber: (row) => numbers[row] ?? row + 1, isOneMonth, positions }
}

interface JoinedColumn {
  key: string
  role: ColumnRole
  col: string
  path: string[]
  meaning: LabelMeaning
  hidden: boolean
  /** Column index by table. */
  indexes: (number | undefined)[]
}

/**
 * Joins the nth columns with the same labels; columns without labels are joined by position. Columns that clearly
 * identify members in the same way, or that are both the net pay, are joined as well: 实发 and 实发工资.
 */
function joinColumns(readings: readonly TableReading[]): JoinedColumn[] {
  const joined = new Map<string, JoinedColumn>()
  readings.forEach(({ columns }, table) => {
    const namedColumns = nameColumns(columns)
    const names = new Set(namedColumns.map(([name]) => name))
    const sameRole = ({ role, confidence }: ColumnDraft) =>
      isSharedRole(role) && confidence >= minConfidence
        ? [...joined].find(
            ([other, existing]) => existing.role === role && existing.indexes[table] === undefined && !names.has(other),
          )?.[1]
        : undefined
    for (const [name, draft] of namedColumns) {
      const existing = joined.get(name) ?? sameRole(draft)
      if (existing) {
        existing.indexes[table] = draft.index
        // Hidden only if it is hidden in every table.
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

/** Roles that a table has once, regardless of the label. */
const isSharedRole = (role: ColumnRole): boolean => uniqueRoles.has(role) || isGross(role)
const minConfidence = 0.6

/** Returns whether tables can be combined: their labels are mostly the same, or net pay and identity are clear in both. */
export function canCombine(
  first: Pick<TableReading, 'kind' | 'columns' | 'rows'>,
  other: Pick<TableReading, 'kind' | 'columns' | 'rows'>,
): boolean {
  if (getColumnSimilarity(first.columns, other.columns) >= minColumnSimilarity) return true
  const has = ({ columns }: Pick<TableReading, 'columns'>, matches: (role: ColumnRole) => boolean) =>
    columns.some(({ role, confidence }) => matches(role) && confidence >= minConfidence)
  const both = (matches: (role: ColumnRole) => boolean) => has(first, matches) && has(other, matches)
  // If the same label is the net pay in one table and an item in the other, combining would mix them up.
  const getNetByName = ({ columns }: Pick<TableReading, 'columns'>) =>
    new Map(nameColumns(columns).map(([name, { role }]) => [name, isNet(role)] as const))
  const netByName = getNetByName(first)
  const isMixed = [...getNetByName(other)].some(([name, is]) => netByName.has(name) && netByName.get(name) !== is)
  const arePaid = [first, other].every(({ kind, rows }) => kind === 'wage' && rows.memberRows.length > 0)
  return arePaid && !isMixed && both(isNet) && both(isName)
}

/**
 * Returns the share of common labelled columns: 1 if all columns of the smaller table exist in the other and both
 * identify members in the same way.
 */
export function getColumnSimilarity(a: readonly ColumnDraft[], b: readonly ColumnDraft[]): number {
  const names = (columns: readonly ColumnDraft[]) =>
    new Set(nameColumns(columns.filter(({ label }) => label !== '')).map(([name]) => name))
  const [one, other] = [names(a), names(b)]
  const shared = [...one].filter((name) => other.has(name)).length
  return shared / Math.max(1, Math.max(one.size, other.size))
}
