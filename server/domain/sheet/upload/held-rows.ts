/** Rows of a sheet that is not kept yet: all of them are here before a transaction begins, to be gone through as often as needed; many of them a tenth of their size. */
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { SheetRead } from '../../../tables/index.ts'
import { readPage, writePacked, writePage } from '../rows/sealed.ts'
import type { NewRow } from '../rows/written-rows.ts'

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** A sheet as it was read, and nobody waits for the child any more. */
export type SheetHeld = Omit<SheetRead, 'pages'> & { readonly rows: HeldRows }

type Head = Pick<NewRow, 'row' | 'edited'>
/** A page as it will be sealed; its cells are read where somebody asks for them. */
export type HeldPage = { readonly heads: readonly Head[]; readonly written: Buffer; rows(): NewRow[] }

function pageOf(heads: readonly Head[], written: Buffer): HeldPage {
  return { heads, written, rows: () => readPage(written).map((row, at) => ({ ...row, edited: heads[at]?.edited ?? [] })) }
}

/** So much is kept as it is, the rows of ten thousand people; what comes behind is compressed. */
const plain_bytes = 8 * 1024 * 1024

export class HeldRows {
  readonly #plain: HeldPage[] = []
  #room = plain_bytes
  readonly #compressed: { readonly heads: readonly Head[]; readonly bytes: Buffer }[] = []
  #adding: Promise<unknown> = Promise.resolve()

  static async from({ pages }: Pick<SheetRead, 'pages'>): Promise<HeldRows> {
    const held = new HeldRows()
    for await (const page of pages) {
      const { written, numbers } = writePacked(page)
      await held.#add(
        numbers.map((row) => ({ row })),
        written,
      )
    }
    await held.#adding
    return held
  }

  async add(rows: readonly NewRow[]): Promise<void> {
    if (rows.length > 0)
      await this.#add(
        rows.map(({ row, edited }) => (edited ? { row, edited } : { row })),
        writePage(rows),
      )
  }

  /** These are compressed while the next ones are made. */
  async #add(heads: readonly Head[], written: Buffer): Promise<void> {
    this.#room -= written.length
    if (this.#room >= 0) {
      this.#plain.push(pageOf(heads, written))
      return
    }
    await this.#adding
    this.#adding = deflate(written, { level: 1 }).then((bytes) => this.#compressed.push({ heads, bytes }))
  }

  async *pages(): AsyncGenerator<HeldPage> {
    await this.#adding
    yield* this.#plain
    for (const { heads, bytes } of this.#compressed) yield pageOf(heads, await inflate(bytes))
  }

  async *rows(): AsyncGenerator<NewRow[]> {
    for await (const page of this.pages()) yield page.rows()
  }
}
