/** Rows of a sheet that is not kept yet: all of them are here before a transaction begins, to be gone through as often as needed; many of them a tenth of their size. */
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { RowCells } from '../../../rules/amounts.ts'
import type { SheetRead } from '../../../tables/index.ts'
import { readCells, writeCells, writePacked } from '../sealed-row.ts'
import type { NewRow } from '../stored-rows.ts'

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** A sheet as it was read, and nobody waits for the child any more. */
export type SheetHeld = Omit<SheetRead, 'rows'> & { readonly rows: HeldRows }

/** A row with its cells as they will be sealed; they are read where somebody asks for them. */
export type HeldRow = NewRow & { readonly written: string }

type Written = Pick<HeldRow, 'row' | 'edited' | 'written'>
const lineOf = ({ row, edited = [], written }: Written): string => `${row}\t${edited.join(' ')}\t${written}`
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

const rowsIn = (chunk: Buffer): HeldRow[] => chunk.toString().split('\n').map(rowIn)

/** So much is kept as it is, the rows of ten thousand people; what comes behind is compressed. */
const plain_bytes = 8 * 1024 * 1024

export class HeldRows {
  readonly #plain: Buffer[] = []
  #room = plain_bytes
  readonly #compressed: Buffer[] = []
  #adding: Promise<unknown> = Promise.resolve()

  static async from({ rows }: SheetRead): Promise<HeldRows> {
    const held = new HeldRows()
    for await (const chunk of rows) await held.#add(chunk.map(({ row, packed }) => ({ row, written: writePacked(packed) })))
    await held.#adding
    return held
  }

  add(rows: readonly NewRow[]): Promise<void> {
    return this.#add(rows.map(({ cells, ...row }) => ({ ...row, written: writeCells(cells) })))
  }

  /** These are compressed while the next ones are made. */
  async #add(rows: readonly Written[]): Promise<void> {
    if (rows.length === 0) return
    const text = Buffer.from(rows.map(lineOf).join('\n'))
    this.#room -= text.length
    if (this.#room >= 0) {
      this.#plain.push(text)
      return
    }
    await this.#adding
    this.#adding = deflate(text, { level: 1 }).then((chunk) => this.#compressed.push(chunk))
  }

  async *all(): AsyncGenerator<HeldRow[]> {
    await this.#adding
    for (const chunk of this.#plain) yield rowsIn(chunk)
    for (const chunk of this.#compressed) yield rowsIn(await inflate(chunk))
  }
}
