/** A batch as a file: its slips, or who has seen and confirmed them. Made by a job, fetched with a ticket. Writes export_job. */
import { setImmediate } from 'node:timers/promises'
import { moneyRoles } from '../../../contract/column-roles.ts'
import { type Sign, signed } from '../../../contract/money.ts'
import * as contract from '../../../contract/slip.ts'
import { channelWords, salaryWords } from '../../../contract/states.ts'
import type { ColumnRole } from '../../../contract/words.ts'
import { amountOf, type RowCell } from '../../../rules/amounts.ts'
import { type Clock, isoOf } from '../../../runtime/clock.ts'
import type { Database } from '../../../runtime/db.ts'
import { cleanFileName, putFile } from '../../../runtime/files.ts'
import { handle, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import type { Secrets } from '../../../runtime/secrets.ts'
import { openXlsx, type XlsxValue } from '../../../runtime/xlsx.ts'
import { makeTicket } from '../../desk/index.ts'
import { keepsAll, payable } from '../../member/index.ts'
import { openContent } from '../../pay/index.ts'
import { batchOfSlips, layoutOf, openTitle, signsOf, understoodOf } from '../../sheet/index.ts'
import { departmentNames } from '../lists.ts'
import { ExportTotals, exportColumns } from '../rules/export-columns.ts'

const most_an_hour = 30
const lives_ms = 30 * 60_000
const rows_a_page = 400

export const exportWageDetail = handle(contract.exportWageDetail, async (ctx, { batch_id, what }) => {
  const { db, company_id, me, now } = ctx
  const { status } = await batchOfSlips(ctx, batch_id, 'view')
  if (status === 'draft' || status === 'checked')
    throw refuse('wrong_state', '这一批还没有发送，没有可以导出的工资条', { status })
  const { count } = await db
    .selectFrom('export_job')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('company_id', '=', company_id)
    .where('account_id', '=', me.account_id)
    .where('created_at', '>', new Date(now.getTime() - 3_600_000))
    .executeTakeFirstOrThrow()
  if (Number(count) >= most_an_hour)
    throw refuse('too_often', `一小时内最多导出 ${most_an_hour} 次，请稍后再试`, { retry_after: 600 })
  const id = newId()
  await db
    .insertInto('export_job')
    .values({
      company_id,
      id,
      batch_id,
      account_id: me.account_id,
      what,
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
    .select(['batch_id', 'progress', 'file_id', 'failed', 'what'])
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
    oss_path,
    file_name: fileName(batch.title_name, job.what),
  }
})

const fileName = (title: string | null, what: string): string =>
  cleanFileName(`${title ?? '工资条'}-${what === 'status' ? '发送状态' : '明细'}.xlsx`)
const timeOf = (at: Date | null): string => (at ? isoOf(at).slice(0, 16).replace('T', ' ') : '')

/** Amounts are numbers, to the fen, also where the column became one of amounts after the sheet was read. */
function valueOf(cell: RowCell | undefined, role: ColumnRole, sign: Sign | undefined): XlsxValue {
  const fen = moneyRoles.has(role) ? amountOf(cell).fen : null
  return fen === null ? (cell?.value ?? null) : { fen: signed(fen, sign ?? 'own') }
}
const fenOf = (value: XlsxValue): number | null => (typeof value === 'object' && value !== null ? value.fen : null)
const fenOrNothing = (fen: number | null): XlsxValue => (fen === null ? null : { fen })

/** The columns of the file, and how their amounts are signed. */
function columnsOf(
  ctx: Parameters<typeof understoodOf>[0],
  job: Parameters<typeof understoodOf>[1] & Parameters<typeof layoutOf>[1] & { what: string },
) {
  const understood = understoodOf(ctx, job)
  const layout = layoutOf(ctx, job, understood)
  const columns = job.what === 'detail' ? exportColumns(understood.columns, layout.sort_list) : []
  return { columns, signs: signsOf({ ...understood, layout }) }
}

type Scope = { readonly scope_all: boolean; readonly scope_ids: string[] }
const nobody: Scope = { scope_all: false, scope_ids: [] }
/** For queries on `salary`: within the scope that whoever asked for the file had; it is fetched only while that is still his. */
const asked = (company_id: string, { scope_all, scope_ids }: Scope) =>
  payable({ company_id, me: { scope: { all: scope_all, department_ids: scope_ids }, power: [] } })

export type ExportData = { readonly company_id: string; readonly export_id: string }
export type ExporterParts = {
  readonly database: Database
  readonly secrets: Secrets
  readonly clock: Clock
  readonly log: { error(about: object, message: string): void }
}

/**
 * Doing this job twice is harmless: it only reads slips, and the transaction that keeps the file looks whether there is one already.
 */
export function openExporter({ database, secrets, clock, log }: ExporterParts) {
  return async function run({ company_id, export_id }: ExportData): Promise<void> {
    try {
      await make(company_id, export_id)
    } catch (error) {
      log.error({ err: error, export_id }, 'export failed')
      await database.inCompany(company_id, (tx) =>
        tx
          .updateTable('export_job')
          .set({ failed: '导出失败，请重新导出；如持续出现请联系我们' })
          .where('company_id', '=', company_id)
          .where('id', '=', export_id)
          .where('file_id', 'is', null)
          .execute(),
      )
    }
  }

  async function make(company_id: string, export_id: string): Promise<void> {
    const { job, total, vault } = await database.inCompany(company_id, async (tx) => {
      const job = await tx
        .selectFrom('export_job')
        .innerJoin('batch', (join) =>
          join.onRef('batch.company_id', '=', 'export_job.company_id').onRef('batch.id', '=', 'export_job.batch_id'),
        )
        .leftJoin('title', (join) =>
          join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'),
        )
        .select([
          'export_job.what',
          'export_job.account_id',
          'export_job.file_id',
          'export_job.failed',
          'export_job.scope_all',
          'export_job.scope_ids',
          'batch.id',
          'batch.understood',
          'batch.layout',
        ])
        .select(['title.name as title', 'batch.title_id'])
        .where('export_job.company_id', '=', company_id)
        .where('export_job.id', '=', export_id)
        .executeTakeFirst()
      const { total } = await tx
        .selectFrom('salary')
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .where('company_id', '=', company_id)
        .where('batch_id', '=', job?.id ?? export_id)
        .where(asked(company_id, job ?? nobody))
        .executeTakeFirstOrThrow()
      return { job, total: Number(total), vault: await secrets.vault(tx, company_id) }
    })
    if (!job || job.file_id || job.failed) return
    const title = openTitle(vault, job.title_id, job.title)
    const { columns, signs } = columnsOf({ vault }, job)
    const totals = new ExportTotals()
    const sheet = openXlsx({ sheet: title ?? '工资条', widths: [12, 20, ...columns.map(() => 14), 10, 10, 17, 17, 17] })
    const ends = ['状态', '渠道', '发送时间', '查看时间', '确认时间', ...(job.what === 'status' ? ['疑问', '版本'] : [])]
    await sheet.row(['员工', '部门', ...columns.map(({ label }) => label), ...ends], 'head')

    let done = 0
    for (let after = -1; ; ) {
      const rows = await database.inCompany(company_id, (tx) =>
        tx
          .selectFrom('salary')
          .innerJoin('member', (join) =>
            join.onRef('member.company_id', '=', 'salary.company_id').onRef('member.id', '=', 'salary.member_id'),
          )
          .select(['salary.id', 'salary.row_no', 'salary.version', 'salary.status', 'salary.channel', 'salary.cells'])
          .select(['salary.has_feedback', 'salary.confirmed_auto', 'salary.sent_at', 'salary.viewed_at', 'salary.confirmed_at'])
          .select(['member.name', departmentNames(company_id).as('departments')])
          .where('salary.company_id', '=', company_id)
          .where('salary.batch_id', '=', job.id)
          .where('salary.row_no', '>', after)
          .where(asked(company_id, job))
          .orderBy('salary.row_no')
          .limit(rows_a_page)
          .execute(),
      )
      for (const row of rows) {
        const cells = columns.length > 0 ? openContent(vault, row).cells : {}
        const state = row.status
        const values = columns.map(({ key, role }) => valueOf(cells[key], role, signs.get(key)))
        totals.add(state, columns, values.map(fenOf))
        const status = [
          row.confirmed_auto && row.status === 'confirmed' ? '到期自动确认' : salaryWords[state].word,
          channelWords[row.channel],
          timeOf(row.sent_at),
          timeOf(row.viewed_at),
          timeOf(row.confirmed_at),
        ]
        const more = job.what === 'status' ? [row.has_feedback ? '有' : '', `第 ${row.version} 版`] : []
        await sheet.row([row.name, row.departments, ...values, ...status, ...more])
      }
      done += rows.length
      const last = rows.at(-1)
      if (!last || rows.length < rows_a_page) break
      after = last.row_no
      await database.inCompany(company_id, (tx) =>
        tx
          .updateTable('export_job')
          .set({ progress: Math.min(95, Math.floor((done * 95) / Math.max(1, total))) })
          .where('company_id', '=', company_id)
          .where('id', '=', export_id)
          .execute(),
      )
      await setImmediate()
    }
    if (columns.length > 0)
      await sheet.row([totals.label, '', ...columns.map((column) => fenOrNothing(totals.of(column)))], 'total')
    const bytes = await sheet.finish()
    await database.inCompany(company_id, async (tx) => {
      const open = await tx
        .selectFrom('export_job')
        .select('id')
        .where('company_id', '=', company_id)
        .where('id', '=', export_id)
        .where('file_id', 'is', null)
        .forUpdate()
        .executeTakeFirst()
      if (!open) return
      const now = clock.now()
      const file_id = await putFile(
        { db: tx, company_id, vault, now },
        {
          kind: 'export',
          name: fileName(title, job.what),
          bytes,
          account_id: job.account_id,
          expires_at: new Date(now.getTime() + lives_ms),
        },
      )
      await tx
        .updateTable('export_job')
        .set({ file_id, progress: 100 })
        .where('company_id', '=', company_id)
        .where('id', '=', export_id)
        .execute()
    })
  }
}
