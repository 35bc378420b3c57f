/** What the child says to the parent, each a line of JSON: what was understood, and pages of rows. */

import { rows_a_part } from '../../contract/sheet/row-number.ts'
import { isAmount, type RowCell } from '../../rules/amounts.ts'
import { fenOfDecimal } from '../../rules/decimal.ts'
import { columnOf, type PackedCell, type PackedCells, PackedRow, packCell } from '../../rules/packed-row.ts'
import { fenOfStored, generalText } from '../cells.ts'
import { cellAt, cellId, type Grid, type GridCell, textAt } from '../grid.ts'
import type { DeductionsRead } from '../profiles/deduction/deduction.ts'
import type { PackedPeople } from '../profiles/roster/packed.ts'
import type { RosterRead } from '../profiles/roster/roster.ts'
import type { Understanding } from '../profiles/wage/understand.ts'
import type { WithheldRead } from '../profiles/withheld/withheld.ts'

/**
 * What a drawing needs beside the rows of people: every other row as it stands, hidden rows and merges. Rows are numbered as in the batch
 * (`rows_a_part`); columns of merges count from 1.
 */
export interface DrawnSheet {
  /** A row that repeats another one (the header above each person) names it instead of its cells. */
  others: [row: number, cells: string[] | number][]
  hidden_rows: number[]
  merges: { top: number; left: number; bottom: number; right: number }[]
}

export type ChildAnswer =
  | { understanding: Understanding; drawing: DrawnSheet }
  | { roster: Omit<RosterRead, 'rows'>; packed: PackedPeople }
  | { deductions: DeductionsRead }
  | { withheld: WithheldRead }
  | { end: true }
  | { unreadable: string }

/** A page ends with so many rows, or signs: the server has it in memory as text, as values and sealed, and opens it for a single row. */
const rows_a_page = 250
const most_signs = 256 * 1024
/** Other rows, their signs, and merges drawn at most; what lies beyond is drawn blank. */
const most_others = 5_000
const most_drawn_signs = 1_000_000
const most_merges = 5_000

/** The rows that are kept: people, and amounts of which somebody must say whose they are. */
export const keptRows = ({ data_rows, unclaimed }: Pick<Understanding, 'data_rows' | 'unclaimed'>): readonly number[] =>
  unclaimed.length === 0 ? data_rows : [...data_rows, ...unclaimed].toSorted((a, b) => a - b)

export function drawingOf(grids: readonly Grid[], { data_rows, unclaimed, parts }: Understanding): DrawnSheet {
  const people = new Set(keptRows({ data_rows, unclaimed }))
  const others: DrawnSheet['others'] = []
  const known = new Map<string, number>()
  const merges: DrawnSheet['merges'] = []
  const hidden_rows: number[] = []
  let signs = 0
  grids.forEach((grid, part) => {
    const number = (row: number) => part * rows_a_part + row + 1
    for (let row = 0; row < grid.rows.length && others.length < most_others && signs < most_drawn_signs; row++) {
      if (people.has(number(row))) continue
      const width = grid.rows[row]?.length ?? 0
      const cells = Array.from({ length: width }, (_, column) => shortened(textAt(grid, row, column)))
      while (cells.length > 0 && cells.at(-1) === '') cells.pop()
      if (cells.length === 0) continue
      const text = cells.join('\u0000')
      const same = known.get(text)
      if (same === undefined) {
        known.set(text, number(row))
        signs += text.length
      }
      others.push([number(row), same ?? cells])
    }
    for (const { top, left, bottom, right } of grid.merges)
      if (merges.length < most_merges) merges.push({ top: number(top), left: left + 1, bottom: number(bottom), right: right + 1 })
    const last = parts[part]?.last_row ?? 0
    for (const row of grid.hidden_rows) if (number(row) <= last) hidden_rows.push(number(row))
  })
  return { others, merges, hidden_rows }
}

/** A cell of prose is no cell of a wage sheet. */
const longest = 1_000
const shortened = (text: string) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text)

/** Where a column stands in a table. */
type ColumnAt = { index: number; column: number; isMoney: boolean }

/** The rows of people page by page, each as it is kept: `PackedRows`, 1-based, in a line of JSON. */
export function* pagesOf(grids: readonly Grid[], { data_rows, unclaimed, columns, parts }: Understanding): Generator<string> {
  const places = parts.map((part) => {
    const at = new Map(part.places)
    return columns.flatMap(({ key, kind }): ColumnAt[] => {
      const index = at.get(key)
      return index === undefined ? [] : [{ index, column: columnOf(key), isMoney: kind === 'money' }]
    })
  })
  let page: string[] = []
  let signs = 0
  for (const number of keptRows({ data_rows, unclaimed })) {
    const part = Math.floor(number / rows_a_part)
    const grid = grids[part]
    if (!grid) continue
    const row = JSON.stringify([number, packedRow(grid, number - part * rows_a_part - 1, places[part] ?? [])])
    page.push(row)
    signs += row.length
    if (page.length >= rows_a_page || signs >= most_signs) {
      yield `[${page.join()}]`
      page = []
      signs = 0
    }
  }
  if (page.length > 0) yield `[${page.join()}]`
}

function packedRow(grid: Grid, row: number, places: readonly ColumnAt[]): PackedCells {
  const packed = new PackedRow()
  for (const { index, column, isMoney } of places) {
    const cell = packedAt(grid, row, index, isMoney)
    if (cell !== null) packed.put(column, cell)
  }
  return packed.cells
}

/** Null where nothing stands. A cell that reads as an amount is money where its column is. */
function packedAt(grid: Grid, row: number, column: number, isMoney: boolean): PackedCell | null {
  const stored = grid.rows[row]?.[column]
  const isMarked = grid.marks.size > 0 && grid.marks.has(cellId(row, column))
  if (typeof stored !== 'number' || isMarked || Math.abs(stored) >= 1e15) {
    const cell = rowCell(cellAt(grid, row, column), isMoney)
    return cell.kind === 'empty' && cell.value === '' ? null : packCell(cell)
  }
  // Nearly every cell: so many fen, and its text is their shortest decimal (`generalText`).
  const fen = Math.round(stored * 100)
  if (isMoney && fen / 100 === stored && Math.abs(fen) < 1e10) return fen
  const value = generalText(stored)
  return packCell(isMoney ? amountCell(value, fenOfStored(stored)) : { value, kind: 'number' })
}

function rowCell({ text, kind, decimal, uncached, damaged }: GridCell, isMoney: boolean): RowCell {
  const value = shortened(text)
  if (uncached) return { value, kind: 'error', flaw: 'uncached' }
  const isAmountHere = isMoney && kind !== 'error' && decimal !== null && !text.includes('%')
  if (damaged) return { value, kind: isAmountHere ? 'money' : kind, flaw: 'damaged' }
  return isAmountHere ? amountCell(value, fenOfDecimal(decimal)) : { value, kind }
}

function amountCell(value: string, fen: number | null): RowCell {
  return isAmount(fen) ? { value, kind: 'money', fen } : { value, kind: 'text' }
}
