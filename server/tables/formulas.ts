/**
 * Results that a file does not bring along. Programs that write sheets (openpyxl, POI, exports of HR systems) often store the
 * formula only; the cell then reads as empty, and an empty cell in a net column must never count as zero. Chains of + and −
 * and SUM over plain numbers are calculated exactly and marked `computed`; everything else stays `uncached` and is asked.
 */
import { decimalOfNumber, readDecimal } from '../rules/decimal.ts'
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
      const value = calculate(mark, (r, c) => valueAt(r, c, depth + 1))
      known.set(id, value)
      return value
    }
    return scaled(grid.rows[row]?.[column])
  }

  const rows = [...grid.rows] as (readonly Stored[] | undefined)[]
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
  if (typeof stored === 'number' && Number.isFinite(stored)) return scaledDecimal(decimalOfNumber(stored))
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

/** Adds up a formula of cells, numbers, + − ( ), SUM and ROUND; throws `Unknown` on anything else. */
function calculate(mark: Mark, look: Look): bigint {
  const text = (mark.shared?.formula ?? mark.formula ?? '').replace(/^[=+]+/, '').replace(/\s+/g, '')
  const { down = 0, right = 0 } = mark.shared ?? {}
  if (text === '' || text.length > 2000) throw new Unknown()
  let at = 0

  const take = (sign: string) => text[at] === sign && ++at > 0
  const need = (sign: string) => {
    if (!take(sign)) throw new Unknown()
  }
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found) at = pattern.lastIndex
    return found
  }
  const place = (): [number, number] | null => {
    const found = match(reference)
    if (!found) return null
    const row = Number(found[4]) - 1 + (found[3] ? 0 : down)
    const column = columnIndex(found[2] ?? '') + (found[1] ? 0 : right)
    if (row < 0 || column < 0) throw new Unknown()
    return [row, column]
  }

  const chain = (depth: number): bigint => {
    if (depth > mostDepth) throw new Unknown()
    let sum = term(depth)
    for (;;) {
      if (take('+')) sum += term(depth)
      else if (take('-')) sum -= term(depth)
      else return sum
    }
  }
  const term = (depth: number): bigint => {
    if (depth > mostDepth) throw new Unknown()
    if (take('-')) return -term(depth + 1)
    if (take('+')) return term(depth + 1)
    if (take('(')) {
      const value = chain(depth + 1)
      need(')')
      return value
    }
    const called = match(word)?.[0].toUpperCase()
    if (called) {
      need('(')
      const value = called === 'SUM' ? total(depth + 1) : called === 'ROUND' ? rounded(depth + 1) : null
      if (value === null) throw new Unknown()
      need(')')
      return value
    }
    const cell = place()
    if (cell) return look(...cell)
    const digits = match(number)
    if (digits) return scaledDecimal(digits[0])
    throw new Unknown()
  }
  const total = (depth: number): bigint => {
    let sum = 0n
    do {
      const start = at
      const from = place()
      if (from && take(':')) sum += range(from, place() ?? from)
      else {
        at = start
        sum += chain(depth)
      }
    } while (take(','))
    return sum
  }
  const range = ([top, left]: [number, number], [bottom, right]: [number, number]): bigint => {
    if ((bottom - top + 1) * (right - left + 1) > 200_000) throw new Unknown()
    let sum = 0n
    for (let row = top; row <= bottom; row++) for (let column = left; column <= right; column++) sum += look(row, column)
    return sum
  }
  const rounded = (depth: number): bigint => {
    const value = chain(depth)
    need(',')
    const places = Number(match(number)?.[0] ?? '0')
    if (!(places <= 6)) throw new Unknown()
    const unit = 10n ** BigInt(scale - places)
    return ((value + (value < 0n ? -unit : unit) / 2n) / unit) * unit
  }

  const value = chain(0)
  if (at < text.length) throw new Unknown()
  return value
}
