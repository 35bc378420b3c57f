/** Rows of a sheet that is not kept yet: all of them are here before a transaction begins, a tenth of their size, to be gone through as often as needed. */
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { parseFen } from '../../../contract/money.ts'
import { isAmount, type RowCell, type RowCells } from '../../../rules/amounts.ts'
import { fenOfDecimal, readDecimal } from '../../../rules/decimal.ts'
import type { SheetCell, SheetRead } from '../../../tables/index.ts'
import type { NewRow } from '../stored-rows.ts'

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** A sheet as it was read, and nobody waits for the child any more. */
export type SheetHeld = Omit<SheetRead, 'rows'> & { readonly rows: HeldRows }

export class HeldRows {
  readonly #chunks: Buffer[] = []

  static async from({ rows }: SheetRead): Promise<HeldRows> {
    const held = new HeldRows()
    for await (const chunk of rows) await held.add(chunk.map(({ row, cells }) => ({ row, cells: cellsFrom(cells) })))
    return held
  }

  async add(rows: readonly NewRow[]): Promise<void> {
    this.#chunks.push(await deflate(JSON.stringify(rows), { level: 1 }))
  }

  async *all(): AsyncGenerator<NewRow[]> {
    for (const chunk of this.#chunks) {
      const rows: NewRow[] = JSON.parse((await inflate(chunk)).toString())
      yield rows
    }
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
