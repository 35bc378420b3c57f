/**
 * Rows of a wage sheet before it is stored: all are read before a transaction starts and can be iterated several times;
 * large numbers are compressed to a tenth of their size.
 */
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { ReadSheetResult } from '../../../spreadsheets/index.ts'
import { deserializePage, serializePackedPage, serializePage } from '../rows/sealed.ts'
import type { NewRow } from '../rows/written-rows.ts'

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** A wage sheet that has been read completely; the child process is no longer needed. */
export type BufferedSheet = Omit<ReadSheetResult, 'pages'> & { readonly rows: BufferedRows }

type RowMetadata = Pick<NewRow, 'row' | 'edited'>
/** A serialized page ready to be encrypted; its cells are parsed only on demand. */
export type BufferedPage = { readonly metadata: readonly RowMetadata[]; readonly serialized: Buffer; rows(): NewRow[] }

function createPage(metadata: readonly RowMetadata[], serialized: Buffer): BufferedPage {
  return {
    metadata,
    serialized,
    rows: () => deserializePage(serialized).map((row, at) => ({ ...row, edited: metadata[at]?.edited ?? [] })),
  }
}

/** This number of bytes (the rows of ten thousand employees) stays uncompressed; the rest is compressed. */
const maxUncompressedBytes = 8 * 1024 * 1024

export class BufferedRows {
  readonly #uncompressed: BufferedPage[] = []
  #remainingBytes = maxUncompressedBytes
  readonly #compressed: { readonly heads: readonly RowMetadata[]; readonly bytes: Buffer }[] = []
  #pendingCompression: Promise<unknown> = Promise.resolve()

  static async from({ pages }: Pick<ReadSheetResult, 'pages'>): Promise<BufferedRows> {
    const locked = new BufferedRows()
    for await (const page of pages) {
      const { written, numbers } = serializePackedPage(page)
      await locked.#add(
        numbers.map((row) => ({ row })),
        written,
      )
    }
    await locked.#pendingCompression
    return locked
  }

  async add(rows: readonly NewRow[]): Promise<void> {
    if (rows.length > 0)
      await this.#add(
        rows.map(({ row, edited }) => (edited ? { row, edited } : { row })),
        serializePage(rows),
      )
  }

  /** Compresses these rows while the next ones are being created. */
  async #add(heads: readonly RowMetadata[], written: Buffer): Promise<void> {
    this.#remainingBytes -= written.length
    if (this.#remainingBytes >= 0) {
      this.#uncompressed.push(createPage(heads, written))
      return
    }
    await this.#pendingCompression
    this.#pendingCompression = deflate(written, { level: 1 }).then((bytes) => this.#compressed.push({ heads, bytes }))
  }

  async *pages(): AsyncGenerator<BufferedPage> {
    await this.#pendingCompression
    yield* this.#uncompressed
    for (const { heads, bytes } of this.#compressed) yield createPage(heads, await inflate(bytes))
  }

  async *rows(): AsyncGenerator<NewRow[]> {
    for await (const page of this.pages()) yield page.rows()
  }
}
