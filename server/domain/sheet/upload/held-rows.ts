import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { NewRow } from '../stored-rows.ts'

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** Rows of a sheet that is not kept yet, a tenth of their size, to be gone through as often as needed. */
export class HeldRows {
  readonly #chunks: Buffer[] = []

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
