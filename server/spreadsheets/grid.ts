/**
 * A sheet as a plain value: the contents of the file before recognition. Rows and columns count from 0 here; only
 * recognition results count rows from 1 as Excel does.
 */
import type { CellKind } from '../contract/shared/schemas.ts'
import { formatNumberAsDecimal, parseDecimal, roundToSignificantDigits } from '../rules/decimal.ts'
import { formatGeneral, hasLostDigits } from './cells.ts'

/** A stored value. A `Date` is the sheet's local time in UTC; `null` and a missing entry are an empty cell. */
export type StoredValue = string | number | boolean | Date | null | undefined

/** Attributes that a few cells have in addition to their value. */
export interface CellMark {
  /** The formula without the equals sign. */
  formula?: string
  /** For a shared formula, the formula of the other cell and the offset from it. */
  shared?: { formula: string; down: number; right: number }
  /** The formula's result was not stored: the cell looks empty but is not. */
  uncached?: true
  /** The result was not stored; the value was computed by us. */
  computed?: true
  /** The cell contains a picture instead of text; the stored value is empty. */
  picture?: true
  /** The cell contains an error such as `#REF!`. */
  error?: true
  /** The displayed text, if the number format adds information to the number: `8%`, `2026年3月`. */
  displayText?: string
  /** The number format hides the value: `;;;`. */
  invisible?: true
}

/** Inclusive, counted from 0. */
export interface Merge {
  top: number
  left: number
  bottom: number
  right: number
}

export interface Grid {
  name: string
  hidden: boolean
  /** The file lists the sheet but does not contain it. */
  broken?: true
  /** Sparse: a row without cells may be missing, and rows may differ in length. */
  rows: readonly (readonly StoredValue[] | undefined)[]
  /** Marks by `getCellId`. */
  marks: Map<number, CellMark>
  merges: readonly Merge[]
  hidden_rows: ReadonlySet<number>
  hidden_columns: ReadonlySet<number>
  /** Widths of columns that have their own, in Excel's character units. */
  widths?: ReadonlyMap<number, number>
}

export interface GridCell {
  /** The text that the sheet displays. */
  text: string
  kind: CellKind
  /** The exact decimal of a number or of numeric text: `-1234.5`; null for anything else. */
  decimal: string | null
  uncached?: true
  computed?: true
  /** A number of 16 or more digits, whose last digits are lost. */
  damaged?: true
}

/** Larger than any column number in use. */
const stride = 16_384
export const getCellId = (row: number, column: number) => row * stride + column

const emptyCell: GridCell = { text: '', kind: 'empty', decimal: null }

/** Returns the cell at a 0-based position. Numeric text is `text` here; the column decides whether it is money. */
export function getCell(grid: Grid, row: number, column: number): GridCell {
  const stored = grid.rows[row]?.[column]
  const mark = grid.marks.size ? grid.marks.get(getCellId(row, column)) : undefined
  if (mark?.uncached) return { text: '', kind: 'error', decimal: null, uncached: true }
  const cell = toGridCell(stored)
  if (!mark) return cell
  if (mark.error) return { ...cell, kind: 'error', decimal: null }
  if (mark.displayText !== undefined) cell.text = mark.displayText
  if (mark.computed) cell.computed = true
  return cell
}

function toGridCell(stored: StoredValue): GridCell {
  if (stored === null || stored === undefined || stored === '') return emptyCell
  if (typeof stored === 'number') {
    if (!Number.isFinite(stored)) return { text: String(stored), kind: 'error', decimal: null }
    const decimal = roundToSignificantDigits(formatNumberAsDecimal(stored))
    const cell: GridCell = { text: decimal.length <= 12 ? decimal : formatGeneral(stored), kind: 'number', decimal }
    if (hasLostDigits(stored)) cell.damaged = true
    return cell
  }
  if (typeof stored === 'string') {
    const text = stored.trim()
    if (text === '') return emptyCell
    return { text, kind: isErrorText(text) ? 'error' : 'text', decimal: parseDecimal(text) }
  }
  if (typeof stored === 'boolean') return { text: stored ? '是' : '否', kind: 'text', decimal: null }
  return { text: formatDate(stored), kind: 'date', decimal: null }
}

/** Returns only the text of a cell; cheaper than `getCell`. */
export function getText(grid: Grid, row: number, column: number): string {
  const stored = grid.rows[row]?.[column]
  if (stored === null || stored === undefined) return ''
  if (typeof stored === 'string') return stored.trim()
  return getCell(grid, row, column).text
}

export const isEmptyCell = (grid: Grid, row: number, column: number) => {
  const stored = grid.rows[row]?.[column]
  if (stored === null || stored === undefined) return !grid.marks.get(getCellId(row, column))?.uncached
  return typeof stored === 'string' && stored.trim() === ''
}

/** Returns the 0-based indexes of the non-empty columns of a row. */
export function getFilledColumns(grid: Grid, row: number): number[] {
  const cells = grid.rows[row]
  if (!cells) return []
  const filled: number[] = []
  for (let column = 0; column < cells.length; column++) if (!isEmptyCell(grid, row, column)) filled.push(column)
  return filled
}

const errorPattern = /^#(?:REF!|DIV\/0!|VALUE!|NAME\?|NUM!|N\/A|NULL!|SPILL!|CALC!|GETTING_DATA|ERR!)$/
export const isErrorText = (text: string) => text.startsWith('#') && errorPattern.test(text)

/** Formats `2026-03-05`, with the time if it is not midnight; a time without a date as `08:30`. */
export function formatDate(date: Date): string {
  if (Number.isNaN(date.getTime())) return ''
  const iso = date.toISOString()
  const time = iso.slice(11, iso.slice(17, 19) === '00' ? 16 : 19)
  if (date.getUTCFullYear() <= 1899 || iso.startsWith('1900-01-00')) return time
  return time === '00:00' ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${time}`
}

/** Converts a column index to letters: 0 → A, 25 → Z, 26 → AA. */
export function toColumnLetters(index: number): string {
  let letters = ''
  for (let n = index + 1; n > 0; n = Math.floor((n - 1) / 26)) letters = String.fromCharCode(65 + ((n - 1) % 26)) + letters
  return letters
}

/** Converts column letters to an index: A → 0; -1 if they are not a column. */
export function parseColumnLetters(letters: string): number {
  let index = 0
  for (const letter of letters.toUpperCase()) {
    const digit = letter.charCodeAt(0) - 64
    if (digit < 1 || digit > 26) return -1
    index = index * 26 + digit
  }
  return index - 1
}

/** Clips merges to the part of the sheet that is read; a merge of the entire sheet carries no information and is dropped. */
export function clipMerges(merges: readonly Merge[], rows: number, columns: number, limit = 20_000): Merge[] {
  const clipped: Merge[] = []
  for (const merge of merges) {
    const { top, left } = merge
    const bottom = Math.min(merge.bottom, rows - 1)
    const right = Math.min(merge.right, columns - 1)
    if (!(top >= 0 && left >= 0 && bottom >= top && right >= left)) continue
    if (bottom === top && right === left) continue
    clipped.push({ top, left, bottom, right })
    if (clipped.length >= limit) break
  }
  return clipped
}
