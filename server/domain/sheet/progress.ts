/** How far an upload is: written beside it, in short transactions of their own, and read by whoever uploads. Writes upload_progress. */
import type * as z from 'zod/mini'
import type { uploadStages } from '../../contract/sheet.ts'
import * as contract from '../../contract/sheet.ts'
import { handle, type OutsideCtx } from '../../runtime/handle.ts'

type State = Omit<z.infer<typeof contract.getUploadProgress.output>, 'stage'> & { stage: (typeof uploadStages)[number] }
type Named = Pick<State, 'sheet' | 'labels'>
/** The names of a sheet and of its columns. */
const namedPlace = (upload_id: string) => ({ table: 'upload_progress', row: upload_id, column: 'named' })
const beginning: State = { stage: 'waiting', done: 0, total: 0, sheet: '', labels: [] }

export const getUploadProgress = handle(contract.getUploadProgress, async ({ db, company_id, me, vault }, { upload_id }) => {
  const row = await db
    .selectFrom('upload_progress')
    .select(['stage', 'done', 'total', 'named'])
    .where('company_id', '=', company_id)
    .where('id', '=', upload_id)
    .where('account_id', '=', me.account_id)
    .executeTakeFirst()
  if (!row) return beginning
  const { named, ...known } = row
  return { ...known, stage: row.stage as State['stage'], ...vault.open<Named>(namedPlace(upload_id), named) }
})

/** Nobody looks more often. */
const apart_ms = 300
const day_ms = 86_400_000

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

  /** Waits for what is being told, and tells the end of it. */
  async end(stage: 'done' | 'refused'): Promise<void> {
    const id = this.#id
    if (id === undefined) return
    await this.#writing
    this.#state = { ...this.#state, stage: 'done' }
    await (stage === 'done' ? this.#write(id) : this.#forget(id))
  }

  async #write(id: string): Promise<void> {
    const { sheet, labels, ...known } = this.#state
    await this.#ctx
      .inTransaction(async ({ db, company_id, me, now, vault }) => {
        const state = { ...known, named: vault.seal(namedPlace(id), { sheet, labels } satisfies Named) }
        const old = new Date(now.getTime() - day_ms)
        await db.deleteFrom('upload_progress').where('company_id', '=', company_id).where('updated_at', '<', old).execute()
        await db
          .insertInto('upload_progress')
          .values({ company_id, id, account_id: me.account_id, ...state, updated_at: now })
          .onConflict((conflict) =>
            conflict
              .columns(['company_id', 'id'])
              .doUpdateSet({ ...state, updated_at: now })
              // The number is the browser's own choice: one that is somebody else's is not written over.
              .where('upload_progress.account_id', '=', me.account_id),
          )
          .execute()
      })
      // An upload is not lost because nobody could hear how far it is.
      .catch(() => undefined)
  }

  async #forget(id: string): Promise<void> {
    await this.#ctx
      .inTransaction(({ db, company_id, me }) =>
        db
          .deleteFrom('upload_progress')
          .where('company_id', '=', company_id)
          .where('id', '=', id)
          .where('account_id', '=', me.account_id)
          .execute(),
      )
      .catch(() => undefined)
  }
}
