/**
 * Upload: the file is opened by a child process, outside any transaction, and all its rows are there; then one transaction keeps the file, what
 * was understood of it and its rows. Nothing half-written remains, whatever fails. One that has a number outlives whoever asked for it (`waiting.ts`).
 */
import type { InputOf } from '../../../contract/call.ts'
import * as contract from '../../../contract/sheet/sheet.ts'
import { can } from '../../../contract/words/states.ts'
import { isBusy, isLong } from '../../../runtime/data/busy.ts'
import type { Outdoors } from '../../../runtime/data/outdoors.ts'
import { readFile } from '../../../runtime/files/files.ts'
import { type Ctx, handleOutside, invalid, must, type OutsideCtx, Refusal, refuse } from '../../../runtime/handle.ts'
import { type ReadOptions, readSheet, type SheetRead, SheetUnreadable } from '../../../tables/index.ts'
import { batchFor } from '../access.ts'
import { HeldRows } from './held-rows.ts'
import { type Kept, keep, type Source } from './keep.ts'
import { Progress } from './progress.ts'
import { becomeBatch, begin, forget, hold, keepRefusal, letGo, takeOver, type UploadWish } from './waiting.ts'

type Input = InputOf<typeof contract.uploadWageExcel>
type Work = {
  readonly source: Source
  readonly wish: UploadWish
  readonly compare: boolean
  /** Under which it is kept, and told how far it is. */
  readonly upload_id: string | undefined
}

export const uploadWageExcel = handleOutside(contract.uploadWageExcel, async (ctx, input) => {
  const work = await workOf(ctx, input)
  if (work.source.bytes.length === 0) throw refuse('unreadable_sheet', '文件是空的，请检查后重新上传')
  const kept = await readAndKeep(ctx, work).catch((error: unknown) => {
    throw error instanceof SheetUnreadable ? refuse('unreadable_sheet', error.message) : error
  })
  // The record of it says that nothing was changed.
  if (work.compare) ctx.about({ compared: 1 })
  return kept
})

/** What is asked for: a file that came with it, other sheets of one that is there, or one that waits to be gone on with. */
async function workOf(ctx: OutsideCtx, input: Input): Promise<Work> {
  const { batch_id, title_id, upload_id } = input
  const compare = input.compare === '1'
  const sheet = input.sheet?.trim() || undefined
  if (input.resume === '1') {
    if (!upload_id || ctx.upload) throw invalid('upload_id', '请指明要继续识别哪一份工资表')
    return { ...(await ctx.inTransaction((inner) => takeOver(inner, upload_id))), compare: false, upload_id }
  }
  if (compare && !(batch_id && ctx.upload)) throw invalid('file', '请选择修正后的工资表')
  const came: Source = ctx.upload ? { ...ctx.upload, file_id: null, is_new: true } : await storedFile(ctx, batch_id, sheet)
  const wish = { title_id, batch_id, sheet }
  if (!upload_id || came.bytes.length === 0) return { source: came, wish, compare, upload_id: undefined }
  const { source, begun } = await ctx.inTransaction((inner) => begin(inner, upload_id, came, { ...wish, compare }))
  return { source, wish, compare, upload_id: begun ? upload_id : undefined }
}

async function readAndKeep(ctx: OutsideCtx, { source, wish, compare, upload_id }: Work): Promise<Kept> {
  const progress = new Progress(ctx, upload_id)
  const stop = new AbortController()
  // A comparison changes nothing: who has left it begins it anew.
  const lasts = upload_id !== undefined && !compare
  let isRead = false
  // Whoever has left waits for no seat. What is being read already is read to its end, where it is kept for him.
  const left = () => {
    if (!lasts || !isRead) stop.abort(ctx.signal.reason)
  }
  ctx.signal.addEventListener('abort', left)
  if (ctx.signal.aborted) left()
  const letLoose = upload_id ? hold(ctx, upload_id, () => stop.abort(refuse('wrong_state', '已取消上传'))) : async () => undefined
  let stage: 'done' | 'refused' = 'refused'
  try {
    const read = await openSheet(ctx.outdoors, source, {
      sheet: wish.sheet,
      signal: stop.signal,
      owner: ctx.me?.company_id,
      // How many are before is told in the place of rows.
      waits: (before) => progress.say({ stage: 'waiting', total: before }),
      started: () => {
        isRead = true
        progress.say({ stage: 'reading', total: 0 })
      },
    })
    const rows = await HeldRows.from(read)
    const { columns, data_rows, unclaimed, sheet } = read.understanding
    const labels = columns.map(({ label }) => label)
    progress.say({ stage: 'keeping', sheet, labels, total: data_rows.length + unclaimed.length })
    const kept = (rows: number) => progress.say({ done: rows })
    const work = async (inner: Ctx) => {
      const info = await keep(inner, { ...read, rows }, source, {
        title_id: wish.title_id,
        batch_id: wish.batch_id,
        compare,
        kept,
      })
      if (lasts) await becomeBatch(inner, upload_id, info.batch_id, source.is_new ? source.file_id : null)
      return info
    }
    const keeps = () => (compare ? ctx.inTransaction(work) : ctx.deed(work))
    const info = await (lasts ? untilFree(keeps, stop.signal) : keeps())
    stage = 'done'
    return info
  } catch (error) {
    await letLoose()
    await progress.end('refused')
    if (upload_id) await after(ctx, upload_id, { error, lasts })
    throw error
  } finally {
    await letLoose()
    ctx.signal.removeEventListener('abort', left)
    // Whatever ends this call also ends the child.
    stop.abort()
    if (stage === 'done') await progress.end(stage)
  }
}

/** Each has waited for four seconds. */
const most_tries = 10
/** What is read would have to be read anew, and its file be chosen again: whoever held a row for long is waited for once more. */
async function untilFree<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (tries === most_tries || !(error instanceof Error) || !isBusy(error) || isLong(error)) throw error
      signal.throwIfAborted()
    }
  }
}

/** What becomes of an upload that became no batch. Whoever is here hears why by this call; for whoever left, it waits. */
async function after(ctx: OutsideCtx, upload_id: string, { error, lasts }: { error: unknown; lasts: boolean }): Promise<void> {
  const isSaid = error instanceof SheetUnreadable || error instanceof Refusal
  const isGone = ctx.signal.aborted
  await ctx
    .inTransaction(async (inner) => {
      if (!isGone || !lasts) await forget(inner, upload_id)
      else if (isSaid) await keepRefusal(inner, upload_id, error.message)
      else await letGo(inner, upload_id)
    })
    // It is let go by itself in a few seconds.
    .catch(() => undefined)
}

/** Other sheets of the file that the batch was made of. */
async function storedFile(ctx: OutsideCtx, batch_id: string | undefined, sheet: string | undefined): Promise<Source> {
  if (!batch_id || !sheet) throw invalid('file', '请选择要上传的工资表')
  return ctx.inTransaction(async (inner) => {
    const batch = await batchFor(inner, batch_id, 'manage')
    must(can.arrange(batch.status), { status: batch.status })
    if (!batch.file_id) throw refuse('not_found', '原文件已经不在了，请重新上传')
    const { bytes } = await readFile(inner, batch.file_id)
    return { file_name: batch.file_name, bytes, file_id: batch.file_id, is_new: false }
  })
}

/** Reads the file; what is no wage sheet with people is refused with a sentence that says what to do. */
export async function openSheet(
  outdoors: Outdoors,
  { file_name, bytes }: Source,
  options: Omit<ReadOptions, 'file_name'>,
): Promise<SheetRead> {
  const read = await readSheet(outdoors, bytes, { file_name, ...options })
  const { kind, reason } = read.understanding
  if (kind === 'wage') return read
  if (kind === 'template') throw new SheetUnreadable('表里只有表头，没有人员；请填好每个人的工资后再上传')
  if (kind === 'member_list')
    throw new SheetUnreadable('这像是员工名单，没有工资金额；添加员工请到「花名册」，发工资条请上传带「实发工资」的工资表')
  const why = reason ?? '没有找到工资表：表里要有一行写着「姓名」「实发工资」等列名'
  throw new SheetUnreadable(why.includes('请') ? why : `${why}，请修改后重新上传`)
}
