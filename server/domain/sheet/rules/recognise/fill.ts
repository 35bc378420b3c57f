/** What stands in the first row of a block and is meant for all of it. */

import { type Grid, isEmptyAt, type Stored } from '../grid.ts'
import type { Draft } from './columns.ts'

/**
 * The department of a block, written into each of its people. A merged cell says how far it reaches. Without a merge it reaches down to the next
 * one, where the first person has one, blocks are longer than a row, and none comes twice.
 */
export function fillDepartments(grid: Grid, people: readonly number[], columns: readonly Draft[]): Grid {
  const column = columns.find(({ role }) => role === 'department')?.index
  if (column === undefined || people.length < 2) return grid
  const blank = people.filter((row) => isEmptyAt(grid, row, column))
  if (blank.length === 0) return grid
  const source = new Map<number, Stored>()
  const merged = new Map<number, number>()
  for (const { top, bottom, left, right } of grid.merges)
    if (left <= column && right >= column && bottom > top) for (let row = top; row <= bottom; row++) merged.set(row, top)
  const plain = merged.size === 0 && isBlocks(grid, people, column, blank.length)
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
