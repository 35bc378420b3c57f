/** A batch as a file: its slips, who has seen them, receipts, corrections, evidence. Made by a job, fetched with a ticket. Writes export_job. */

import * as z from 'zod/mini'
import type { ExportKind } from '../../../contract/slip.ts'
import * as contract from '../../../contract/slip.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { Database, Tx } from '../../../runtime/db.ts'
import { cleanFileName, growFile, sweepFiles } from '../../../runtime/files.ts'
import { handle, invalid, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import type { Secrets } from '../../../runtime/secrets.ts'
import { exportsSince, makeTicket, mustBeFew } from '../../desk/index.ts'
import { keepsAll } from '../../member/index.ts'
import type { PostQuery } from '../../pay/index.ts'
import { batchOfSlips, openTitle } from '../../sheet/index.ts'
import { salaryFor } from '../ledger.ts'
import { paperOf } from './draw.ts'
import { countOf, type ExportTask, type Making } from './page.ts'
import { changeSheet, evidenceFile, receiptSheet } from './proofs.ts'
import { wageSheet } from './wage-sheet.ts'

/** Whoever asked in the evening finds it in the morning. */
const lives_ms = 86_400_000

export const exportWageDetail = handle(contract.exportWageDetail, async (ctx, { batch_id, what, salary_id, format, paper }) => {
  const { db, company_id, me, now } = ctx
  const { status } = await batchOfSlips(ctx, batch_id, 'view')
  if (format === 'pdf' && what !== 'receipts' && what !== 'paper') throw invalid('format', '只有确认回执和证据可以导出为 PDF')
  const isPages = what === 'paper' || format === 'pdf'
  if (salary_id && (await salaryFor(ctx, salary_id, 'view')).batch.id !== batch_id) throw refuse('not_found')
  if (status === 'draft' || status === 'checked')
    throw refuse('wrong_state', '这一批还没有发送，没有可以导出的工资条', { status })
  const { count } = await db
    .selectFrom('export_job')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('company_id', '=', company_id)
    .where('account_id', '=', me.account_id)
    .where('created_at', '>', exportsSince(now))
    .executeTakeFirstOrThrow()
  mustBeFew(count)
  const id = newId()
  await db
    .insertInto('export_job')
    .values({
      company_id,
      id,
      batch_id,
      account_id: me.account_id,
      what,
      salary_id: salary_id ?? null,
      paper: isPages ? JSON.stringify(paper ?? { size: 'A4', large: false }) : null,
      created_at: now,
      scope_all: keepsAll(ctx),
      scope_ids: [...me.scope.department_ids],
    })
    .execute()
  await ctx.jobs.send('export', { company_id, export_id: id })
  ctx.about({ export_id: id })
  return { job_id: id }
})

export const getExportStatus = handle(contract.getExportStatus, async (ctx, { job_id }) => {
  const { db, company_id, me } = ctx
  const job = await db
    .selectFrom('export_job')
    .select(['batch_id', 'progress', 'file_id', 'failed', 'what', 'note', 'paper'])
    .where('company_id', '=', company_id)
    .where('id', '=', job_id)
    .where('account_id', '=', me.account_id)
    .executeTakeFirst()
  if (!job) throw refuse('not_found')
  // Whoever may not see the batch any more does not get its file either.
  const batch = await batchOfSlips(ctx, job.batch_id, 'view')
  const oss_path = job.file_id ? await makeTicket(ctx, job.file_id) : null
  return {
    progress: job.progress,
    done: job.file_id !== null,
    failed: job.failed,
    note: job.note,
    oss_path,
    file_name: fileName(batch.title_name, job),
  }
})

/** Who makes the file, and what it is called. */
const makers: Record<ExportKind, { make(making: Making): Promise<void>; ending: string }> = {
  detail: { make: wageSheet, ending: '明细.xlsx' },
  status: { make: wageSheet, ending: '发送状态.xlsx' },
  receipts: { make: receiptSheet, ending: '确认回执.xlsx' },
  log: { make: changeSheet, ending: '修改记录.xlsx' },
  evidence: { make: evidenceFile, ending: '证据.jsonl' },
  paper: { make: (making) => paperOf(making, 'paper'), ending: '证据.pdf' },
}
const receiptPages: (typeof makers)[ExportKind] = { make: (making) => paperOf(making, 'receipts'), ending: '确认回执.pdf' }
const makerOf = ({ what, paper }: { readonly what: string; readonly paper: unknown }) =>
  what === 'receipts' && paper !== null ? receiptPages : makers[kindOf(what)]
const kindOf = (what: string): ExportKind => contract.exportKinds.find((kind) => kind === what) ?? 'detail'
const fileName = (title: string | null, job: Parameters<typeof makerOf>[0]): string =>
  cleanFileName(`${title ?? '工资条'}-${makerOf(job).ending}`)

export type ExportData = { readonly company_id: string; readonly export_id: string }
export type ExporterParts = {
  readonly database: Database
  readonly secrets: Secrets
  readonly clock: Clock
  readonly origin: string
  readonly log: { error(about: object, message: string): void }
  readonly stamps: PostQuery | null
}
type Asked = ExportData & { readonly vault: Making['vault'] }

/** The job with its batch; null where there is none, or it is done already. */
async function taskOf(tx: Tx, { company_id, export_id, vault }: Asked): Promise<ExportTask | null> {
  const job = await tx
    .selectFrom('export_job')
    .innerJoin('batch', (join) =>
      join.onRef('batch.company_id', '=', 'export_job.company_id').onRef('batch.id', '=', 'export_job.batch_id'),
    )
    .leftJoin('title', (join) => join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'))
    .select([
      'export_job.what',
      'export_job.salary_id',
      'export_job.paper',
      'export_job.account_id',
      'export_job.scope_all',
      'export_job.scope_ids',
    ])
    .select(['export_job.file_id', 'export_job.failed', 'batch.id', 'batch.understood', 'batch.layout', 'batch.title_id'])
    .select(['title.name as title', 'title.month as title_month'])
    .where('export_job.company_id', '=', company_id)
    .where('export_job.id', '=', export_id)
    .executeTakeFirst()
  if (!job || job.file_id || job.failed) return null
  const { what, title, file_id: _, failed: __, paper, ...task } = job
  return {
    ...task,
    paper: paper === null ? null : z.parse(contract.paper, paper),
    what: kindOf(what),
    title_name: openTitle(vault, job.title_id, title),
  }
}

type Kept = { readonly file: ReturnType<typeof growFile>; readonly note: string | null; readonly now: Date }
/** Whether it is kept: nothing is where another try has kept it already. */
async function keepFile(tx: Tx, { company_id, export_id }: ExportData, { file, note, now }: Kept): Promise<boolean> {
  const open = await tx
    .selectFrom('export_job')
    .select('id')
    .where('company_id', '=', company_id)
    .where('id', '=', export_id)
    .where('file_id', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (!open) return false
  await sweepFiles({ db: tx, company_id, now })
  await file.finish(tx, new Date(now.getTime() + lives_ms))
  await set(tx, { company_id, export_id }, { file_id: file.id, progress: 100, note })
  return true
}

const set = (
  tx: Tx,
  { company_id, export_id }: ExportData,
  values: { file_id?: string; progress?: number; failed?: string; note?: string | null },
) =>
  tx
    .updateTable('export_job')
    .set(values)
    .where('company_id', '=', company_id)
    .where('id', '=', export_id)
    .where('file_id', 'is', null)
    .execute()

/**
 * Doing this job twice is harmless: it only reads slips, and the transaction that keeps the file looks whether there is one already.
 */
export function openExporter({ database, secrets, clock, origin, log, stamps }: ExporterParts) {
  return async function run(data: ExportData): Promise<void> {
    try {
      await make(data)
    } catch (error) {
      log.error({ err: error, export_id: data.export_id }, 'export failed')
      const failed = '导出失败，请重新导出；如持续出现请联系我们'
      await database.inCompany(data.company_id, (tx) => set(tx, data, { failed }))
    }
  }

  async function make(data: ExportData): Promise<void> {
    const { company_id } = data
    const read: Making['read'] = (fn) => database.inCompany(company_id, fn)
    const { vault, task, total } = await read(async (tx) => {
      const vault = await secrets.vault(tx, company_id)
      const task = await taskOf(tx, { ...data, vault })
      return { vault, task, total: task ? await countOf(tx, { company_id, task }) : 0 }
    })
    if (!task) return
    const { account_id } = task
    const file = growFile(
      { company_id, vault, now: clock.now(), within: read },
      { kind: 'export', name: fileName(task.title_name, task), account_id },
    )
    let note: string | null = null
    const making: Making = {
      task,
      company_id,
      vault,
      now: clock.now(),
      origin,
      stamps,
      read,
      write: file.add,
      note: (text) => {
        note = text
      },
      progress: async (done) => {
        const progress = Math.min(95, Math.floor((done * 95) / Math.max(1, total)))
        await read((tx) => set(tx, data, { progress }))
      },
    }
    try {
      await makerOf(task).make(making)
      if (await read((tx) => keepFile(tx, data, { file, note, now: clock.now() }))) return
    } catch (error) {
      await file.drop()
      throw error
    }
    await file.drop()
  }
}
