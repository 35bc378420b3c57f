/**
 * A sheet as a value: what the reader took out of the file, before anybody says what it means. Rows and columns are counted
 * from 0 in here; only what leaves the rules (`Understanding`) counts rows from 1 as Excel does.
 */
import type { CellKind } from '../contract/shared/schemas.ts'
import { formatNumberAsDecimal, parseDecimal, roundToSignificantDigits } from '../rules/decimal.ts'
import { formatGeneral, hasLostDigits } from './cells.ts'

/** A stored value. A `Date` is the calendar time of the sheet in UTC; `null` and a missing entry are an empty cell. */
export type StoredValue = string | number | boolean | Date | null | undefined

/** What a few cells have beside their value. */
export interface CellMark {
  /** Without the equals sign. */
  formula?: string
  /** For a formula shared with another cell: that cell's formula and how far away it stands. */
  shared?: { formula: string; down: number; right: number }
  /** The formula's result was not stored: the cell looks empty and is not. */
  uncached?: true
  /** The result was not stored; the stored value is what we calculated. */
  computed?: true
  /** A picture stands in the cell, which is no text; the stored value is empty. */
  picture?: true
  /** An error such as `#REF!` stands in the cell. */
  error?: true
  /** How the sheet shows the value, where its number format says more than the number: `8%`, `2026年3月`. */
  displayText?: string
  /** The number format shows nothing of the value: `;;;`. */
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
  /** The file names it and does not hold it. */
  broken?: true
  /** Sparse: a row without cells may be missing, and rows may be of different length. */
  rows: readonly (readonly StoredValue[] | undefined)[]
  /** By `getCellId`. */
  marks: Map<number, CellMark>
  merges: readonly Merge[]
  hidden_rows: ReadonlySet<number>
  hidden_columns: ReadonlySet<number>
  /** Of columns that have their own, in characters as Excel counts them. */
  widths?: ReadonlyMap<number, number>
}

/** A cell as it is shown and as it counts. */
export interface GridCell {
  /** As the sheet showed it. */
  text: string
  kind: CellKind
  /** The exact decimal of a number, or of a text that reads as one: `-1234.5`; null for everything else. */
  decimal: string | null
  uncached?: true
  computed?: true
  /** A number of 16 or more digits: the last ones are lost. */
  damaged?: true
}

/** Wider than any column number in use. */
const stride = 16_384
export const getCellId = (row: number, column: number) => row * stride + column

const emptyCell: GridCell = { text: '', kind: 'empty', decimal: null }

/** The cell at a place, 0-based. Text that reads as an amount is `text` here; the column decides whether it is money. */
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

/** Only the text of a cell; cheaper than `getCell` where nothing else is asked. */
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

/** The 0-based columns of a row that hold something. */
export function getFilledColumns(grid: Grid, row: number): number[] {
  const cells = grid.rows[row]
  if (!cells) return []
  const filled: number[] = []
  for (let column = 0; column < cells.length; column++) if (!isEmptyCell(grid, row, column)) filled.push(column)
  return filled
}

const errorPattern = /^#(?:REF!|DIV\/0!|VALUE!|NAME\?|NUM!|N\/A|NULL!|SPILL!|CALC!|GETTING_DATA|ERR!)$/
export const isErrorText = (text: string) => text.startsWith('#') && errorPattern.test(text)

/** `2026-03-05`, with the time where it is not midnight; a bare time of day as `08:30`. */
export function formatDate(date: Date): string {
  if (Number.isNaN(date.getTime())) return ''
  const iso = date.toISOString()
  const time = iso.slice(11, iso.slice(17, 19) === '00' ? 16 : 19)
  if (date.getUTCFullYear() <= 1899 || iso.startsWith('1900-01-00')) return time
  return time === '00:00' ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${time}`
}

/** 0 → A, 25 → Z, 26 → AA. */
export function toColumnLetters(index: number): string {
  let letters = ''
  for (let n = index + 1; n > 0; n = Math.floor((n - 1) / 26)) letters = String.fromCharCode(65 + ((n - 1) % 26)) + letters
  return letters
}

/** A → 0; -1 when it is no column. */
export function parseColumnLetters(letters: string): number {
  let index = 0
  for (const letter of letters.toUpperCase()) {
    const digit = letter.charCodeAt(0) - 64
    if (digit < 1 || digit > 26) return -1
    index = index * 26 + digit
  }
  return index - 1
}

/** Merges cut to the part of the sheet that is read; a merge of the whole sheet says nothing and is dropped. */
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
