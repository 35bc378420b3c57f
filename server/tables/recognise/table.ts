/** The tables of a sheet by themselves: where each header stands and who is in it, whatever it is for. The words are those of its profile. */
import { type Grid, isEmptyAt, type Stored } from '../grid.ts'
import { findHeader, type Header } from './header.ts'
import type { Words } from './meaning.ts'
import { takeNamedTotals } from './named-totals.ts'
import { judgeUnclaimed } from './nobody.ts'
import { type RowsRead, readRows, type WhoColumns } from './rows.ts'
import { tablesOf } from './tables.ts'
import { settleWho } from './who.ts'

export interface TableRead {
  grid: Grid
  header: Header
  who: WhoColumns
  rows: RowsRead
  /** 0-based rows with amounts that belong to nobody. */
  lost: number[]
}

export const tablesIn = (sheet: Grid, words: Words): TableRead[] =>
  tablesOf(sheet, words).flatMap((grid) => tableIn(grid, words) ?? [])

/** Null where nothing looks like a header. */
export function tableIn(grid: Grid, words: Words): TableRead | null {
  const found = findHeader(grid, words)
  if (!found) return null
  const { header, who } = settleWho(grid, found)
  const rows = takeNamedTotals(grid, header, readRows(grid, header, who), who)
  return { grid, header, who, ...judgeUnclaimed(grid, rows, who) }
}

/**
 * The word of a block, such as its department, written into each of its people. A merged cell says how far it reaches. Without a merge it reaches
 * down to the next one, where the first person has one, blocks are longer than a row, and none comes twice.
 */
export function fillDown(grid: Grid, people: readonly number[], column: number, onlyMerged = false): Grid {
  if (people.length < 2) return grid
  const blank = people.filter((row) => isEmptyAt(grid, row, column))
  if (blank.length === 0) return grid
  const source = new Map<number, Stored>()
  const merged = new Map<number, number>()
  for (const { top, bottom, left, right } of grid.merges)
    if (left <= column && right >= column && bottom > top) for (let row = top; row <= bottom; row++) merged.set(row, top)
  const plain = !onlyMerged && merged.size === 0 && isBlocks(grid, people, column, blank.length)
  let last: Stored
  for (const row of people) {
    if (!isEmptyAt(grid, row, column)) last = grid.rows[row]?.[column]
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

function isBlocks(grid: Grid, people: readonly number[], column: number, blank: number): boolean {
  const [first] = people
  if (first === undefined || isEmptyAt(grid, first, column)) return false
  const seen = new Set<Stored>()
  for (const row of people) {
    const value = grid.rows[row]?.[column]
    if (isEmptyAt(grid, row, column)) continue
    if (seen.has(value)) return false
    seen.add(value)
  }
  return seen.size >= 2 && blank >= seen.size
}
