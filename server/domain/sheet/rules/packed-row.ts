/** A row's cells as they are sealed. */
import type { CellKind } from '../../../contract/words.ts'
import type { RowCell, RowCells } from '../../../rules/amounts.ts'

/** On the way into the blob a cell is `[key, text, kind, fen, flaw]` with numbers for words: half the size, twice as quick to read. */
export type PackedCell = [key: string, value: string, kind: number, fen?: number | null | undefined, flaw?: number | undefined]
/** By their numbers on disk: a new one goes to the end. */
export const kindsOnDisk = ['money', 'number', 'text', 'date', 'empty', 'error'] as const satisfies readonly CellKind[]
const kindNumber = new Map<CellKind, number>(kindsOnDisk.map((kind, at) => [kind, at]))
const isWhole = Number.isSafeInteger
export const isPacked = (one: unknown): one is PackedCell =>
  Array.isArray(one) &&
  typeof one[0] === 'string' &&
  typeof one[1] === 'string' &&
  isWhole(one[2]) &&
  one[2] in kindsOnDisk &&
  (one.length < 4 || one[3] === null || isWhole(one[3])) &&
  (one.length < 5 || isWhole(one[4])) &&
  one.length < 6

export function packCells(cells: RowCells): PackedCell[] {
  const packed: PackedCell[] = []
  for (const key in cells) {
    const cell = cells[key]
    if (!cell) continue
    const { value, fen, flaw } = cell
    const kind = kindNumber.get(cell.kind) ?? 0
    if (flaw) packed.push([key, value, kind, fen ?? null, flaw === 'damaged' ? 1 : 2])
    else packed.push(fen === undefined ? [key, value, kind] : [key, value, kind, fen])
  }
  return packed
}

export function unpackCells(packed: readonly PackedCell[]): RowCells {
  const cells: Record<string, RowCell> = {}
  for (const one of packed) {
    const value = one[1]
    const kind = kindsOnDisk[one[2]] ?? 'text'
    const fen = one[3]
    const cell: { -readonly [field in keyof RowCell]: RowCell[field] } =
      typeof fen === 'number' ? { value, kind, fen } : { value, kind }
    if (one[4]) cell.flaw = one[4] === 1 ? 'damaged' : 'uncached'
    cells[one[0]] = cell
  }
  return cells
}
