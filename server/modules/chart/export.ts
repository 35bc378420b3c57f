/** A year as a sheet, made by a job and fetched with a ticket. Writes chart_export. */
import { sql } from 'kysely'
import type { Power } from '../../contract/access.ts'
import * as contract from '../../contract/reports/charts.ts'
import type { Secrets } from '../../crypto/secrets.ts'
import type { Database } from '../../database/database.ts'
import { sanitizeFileName, saveFile } from '../../files/stored-files.ts'
import { createXlsxWriter, type XlsxValue } from '../../files/xlsx-writer.ts'
import { defineHandler, fail, type HandlerContext } from '../../http/handler.ts'
import type { JobQueue } from '../../jobs/queue.ts'
import { type Clock, toIsoTimestamp } from '../../shared/clock.ts'
import { newId } from '../../shared/ids.ts'
import { assertExportLimit, createTicketPath, getExportWindowStart } from '../desk/index.ts'
import { canManageAllMembers } from '../member/index.ts'
import { listPaidBatches, type ViewerAccess } from '../sheet/index.ts'
import { type ChartMonths, type ChartView, type ComponentTotals, sumByDepartmentSubtree, sumByMember } from './rules/totals.ts'
import { type ChartContext, canOpenPayslips, canViewAllBatches, loadChartMonths, loadChartView } from './view.ts'

const fileLifetimeMs = 30 * 60_000
const yearExportJob = 'chart_export'

export const exportMemberWageByYear = defineHandler(contract.exportMemberWageByYear, async (ctx, { year }) => {
  const { db, company_id, currentUser, now } = ctx
  const { count } = await db
    .selectFrom('chart_export')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('company_id', '=', company_id)
    .where('account_id', '=', currentUser.account_id)
    .where('created_at', '>', getExportWindowStart(now))
    .executeTakeFirstOrThrow()
  assertExportLimit(count)
  const id = newId()
  await db
    .insertInto('chart_export')
    .values({
      company_id,
      id,
      account_id: currentUser.account_id,
      admin_id: currentUser.admin_id ?? '',
      year,
      power: [...currentUser.power],
      scope_all: currentUser.scope.all,
      scope_ids: [...currentUser.scope.department_ids],
      created_at: now,
    })
    .execute()
  await ctx.jobs.send(yearExportJob, { company_id, export_id: id })
  ctx.addAuditDetails({ export_id: id })
  return { job_id: id }
})

const getFileName = (year: number, showsMembers: boolean): string =>
  sanitizeFileName(`${year}年${showsMembers ? '员工' : '部门'}工资汇总.xlsx`)

export const getYearWageFileStatus = defineHandler(contract.getYearWageFileStatus, async (ctx, { job_id }) => {
  const { db, company_id, currentUser } = ctx
  const job = await db
    .selectFrom('chart_export')
    .selectAll()
    .where('company_id', '=', company_id)
    .where('id', '=', job_id)
    .where('account_id', '=', currentUser.account_id)
    .executeTakeFirst()
  if (!job) throw fail('not_found')
  const canView = job.file_id !== null && (await canDownload(ctx, job))
  return {
    progress: job.progress,
    done: job.file_id !== null,
    failed: job.failed ?? (job.file_id !== null && !canView ? '您的权限或管理范围已经变动，请重新导出' : null),
    oss_path: canView && job.file_id ? await createTicketPath(ctx, job.file_id) : null,
    file_name: getFileName(
      job.year,
      job.power.some((power) => power === '2' || power === '4'),
    ),
    requested_at: toIsoTimestamp(job.created_at),
  }
})

type ExportScope = {
  readonly power: readonly string[]
  readonly scope_all: boolean
  readonly scope_ids: readonly string[]
  readonly batch_ids: readonly string[]
}
type FileViewer = Pick<HandlerContext, 'db' | 'currentUser' | 'company_id'>
/** Whoever has lost a power, a department or a pay run that is in the file does not get it. */
async function canDownload(ctx: FileViewer, { power, scope_all, scope_ids, batch_ids }: ExportScope): Promise<boolean> {
  const { currentUser } = ctx
  if (power.some((one) => !currentUser.power.some((has) => has === one))) return false
  const departmentIds = new Set(currentUser.scope.department_ids)
  const isInScope = canManageAllMembers(ctx) || (!scope_all && scope_ids.every((id) => departmentIds.has(id)))
  return (isInScope || !canOpenPayslips(ctx)) && (await canViewAllBatches(ctx, batch_ids))
}

/** Of any file: one that is no year's sheet is not ours to judge. */
export async function canViewYearExport(ctx: FileViewer, file_id: string): Promise<boolean> {
  const job = await ctx.db
    .selectFrom('chart_export')
    .select(['power', 'scope_all', 'scope_ids', 'batch_ids'])
    .where('company_id', '=', ctx.company_id)
    .where('file_id', '=', file_id)
    .executeTakeFirst()
  return !job || canDownload(ctx, job)
}

const listMonths = (year: number): string[] => Array.from({ length: 12 }, (_, at) => `${year}-${String(at + 1).padStart(2, '0')}`)
const toAmountCell = (fen: number | null | undefined): XlsxValue => (typeof fen === 'number' ? { fen } : null)

type YearRow = {
  readonly name: string
  readonly department: string
  readonly months: readonly (ComponentTotals | undefined)[]
  readonly year: ComponentTotals
}

/** By person for whoever may open slips, else by department. */
function buildYearRows(view: ChartView, months: ChartMonths, year: number): YearRow[] {
  const showsMembers = view.minGroupSize === null
  const sumByKey = (chartMonths: ChartMonths) =>
    showsMembers ? sumByMember(view, chartMonths, -1) : sumByDepartmentSubtree(view, chartMonths, -1)
  const yearTotals = sumByKey(months)
  const monthTotals = listMonths(year).map((month) => {
    const one = months.get(month)
    return one ? sumByKey(new Map([[month, one]])) : new Map<number, ComponentTotals>()
  })
  const createRow = (key: number, name: string, department: string): YearRow[] => {
    const sums = yearTotals.get(key)
    return sums ? [{ name, department: department, months: monthTotals.map((one) => one.get(key)), year: sums }] : []
  }
  return showsMembers
    ? view.members.flatMap(({ name, departmentIndex }, memberIndex) =>
        createRow(memberIndex, name, view.tree[departmentIndex]?.name ?? ''),
      )
    : view.tree.flatMap(({ name, parent }, at) => createRow(at, name, view.tree[parent]?.name ?? ''))
}

async function buildYearSheet(view: ChartView, months: ChartMonths, year: number): Promise<Buffer> {
  const showsMembers = view.minGroupSize === null
  const sheet = createXlsxWriter({ sheet: `${year}年`, widths: [14, 20, ...listMonths(year).map(() => 13), 14, 14, 14, 14, 14] })
  const head = listMonths(year).map((month) => `${Number(month.slice(5))}月实发`)
  await sheet.row(
    [
      showsMembers ? '员工' : '部门',
      showsMembers ? '部门' : '上级部门',
      ...head,
      '全年应发',
      '全年个税',
      '全年社保',
      '全年公积金',
      '全年实发',
    ],
    'head',
  )
  for (const { name, department, months: monthTotals, year: sums } of buildYearRows(view, months, year)) {
    const { gross_fen, tax_fen, social_fen, fund_fen, net_fen } = sums.totals
    const yearCells = [gross_fen, tax_fen, social_fen, fund_fen, net_fen].map(toAmountCell)
    await sheet.row([name, department, ...monthTotals.map((one) => toAmountCell(one?.totals.net_fen)), ...yearCells])
  }
  return sheet.finish()
}

type YearExportDeps = {
  readonly database: Database
  readonly jobs: JobQueue
  readonly secrets: Secrets
  readonly clock: Clock
  readonly log: { error(about: object, message: string): void }
}
type YearExportJobData = { readonly company_id: string; readonly export_id: string }
const isPower = (power: string): power is Power => ['1', '2', '3', '4'].includes(power)

/** Declares the job. Doing it twice is harmless: the file is kept only where there is none yet. */
export function registerYearExport({ database, jobs, secrets, clock, log }: YearExportDeps): void {
  const isUnfinished = (job: YearExportJobData) =>
    sql<boolean>`company_id = ${job.company_id} and id = ${job.export_id} and file_id is null and failed is null`
  const makeFile = (job: YearExportJobData) =>
    database.inCompany(job.company_id, async (tx) => {
      const exportJob = await tx.selectFrom('chart_export').selectAll().where(isUnfinished(job)).forUpdate().executeTakeFirst()
      if (!exportJob) return
      const { company_id } = job
      const vault = await secrets.vault(tx, company_id)
      const me: ViewerAccess = {
        admin_id: exportJob.admin_id,
        power: exportJob.power.filter(isPower),
        scope: { all: exportJob.scope_all, department_ids: exportJob.scope_ids },
      }
      const chartContext: ChartContext = { db: tx, company_id, vault, currentUser: me, canWrite: true, queueJob: null }
      const span = { from: `${exportJob.year}-01`, to: `${exportJob.year}-12` }
      const view = await loadChartView(chartContext)
      const { months } = await loadChartMonths(chartContext, view, span)
      const batches = await listPaidBatches(chartContext, { ...span, all: !canOpenPayslips(chartContext) })
      const now = clock.now()
      const showsMembers = view.minGroupSize === null
      const file_id = await saveFile(
        { db: tx, company_id, vault, now },
        {
          kind: showsMembers ? 'export' : 'member',
          name: getFileName(exportJob.year, showsMembers),
          bytes: await buildYearSheet(view, months, exportJob.year),
          account_id: exportJob.account_id,
          expires_at: new Date(now.getTime() + fileLifetimeMs),
        },
      )
      const batch_ids = batches.map(({ id }) => id)
      await tx.updateTable('chart_export').set({ file_id, batch_ids, progress: 100 }).where(isUnfinished(job)).execute()
    })
  jobs.register<YearExportJobData>(yearExportJob, async (job) => {
    try {
      await makeFile(job)
    } catch (error) {
      log.error({ err: error, export_id: job.export_id }, 'export of a year failed')
      await database.inCompany(job.company_id, (tx) =>
        tx
          .updateTable('chart_export')
          .set({ failed: '导出失败，请重新导出；如持续出现请联系我们' })
          .where(isUnfinished(job))
          .execute(),
      )
    }
  })
}
