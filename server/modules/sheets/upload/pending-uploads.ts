/**
 * Uploads that survive leaving the page: the file is stored before it is parsed and until it has become a batch. A
 * returning user sees its progress, or continues it if the process that handled it has died. Writes upload_progress.
 */
import { sql } from 'kysely'
import { can } from '../../../contract/shared/statuses.ts'
import * as contract from '../../../contract/sheets/sheet.ts'
import { deleteFile, fileExists, makeFilePermanent, readFile, saveFile, selectStoredFile } from '../../../files/stored-files.ts'
import type { CompanyUserTx } from '../../../http/current-user.ts'
import { assertAllowed, defineHandler, type ExternalContext, fail, type HandlerContext } from '../../../http/handler.ts'
import { requireBatch } from '../access.ts'
import { saveWizardStep } from '../wizard/wizard.ts'
import type { UploadSource } from './incoming-sheet.ts'
import { emptyUploadNames, openUploadNames, sealUploadNames, type UploadNames } from './progress.ts'
import { assertStorageQuota } from './storage-quota.ts'

/** The destination of an upload. */
export type UploadDestination = {
  readonly title_id: string | undefined
  readonly batch_id: string | undefined
  readonly sheet: string | undefined
}

const dayMs = 86_400_000
/** The handler of an upload renews its lease; after this time it counts as dead. Uses the clock of the database. */
const leaseSeconds = 8
const renewIntervalMs = 2_000
const leaseEnd = sql<Date>`statement_timestamp() + make_interval(secs => ${leaseSeconds})`
/** A lease that ends later than a new one would was written before the clock was set back. */
const isLeased = sql<boolean>`coalesce(leased_until > statement_timestamp() and leased_until <= ${leaseEnd}, false)`

const updateOwnUpload = ({ db, company_id, currentUser }: CompanyUserTx, id: string) =>
  db
    .updateTable('upload_progress')
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where('account_id', '=', currentUser.account_id)

/**
 * Stores an uploaded file before it is parsed, except for comparisons. Returns false if the number is taken; the upload
 * then continues without being stored.
 */
export async function startUpload(
  ctx: HandlerContext,
  upload_id: string,
  source: UploadSource,
  target: UploadDestination & { compare: boolean },
): Promise<{ source: UploadSource; isStarted: boolean }> {
  const { db, company_id, currentUser, now, vault } = ctx
  if (target.batch_id) {
    const { status } = await requireBatch(ctx, target.batch_id, 'manage')
    assertAllowed(can.arrange(status), { status })
  }
  await deleteOldUploads(ctx)
  const named: UploadNames = {
    ...emptyUploadNames,
    file_name: source.file_name,
    bytes: source.bytes.length,
    by: currentUser.name,
    options: { title_id: target.title_id, sheet: target.sheet },
  }
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('upload_progress')
    .values({
      company_id,
      id: upload_id,
      account_id: currentUser.account_id,
      stage: 'waiting',
      batch_id: target.compare ? null : (target.batch_id ?? null),
      leased_until: leaseEnd,
      named: sealUploadNames(vault, upload_id, named),
      updated_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (!numInsertedOrUpdatedRows) return { source, isStarted: false }
  if (!source.is_new || target.compare) return { source, isStarted: true }
  await assertStorageQuota(ctx, source.bytes.length)
  const expires_at = new Date(now.getTime() + dayMs)
  const file_id = await saveFile(ctx, {
    kind: 'sheet',
    name: source.file_name,
    bytes: source.bytes,
    expires_at,
    source_id: upload_id,
  })
  await updateOwnUpload(ctx, upload_id).set({ file_id }).execute()
  return { source: { ...source, file_id }, isStarted: true }
}

/** Deletes uploads that nobody returned to within a day, and the user's failed ones, because they now try another file. */
async function deleteOldUploads({ db, company_id, currentUser, now }: HandlerContext): Promise<void> {
  await db
    .deleteFrom('upload_progress')
    .where('company_id', '=', company_id)
    .where(({ or, and, eb }) =>
      or([
        eb('updated_at', '<', new Date(now.getTime() - dayMs)),
        and([eb('account_id', '=', currentUser.account_id), eb('stage', '=', 'refused')]),
      ]),
    )
    .execute()
}

/** Takes over one of the user's uploads that nobody is handling. */
export async function takeOverUpload(
  ctx: HandlerContext,
  upload_id: string,
): Promise<{ source: UploadSource; target: UploadDestination }> {
  const { vault } = ctx
  const row = await updateOwnUpload(ctx, upload_id)
    .set({ leased_until: leaseEnd })
    .where('stage', 'in', ['waiting', 'reading', 'keeping'])
    .where(sql<boolean>`not ${isLeased}`)
    .returning(['file_id', 'batch_id', 'named'])
    .executeTakeFirst()
  if (!row) throw fail('wrong_state', '这份工资表已经在识别，或已经识别完了，请刷新后查看')
  const { options: target, file_name } = openUploadNames(vault, upload_id, row.named)
  const batch_id = row.batch_id ?? undefined
  const uploadedFileId = row.file_id && (await fileExists(ctx, row.file_id)) ? row.file_id : null
  const stored = uploadedFileId ?? (batch_id ? (await requireBatch(ctx, batch_id, 'manage')).file_id : null)
  if (!stored) throw fail('not_found', '原文件已经不在了，请重新上传')
  const { bytes } = await readFile(ctx, stored)
  return {
    source: { file_name, bytes, file_id: stored, is_new: uploadedFileId !== null },
    target: { batch_id, title_id: target?.title_id, sheet: target?.sheet },
  }
}

/** Renews the lease until the returned function was called and finished. `onCancelled`: the upload was deleted. */
export function startLeaseRenewal(
  ctx: Pick<ExternalContext, 'inTransaction'>,
  upload_id: string,
  onCancelled: () => void,
): () => Promise<void> {
  const renewLease = async () => {
    const { numUpdatedRows } = await ctx.inTransaction((inner) =>
      updateOwnUpload(inner, upload_id).set({ leased_until: leaseEnd }).executeTakeFirst(),
    )
    if (numUpdatedRows === 0n) onCancelled()
  }
  let pendingRenewal: Promise<void> = Promise.resolve()
  // A failed renewal is retried at the next interval.
  const timer = setInterval(() => {
    pendingRenewal = renewLease().catch(() => undefined)
  }, renewIntervalMs)
  return () => {
    clearInterval(timer)
    // A pending renewal could otherwise be written after the caller releases the lease.
    return pendingRenewal
  }
}

/** Completes the upload in the transaction that creates its batch. Fails if it was deleted or completed by another process. */
export async function completeUpload(
  ctx: HandlerContext,
  upload_id: string,
  batch_id: string,
  file_id: string | null,
): Promise<void> {
  const { numUpdatedRows } = await updateOwnUpload(ctx, upload_id)
    .set({ stage: 'done', batch_id, file_id: null, leased_until: null })
    .where('stage', 'in', ['waiting', 'reading', 'keeping'])
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw fail('wrong_state', '这次上传已经取消，或已经由另一个窗口完成')
  if (file_id) await makeFilePermanent(ctx, file_id)
  // Deletes other unfinished uploads for the same batch, so that none replaces this one.
  await ctx.db
    .deleteFrom('upload_progress')
    .where('company_id', '=', ctx.company_id)
    .where('batch_id', '=', batch_id)
    .where('stage', '<>', 'done')
    .execute()
  await saveWizardStep(ctx, { step: 'wageSend1', batch_id })
}

/** Releases the lease, so that another request may continue the upload. */
export const releaseLease = (ctx: HandlerContext, upload_id: string) =>
  updateOwnUpload(ctx, upload_id).set({ leased_until: null }).execute()

/** Marks the upload as failed and stores the reason for a returning user. */
export async function saveUploadError(ctx: HandlerContext, upload_id: string, message: string): Promise<void> {
  const row = await updateOwnUpload(ctx, upload_id)
    .set({ stage: 'refused', leased_until: null })
    .returning(['named', 'file_id'])
    .executeTakeFirst()
  if (!row) return
  const named = openUploadNames(ctx.vault, upload_id, row.named)
  const sealed = sealUploadNames(ctx.vault, upload_id, { ...named, said: message })
  await updateOwnUpload(ctx, upload_id).set({ named: sealed, file_id: null }).execute()
  if (row.file_id) await deleteFile(ctx, row.file_id)
}

/** Deletes an upload and its file. */
export async function deleteUpload({ db, company_id, currentUser }: HandlerContext, upload_id: string): Promise<void> {
  const row = await db
    .deleteFrom('upload_progress')
    .where('company_id', '=', company_id)
    .where('id', '=', upload_id)
    .where('account_id', '=', currentUser.account_id)
    .returning('file_id')
    .executeTakeFirst()
  if (row?.file_id) await deleteFile({ db, company_id }, row.file_id)
}

export const clearUpload = defineHandler(contract.clearUpload, async (ctx, { upload_id }) => {
  await deleteUpload(ctx, upload_id)
  return {}
})

/** Finds an upload by its id; for a batch, that of any administrator; otherwise the user's latest one for a new batch. */
export const getUploadProgress = defineHandler(contract.getUploadProgress, async (ctx, { upload_id, batch_id }) => {
  const { db, company_id, currentUser, vault } = ctx
  if (batch_id) await requireBatch(ctx, batch_id, 'view')
  const row = await db
    .selectFrom('upload_progress')
    .select(['id', 'account_id', 'batch_id', 'stage', 'done', 'total', 'named', isLeased.as('held')])
    .where('company_id', '=', company_id)
    .$if(upload_id !== undefined, (query) => query.where('id', '=', upload_id ?? ''))
    .$if(batch_id !== undefined, (query) =>
      query
        .where('batch_id', '=', batch_id ?? '')
        .where('stage', 'in', ['waiting', 'reading', 'keeping'])
        // A stalled upload of another administrator can be continued only by them.
        .where(({ or, eb }) => or([eb('account_id', '=', currentUser.account_id), isLeased])),
    )
    .$if(upload_id === undefined && batch_id === undefined, (query) =>
      query
        .where('batch_id', 'is', null)
        .where(({ or, eb }) => or([eb(selectStoredFile(company_id), 'is not', null), eb('stage', '=', 'refused')])),
    )
    .$if(batch_id === undefined, (query) => query.where('account_id', '=', currentUser.account_id))
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!row) return noUpload
  const { options: _, by, ...named } = openUploadNames(vault, row.id, row.named)
  return {
    ...named,
    labels: [...named.labels],
    stage: row.stage,
    done: row.done,
    total: row.total,
    upload_id: row.id,
    batch_id: row.batch_id,
    by: row.account_id === currentUser.account_id ? '' : by,
    is_running: row.held,
  }
})

const { options: _, ...emptyNames } = emptyUploadNames
const noUpload = {
  ...emptyNames,
  stage: 'waiting' as const,
  done: 0,
  total: 0,
  upload_id: null,
  batch_id: null,
  is_running: false,
}
