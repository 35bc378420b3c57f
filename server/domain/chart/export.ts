/** A year as a sheet, made by a job and fetched with a ticket. Writes chart_export. */
import { sql } from 'kysely'
import * as contract from '../../contract/wage/chart.ts'
import type { Power } from '../../contract/who.ts'
import { type Clock, isoOf } from '../../runtime/clock.ts'
import type { Database } from '../../runtime/db.ts'
import { cleanFileName, putFile } from '../../runtime/files/files.ts'
import { openXlsx, type XlsxValue } from '../../runtime/files/xlsx.ts'
import { type Ctx, handle, refuse } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import type { Jobs } from '../../runtime/jobs.ts'
import type { Secrets } from '../../runtime/secrets.ts'
import { exportsSince, makeTicket, mustBeFew } from '../desk/index.ts'
import { keepsAll } from '../member/index.ts'
import { paidBetween, type Reader } from '../sheet/index.ts'
import { byEachDepartment, byPerson, type ChartView, type Months, type PartSums } from './rules/lines.ts'
import { type ChartHere, monthsOf, opensSlips, seesAllRuns, viewOf } from './view.ts'

const lives_ms = 30 * 60_000
const job_name = 'chart_export'

export const exportMemberWageByYear = handle(contract.exportMemberWageByYear, async (ctx, { year }) => {
  const { db, company_id, me, now } = ctx
  const { count } = await db
    .selectFrom('chart_export')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('company_id', '=', company_id)
    .where('account_id', '=', me.account_id)
    .where('created_at', '>', exportsSince(now))
    .executeTakeFirstOrThrow()
  mustBeFew(count)
  const id = newId()
  await db
    .insertInto('chart_export')
    .values({
      company_id,
      id,
      account_id: me.account_id,
      admin_id: me.admin_id ?? '',
      year,
      power: [...me.power],
      scope_all: me.scope.all,
      scope_ids: [...me.scope.department_ids],
      created_at: now,
    })
    .execute()
  await ctx.jobs.send(job_name, { company_id, export_id: id })
  ctx.about({ export_id: id })
  return { job_id: id }
})

const fileName = (year: number, opens: boolean): string => cleanFileName(`${year}年${opens ? '员工' : '部门'}工资汇总.xlsx`)

export const getYearWageFileStatus = handle(contract.getYearWageFileStatus, async (ctx, { job_id }) => {
  const { db, company_id, me } = ctx
  const job = await db
    .selectFrom('chart_export')
    .selectAll()
    .where('company_id', '=', company_id)
    .where('id', '=', job_id)
    .where('account_id', '=', me.account_id)
    .executeTakeFirst()
  if (!job) throw refuse('not_found')
  const sees = job.file_id !== null && (await mayStillSee(ctx, job))
  return {
    progress: job.progress,
    done: job.file_id !== null,
    failed: job.failed ?? (job.file_id !== null && !sees ? '您的权限或管理范围已经变动，请重新导出' : null),
    oss_path: sees && job.file_id ? await makeTicket(ctx, job.file_id) : null,
    file_name: fileName(
      job.year,
      job.power.some((power) => power === '2' || power === '4'),
    ),
    asked_at: isoOf(job.created_at),
  }
})

type Asked = {
  readonly power: readonly string[]
  readonly scope_all: boolean
  readonly scope_ids: readonly string[]
  readonly batch_ids: readonly string[]
}
type Fetching = Pick<Ctx, 'db' | 'me' | 'company_id'>
/** Whoever has lost a power, a department or a pay run that is in the file does not get it. */
async function mayStillSee(ctx: Fetching, { power, scope_all, scope_ids, batch_ids }: Asked): Promise<boolean> {
  const { me } = ctx
  if (power.some((one) => !me.power.some((has) => has === one))) return false
  const mine = new Set(me.scope.department_ids)
  const covers = keepsAll(ctx) || (!scope_all && scope_ids.every((id) => mine.has(id)))
  return (covers || !opensSlips(ctx)) && (await seesAllRuns(ctx, batch_ids))
}

/** Of any file: one that is no year's sheet is not ours to judge. */
export async function seesYear(ctx: Fetching, file_id: string): Promise<boolean> {
  const job = await ctx.db
    .selectFrom('chart_export')
    .select(['power', 'scope_all', 'scope_ids', 'batch_ids'])
    .where('company_id', '=', ctx.company_id)
    .where('file_id', '=', file_id)
    .executeTakeFirst()
  return !job || mayStillSee(ctx, job)
}

const monthsIn = (year: number): string[] => Array.from({ length: 12 }, (_, at) => `${year}-${String(at + 1).padStart(2, '0')}`)
const orNothing = (fen: number | null | undefined): XlsxValue => (typeof fen === 'number' ? { fen } : null)

type Row = {
  readonly name: string
  readonly place: string
  readonly months: readonly (PartSums | undefined)[]
  readonly year: PartSums
}

/** By person for whoever may open slips, else by department. */
function rowsOf(view: ChartView, months: Months, year: number): Row[] {
  const opens = view.fewest === null
  const sumsIn = (some: Months) => (opens ? byPerson(view, some, -1) : byEachDepartment(view, some, -1))
  const whole = sumsIn(months)
  const each = monthsIn(year).map((month) => {
    const one = months.get(month)
    return one ? sumsIn(new Map([[month, one]])) : new Map<number, PartSums>()
  })
  const line = (key: number, name: string, place: string): Row[] => {
    const sums = whole.get(key)
    return sums ? [{ name, place, months: each.map((one) => one.get(key)), year: sums }] : []
  }
  return opens
    ? view.people.flatMap(({ name, at }, person) => line(person, name, view.tree[at]?.name ?? ''))
    : view.tree.flatMap(({ name, parent }, at) => line(at, name, view.tree[parent]?.name ?? ''))
}

async function sheetOf(view: ChartView, months: Months, year: number): Promise<Buffer> {
  const opens = view.fewest === null
  const sheet = openXlsx({ sheet: `${year}年`, widths: [14, 20, ...monthsIn(year).map(() => 13), 14, 14, 14, 14, 14] })
  const head = monthsIn(year).map((month) => `${Number(month.slice(5))}月实发`)
  await sheet.row(
    [opens ? '员工' : '部门', opens ? '部门' : '上级部门', ...head, '全年应发', '全年个税', '全年社保', '全年公积金', '全年实发'],
    'head',
  )
  for (const { name, place, months: each, year: sums } of rowsOf(view, months, year)) {
    const { gross_fen, tax_fen, social_fen, fund_fen, net_fen } = sums.sums
    const whole = [gross_fen, tax_fen, social_fen, fund_fen, net_fen].map(orNothing)
    await sheet.row([name, place, ...each.map((one) => orNothing(one?.sums.net_fen)), ...whole])
  }
  return sheet.finish()
}

type Parts = {
  readonly database: Database
  readonly jobs: Jobs
  readonly secrets: Secrets
  readonly clock: Clock
  readonly log: { error(about: object, message: string): void }
}
type Job = { readonly company_id: string; readonly export_id: string }
const isPower = (power: string): power is Power => ['1', '2', '3', '4'].includes(power)

/** Declares the job. Doing it twice is harmless: the file is kept only where there is none yet. */
export function openYearExport({ database, jobs, secrets, clock, log }: Parts): void {
  const open = (job: Job) =>
    sql<boolean>`company_id = ${job.company_id} and id = ${job.export_id} and file_id is null and failed is null`
  const make = (job: Job) =>
    database.inCompany(job.company_id, async (tx) => {
      const asked = await tx.selectFrom('chart_export').selectAll().where(open(job)).forUpdate().executeTakeFirst()
      if (!asked) return
      const { company_id } = job
      const vault = await secrets.vault(tx, company_id)
      const me: Reader = {
        admin_id: asked.admin_id,
        power: asked.power.filter(isPower),
        scope: { all: asked.scope_all, department_ids: asked.scope_ids },
      }
      const here: ChartHere = { db: tx, company_id, vault, me, may_write: true, ask: null }
      const span = { from: `${asked.year}-01`, to: `${asked.year}-12` }
      const view = await viewOf(here)
      const { months } = await monthsOf(here, view, span)
      const runs = await paidBetween(here, { ...span, all: !opensSlips(here) })
      const now = clock.now()
      const opens = view.fewest === null
      const file_id = await putFile(
        { db: tx, company_id, vault, now },
        {
          kind: opens ? 'export' : 'member',
          name: fileName(asked.year, opens),
          bytes: await sheetOf(view, months, asked.year),
          account_id: asked.account_id,
          expires_at: new Date(now.getTime() + lives_ms),
        },
      )
      const batch_ids = runs.map(({ id }) => id)
      await tx.updateTable('chart_export').set({ file_id, batch_ids, progress: 100 }).where(open(job)).execute()
    })
  jobs.on<Job>(job_name, async (job) => {
    try {
      await make(job)
    } catch (error) {
      log.error({ err: error, export_id: job.export_id }, 'export of a year failed')
      await database.inCompany(job.company_id, (tx) =>
        tx.updateTable('chart_export').set({ failed: '导出失败，请重新导出；如持续出现请联系我们' }).where(open(job)).execute(),
      )
    }
  })
}
