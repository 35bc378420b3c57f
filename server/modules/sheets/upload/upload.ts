/**
 * Upload of wage sheets: a child process parses the file outside any transaction, and all rows are read; then one
 * transaction stores the file, the recognition result and the rows, so that nothing incomplete remains after a failure.
 * An upload with an id survives the request that started it (`pending-uploads.ts`).
 */
import type { CallInput } from '../../../contract/call.ts'
import { can } from '../../../contract/shared/statuses.ts'
import * as contract from '../../../contract/sheets/sheet.ts'
import type { NoTransaction } from '../../../database/no-transaction.ts'
import { isStatementTimeout, isTransientDatabaseError } from '../../../database/transient-errors.ts'
import { readFile } from '../../../files/stored-files.ts'
import {
  AppError,
  assertAllowed,
  defineHandler,
  type ExternalContext,
  fail,
  type HandlerContext,
  invalidInput,
} from '../../../http/handler.ts'
import { type ReadOptions, type ReadSheetResult, readWageSheetFile, UnreadableSheetError } from '../../../spreadsheets/index.ts'
import { requireBatch } from '../access.ts'
import { BufferedRows } from './buffered-rows.ts'
import { importSheet } from './import-sheet.ts'
import type { ImportedSheet, UploadSource } from './incoming-sheet.ts'
import {
  completeUpload,
  deleteUpload,
  releaseLease,
  saveUploadError,
  startLeaseRenewal,
  startUpload,
  takeOverUpload,
  type UploadDestination,
} from './pending-uploads.ts'
import { UploadProgressReporter } from './progress.ts'

type UploadInput = CallInput<typeof contract.uploadWageExcel>
type UploadWork = {
  readonly source: UploadSource
  readonly target: UploadDestination
  readonly compare: boolean
  /** The id under which the upload is stored and its progress is reported. */
  readonly upload_id: string | undefined
}

export const uploadWageExcel = defineHandler(contract.uploadWageExcel, { kind: 'external' }, async (ctx, input) => {
  const work = await prepareUpload(ctx, input)
  if (work.source.bytes.length === 0) throw fail('unreadable_sheet', '文件是空的，请检查后重新上传')
  const imported = await readAndImport(ctx, work).catch((error: unknown) => {
    throw error instanceof UnreadableSheetError ? fail('unreadable_sheet', error.message) : error
  })
  // The audit log records that nothing was changed.
  if (work.compare) ctx.addAuditDetails({ compared: 1 })
  return imported
})

/** Determines the input: a newly uploaded file, other sheets of a stored one, or an interrupted upload to continue. */
async function prepareUpload(ctx: ExternalContext, input: UploadInput): Promise<UploadWork> {
  const { batch_id, title_id, upload_id } = input
  const compare = input.compare_only === '1'
  const sheet = input.sheet?.trim() || undefined
  if (input.resume === '1') {
    if (!upload_id || ctx.upload) throw invalidInput('upload_id', '请指明要继续识别哪一份工资表')
    return { ...(await ctx.inTransaction((inner) => takeOverUpload(inner, upload_id))), compare: false, upload_id }
  }
  if (compare && !(batch_id && ctx.upload)) throw invalidInput('file', '请选择修正后的工资表')
  const newSource: UploadSource = ctx.upload
    ? { ...ctx.upload, file_id: null, is_new: true }
    : await loadStoredFile(ctx, batch_id, sheet)
  const target = { title_id, batch_id, sheet }
  if (!upload_id || newSource.bytes.length === 0) return { source: newSource, target, compare, upload_id: undefined }
  const { source, isStarted } = await ctx.inTransaction((inner) =>
    startUpload(inner, upload_id, newSource, { ...target, compare }),
  )
  return { source, target, compare, upload_id: isStarted ? upload_id : undefined }
}

async function readAndImport(ctx: ExternalContext, { source, target, compare, upload_id }: UploadWork): Promise<ImportedSheet> {
  const progress = new UploadProgressReporter(ctx, upload_id)
  const stop = new AbortController()
  // A comparison changes nothing, so it is not resumed.
  const isPersistent = upload_id !== undefined && !compare
  let isRead = false
  // A client that has disconnected does not wait in the queue. A file that is already being parsed is finished if the
  // upload is stored.
  const onClientAbort = () => {
    if (!isPersistent || !isRead) stop.abort(ctx.signal.reason)
  }
  ctx.signal.addEventListener('abort', onClientAbort)
  if (ctx.signal.aborted) onClientAbort()
  const releaseUpload = upload_id
    ? startLeaseRenewal(ctx, upload_id, () => stop.abort(fail('wrong_state', '已取消上传')))
    : async () => undefined
  let stage: 'done' | 'refused' = 'refused'
  try {
    const read = await readWageSheet(ctx.noTransaction, source, {
      sheet: target.sheet,
      signal: stop.signal,
      owner: ctx.me?.company_id,
      // The number of uploads ahead is reported instead of a row count.
      onQueuePosition: (before) => progress.report({ stage: 'waiting', total: before }),
      started: () => {
        isRead = true
        progress.report({ stage: 'reading', total: 0 })
      },
    })
    const rows = await BufferedRows.from(read)
    const { columns, data_rows, unclaimed, sheet } = read.recognition
    const labels = columns.map(({ label }) => label)
    progress.report({ stage: 'keeping', sheet, labels, total: data_rows.length + unclaimed.length })
    const onRowsSaved = (rows: number) => progress.report({ done: rows })
    const work = async (inner: HandlerContext) => {
      const info = await importSheet(inner, { ...read, rows }, source, {
        title_id: target.title_id,
        batch_id: target.batch_id,
        compare,
        onRowsSaved,
      })
      if (isPersistent) await completeUpload(inner, upload_id, info.batch_id, source.is_new ? source.file_id : null)
      return info
    }
    const runImport = () => (compare ? ctx.inTransaction(work) : ctx.mutate(work))
    const info = await (isPersistent ? retryWhileLocked(runImport, stop.signal) : runImport())
    stage = 'done'
    return info
  } catch (error) {
    await releaseUpload()
    await progress.end('refused')
    if (upload_id) await handleFailedUpload(ctx, upload_id, { error, lasts: isPersistent })
    throw error
  } finally {
    await releaseUpload()
    ctx.signal.removeEventListener('abort', onClientAbort)
    // Ending this call for any reason also ends the child process.
    stop.abort()
    if (stage === 'done') await progress.end(stage)
  }
}

/** At this point each attempt has waited for four seconds. */
const maxAttempts = 10
/** Retries while a row is locked, because otherwise the file would have to be selected and parsed again. */
async function retryWhileLocked<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === maxAttempts || !(error instanceof Error) || !isTransientDatabaseError(error) || isStatementTimeout(error))
        throw error
      signal.throwIfAborted()
    }
  }
}

/** Handles an upload that failed: a connected client receives the error; for one that has left, it is stored. */
async function handleFailedUpload(
  ctx: ExternalContext,
  upload_id: string,
  { error, lasts: isPersistent }: { error: unknown; lasts: boolean },
): Promise<void> {
  const hasUserMessage = error instanceof UnreadableSheetError || error instanceof AppError
  const isAborted = ctx.signal.aborted
  await ctx
    .inTransaction(async (inner) => {
      if (!isAborted || !isPersistent) await deleteUpload(inner, upload_id)
      else if (hasUserMessage) await saveUploadError(inner, upload_id, error.message)
      else await releaseLease(inner, upload_id)
    })
    // The lease expires after a few seconds anyway.
    .catch(() => undefined)
}

/** Loads the stored file of the batch to read other sheets of it. */
async function loadStoredFile(
  ctx: ExternalContext,
  batch_id: string | undefined,
  sheet: string | undefined,
): Promise<UploadSource> {
  if (!batch_id || !sheet) throw invalidInput('file', '请选择要上传的工资表')
  return ctx.inTransaction(async (inner) => {
    const batch = await requireBatch(inner, batch_id, 'manage')
    assertAllowed(can.arrange(batch.status), { status: batch.status })
    if (!batch.file_id) throw fail('not_found', '原文件已经不在了，请重新上传')
    const { bytes } = await readFile(inner, batch.file_id)
    return { file_name: batch.file_name, bytes, file_id: batch.file_id, is_new: false }
  })
}

/** Parses the file; if it is no wage sheet with members, fails with a message that says what to do. */
export async function readWageSheet(
  external: NoTransaction,
  { file_name, bytes }: UploadSource,
  options: Omit<ReadOptions, 'file_name'>,
): Promise<ReadSheetResult> {
  const read = await readWageSheetFile(external, bytes, { file_name, ...options })
  const { kind, reason } = read.recognition
  if (kind === 'wage') return read
  if (kind === 'template') throw new UnreadableSheetError('表里只有表头，没有人员；请填好每个人的工资后再上传')
  if (kind === 'member_list')
    throw new UnreadableSheetError('这像是员工名单，没有工资金额；添加员工请到「花名册」，发工资条请上传带「实发工资」的工资表')
  const message = reason ?? '没有找到工资表：表里要有一行写着「姓名」「实发工资」等列名'
  throw new UnreadableSheetError(message.includes('请') ? message : `${message}，请修改后重新上传`)
}
