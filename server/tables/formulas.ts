/**
 * Results that a file does not bring along. Programs that write sheets (openpyxl, POI, exports of HR systems) often store the
 * formula only; the cell then reads as empty, and an empty cell in a net column must never count as zero. Chains of + and −
 * and SUM over plain numbers are calculated exactly and marked `computed`; everything else stays `uncached` and is asked.
 */
import { decimalOfNumber, readDecimal, roundToKeptDigits } from '../rules/decimal.ts'
import { cellId, columnIndex, type Grid, type Mark, type Stored } from './grid.ts'

/** Sums are exact: integers of 10⁻²⁰. */
const scale = 20
/** A sheet of ten thousand rows has a few hundred thousand references; more than this is not a wage sheet. */
const mostSteps = 2_000_000
const mostDepth = 60

class Unknown extends Error {}

/** The same sheet with the missing results filled in that can be calculated. */
export function computeMissing(grid: Grid): Grid {
  const missing: [number, Mark][] = []
  for (const entry of grid.marks) if (entry[1].uncached) missing.push(entry)
  if (missing.length === 0) return grid
  const known = new Map<number, bigint | null>()
  let steps = 0

  const valueAt = (row: number, column: number, depth: number): bigint => {
    if (++steps > mostSteps || depth > mostDepth) throw new Unknown()
    const id = cellId(row, column)
    const mark = grid.marks.get(id)
    if (mark?.error) throw new Unknown()
    if (mark?.uncached) {
      const before = known.get(id)
      if (before === null) throw new Unknown()
      if (before !== undefined) return before
      known.set(id, null)
      const value = new Formula(mark, (r, c) => valueAt(r, c, depth + 1)).value()
      known.set(id, value)
      return value
    }
    return scaled(grid.rows[row]?.[column])
  }

  const rows: (readonly Stored[] | undefined)[] = [...grid.rows]
  const marks = new Map(grid.marks)
  const touched = new Map<number, Stored[]>()
  for (const [id, mark] of missing) {
    const row = Math.floor(id / cellId(1, 0))
    const column = id % cellId(1, 0)
    let value: bigint
    try {
      value = valueAt(row, column, 0)
    } catch (error) {
      if (!(error instanceof Unknown)) throw error
      continue
    }
    const cells = touched.get(row) ?? [...(rows[row] ?? [])]
    touched.set(row, cells)
    while (cells.length <= column) cells.push(null)
    cells[column] = Number(decimalText(value))
    rows[row] = cells
    const { uncached: _, ...rest } = mark
    marks.set(id, { ...rest, computed: true })
  }
  return { ...grid, rows, marks }
}

function scaled(stored: Stored): bigint {
  if (stored === null || stored === undefined || stored === '') return 0n
  if (typeof stored === 'number' && Number.isFinite(stored)) return scaledDecimal(roundToKeptDigits(decimalOfNumber(stored)))
  // SUM skips text and F4+G4 fails on it; text that reads as a number is what the sheet would add.
  const decimal = typeof stored === 'string' ? readDecimal(stored) : null
  if (decimal === null) throw new Unknown()
  return scaledDecimal(decimal)
}

function scaledDecimal(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.replace('-', '').split('.')
  const value = BigInt(whole + fraction.slice(0, scale).padEnd(scale, '0'))
  return decimal.startsWith('-') ? -value : value
}

function decimalText(value: bigint): string {
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

type Look = (row: number, column: number) => bigint

const reference = /(\$?)([A-Z]{1,3})(\$?)(\d{1,7})(?![A-Z0-9(!_.])/iy
const number = /\d+(?:\.\d+)?/y
const word = /[A-Z]+(?=\()/iy

type Place = readonly [row: number, column: number]
const most_in_a_range = 200_000

/** A formula of cells, numbers, + − ( ), SUM and ROUND, read from its beginning; throws `Unknown` on anything else. */
class Formula {
  readonly #text: string
  readonly #by: { readonly down: number; readonly right: number }
  readonly #look: Look
  #at = 0

  constructor({ formula = '', shared }: Mark, look: Look) {
    this.#text = (shared?.formula ?? formula).replace(/^[=+]+/, '').replace(/\s+/g, '')
    this.#by = shared ?? { down: 0, right: 0 }
    this.#look = look
  }

  value(): bigint {
    if (this.#text === '' || this.#text.length > 2000) throw new Unknown()
    const value = this.#chain(0)
    if (this.#at < this.#text.length) throw new Unknown()
    return value
  }

  #take(sign: string): boolean {
    return this.#text[this.#at] === sign && ++this.#at > 0
  }
  #need(sign: string): void {
    if (!this.#take(sign)) throw new Unknown()
  }
  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found) this.#at = pattern.lastIndex
    return found
  }
  #place(): Place | null {
    const found = this.#match(reference)
    if (!found) return null
    const row = Number(found[4]) - 1 + (found[3] ? 0 : this.#by.down)
    const column = columnIndex(found[2] ?? '') + (found[1] ? 0 : this.#by.right)
    if (row < 0 || column < 0) throw new Unknown()
    return [row, column]
  }

  #chain(depth: number): bigint {
    if (depth > mostDepth) throw new Unknown()
    let sum = this.#term(depth)
    for (;;) {
      if (this.#take('+')) sum += this.#term(depth)
      else if (this.#take('-')) sum -= this.#term(depth)
      else return sum
    }
  }

  #term(depth: number): bigint {
    if (depth > mostDepth) throw new Unknown()
    if (this.#take('-')) return -this.#term(depth + 1)
    if (this.#take('+')) return this.#term(depth + 1)
    if (this.#take('(')) {
      const value = this.#chain(depth + 1)
      this.#need(')')
      return value
    }
    const called = this.#match(word)?.[0].toUpperCase()
    if (called) return this.#called(called, depth + 1)
    const cell = this.#place()
    if (cell) return this.#look(...cell)
    const digits = this.#match(number)
    if (digits) return scaledDecimal(digits[0])
    throw new Unknown()
  }

  #called(name: string, depth: number): bigint {
    this.#need('(')
    const value = name === 'SUM' ? this.#total(depth) : name === 'ROUND' ? this.#rounded(depth) : null
    if (value === null) throw new Unknown()
    this.#need(')')
    return value
  }

  #total(depth: number): bigint {
    let sum = 0n
    do {
      const start = this.#at
      const from = this.#place()
      if (from && this.#take(':')) sum += this.#range(from, this.#place() ?? from)
      else {
        this.#at = start
        sum += this.#chain(depth)
      }
    } while (this.#take(','))
    return sum
  }

  #range([top, left]: Place, [bottom, right]: Place): bigint {
    if ((bottom - top + 1) * (right - left + 1) > most_in_a_range) throw new Unknown()
    let sum = 0n
    for (let row = top; row <= bottom; row++) for (let column = left; column <= right; column++) sum += this.#look(row, column)
    return sum
  }

  #rounded(depth: number): bigint {
    const value = this.#chain(depth)
    this.#need(',')
    const places = Number(this.#match(number)?.[0] ?? '0')
    if (!(places <= 6)) throw new Unknown()
    const unit = 10n ** BigInt(scale - places)
    return ((value + (value < 0n ? -unit : unit) / 2n) / unit) * unit
  }
}
