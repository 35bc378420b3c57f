/** A row's cells as they are sealed. */
import type { CellKind } from '../../../contract/words.ts'
import { isAmount, type RowCell, type RowCells } from '../../../rules/amounts.ts'
import { decimalOfFen } from '../../../rules/decimal.ts'

type WholeCell = readonly [value: string, kind: number, fen?: number | null | undefined, flaw?: number | undefined]
/**
 * On the way into the blob a cell is `[text, kind, fen, flaw]` with numbers for words. Nearly all are less: an amount whose text is its shortest decimal
 * is its fen, a text is itself, a number has `=` before it. Half the size, and so much quicker to read.
 */
export type PackedCell = number | string | WholeCell
/** By the column's key. */
export type PackedCells = Readonly<Record<string, PackedCell>>
/** By their numbers on disk: a new one goes to the end. */
export const kindsOnDisk = ['money', 'number', 'text', 'date', 'empty', 'error'] as const satisfies readonly CellKind[]
const kindNumber = new Map<CellKind, number>(kindsOnDisk.map((kind, at) => [kind, at]))
const isWhole = Number.isSafeInteger
const isPacked = (one: unknown): one is PackedCell =>
  isWhole(one) ||
  typeof one === 'string' ||
  (Array.isArray(one) &&
    typeof one[0] === 'string' &&
    isWhole(one[1]) &&
    one[1] in kindsOnDisk &&
    (one.length < 3 || one[2] === null || isWhole(one[2])) &&
    (one.length < 4 || isWhole(one[3])) &&
    one.length < 5)

export function arePacked(cells: unknown): cells is PackedCells {
  if (typeof cells !== 'object' || cells === null || Array.isArray(cells)) return false
  for (const key in cells) if (!isPacked(Reflect.get(cells, key))) return false
  return true
}

export function packCell({ value, kind, fen, flaw }: RowCell): PackedCell {
  if (!flaw && kind === 'text' && fen === undefined && !value.startsWith('=')) return value
  if (!flaw && kind === 'number' && fen === undefined) return `=${value}`
  if (!flaw && kind === 'money' && fen !== undefined && isAmount(fen) && value === decimalOfFen(fen)) return fen
  const number = kindNumber.get(kind) ?? 0
  if (flaw) return [value, number, fen ?? null, flaw === 'damaged' ? 1 : 2]
  return fen === undefined ? [value, number] : [value, number, fen]
}

function unpackCell(packed: PackedCell): RowCell {
  if (typeof packed === 'number') return { value: decimalOfFen(packed), kind: 'money', fen: packed }
  if (typeof packed === 'string')
    return packed.startsWith('=') ? { value: packed.slice(1), kind: 'number' } : { value: packed, kind: 'text' }
  const [value, number, fen, flaw] = packed
  const kind = kindsOnDisk[number] ?? 'text'
  const cell = typeof fen === 'number' ? { value, kind, fen } : { value, kind }
  return flaw ? { ...cell, flaw: flaw === 1 ? 'damaged' : 'uncached' } : cell
}

export function packCells(cells: RowCells): PackedCells {
  const packed: Record<string, PackedCell> = {}
  for (const key in cells) {
    const cell = cells[key]
    if (cell) packed[key] = packCell(cell)
  }
  return packed
}

export function unpackCells(packed: PackedCells): RowCells {
  const cells: Record<string, RowCell> = {}
  for (const key in packed) {
    const one = packed[key]
    if (one !== undefined) cells[key] = unpackCell(one)
  }
  return cells
}
