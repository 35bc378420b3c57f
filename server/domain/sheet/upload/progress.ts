/** How far an upload is: written beside it, in short transactions of their own, and read by whoever uploads. Writes upload_progress. */
import * as z from 'zod/mini'
import type { uploadStages } from '../../../contract/sheet/sheet.ts'
import { documentKind } from '../../../runtime/data/document.ts'
import type { OutsideCtx } from '../../../runtime/handle.ts'
import type { Vault } from '../../../runtime/secrets.ts'

/** What tells of a sheet: its names, and why it was refused. */
const text = z.string()
const named = z.object({
  sheet: text,
  labels: z.array(text),
  file_name: text,
  bytes: z.int(),
  /** Whoever uploads. */
  by: text,
  said: text,
  wish: z.optional(z.object({ title_id: z.optional(text), sheet: z.optional(text) })),
})
export type Named = z.infer<typeof named>
const uploadNames = documentKind<Named>({ kind: 'names of an upload', version: 1, schema: named })
export const sealNamed = (vault: Vault, upload_id: string, value: Named): Buffer =>
  uploadNames.seal(vault, namedPlace(upload_id), value)
export const openNamed = (vault: Vault, upload_id: string, sealed: Buffer): Named =>
  uploadNames.open(vault, namedPlace(upload_id), sealed)
export const unnamed: Named = { sheet: '', labels: [], file_name: '', bytes: 0, by: '', said: '' }
const namedPlace = (upload_id: string) => ({ table: 'upload_progress', row: upload_id, column: 'named' })

type State = Pick<Named, 'sheet' | 'labels'> & { stage: (typeof uploadStages)[number]; done: number; total: number }
const beginning: State = { stage: 'waiting', done: 0, total: 0, sheet: '', labels: [] }
/** Nobody looks more often. */
const apart_ms = 300

/** Tells how far this upload is. Telling never waits and never fails the upload; what comes too soon after the last is passed over. */
export class Progress {
  readonly #ctx: Pick<OutsideCtx, 'inTransaction'>
  readonly #id: string | undefined
  readonly #now: () => number
  #state = beginning
  #told = Number.NEGATIVE_INFINITY
  #writing: Promise<void> = Promise.resolve()
  #isWriting = false
  /** A stage began, or the queue moved, while what was before was being told. */
  #isDue = false

  constructor(ctx: Pick<OutsideCtx, 'inTransaction'>, upload_id: string | undefined, now = () => performance.now()) {
    this.#ctx = ctx
    this.#id = upload_id
    this.#now = now
  }

  say(change: Partial<State>): void {
    const isNew = (field: 'stage' | 'total') => change[field] !== undefined && change[field] !== this.#state[field]
    if (isNew('stage') || isNew('total')) this.#isDue = true
    this.#state = { ...this.#state, ...change }
    if (this.#isWriting || (!this.#isDue && this.#now() - this.#told < apart_ms)) return
    this.#tell()
  }

  #tell(): void {
    if (this.#id !== undefined) this.#writing = this.#writeAll(this.#id)
  }

  async #writeAll(id: string): Promise<void> {
    this.#isWriting = true
    do {
      this.#isDue = false
      this.#told = this.#now()
      await this.#write(id)
    } while (this.#isDue)
    this.#isWriting = false
  }

  /** Waits for what is being told, and where it was done, tells the last of it. */
  async end(stage: 'done' | 'refused'): Promise<void> {
    const id = this.#id
    if (id === undefined) return
    await this.#writing
    if (stage === 'refused') return
    this.#state = { ...this.#state, stage }
    await this.#write(id)
  }

  async #write(id: string): Promise<void> {
    const { sheet, labels, ...known } = this.#state
    await this.#ctx
      .inTransaction(async ({ db, company_id, me, now, vault }) => {
        const row = await db
          .selectFrom('upload_progress')
          .select('named')
          .where('company_id', '=', company_id)
          .where('id', '=', id)
          .where('account_id', '=', me.account_id)
          .executeTakeFirst()
        // Given up meanwhile, or never kept.
        if (!row) return
        const next = { ...openNamed(vault, id, row.named), sheet, labels: [...labels] }
        await db
          .updateTable('upload_progress')
          .set({ ...known, named: sealNamed(vault, id, next), updated_at: now })
          .where('company_id', '=', company_id)
          .where('id', '=', id)
          .where('account_id', '=', me.account_id)
          // What is over is not said to be under way.
          .$if(known.stage !== 'done', (query) => query.where('stage', 'in', ['waiting', 'reading', 'keeping']))
          .execute()
      })
      // An upload is not lost because nobody could hear how far it is.
      .catch(() => undefined)
  }
}
