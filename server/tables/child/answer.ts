/** What the child says to the parent, line by line, and how rows are packed on the way. */
import { rows_a_part } from '../../contract/row-number.ts'
import type { CellKind } from '../../contract/words.ts'
import { fenOfStored, generalText } from '../cells.ts'
import { cellAt, cellId, type Grid, type GridCell, textAt } from '../grid.ts'
import type { DeductionsRead } from '../profiles/deduction/deduction.ts'
import type { PackedPeople } from '../profiles/roster/packed.ts'
import type { RosterRead } from '../profiles/roster/roster.ts'
import type { Understanding } from '../profiles/wage/understand.ts'
import type { WithheldRead } from '../profiles/withheld/withheld.ts'

/** A cell of a row: the text as the sheet showed it beside what it was understood to be. */
export interface SheetCell {
  value: string
  kind: CellKind
  /** Of an amount stored as a number: exact, where the text shows at most eleven digits of it. */
  fen?: number
  /** A formula whose result is not stored in the file; kind `error`, never zero. */
  uncached?: true
  /** The result was not stored; the value is what we calculated from the formula. */
  computed?: true
  /** A number of 16 or more digits: the last ones are lost. */
  damaged?: true
}

export interface SheetRow {
  /** 1-based. */
  row: number
  /** By column key. */
  cells: Record<string, SheetCell>
}

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

/** `[row, value, code, value, code, …]` in the order of the columns; a code is a kind and flags, a plain number stays one. */
export type PackedRow = [row: number, ...cells: (string | number)[]]

export type ChildAnswer =
  | { understanding: Understanding; drawing: DrawnSheet }
  | { rows: PackedRow[] }
  | { roster: Omit<RosterRead, 'rows'> & PackedPeople }
  | { deductions: DeductionsRead }
  | { withheld: WithheldRead }
  | { end: true }
  | { unreadable: string }

const kinds: readonly CellKind[] = ['money', 'number', 'text', 'date', 'empty', 'error']
const flag = { uncached: 8, computed: 16, damaged: 32 } as const

/** A chunk of rows ends with so many rows, or signs: the server has each chunk in memory as text, as values and sealed. */
const rowsAtOnce = 250
const signsAtOnce = 256 * 1024
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

/** The rows of people in chunks. A cell that reads as an amount is money where its column is. */
export function* rowsOf(grids: readonly Grid[], { data_rows, unclaimed, columns, parts }: Understanding): Generator<PackedRow[]> {
  const places = parts.map((part) => {
    const at = new Map(part.places)
    return columns.map(({ key, kind }) => ({ index: at.get(key), money: kind === 'money' }))
  })
  let chunk: PackedRow[] = []
  let signs = 0
  for (const number of keptRows({ data_rows, unclaimed })) {
    const part = Math.floor(number / rows_a_part)
    const grid = grids[part]
    if (!grid) continue
    const row = number - part * rows_a_part - 1
    const stored = grid.rows[row]
    const marked = grid.marks.size > 0
    const packed: PackedRow = [number]
    for (const { index, money } of places[part] ?? []) {
      const value = index === undefined ? null : stored?.[index]
      // Most cells are plain numbers: they travel as numbers and become text on the other side.
      if (typeof value === 'number' && Math.abs(value) < 1e15 && !(marked && grid.marks.has(cellId(row, index ?? 0))))
        packed.push(value, money ? 0 : 1)
      else if (index === undefined) packed.push('', kinds.indexOf('empty'))
      else packCell(packed, cellAt(grid, row, index), money)
    }
    chunk.push(packed)
    for (const one of packed) if (typeof one === 'string') signs += one.length
    if (chunk.length >= rowsAtOnce || signs >= signsAtOnce) {
      yield chunk
      chunk = []
      signs = 0
    }
  }
  if (chunk.length > 0) yield chunk
}

function packCell(packed: PackedRow, { text, kind, decimal, uncached, computed, damaged }: GridCell, money: boolean) {
  const counted = money && kind !== 'error' && decimal !== null && !text.includes('%') ? 'money' : kind
  const flags = (uncached ? flag.uncached : 0) | (computed ? flag.computed : 0) | (damaged ? flag.damaged : 0)
  packed.push(shortened(text), kinds.indexOf(counted) | flags)
}

export function unpackRow(packed: PackedRow, keys: readonly string[]): SheetRow {
  // Keys are `c1`, `c2` … and never words of a sheet.
  const cells: Record<string, SheetCell> = {}
  for (let at = 0; at < keys.length; at++) {
    const code = Number(packed[2 + at * 2])
    const value = packed[1 + at * 2] ?? ''
    const kind = kinds[code & 7] ?? 'error'
    const fen = typeof value === 'number' && code === 0 ? fenOfStored(value) : null
    const text = typeof value === 'number' ? generalText(value) : value
    const cell: SheetCell = fen === null ? { value: text, kind } : { value: text, kind, fen }
    if (code > 7) {
      if (code & flag.uncached) cell.uncached = true
      if (code & flag.computed) cell.computed = true
      if (code & flag.damaged) cell.damaged = true
    }
    cells[keys[at] ?? ''] = cell
  }
  return { row: packed[0], cells }
}
