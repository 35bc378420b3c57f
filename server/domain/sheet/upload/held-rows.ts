/** Rows of a sheet that is not kept yet: all of them are here before a transaction begins, a tenth of their size, to be gone through as often as needed. */
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { parseFen } from '../../../contract/money.ts'
import { isAmount, type RowCell, type RowCells } from '../../../rules/amounts.ts'
import { fenOfDecimal, readDecimal } from '../../../rules/decimal.ts'
import type { SheetCell, SheetRead } from '../../../tables/index.ts'
import { readCells, writeCells } from '../sealed-row.ts'
import type { NewRow } from '../stored-rows.ts'

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** A sheet as it was read, and nobody waits for the child any more. */
export type SheetHeld = Omit<SheetRead, 'rows'> & { readonly rows: HeldRows }

/** A row with its cells as they will be sealed; they are read where somebody asks for them. */
export type HeldRow = NewRow & { readonly written: string }

const lineOf = ({ row, cells, edited = [] }: NewRow): string => `${row}\t${edited.join(' ')}\t${writeCells(cells)}`
function rowIn(line: string): HeldRow {
  const first = line.indexOf('\t')
  const second = line.indexOf('\t', first + 1)
  const edited = line.slice(first + 1, second)
  const written = line.slice(second + 1)
  let cells: RowCells | undefined
  return {
    row: Number(line.slice(0, first)),
    edited: edited === '' ? [] : edited.split(' '),
    written,
    get cells() {
      return (cells ??= readCells(written))
    },
  }
}

export class HeldRows {
  readonly #chunks: Buffer[] = []
  #adding: Promise<unknown> = Promise.resolve()

  static async from({ rows }: SheetRead): Promise<HeldRows> {
    const held = new HeldRows()
    for await (const chunk of rows) await held.add(chunk.map(({ row, cells }) => ({ row, cells: cellsFrom(cells) })))
    await held.#adding
    return held
  }

  /** These are compressed while the next ones are made. */
  async add(rows: readonly NewRow[]): Promise<void> {
    if (rows.length === 0) return
    const text = rows.map(lineOf).join('\n')
    await this.#adding
    this.#adding = deflate(text, { level: 1 }).then((chunk) => this.#chunks.push(chunk))
  }

  async *all(): AsyncGenerator<HeldRow[]> {
    await this.#adding
    for (const chunk of this.#chunks) yield (await inflate(chunk)).toString().split('\n').map(rowIn)
  }
}

function cellsFrom(read: Readonly<Record<string, SheetCell>>): RowCells {
  const cells: Record<string, RowCell> = {}
  for (const key in read) {
    const cell = read[key]
    if (!cell || (cell.kind === 'empty' && cell.value === '')) continue
    const { value, kind } = cell
    if (cell.uncached) cells[key] = { value, kind: 'error', flaw: 'uncached' }
    else if (cell.damaged) cells[key] = { value, kind, flaw: 'damaged' }
    else if (kind === 'money') {
      const fen = cell.fen ?? parseFen(value) ?? fenOfDecimal(readDecimal(value))
      cells[key] = isAmount(fen) ? { value, kind, fen } : { value, kind: 'text' }
    } else cells[key] = { value, kind }
  }
  return cells
}
