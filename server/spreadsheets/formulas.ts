/**
 * Computes formula results that a file does not contain. Programs that write sheets (openpyxl, POI, exports of HR
 * systems) often store only the formula; the cell then reads as empty, and an empty cell in a net column must never
 * count as zero. Chains of + and − and SUM over plain numbers are computed exactly and marked `computed`; everything
 * else stays `uncached` and becomes a question.
 */
import { formatNumberAsDecimal, parseDecimal, roundToSignificantDigits } from '../rules/decimal.ts'
import { type CellMark, type Grid, getCellId, parseColumnLetters, type StoredValue } from './grid.ts'

/** Sums are exact: integers in units of 10⁻²⁰. */
const scale = 20
/**
 * A sheet of ten thousand rows has a few hundred thousand references; a larger number does not occur in a wage sheet.
 */
const maxSteps = 2_000_000
const maxDepth = 60

class UncomputableError extends Error {}

export function computeMissingResults(grid: Grid): Grid {
  const missing: [number, CellMark][] = []
  for (const entry of grid.marks) if (entry[1].uncached) missing.push(entry)
  if (missing.length === 0) return grid
  const computed = new Map<number, bigint | null>()
  let steps = 0

  const valueAt = (row: number, column: number, depth: number): bigint => {
    if (++steps > maxSteps || depth > maxDepth) throw new UncomputableError()
    const id = getCellId(row, column)
    const mark = grid.marks.get(id)
    if (mark?.error) throw new UncomputableError()
    if (mark?.uncached) {
      const before = computed.get(id)
      if (before === null) throw new UncomputableError()
      if (before !== undefined) return before
      computed.set(id, null)
      const value = new FormulaParser(mark, (r, c) => valueAt(r, c, depth + 1)).evaluate()
      computed.set(id, value)
      return value
    }
    return toScaled(grid.rows[row]?.[column])
  }

  const rows: (readonly StoredValue[] | undefined)[] = [...grid.rows]
  const marks = new Map(grid.marks)
  const changedRows = new Map<number, StoredValue[]>()
  for (const [id, mark] of missing) {
    const row = Math.floor(id / getCellId(1, 0))
    const column = id % getCellId(1, 0)
    let value: bigint
    try {
      value = valueAt(row, column, 0)
    } catch (error) {
      if (!(error instanceof UncomputableError)) throw error
      continue
    }
    const cells = changedRows.get(row) ?? [...(rows[row] ?? [])]
    changedRows.set(row, cells)
    while (cells.length <= column) cells.push(null)
    cells[column] = Number(formatScaled(value))
    rows[row] = cells
    const { uncached: _, ...rest } = mark
    marks.set(id, { ...rest, computed: true })
  }
  return { ...grid, rows, marks }
}

function toScaled(stored: StoredValue): bigint {
  if (stored === null || stored === undefined || stored === '') return 0n
  if (typeof stored === 'number' && Number.isFinite(stored))
    return decimalToScaled(roundToSignificantDigits(formatNumberAsDecimal(stored)))
  // SUM skips text and F4+G4 fails on it, but text that can be parsed as a number is what the sheet is meant to add.
  const decimal = typeof stored === 'string' ? parseDecimal(stored) : null
  if (decimal === null) throw new UncomputableError()
  return decimalToScaled(decimal)
}

function decimalToScaled(decimal: string): bigint {
  const [integerDigits = '0', fraction = ''] = decimal.replace('-', '').split('.')
  const value = BigInt(integerDigits + fraction.slice(0, scale).padEnd(scale, '0'))
  return decimal.startsWith('-') ? -value : value
}

function formatScaled(value: bigint): string {
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

type ValueLookup = (row: number, column: number) => bigint

const referencePattern = /(\$?)([A-Z]{1,3})(\$?)(\d{1,7})(?![A-Z0-9(!_.])/iy
const numberPattern = /\d+(?:\.\d+)?/y
const functionPattern = /[A-Z]+(?=\()/iy

type CellPosition = readonly [row: number, column: number]
const maxRangeCells = 200_000

/** Parses and evaluates a formula of cells, numbers, + − ( ), SUM and ROUND; throws `UncomputableError` on anything else. */
class FormulaParser {
  readonly #text: string
  readonly #shift: { readonly down: number; readonly right: number }
  readonly #getValue: ValueLookup
  #position = 0

  constructor({ formula = '', shared }: CellMark, view: ValueLookup) {
    this.#text = (shared?.formula ?? formula).replace(/^[=+]+/, '').replace(/\s+/g, '')
    this.#shift = shared ?? { down: 0, right: 0 }
    this.#getValue = view
  }

  evaluate(): bigint {
    if (this.#text === '' || this.#text.length > 2000) throw new UncomputableError()
    const value = this.#parseSum(0)
    if (this.#position < this.#text.length) throw new UncomputableError()
    return value
  }

  #accept(sign: string): boolean {
    return this.#text[this.#position] === sign && ++this.#position > 0
  }
  #expect(sign: string): void {
    if (!this.#accept(sign)) throw new UncomputableError()
  }
  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#position
    const match = pattern.exec(this.#text)
    if (match) this.#position = pattern.lastIndex
    return match
  }
  #parseReference(): CellPosition | null {
    const match = this.#match(referencePattern)
    if (!match) return null
    const row = Number(match[4]) - 1 + (match[3] ? 0 : this.#shift.down)
    const column = parseColumnLetters(match[2] ?? '') + (match[1] ? 0 : this.#shift.right)
    if (row < 0 || column < 0) throw new UncomputableError()
    return [row, column]
  }

  #parseSum(depth: number): bigint {
    if (depth > maxDepth) throw new UncomputableError()
    let sum = this.#parseTerm(depth)
    for (;;) {
      if (this.#accept('+')) sum += this.#parseTerm(depth)
      else if (this.#accept('-')) sum -= this.#parseTerm(depth)
      else return sum
    }
  }

  #parseTerm(depth: number): bigint {
    if (depth > maxDepth) throw new UncomputableError()
    if (this.#accept('-')) return -this.#parseTerm(depth + 1)
    if (this.#accept('+')) return this.#parseTerm(depth + 1)
    if (this.#accept('(')) {
      const value = this.#parseSum(depth + 1)
      this.#expect(')')
      return value
    }
    const called = this.#match(functionPattern)?.[0].toUpperCase()
    if (called) return this.#parseFunction(called, depth + 1)
    const cell = this.#parseReference()
    if (cell) return this.#getValue(...cell)
    const digits = this.#match(numberPattern)
    if (digits) return decimalToScaled(digits[0])
    throw new UncomputableError()
  }

  #parseFunction(name: string, depth: number): bigint {
    this.#expect('(')
    const value = name === 'SUM' ? this.#parseSumArguments(depth) : name === 'ROUND' ? this.#parseRound(depth) : null
    if (value === null) throw new UncomputableError()
    this.#expect(')')
    return value
  }

  #parseSumArguments(depth: number): bigint {
    let sum = 0n
    do {
      const start = this.#position
      const from = this.#parseReference()
      if (from && this.#accept(':')) sum += this.#sumRange(from, this.#parseReference() ?? from)
      else {
        this.#position = start
        sum += this.#parseSum(depth)
      }
    } while (this.#accept(','))
    return sum
  }

  #sumRange([top, left]: CellPosition, [bottom, right]: CellPosition): bigint {
    if ((bottom - top + 1) * (right - left + 1) > maxRangeCells) throw new UncomputableError()
    let sum = 0n
    for (let row = top; row <= bottom; row++)
      for (let column = left; column <= right; column++) sum += this.#getValue(row, column)
    return sum
  }

  #parseRound(depth: number): bigint {
    const value = this.#parseSum(depth)
    this.#expect(',')
    const places = Number(this.#match(numberPattern)?.[0] ?? '0')
    if (!(places <= 6)) throw new UncomputableError()
    const unit = 10n ** BigInt(scale - places)
    return ((value + (value < 0n ? -unit : unit) / 2n) / unit) * unit
  }
}
