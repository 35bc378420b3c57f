/** Compact form of rows and cells, used by the reader process and in encrypted storage. */
import type { CellKind } from '../contract/shared/schemas.ts'
import { isAmount, type RowCell, type RowCells } from './amounts.ts'
import { fenToDecimal } from './decimal.ts'

type FullCell = readonly [value: string, kind: number, fen?: number | null | undefined, flaw?: number | undefined]
/**
 * In a stored blob a cell is `[text, kind, fen, flaw]` with numbers for enum values. Most cells are shorter: an amount
 * whose text is its shortest decimal is its fen, a text is itself, a number is prefixed with `=`.
 */
export type PackedCell = number | string | FullCell
type ColumnSkip = readonly [column: number]
/** Cells in order from the first column, null for empty ones: a third of the size with column keys. */
export type PackedCells = readonly (PackedCell | ColumnSkip | null)[]
export type PackedRows = readonly (readonly [row: number, cells: PackedCells])[]
/** Indexes are stored on disk, so new kinds must be appended. */
export const storedCellKinds = ['money', 'number', 'text', 'date', 'empty', 'error'] as const satisfies readonly CellKind[]
const kindNumber = new Map<CellKind, number>(storedCellKinds.map((kind, at) => [kind, at]))
const isInteger = Number.isSafeInteger
const isColumnSkip = (one: unknown): one is ColumnSkip =>
  Array.isArray(one) && one.length === 1 && isInteger(one[0]) && one[0] >= 0
const isPackedCell = (one: unknown): one is PackedCell =>
  isInteger(one) ||
  typeof one === 'string' ||
  (Array.isArray(one) &&
    typeof one[0] === 'string' &&
    isInteger(one[1]) &&
    one[1] in storedCellKinds &&
    (one.length < 3 || one[2] === null || isInteger(one[2])) &&
    (one.length < 4 || isInteger(one[3])) &&
    one.length < 5)

export const arePackedCells = (cells: unknown): cells is PackedCells =>
  Array.isArray(cells) && cells.every((one) => isPackedCell(one) || one === null || isColumnSkip(one))
export const arePackedRows = (rows: unknown): rows is PackedRows =>
  Array.isArray(rows) &&
  rows.every((one) => Array.isArray(one) && one.length === 2 && isInteger(one[0]) && arePackedCells(one[1]))

/** Maximum number of consecutive empty columns written individually. */
const maxExplicitEmpty = 8

export class PackedRow {
  readonly cells: (PackedCell | ColumnSkip | null)[] = []
  #next = 0

  addCell(column: number, cell: PackedCell): void {
    const empty = column - this.#next
    if (empty > 0 && empty <= maxExplicitEmpty) for (let at = 0; at < empty; at++) this.cells.push(null)
    else if (empty !== 0) this.cells.push([column])
    this.cells.push(cell)
    this.#next = column + 1
  }
}

/** Column keys are `c` followed by the column index, from 0. */
export const getColumnIndex = (key: string): number => Number(key.slice(1))
const columnKeys = Array.from({ length: 1_000 }, (_, column) => `c${column}`)
const getColumnKey = (column: number): string => columnKeys[column] ?? `c${column}`

export function packCell({ value, kind, fen, flaw }: RowCell): PackedCell {
  if (!flaw && kind === 'text' && fen === undefined && !value.startsWith('=')) return value
  if (!flaw && kind === 'number' && fen === undefined) return `=${value}`
  if (!flaw && kind === 'money' && fen !== undefined && isAmount(fen) && value === fenToDecimal(fen)) return fen
  const number = kindNumber.get(kind) ?? 0
  if (flaw) return [value, number, fen ?? null, flaw === 'damaged' ? 1 : 2]
  return fen === undefined ? [value, number] : [value, number, fen]
}

function unpackCell(packed: PackedCell): RowCell {
  if (typeof packed === 'number') return { value: fenToDecimal(packed), kind: 'money', fen: packed }
  if (typeof packed === 'string')
    return packed.startsWith('=') ? { value: packed.slice(1), kind: 'number' } : { value: packed, kind: 'text' }
  const [value, number, fen, flaw] = packed
  const kind = storedCellKinds[number] ?? 'text'
  const cell = typeof fen === 'number' ? { value, kind, fen } : { value, kind }
  return flaw ? { ...cell, flaw: flaw === 1 ? 'damaged' : 'uncached' } : cell
}

export function packCells(cells: RowCells): PackedCells {
  const packed = new PackedRow()
  for (const key in cells) {
    const cell = cells[key]
    if (cell) packed.addCell(getColumnIndex(key), packCell(cell))
  }
  return packed.cells
}

export function unpackCells(packed: PackedCells): RowCells {
  const cells: Record<string, RowCell> = {}
  let column = 0
  for (const one of packed)
    if (isColumnSkip(one)) column = one[0]
    else {
      if (one !== null) cells[getColumnKey(column)] = unpackCell(one)
      column += 1
    }
  return cells
}
