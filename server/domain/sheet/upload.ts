/**
 * Upload: the file is opened by a child process, outside any transaction; then one transaction keeps the file, what was understood
 * of it and its rows. Nothing half-written remains, whatever fails.
 */
import * as contract from '../../contract/sheet.ts'
import { can } from '../../contract/states.ts'
import { readFile } from '../../runtime/files.ts'
import { type Ctx, handleOutside, invalid, must, type OutsideCtx, refuse } from '../../runtime/handle.ts'
import { batchFor } from './access.ts'
import { keep, type Source } from './keep.ts'
import { Progress } from './progress.ts'
import { type ReadOptions, readSheet, type SheetRead, SheetUnreadable } from './reader/read-sheet.ts'

export const uploadWageExcel = handleOutside(contract.uploadWageExcel, async (ctx, input) => {
  const { batch_id, title_id } = input
  const compare = input.compare === '1'
  if (compare && !(batch_id && ctx.upload)) throw invalid('file', '请选择修正后的工资表')
  const sheet = input.sheet?.trim() || undefined
  const source: Source = ctx.upload ? { ...ctx.upload, file_id: null } : await storedFile(ctx, batch_id, sheet)
  if (source.bytes.length === 0) throw refuse('unreadable_sheet', '文件是空的，请检查后重新上传')
  const progress = new Progress(ctx, input.upload_id)
  // Whatever ends this call also ends the child.
  const done = new AbortController()
  const signal = AbortSignal.any([ctx.signal, done.signal])
  let stage: 'done' | 'refused' = 'refused'
  try {
    const read = await open(source, {
      sheet,
      signal,
      owner: ctx.me?.company_id,
      // How many are before is told in the place of rows.
      waits: (before) => progress.say({ stage: 'waiting', total: before }),
      started: () => progress.say({ stage: 'reading', total: 0 }),
    })
    const { columns, data_rows, unclaimed, ...understanding } = read.understanding
    progress.say({
      stage: 'keeping',
      sheet: understanding.sheet,
      labels: columns.map(({ label }) => label),
      total: data_rows.length + unclaimed.length,
    })
    const wish = {
      title_id,
      batch_id,
      compare,
      kept: (rows: number) => progress.say({ done: rows }),
    }
    const work = (inner: Ctx) => keep(inner, read, source, wish)
    const kept = await (compare ? ctx.inTransaction(work) : ctx.inTransactionOnce(work))
    stage = 'done'
    // The record of it says that nothing was changed.
    if (compare) ctx.about({ compared: 1 })
    return kept
  } catch (error) {
    if (error instanceof SheetUnreadable) throw refuse('unreadable_sheet', error.message)
    throw error
  } finally {
    done.abort()
    await progress.end(stage)
  }
})

/** Other sheets of the file that the batch was made of. */
async function storedFile(ctx: OutsideCtx, batch_id: string | undefined, sheet: string | undefined): Promise<Source> {
  if (!batch_id || !sheet) throw invalid('file', '请选择要上传的工资表')
  return ctx.inTransaction(async (inner) => {
    const batch = await batchFor(inner, batch_id, 'manage')
    must(can.arrange(batch.status), { status: batch.status })
    if (!batch.file_id) throw refuse('not_found', '原文件已经不在了，请重新上传')
    const { bytes } = await readFile(inner, batch.file_id)
    return { file_name: batch.file_name, bytes, file_id: batch.file_id }
  })
}

/** Reads the file; what is no wage sheet with people is refused with a sentence that says what to do. */
async function open({ file_name, bytes }: Source, options: Omit<ReadOptions, 'file_name'>): Promise<SheetRead> {
  const read = await readSheet(bytes, { file_name, ...options })
  const { kind, reason } = read.understanding
  if (kind === 'wage') return read
  if (kind === 'template') throw new SheetUnreadable('表里只有表头，没有人员；请填好每个人的工资后再上传')
  if (kind === 'member_list')
    throw new SheetUnreadable('这像是员工名单，没有工资金额；添加员工请到「花名册」，发工资条请上传带「实发工资」的工资表')
  const why = reason ?? '没有找到工资表：表里要有一行写着“姓名”“实发工资”等列名'
  throw new SheetUnreadable(why.includes('请') ? why : `${why}，请修改后重新上传`)
}
