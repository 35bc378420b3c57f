/** Progress of an upload: written in separate short transactions and polled by the uploading user. Writes upload_progress. */
import * as z from 'zod/mini'
import type { uploadStages } from '../../../contract/sheets/sheet.ts'
import { defineDocument } from '../../../crypto/sealed-document.ts'
import type { Vault } from '../../../crypto/secrets.ts'
import type { ExternalContext } from '../../../http/handler.ts'

/** Texts about a wage sheet that are stored encrypted: its names, and the reason of a failure. */
const textSchema = z.string()
const uploadNamesSchema = z.object({
  sheet: textSchema,
  labels: z.array(textSchema),
  file_name: textSchema,
  bytes: z.int(),
  /** The uploading user. */
  by: textSchema,
  said: textSchema,
  options: z.optional(z.object({ title_id: z.optional(textSchema), sheet: z.optional(textSchema) })),
})
export type UploadNames = z.infer<typeof uploadNamesSchema>
const uploadNamesDocument = defineDocument<UploadNames>({
  kind: 'names of an upload',
  version: 1,
  schema: uploadNamesSchema,
})
export const sealUploadNames = (vault: Vault, upload_id: string, value: UploadNames): Buffer =>
  uploadNamesDocument.seal(vault, getNamesPosition(upload_id), value)
export const openUploadNames = (vault: Vault, upload_id: string, sealed: Buffer): UploadNames =>
  uploadNamesDocument.open(vault, getNamesPosition(upload_id), sealed)
export const emptyUploadNames: UploadNames = { sheet: '', labels: [], file_name: '', bytes: 0, by: '', said: '' }
const getNamesPosition = (upload_id: string) => ({ table: 'upload_progress', row: upload_id, column: 'named' })

type ProgressState = Pick<UploadNames, 'sheet' | 'labels'> & { stage: (typeof uploadStages)[number]; done: number; total: number }
const initialState: ProgressState = { stage: 'waiting', done: 0, total: 0, sheet: '', labels: [] }
/** Clients do not poll more often. */
const minIntervalMs = 300

/** Reports the progress of an upload. Never blocks and never fails the upload; reports that follow too quickly are skipped. */
export class UploadProgressReporter {
  readonly #ctx: Pick<ExternalContext, 'inTransaction'>
  readonly #id: string | undefined
  readonly #now: () => number
  #state = initialState
  #reportedAt = Number.NEGATIVE_INFINITY
  #writing: Promise<void> = Promise.resolve()
  #isWriting = false
  /** A stage started, or the queue moved, while the previous report was being written. */
  #isDue = false

  constructor(ctx: Pick<ExternalContext, 'inTransaction'>, upload_id: string | undefined, now = () => performance.now()) {
    this.#ctx = ctx
    this.#id = upload_id
    this.#now = now
  }

  report(change: Partial<ProgressState>): void {
    const isNew = (field: 'stage' | 'total') => change[field] !== undefined && change[field] !== this.#state[field]
    if (isNew('stage') || isNew('total')) this.#isDue = true
    this.#state = { ...this.#state, ...change }
    if (this.#isWriting || (!this.#isDue && this.#now() - this.#reportedAt < minIntervalMs)) return
    this.#startWriting()
  }

  #startWriting(): void {
    if (this.#id !== undefined) this.#writing = this.#writeAll(this.#id)
  }

  async #writeAll(id: string): Promise<void> {
    this.#isWriting = true
    do {
      this.#isDue = false
      this.#reportedAt = this.#now()
      await this.#write(id)
    } while (this.#isDue)
    this.#isWriting = false
  }

  /** Waits for the report in progress and, if the upload is done, writes the last one. */
  async end(stage: 'done' | 'refused'): Promise<void> {
    const id = this.#id
    if (id === undefined) return
    await this.#writing
    if (stage === 'refused') return
    this.#state = { ...this.#state, stage }
    await this.#write(id)
  }

  async #write(id: string): Promise<void> {
    const { sheet, labels, ...existing } = this.#state
    await this.#ctx
      .inTransaction(async ({ db, company_id, currentUser, now, vault }) => {
        const row = await db
          .selectFrom('upload_progress')
          .select('named')
          .where('company_id', '=', company_id)
          .where('id', '=', id)
          .where('account_id', '=', currentUser.account_id)
          .executeTakeFirst()
        // The row was deleted meanwhile, or never stored.
        if (!row) return
        const next = { ...openUploadNames(vault, id, row.named), sheet, labels: [...labels] }
        await db
          .updateTable('upload_progress')
          .set({ ...existing, named: sealUploadNames(vault, id, next), updated_at: now })
          .where('company_id', '=', company_id)
          .where('id', '=', id)
          .where('account_id', '=', currentUser.account_id)
          // A finished upload must not be reported as in progress.
          .$if(existing.stage !== 'done', (query) => query.where('stage', 'in', ['waiting', 'reading', 'keeping']))
          .execute()
      })
      // A failed report must not fail the upload.
      .catch(() => undefined)
  }
}
