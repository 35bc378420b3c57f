/**
 * Uploads that outlive the page that began them: the file is kept before it is read, and until it has become a batch. Whoever comes back finds
 * it under way, or goes on with it where whoever worked on it is gone. Writes upload_progress.
 */
import { sql } from 'kysely'
import * as contract from '../../../contract/sheet/sheet.ts'
import { can } from '../../../contract/words/states.ts'
import { dropFile, isKept, keepFile, keptFile, putFile, readFile } from '../../../runtime/files/files.ts'
import { type Ctx, handle, must, type OutsideCtx, refuse } from '../../../runtime/handle.ts'
import { batchFor } from '../access.ts'
import { rememberStep } from '../wizard/wizard.ts'
import type { Source } from './keep.ts'
import { type Named, openNamed, sealNamed, unnamed } from './progress.ts'
import { mustHaveRoom } from './room.ts'

/** What an upload is to become. */
export type UploadWish = {
  readonly title_id: string | undefined
  readonly batch_id: string | undefined
  readonly sheet: string | undefined
}

const day_ms = 86_400_000
/** Whoever works on an upload says so again and again; after so long a silence he is taken for dead. By the database's clock, which all share. */
const hold_s = 8
const again_ms = 2_000
const held = sql<Date>`statement_timestamp() + make_interval(secs => ${hold_s})`
const isHeld = sql<boolean>`coalesce(held_until > statement_timestamp(), false)`

const mine = ({ db, company_id, me }: Pick<Ctx, 'db' | 'company_id' | 'me'>, id: string) =>
  db
    .updateTable('upload_progress')
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where('account_id', '=', me.account_id)

/** Keeps what came before it is read, but for a comparison. False: the number is taken, and the upload goes its way without being kept. */
export async function begin(
  ctx: Ctx,
  upload_id: string,
  source: Source,
  wish: UploadWish & { compare: boolean },
): Promise<{ source: Source; begun: boolean }> {
  const { db, company_id, me, now, vault } = ctx
  if (wish.batch_id) {
    const { status } = await batchFor(ctx, wish.batch_id, 'manage')
    must(can.arrange(status), { status })
  }
  await forgetOld(ctx)
  const named: Named = {
    ...unnamed,
    file_name: source.file_name,
    bytes: source.bytes.length,
    by: me.name,
    wish: { title_id: wish.title_id, sheet: wish.sheet },
  }
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('upload_progress')
    .values({
      company_id,
      id: upload_id,
      account_id: me.account_id,
      stage: 'waiting',
      batch_id: wish.compare ? null : (wish.batch_id ?? null),
      held_until: held,
      named: sealNamed(vault, upload_id, named),
      updated_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (!numInsertedOrUpdatedRows) return { source, begun: false }
  if (!source.is_new || wish.compare) return { source, begun: true }
  await mustHaveRoom(ctx, source.bytes.length)
  const expires_at = new Date(now.getTime() + day_ms)
  const file_id = await putFile(ctx, { kind: 'sheet', name: source.file_name, bytes: source.bytes, expires_at, of_id: upload_id })
  await mine(ctx, upload_id).set({ file_id }).execute()
  return { source: { ...source, file_id }, begun: true }
}

/** What nobody came back for within a day; and of mine what was refused, for now I try another. */
async function forgetOld({ db, company_id, me, now }: Ctx): Promise<void> {
  await db
    .deleteFrom('upload_progress')
    .where('company_id', '=', company_id)
    .where(({ or, and, eb }) =>
      or([
        eb('updated_at', '<', new Date(now.getTime() - day_ms)),
        and([eb('account_id', '=', me.account_id), eb('stage', '=', 'refused')]),
      ]),
    )
    .execute()
}

/** Takes over an upload of mine that nobody works on. */
export async function takeOver(ctx: Ctx, upload_id: string): Promise<{ source: Source; wish: UploadWish }> {
  const { vault } = ctx
  const row = await mine(ctx, upload_id)
    .set({ held_until: held })
    .where('stage', 'in', ['waiting', 'reading', 'keeping'])
    .where(sql<boolean>`not ${isHeld}`)
    .returning(['file_id', 'batch_id', 'named'])
    .executeTakeFirst()
  if (!row) throw refuse('wrong_state', '这份工资表已经在识别，或已经识别完了，请刷新后查看')
  const { wish, file_name } = openNamed(vault, upload_id, row.named)
  const batch_id = row.batch_id ?? undefined
  const own = row.file_id && (await isKept(ctx, row.file_id)) ? row.file_id : null
  const stored = own ?? (batch_id ? (await batchFor(ctx, batch_id, 'manage')).file_id : null)
  if (!stored) throw refuse('not_found', '原文件已经不在了，请重新上传')
  const { bytes } = await readFile(ctx, stored)
  return {
    source: { file_name, bytes, file_id: stored, is_new: own !== null },
    wish: { batch_id, title_id: wish?.title_id, sheet: wish?.sheet },
  }
}

/** Says that somebody is at work on it, until what it answers is called and has ended. `gone` hears that it was given up. */
export function hold(ctx: Pick<OutsideCtx, 'inTransaction'>, upload_id: string, gone: () => void): () => Promise<void> {
  const tell = async () => {
    const { numUpdatedRows } = await ctx.inTransaction((inner) =>
      mine(inner, upload_id).set({ held_until: held }).executeTakeFirst(),
    )
    if (numUpdatedRows === 0n) gone()
  }
  let telling: Promise<void> = Promise.resolve()
  // What cannot be said this time is said the next time.
  const clock = setInterval(() => {
    telling = tell().catch(() => undefined)
  }, again_ms)
  return () => {
    clearInterval(clock)
    // What is being said may come after what its caller says next, that nobody is at work on it any more.
    return telling
  }
}

/** With the batch that it became, in the same transaction. Refused where it was given up, or became one by somebody else's work. */
export async function becomeBatch(ctx: Ctx, upload_id: string, batch_id: string, file_id: string | null): Promise<void> {
  const { numUpdatedRows } = await mine(ctx, upload_id)
    .set({ stage: 'done', batch_id, file_id: null, held_until: null })
    .where('stage', 'in', ['waiting', 'reading', 'keeping'])
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw refuse('wrong_state', '这次上传已经取消，或已经由另一个窗口完成')
  if (file_id) await keepFile(ctx, file_id)
  // Of other uploads for the same batch that nobody finished, none may come over this one.
  await ctx.db
    .deleteFrom('upload_progress')
    .where('company_id', '=', ctx.company_id)
    .where('batch_id', '=', batch_id)
    .where('stage', '<>', 'done')
    .execute()
  await rememberStep(ctx, { step: 'wageSend1', batch_id })
}

/** Nobody works on it any more, and whoever comes may go on with it. */
export const letGo = (ctx: Ctx, upload_id: string) => mine(ctx, upload_id).set({ held_until: null }).execute()

/** It will never become a batch; why is kept for whoever comes back. */
export async function keepRefusal(ctx: Ctx, upload_id: string, said: string): Promise<void> {
  const row = await mine(ctx, upload_id)
    .set({ stage: 'refused', held_until: null })
    .returning(['named', 'file_id'])
    .executeTakeFirst()
  if (!row) return
  const named = openNamed(ctx.vault, upload_id, row.named)
  const sealed = sealNamed(ctx.vault, upload_id, { ...named, said })
  await mine(ctx, upload_id).set({ named: sealed, file_id: null }).execute()
  if (row.file_id) await dropFile(ctx, row.file_id)
}

/** Gives an upload up, with its file. */
export async function forget({ db, company_id, me }: Ctx, upload_id: string): Promise<void> {
  const row = await db
    .deleteFrom('upload_progress')
    .where('company_id', '=', company_id)
    .where('id', '=', upload_id)
    .where('account_id', '=', me.account_id)
    .returning('file_id')
    .executeTakeFirst()
  if (row?.file_id) await dropFile({ db, company_id }, row.file_id)
}

export const clearUpload = handle(contract.clearUpload, async (ctx, { upload_id }) => {
  await forget(ctx, upload_id)
  return {}
})

/** By its number; of a batch, whoever does it; or the last of mine that is to become a new batch. */
export const getUploadProgress = handle(contract.getUploadProgress, async (ctx, { upload_id, batch_id }) => {
  const { db, company_id, me, vault } = ctx
  if (batch_id) await batchFor(ctx, batch_id, 'view')
  const row = await db
    .selectFrom('upload_progress')
    .select(['id', 'account_id', 'batch_id', 'stage', 'done', 'total', 'named', isHeld.as('held')])
    .where('company_id', '=', company_id)
    .$if(upload_id !== undefined, (query) => query.where('id', '=', upload_id ?? ''))
    .$if(batch_id !== undefined, (query) =>
      query
        .where('batch_id', '=', batch_id ?? '')
        .where('stage', 'in', ['waiting', 'reading', 'keeping'])
        // Another one's that stands still is for him to go on with.
        .where(({ or, eb }) => or([eb('account_id', '=', me.account_id), isHeld])),
    )
    .$if(upload_id === undefined && batch_id === undefined, (query) =>
      query
        .where('batch_id', 'is', null)
        .where(({ or, eb }) => or([eb(keptFile(company_id), 'is not', null), eb('stage', '=', 'refused')])),
    )
    .$if(batch_id === undefined, (query) => query.where('account_id', '=', me.account_id))
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!row) return nothing
  const { wish: _, by, ...named } = openNamed(vault, row.id, row.named)
  return {
    ...named,
    labels: [...named.labels],
    stage: row.stage,
    done: row.done,
    total: row.total,
    upload_id: row.id,
    batch_id: row.batch_id,
    by: row.account_id === me.account_id ? '' : by,
    held: row.held,
  }
})

const { wish: _, ...empty } = unnamed
const nothing = { ...empty, stage: 'waiting' as const, done: 0, total: 0, upload_id: null, batch_id: null, held: false }
