/** A batch as a file: its slips, who has seen them, receipts, corrections, evidence. Made by a job, fetched with a ticket. Writes export_job. */

import type { Insertable } from 'kysely'
import * as z from 'zod/mini'
import type { ExportKind } from '../../../contract/slip/slip.ts'
import * as contract from '../../../contract/slip/slip.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { Database, Tx } from '../../../runtime/db.ts'
import { cleanFileName, growFile, sweepFiles } from '../../../runtime/files/files.ts'
import { type Ctx, handle, invalid, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import type { ExportJob } from '../../../runtime/postgres/tables.ts'
import type { Secrets } from '../../../runtime/secrets.ts'
import { exportsSince, makeTicket, mustBeFew } from '../../desk/index.ts'
import { keepsAll, nameOf } from '../../member/index.ts'
import type { PostQuery } from '../../pay/index.ts'
import { batchOfSlips, runsInFull } from '../../sheet/index.ts'
import { salaryFor } from '../send/ledger.ts'
import { paperOf } from './draw.ts'
import { type Called, countOf, type ExportTask, type Making } from './page.ts'
import { changeSheet, evidenceFile, receiptSheet } from './proofs.ts'
import { wageSheet } from './wage-sheet.ts'

/** Whoever asked in the evening finds it in the morning. */
const lives_ms = 86_400_000

export const exportWageDetail = handle(contract.exportWageDetail, async (ctx, { batch_id, what, salary_id, format, paper }) => {
  const { status } = await batchOfSlips(ctx, batch_id, 'view')
  if (format === 'pdf' && what !== 'receipts' && what !== 'paper') throw invalid('format', '只有确认回执和证据可以导出为 PDF')
  const isPages = what === 'paper' || format === 'pdf'
  if (salary_id && (await salaryFor(ctx, salary_id, 'view')).batch.id !== batch_id) throw refuse('not_found')
  if (status === 'draft' || status === 'checked')
    throw refuse('wrong_state', '这一批还没有发送，没有可以导出的工资条', { status })
  const job_id = await beginExport(ctx, {
    batch_id,
    what,
    salary_id: salary_id ?? null,
    paper: isPages ? JSON.stringify(paper ?? { size: 'A4', large: false }) : null,
  })
  return { job_id }
})

type Wish = Omit<Insertable<ExportJob>, 'company_id' | 'id' | 'account_id' | 'created_at' | 'scope_all' | 'scope_ids'>
/** Refuses the thirty-first within the hour; answers the job's id. */
export async function beginExport(ctx: Ctx, wish: Wish): Promise<string> {
  const { db, company_id, me, now } = ctx
  const { count } = await db
    .selectFrom('export_job')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('company_id', '=', company_id)
    .where('account_id', '=', me.account_id)
    .where('created_at', '>', exportsSince(now))
    .executeTakeFirstOrThrow()
  mustBeFew(count)
  const id = newId()
  const { account_id } = me
  const scope = { scope_all: keepsAll(ctx), scope_ids: [...me.scope.department_ids] }
  await db
    .insertInto('export_job')
    .values({ ...wish, ...scope, company_id, id, account_id, created_at: now })
    .execute()
  await ctx.jobs.send('export', { company_id, export_id: id })
  ctx.about({ export_id: id })
  return id
}

export const getExportStatus = handle(contract.getExportStatus, async (ctx, { job_id }) => {
  const { db, company_id, me } = ctx
  const job = await db
    .selectFrom('export_job')
    .select(['batch_id', 'batch_ids', 'progress', 'file_id', 'failed', 'what', 'note', 'paper', ...ofPeriod])
    .where('company_id', '=', company_id)
    .where('id', '=', job_id)
    .where('account_id', '=', me.account_id)
    .executeTakeFirst()
  if (!job) throw refuse('not_found')
  // Whoever may not see the batch any more does not get its file either.
  for (const batch_id of job.batch_ids ?? []) await batchOfSlips(ctx, batch_id, 'view')
  const batch = job.batch_id ? await batchOfSlips(ctx, job.batch_id, 'view') : null
  const { title } = await calledOf({ db, company_id }, job, { title: batch?.title_name ?? '工资条', month: null })
  const oss_path = job.file_id ? await makeTicket(ctx, job.file_id) : null
  return {
    progress: job.progress,
    done: job.file_id !== null,
    failed: job.failed,
    note: job.note,
    oss_path,
    file_name: fileName(title, job),
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
const fileName = (title: string, job: Parameters<typeof makerOf>[0]): string => cleanFileName(`${title}-${makerOf(job).ending}`)

const ofPeriod = ['month_from', 'month_to', 'member_ids'] as const
type OfPeriod = Readonly<{ month_from: string | null; month_to: string | null; member_ids: readonly string[] | null }>
/** What a file is about: of a period by its months and, where it is of one person, his name. */
async function calledOf(
  { db, company_id }: { readonly db: Tx; readonly company_id: string },
  job: OfPeriod,
  batch: Called,
): Promise<Called> {
  const { month_from: from, month_to: to, member_ids } = job
  if (!from || !to) return batch
  const name = member_ids?.[0] ? await nameOf({ db, company_id }, member_ids[0]) : null
  const month = from === to ? from : `${from}/${to}`
  return { title: [name, periodCalled(from, to)].filter(Boolean).join(' '), month }
}

/** `2026年1月至10月`. */
function periodCalled(from: string, to: string): string {
  const [year, until] = [from.slice(0, 4), to.slice(0, 4)]
  const [first, last] = [from, to].map((month) => `${Number(month.slice(5))}月`)
  if (from === to) return `${year}年${first}`
  return `${year}年${first}至${until === year ? '' : `${until}年`}${last}`
}

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

type Work = { readonly tasks: readonly ExportTask[]; readonly called: Called; readonly total: number }
/** The job with its batches; null where there is none, or it is done already. */
async function workOf(tx: Tx, { company_id, export_id, vault }: Asked): Promise<Work | null> {
  const job = await tx
    .selectFrom('export_job')
    .select(['what', 'salary_id', 'paper', 'account_id', 'scope_all', 'scope_ids', ...ofPeriod])
    .select(['batch_id', 'batch_ids', 'file_id', 'failed'])
    .where('company_id', '=', company_id)
    .where('id', '=', export_id)
    .executeTakeFirst()
  if (!job || job.file_id || job.failed) return null
  const { paper, what, salary_id, member_ids, account_id, scope_all, scope_ids } = job
  const asked = { salary_id, member_ids, account_id, scope_all, scope_ids, what: kindOf(what) }
  const batches = await runsInFull({ db: tx, company_id, vault }, job.batch_ids ?? (job.batch_id ? [job.batch_id] : []))
  const tasks = batches.map((batch) => ({
    ...asked,
    ...batch,
    paper: paper === null ? null : z.parse(contract.paper, paper),
  }))
  const [first] = tasks
  if (!first) return null
  let total = 0
  for (const task of tasks) total += await countOf(tx, { company_id, task })
  const batch = { title: first.title_name ?? '工资条', month: first.title_month }
  return { tasks, total, called: await calledOf({ db: tx, company_id }, job, batch) }
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
    const { vault, work } = await read(async (tx) => {
      const vault = await secrets.vault(tx, company_id)
      return { vault, work: await workOf(tx, { ...data, vault }) }
    })
    const task = work?.tasks[0]
    if (!work || !task) return
    const { account_id } = task
    const file = growFile(
      { company_id, vault, now: clock.now(), within: read },
      { kind: 'export', name: fileName(work.called.title, task), account_id },
    )
    let note: string | null = null
    let said = 0
    const making: Making = {
      task,
      tasks: work.tasks,
      called: work.called,
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
        const progress = Math.min(95, Math.floor((done * 95) / Math.max(1, work.total)))
        if (progress === said) return
        said = progress
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
