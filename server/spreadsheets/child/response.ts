/** Messages from the child to the parent, each a line of JSON: the recognition result, and pages of rows. */

import { rowsPerSheet } from '../../contract/sheets/row-number.ts'
import { isAmount, type RowCell } from '../../rules/amounts.ts'
import { decimalToFen } from '../../rules/decimal.ts'
import { getColumnIndex, type PackedCell, type PackedCells, PackedRow, packCell } from '../../rules/packed-row.ts'
import { formatGeneral, storedValueToFen } from '../cells.ts'
import { type Grid, type GridCell, getCell, getCellId, getText } from '../grid.ts'
import type { DeductionLists } from '../profiles/deduction/deduction.ts'
import type { MemberAmountList } from '../profiles/member-amounts/member-amounts.ts'
import type { PackedRoster } from '../profiles/roster/packed-roster.ts'
import type { RecognizedRoster } from '../profiles/roster/result.ts'
import type { RecognitionResult } from '../profiles/wage/recognize-workbook.ts'
import type { WithholdingResult } from '../profiles/withheld/withheld.ts'

/**
 * Everything that rendering a sheet needs in addition to the member rows: all other rows, hidden rows and merges. Rows
 * are numbered as in the batch (`rowsPerSheet`); columns of merges count from 1.
 */
export interface SheetLayout {
  /** A row that repeats another one (the header above each employee) refers to it instead of repeating its cells. */
  others: [row: number, cells: string[] | number][]
  hidden_rows: number[]
  merges: { top: number; left: number; bottom: number; right: number }[]
}

export type ReaderResponse =
  | { recognition: RecognitionResult; sheetLayout: SheetLayout }
  | { roster: Omit<RecognizedRoster, 'rows'>; packed: PackedRoster }
  | { deductions: DeductionLists }
  | { withheld: WithholdingResult }
  | { member_amounts: MemberAmountList }
  | { end: true }
  | { unreadable: string }

/** Maximum rows and characters per page: the server holds a page as text, values and encrypted, and decrypts it for a row. */
const rowsPerPage = 250
const maxPageCharacters = 256 * 1024
/** Maximum number of other rows, of their characters, and of merges to render; anything beyond is left blank. */
const maxOtherRows = 5_000
const maxOtherCharacters = 1_000_000
const maxMerges = 5_000

/** Lists the rows to store: member rows, and rows with amounts that a user must assign to an employee. */
export const listRowsToStore = ({
  data_rows,
  unclaimed,
}: Pick<RecognitionResult, 'data_rows' | 'unclaimed'>): readonly number[] =>
  unclaimed.length === 0 ? data_rows : [...data_rows, ...unclaimed].toSorted((a, b) => a - b)

export function toSheetLayout(
  grids: readonly Grid[],
  { data_rows, unclaimed, parts: sourceTables }: RecognitionResult,
): SheetLayout {
  const people = new Set(listRowsToStore({ data_rows, unclaimed }))
  const others: SheetLayout['others'] = []
  const rowByText = new Map<string, number>()
  const merges: SheetLayout['merges'] = []
  const hidden_rows: number[] = []
  let signs = 0
  grids.forEach((grid, part) => {
    const number = (row: number) => part * rowsPerSheet + row + 1
    for (let row = 0; row < grid.rows.length && others.length < maxOtherRows && signs < maxOtherCharacters; row++) {
      if (people.has(number(row))) continue
      const width = grid.rows[row]?.length ?? 0
      const cells = Array.from({ length: width }, (_, column) => truncate(getText(grid, row, column)))
      while (cells.length > 0 && cells.at(-1) === '') cells.pop()
      if (cells.length === 0) continue
      const text = cells.join('\u0000')
      const same = rowByText.get(text)
      if (same === undefined) {
        rowByText.set(text, number(row))
        signs += text.length
      }
      others.push([number(row), same ?? cells])
    }
    for (const { top, left, bottom, right } of grid.merges)
      if (merges.length < maxMerges) merges.push({ top: number(top), left: left + 1, bottom: number(bottom), right: right + 1 })
    const last = sourceTables[part]?.last_row ?? 0
    for (const row of grid.hidden_rows) if (number(row) <= last) hidden_rows.push(number(row))
  })
  return { others, merges, hidden_rows }
}

/** A longer text is prose and not a cell of a wage sheet. */
const maxCellLength = 1_000
const truncate = (text: string) => (text.length > maxCellLength ? `${text.slice(0, maxCellLength - 1)}…` : text)

/** The position of a column in a table. */
type ColumnPosition = { index: number; column: number; isMoney: boolean }

/** Yields the member rows page by page in stored form: `PackedRows`, 1-based, in a line of JSON. */
export function* streamRowPages(
  grids: readonly Grid[],
  { data_rows, unclaimed, columns, parts: sourceTables }: RecognitionResult,
): Generator<string> {
  const places = sourceTables.map((part) => {
    const at = new Map(part.places)
    return columns.flatMap(({ key, kind }): ColumnPosition[] => {
      const index = at.get(key)
      return index === undefined ? [] : [{ index, column: getColumnIndex(key), isMoney: kind === 'money' }]
    })
  })
  let page: string[] = []
  let signs = 0
  for (const number of listRowsToStore({ data_rows, unclaimed })) {
    const part = Math.floor(number / rowsPerSheet)
    const grid = grids[part]
    if (!grid) continue
    const row = JSON.stringify([number, packRow(grid, number - part * rowsPerSheet - 1, places[part] ?? [])])
    page.push(row)
    signs += row.length
    if (page.length >= rowsPerPage || signs >= maxPageCharacters) {
      yield `[${page.join()}]`
      page = []
      signs = 0
    }
  }
  if (page.length > 0) yield `[${page.join()}]`
}

function packRow(grid: Grid, row: number, places: readonly ColumnPosition[]): PackedCells {
  const packed = new PackedRow()
  for (const { index, column, isMoney } of places) {
    const cell = packGridCell(grid, row, index, isMoney)
    if (cell !== null) packed.addCell(column, cell)
  }
  return packed.cells
}

/** Returns null for an empty cell. A cell that can be parsed as an amount is money if its column is. */
function packGridCell(grid: Grid, row: number, column: number, isMoney: boolean): PackedCell | null {
  const stored = grid.rows[row]?.[column]
  const isMarked = grid.marks.size > 0 && grid.marks.has(getCellId(row, column))
  if (typeof stored !== 'number' || isMarked || Math.abs(stored) >= 1e15) {
    const cell = toRowCell(getCell(grid, row, column), isMoney)
    return cell.kind === 'empty' && cell.value === '' ? null : packCell(cell)
  }
  // Fast path for nearly every cell: whole fen whose text is the shortest decimal (`formatGeneral`).
  const fen = Math.round(stored * 100)
  if (isMoney && fen / 100 === stored && Math.abs(fen) < 1e10) return fen
  const value = formatGeneral(stored)
  return packCell(isMoney ? toAmountCell(value, storedValueToFen(stored)) : { value, kind: 'number' })
}

function toRowCell({ text, kind, decimal, uncached, damaged }: GridCell, isMoney: boolean): RowCell {
  const value = truncate(text)
  if (uncached) return { value, kind: 'error', flaw: 'uncached' }
  const isMoneyCell = isMoney && kind !== 'error' && decimal !== null && !text.includes('%')
  if (damaged) return { value, kind: isMoneyCell ? 'money' : kind, flaw: 'damaged' }
  return isMoneyCell ? toAmountCell(value, decimalToFen(decimal)) : { value, kind }
}

function toAmountCell(value: string, fen: number | null): RowCell {
  return isAmount(fen) ? { value, kind: 'money', fen } : { value, kind: 'text' }
}
