/** Recognizes a table: its header and its member rows, regardless of its purpose. The labels are those of its profile. */
import { type Grid, isEmptyCell, type StoredValue } from '../grid.ts'
import { findHeader } from './header.ts'
import { resolveIdentityColumns } from './identity-columns.ts'
import type { LabelDictionary } from './label-meaning.ts'
import { moveNamedTotals } from './named-totals.ts'
import { classifyUnclaimed } from './non-member-rows.ts'
import { classifyRows } from './rows.ts'
import { splitTables } from './tables.ts'
import type { ClassifiedRows, Header, IdentityColumns } from './types.ts'

export interface RecognizedTable {
  grid: Grid
  header: Header
  identity: IdentityColumns
  rows: ClassifiedRows
  /** Rows with amounts that belong to no member, 0-based. */
  unassignedRows: number[]
}

export const recognizeTables = (sheet: Grid, dictionary: LabelDictionary): RecognizedTable[] =>
  splitTables(sheet, dictionary).flatMap((grid) => recognizeTable(grid, dictionary) ?? [])

/** Returns null if nothing looks like a header. */
export function recognizeTable(grid: Grid, dictionary: LabelDictionary): RecognizedTable | null {
  const rawHeader = findHeader(grid, dictionary)
  if (!rawHeader) return null
  const { header, who } = resolveIdentityColumns(grid, rawHeader)
  const rows = moveNamedTotals(grid, header, classifyRows(grid, header, who), who)
  return { grid, header, identity: who, ...classifyUnclaimed(grid, rows, who) }
}

/**
 * Fills the label of a block, such as its department, into each of its member rows. A merged cell defines its extent.
 * Without a merge it extends down to the next label, provided that the first member has one, blocks are longer than a
 * row, and no label repeats.
 */
export function fillDown(grid: Grid, memberRows: readonly number[], column: number, onlyMerged = false): Grid {
  if (memberRows.length < 2) return grid
  const blank = memberRows.filter((row) => isEmptyCell(grid, row, column))
  if (blank.length === 0) return grid
  const source = new Map<number, StoredValue>()
  const merged = new Map<number, number>()
  for (const { top, bottom, left, right } of grid.merges)
    if (left <= column && right >= column && bottom > top) for (let row = top; row <= bottom; row++) merged.set(row, top)
  const plain = !onlyMerged && merged.size === 0 && hasBlocks(grid, memberRows, column, blank.length)
  let last: StoredValue
  for (const row of memberRows) {
    if (!isEmptyCell(grid, row, column)) last = grid.rows[row]?.[column]
    else if (merged.has(row)) source.set(row, grid.rows[merged.get(row) ?? row]?.[column])
    else if (plain) source.set(row, last)
  }
  if (source.size === 0) return grid
  const rows = [...grid.rows]
  for (const [row, value] of source) {
    const cells = [...(rows[row] ?? [])]
    while (cells.length <= column) cells.push(null)
    cells[column] = value
    rows[row] = cells
  }
  return { ...grid, rows }
}

function hasBlocks(grid: Grid, people: readonly number[], column: number, blank: number): boolean {
  const [first] = people
  if (first === undefined || isEmptyCell(grid, first, column)) return false
  const values = new Set<StoredValue>()
  for (const row of people) {
    const value = grid.rows[row]?.[column]
    if (isEmptyCell(grid, row, column)) continue
    if (values.has(value)) return false
    values.add(value)
  }
  return values.size >= 2 && blank >= values.size
}
