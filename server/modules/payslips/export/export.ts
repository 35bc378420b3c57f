/** Exports of a batch: payslips, views, receipts, corrections, evidence. Made by a job. Writes export_job. */

import type { Insertable } from 'kysely'
import * as z from 'zod/mini'
import type { ExportKind } from '../../../contract/payslips/send.ts'
import * as contract from '../../../contract/payslips/send.ts'
import type { Secrets } from '../../../crypto/secrets.ts'
import type { CompanyTx } from '../../../database/company-tx.ts'
import type { Database, Tx } from '../../../database/database.ts'
import type { ExportJob } from '../../../database/tables.ts'
import { createFileWriter, deleteExpiredFiles, sanitizeFileName } from '../../../files/stored-files.ts'
import { defineHandler, fail, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { assertRecentIdentityProof } from '../../../http/sessions.ts'
import type { Clock } from '../../../shared/clock.ts'
import { newId } from '../../../shared/ids.ts'
import { canManageAllMembers, getMemberName } from '../../directory/index.ts'
import { assertExportLimit, createTicketPath, getExportWindowStart } from '../../files/index.ts'
import type { TimeStampClient } from '../../payslip-records/index.ts'
import { loadBatchesWithLayout, requireBatchForPayslips } from '../../sheets/index.ts'
import { getVisiblePayslip } from '../send/ledger.ts'
import { exportChanges, exportEvidenceFile, exportReceipts } from './evidence-files.ts'
import { countExportRows, type ExportContext, type ExportTask, type ExportTitle } from './export-context.ts'
import { exportPdf } from './pdf.ts'
import { exportWageSheet } from './wage-sheet.ts'

/** A file requested in the evening is still available in the morning. */
const fileLifetimeMs = 86_400_000

export const exportWageDetail = defineHandler(
  contract.exportWageDetail,
  async (ctx, { batch_id, what, salary_id, format, paper }) => {
    const { status } = await requireBatchForPayslips(ctx, batch_id, 'view')
    if (format === 'pdf' && what !== 'receipts' && what !== 'paper')
      throw invalidInput('format', '只有确认回执和证据可以导出为 PDF')
    const isPages = what === 'paper' || format === 'pdf'
    if (salary_id && (await getVisiblePayslip(ctx, salary_id, 'view')).batch.id !== batch_id) throw fail('not_found')
    if (status === 'draft' || status === 'checked')
      throw fail('wrong_state', '这一批还没有发送，没有可以导出的工资条', { status })
    const job_id = await createExportJob(ctx, {
      batch_id,
      what,
      salary_id: salary_id ?? null,
      paper: isPages ? JSON.stringify(paper ?? { size: 'A4', large: false }) : null,
    })
    return { job_id }
  },
)

type NewExportJob = Omit<Insertable<ExportJob>, 'company_id' | 'id' | 'account_id' | 'created_at' | 'scope_all' | 'scope_ids'>
/** The kinds of files without any amount. */
const kindsWithoutAmounts: readonly string[] = ['status', 'receipts'] satisfies ExportKind[]
/** Rejects an export beyond the limit of its kind within an hour, or without a recent proof of identity; returns the job's id. */
export async function createExportJob(ctx: HandlerContext, newJob: NewExportJob): Promise<string> {
  const { db, company_id, currentUser, now } = ctx
  const showsAmounts = !kindsWithoutAmounts.includes(newJob.what)
  if (showsAmounts) await assertRecentIdentityProof(db, currentUser.session_id, now)
  const { count } = await db
    .selectFrom('export_job')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('company_id', '=', company_id)
    .where('account_id', '=', currentUser.account_id)
    .where('what', showsAmounts ? 'not in' : 'in', kindsWithoutAmounts)
    .where('created_at', '>', getExportWindowStart(now))
    .executeTakeFirstOrThrow()
  assertExportLimit(count, showsAmounts ? 'withAmounts' : 'others')
  const id = newId()
  const { account_id } = currentUser
  const scope = { scope_all: canManageAllMembers(ctx), scope_ids: [...currentUser.scope.department_ids] }
  await db
    .insertInto('export_job')
    .values({ ...newJob, ...scope, company_id, id, account_id, created_at: now })
    .execute()
  await ctx.jobs.send('export', { company_id, export_id: id })
  ctx.addAuditDetails({ export_id: id })
  return id
}

export const getExportStatus = defineHandler(contract.getExportStatus, async (ctx, { job_id }) => {
  const { db, company_id, currentUser } = ctx
  const job = await db
    .selectFrom('export_job')
    .select(['batch_id', 'batch_ids', 'progress', 'file_id', 'failed', 'what', 'note', 'paper', ...periodColumns])
    .where('company_id', '=', company_id)
    .where('id', '=', job_id)
    .where('account_id', '=', currentUser.account_id)
    .executeTakeFirst()
  if (!job) throw fail('not_found')
  // A user who may no longer view the batch does not get its file either.
  for (const batch_id of job.batch_ids ?? []) await requireBatchForPayslips(ctx, batch_id, 'view')
  const batch = job.batch_id ? await requireBatchForPayslips(ctx, job.batch_id, 'view') : null
  const { title } = await getExportTitle({ db, company_id }, job, { title: batch?.title_name ?? '工资条', month: null })
  const oss_path = job.file_id ? await createTicketPath(ctx, job.file_id) : null
  return {
    progress: job.progress,
    done: job.file_id !== null,
    failed: job.failed,
    note: job.note,
    oss_path,
    file_name: getFileName(title, job),
  }
})

const exporters: Record<ExportKind, { run(making: ExportContext): Promise<void>; fileSuffix: string }> = {
  detail: { run: exportWageSheet, fileSuffix: '明细.xlsx' },
  status: { run: exportWageSheet, fileSuffix: '发送状态.xlsx' },
  receipts: { run: exportReceipts, fileSuffix: '确认回执.xlsx' },
  log: { run: exportChanges, fileSuffix: '修改记录.xlsx' },
  evidence: { run: exportEvidenceFile, fileSuffix: '证据.jsonl' },
  paper: { run: (making) => exportPdf(making, 'paper'), fileSuffix: '证据.pdf' },
}
const receiptPdfExporter: (typeof exporters)[ExportKind] = {
  run: (making) => exportPdf(making, 'receipts'),
  fileSuffix: '确认回执.pdf',
}
const getExporter = ({ what, paper }: { readonly what: string; readonly paper: unknown }) =>
  what === 'receipts' && paper !== null ? receiptPdfExporter : exporters[toExportKind(what)]
const toExportKind = (what: string): ExportKind => contract.exportKinds.find((kind) => kind === what) ?? 'detail'
const getFileName = (title: string, job: Parameters<typeof getExporter>[0]): string =>
  sanitizeFileName(`${title}-${getExporter(job).fileSuffix}`)

const periodColumns = ['month_from', 'month_to', 'member_ids'] as const
type ExportPeriod = Readonly<{ month_from: string | null; month_to: string | null; member_ids: readonly string[] | null }>
/** Returns the subject of a file: a period by its months and, for a single member, the name. */
async function getExportTitle({ db, company_id }: CompanyTx, job: ExportPeriod, batchTitle: ExportTitle): Promise<ExportTitle> {
  const { month_from: from, month_to: to, member_ids } = job
  if (!from || !to) return batchTitle
  const name = member_ids?.[0] ? await getMemberName({ db, company_id }, member_ids[0]) : null
  const month = from === to ? from : `${from}/${to}`
  return { title: [name, formatPeriod(from, to)].filter(Boolean).join(' '), month }
}

/** `2026年1月至10月`. */
function formatPeriod(from: string, to: string): string {
  const [year, lastYear] = [from.slice(0, 4), to.slice(0, 4)]
  const [first, last] = [from, to].map((month) => `${Number(month.slice(5))}月`)
  if (from === to) return `${year}年${first}`
  return `${year}年${first}至${lastYear === year ? '' : `${lastYear}年`}${last}`
}

export type ExportJobData = { readonly company_id: string; readonly export_id: string }
export type ExporterDeps = {
  readonly database: Database
  readonly secrets: Secrets
  readonly clock: Clock
  readonly origin: string
  readonly log: { error(about: object, message: string): void }
  readonly timeStampClient: TimeStampClient | null
}
type ExportJobContext = ExportJobData & { readonly vault: ExportContext['vault'] }

type ExportWork = { readonly tasks: readonly ExportTask[]; readonly exportTitle: ExportTitle; readonly total: number }
/** Loads the job with its batches; null if it does not exist or is already done. */
async function loadWork(tx: Tx, { company_id, export_id, vault }: ExportJobContext): Promise<ExportWork | null> {
  const job = await tx
    .selectFrom('export_job')
    .select(['what', 'salary_id', 'paper', 'account_id', 'scope_all', 'scope_ids', ...periodColumns])
    .select(['batch_id', 'batch_ids', 'file_id', 'failed'])
    .where('company_id', '=', company_id)
    .where('id', '=', export_id)
    .executeTakeFirst()
  if (!job || job.file_id || job.failed) return null
  const { paper, what, salary_id, member_ids, account_id, scope_all, scope_ids } = job
  const taskOptions = { salary_id, member_ids, account_id, scope_all, scope_ids, what: toExportKind(what) }
  const batches = await loadBatchesWithLayout(
    { db: tx, company_id, vault },
    job.batch_ids ?? (job.batch_id ? [job.batch_id] : []),
  )
  const tasks = batches.map((batchTitle) => ({
    ...taskOptions,
    ...batchTitle,
    paper: paper === null ? null : z.parse(contract.paperOptions, paper),
  }))
  const [first] = tasks
  if (!first) return null
  let total = 0
  for (const task of tasks) total += await countExportRows(tx, { company_id, task })
  const batchTitle = { title: first.title_name ?? '工资条', month: first.title_month }
  return { tasks, total, exportTitle: await getExportTitle({ db: tx, company_id }, job, batchTitle) }
}

type FinishedFile = { readonly file: ReturnType<typeof createFileWriter>; readonly note: string | null; readonly now: Date }
/** Returns whether the file was stored: not if another attempt has already stored it. */
async function saveExportFile(
  tx: Tx,
  { company_id, export_id }: ExportJobData,
  { file, note, now }: FinishedFile,
): Promise<boolean> {
  const unfinishedJob = await tx
    .selectFrom('export_job')
    .select('id')
    .where('company_id', '=', company_id)
    .where('id', '=', export_id)
    .where('file_id', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (!unfinishedJob) return false
  await deleteExpiredFiles({ db: tx, company_id, now })
  await file.finish(tx, new Date(now.getTime() + fileLifetimeMs))
  await updateExportJob(tx, { company_id, export_id }, { file_id: file.id, progress: 100, note })
  return true
}

const updateExportJob = (
  tx: Tx,
  { company_id, export_id }: ExportJobData,
  values: { file_id?: string; progress?: number; failed?: string; note?: string | null },
) =>
  tx
    .updateTable('export_job')
    .set(values)
    .where('company_id', '=', company_id)
    .where('id', '=', export_id)
    .where('file_id', 'is', null)
    .execute()

/** Idempotent: the job only reads payslips, and the transaction that stores the file checks whether there is one already. */
export function createExporter({ database, secrets, clock, origin, log, timeStampClient }: ExporterDeps) {
  return async function run(data: ExportJobData): Promise<void> {
    try {
      await makeFile(data)
    } catch (error) {
      log.error({ err: error, export_id: data.export_id }, 'export failed')
      const failed = '导出失败，请重新导出；如持续出现请联系我们'
      await database.inCompany(data.company_id, (tx) => updateExportJob(tx, data, { failed }))
    }
  }

  async function makeFile(data: ExportJobData): Promise<void> {
    const { company_id } = data
    const read: ExportContext['inTransaction'] = (fn) => database.inCompany(company_id, fn)
    const { vault, work } = await read(async (tx) => {
      const vault = await secrets.vault(tx, company_id)
      return { vault, work: await loadWork(tx, { ...data, vault }) }
    })
    const task = work?.tasks[0]
    if (!work || !task) return
    const { account_id } = task
    const file = createFileWriter(
      { company_id, vault, now: clock.now(), within: read },
      { kind: 'export', name: getFileName(work.exportTitle.title, task), account_id },
    )
    let note: string | null = null
    let reportedProgress = 0
    const exportContext: ExportContext = {
      export_id: data.export_id,
      task,
      tasks: work.tasks,
      exportTitle: work.exportTitle,
      company_id,
      vault,
      now: clock.now(),
      origin,
      timeStampClient,
      inTransaction: read,
      write: file.add,
      setNote: (text) => {
        note = text
      },
      reportProgress: async (done) => {
        const progress = Math.min(95, Math.floor((done * 95) / Math.max(1, work.total)))
        if (progress === reportedProgress) return
        reportedProgress = progress
        await read((tx) => updateExportJob(tx, data, { progress }))
      },
    }
    try {
      await getExporter(task).run(exportContext)
      if (await read((tx) => saveExportFile(tx, data, { file, note, now: clock.now() }))) return
    } catch (error) {
      await file.drop()
      throw error
    }
    await file.drop()
  }
}
