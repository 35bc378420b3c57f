/** The wage list, and one batch with its slips. */
import { type RawBuilder, sql } from 'kysely'
import type { InputOf } from '../../contract/call.ts'
import type { ReadColumn } from '../../contract/sheet/sheet.ts'
import { columnKeyOf } from '../../contract/slip/payslip.ts'
import * as contract from '../../contract/slip/slip.ts'
import type { SlipFigure } from '../../contract/words/states.ts'
import type { Cell, SalaryStatus } from '../../contract/words/words.ts'
import { kindIn } from '../../rules/amounts.ts'
import { isoOf } from '../../runtime/clock.ts'
import { type Ctx, handle, invalid } from '../../runtime/handle.ts'
import { departmentCondition, nameOf, payable, rowsOfPerson } from '../member/index.ts'
import { countAsking, countSlips, openContent, type SlipContent } from '../pay/index.ts'
import {
  type BatchRow,
  batchOfSlips,
  layoutOf,
  most_searched,
  openFileName,
  openTitle,
  rowsCalled,
  signsOf,
  understoodOf,
  visibleBatches,
} from '../sheet/index.ts'
import { rulesOf, undoLeft } from './rules/behaviour.ts'
import { arrivalOf, reached } from './salary/reached.ts'
import { sumsOf } from './salary/sums.ts'
import { slipsFor } from './send/ledger.ts'

type Wanted = InputOf<typeof contract.getWageList>
const isoOrNull = (at: Date | null): string | null => (at ? isoOf(at) : null)
/** `%` and `_` that somebody types mean themselves. */
const contains = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** Batches in the lists that one may see and that these words of a search leave. Names are sealed: by a part of one they are found apart. */
function batchesSeen(ctx: Ctx, { title_id, month, status }: Pick<Wanted, 'title_id' | 'month' | 'status'>) {
  const { db, company_id } = ctx
  let some = db
    .selectFrom('batch')
    .leftJoin('title', (join) => join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'))
    .where('batch.company_id', '=', company_id)
    .where(visibleBatches(ctx))
  if (title_id) some = some.where('batch.title_id', '=', title_id)
  if (month) some = some.where('title.month', '=', month)
  if (status) some = some.where('batch.status', '=', status)
  return some
}

/** Ids of batches with `part` in their title or the name of their file. */
async function calledSo({ vault }: Ctx, batches: ReturnType<typeof batchesSeen>, part: string): Promise<string[]> {
  const rows = await batches
    .select(['batch.id', 'batch.title_id', 'batch.file_name', 'title.name as title'])
    .limit(most_searched + 1)
    .execute()
  if (rows.length > most_searched) throw invalid('name', '工资批次太多，请先选择月份或状态，再按名称搜索')
  const called = await rowsCalled(rows, part, ({ id, title_id, title, file_name }) => [
    openTitle(vault, title_id, title),
    openFileName(vault, id, file_name),
  ])
  return called.map(({ id }) => id)
}

async function batchLines(ctx: Ctx, { name, page, pagesize, ...wanted }: Wanted) {
  const { me, vault } = ctx
  let some = batchesSeen(ctx, wanted)
  if (name) some = some.where(sql<boolean>`batch.id = any(${await calledSo(ctx, some, name)}::uuid[])`)
  const { total } = await some.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await some
    .innerJoin('admin', (join) =>
      join.onRef('admin.company_id', '=', 'batch.company_id').onRef('admin.id', '=', 'batch.owner_id'),
    )
    .innerJoin('member', (join) =>
      join.onRef('member.company_id', '=', 'admin.company_id').onRef('member.id', '=', 'admin.member_id'),
    )
    .select([
      'batch.id as batch_id',
      'batch.title_id',
      'batch.status',
      'batch.file_name',
      'batch.people',
      'batch.owner_id',
      'batch.scheduled_at',
      'batch.created_at',
    ])
    .select(['title.name as title', 'title.month', 'title.kind', 'member.name as owner', 'batch.undo_until'])
    .orderBy('batch.created_at', 'desc')
    .orderBy('batch.id')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  const counts = await countsOf(
    ctx,
    rows.map((row) => row.batch_id),
  )
  return {
    list: rows.map(({ owner_id, title, kind, file_name, undo_until, ...row }) => {
      const counted = counts.get(row.batch_id)
      return {
        ...row,
        title: openTitle(vault, row.title_id, title) ?? '',
        file_name: openFileName(vault, row.batch_id, file_name),
        kind: kind ?? 'monthly',
        people: counted?.total || row.people,
        sent: counted?.sent ?? 0,
        viewed: counted?.viewed ?? 0,
        confirmed: counted?.confirmed ?? 0,
        feedback: counted?.feedback ?? 0,
        failed: counted?.failed ?? 0,
        mine: owner_id === me.admin_id,
        scheduled_at: row.status === 'scheduled' ? isoOrNull(row.scheduled_at) : null,
        soon: row.status === 'scheduled' && undo_until !== null,
        created_at: isoOf(row.created_at),
      }
    }),
    page: { page, pagesize, total: Number(total) },
  }
}

export const getWageList = handle(contract.getWageList, batchLines)
export const getBatchList = handle(contract.getBatchList, batchLines)

type Counts = Record<SlipFigure, number> & { total: number; feedback: number }
const none: Counts = { total: 0, sent: 0, viewed: 0, confirmed: 0, feedback: 0, failed: 0, withdrawn: 0, queued: 0 }

/** Slips within my scope: the figures that everybody is shown, each containing the next, and those with an open question. */
async function countsOf(ctx: Ctx, batch_ids: readonly string[]): Promise<Map<string, Counts>> {
  const { db, company_id } = ctx
  if (batch_ids.length === 0) return new Map()
  const { rows } = await sql<Counts & { batch_id: string }>`
    select batch_id, count(*)::int as total, ${countSlips('sent')} as sent, ${countSlips('viewed')} as viewed,
      ${countSlips('confirmed')} as confirmed, ${countSlips('failed')} as failed, ${countSlips('withdrawn')} as withdrawn,
      ${countSlips('queued')} as queued, ${countAsking} as feedback
    from salary where company_id = ${company_id} and batch_id = any(${[...batch_ids]}::uuid[]) and ${payable(ctx)}
    group by batch_id`.execute(db)
  return new Map(rows.map(({ batch_id, ...counts }) => [batch_id, counts]))
}
/** Taken apart: each slip in exactly one, as a filter lists them. */
const apart = (counts: Counts): Counts => ({
  ...counts,
  sent: counts.sent - counts.viewed,
  viewed: counts.viewed - counts.confirmed,
})

/** For queries on `salary`: the slips that a filter names. The figures in `counts` are of exactly these. */
function statusIs(status: SalaryStatus | 'feedback'): RawBuilder<boolean> {
  if (status === 'feedback') return sql<boolean>`(salary.has_feedback and salary.status <> 'withdrawn')`
  if (status === 'queued') return sql<boolean>`salary.status in ('waiting', 'queued')`
  return sql<boolean>`salary.status = ${status}`
}

const withPeople = (ctx: Ctx, batch_id: string) =>
  slipsFor(ctx)
    .innerJoin('member', (join) =>
      join.onRef('member.company_id', '=', 'salary.company_id').onRef('member.id', '=', 'salary.member_id'),
    )
    .where('salary.batch_id', '=', batch_id)

export const getWageDetail = handle(contract.getWageDetail, async (ctx, input) => {
  const { batch_id, page, pagesize } = input
  const batch = await batchOfSlips(ctx, batch_id, 'view')
  let some = withPeople(ctx, batch_id)
  if (input.status) some = some.where(statusIs(input.status))
  if (input.name) some = some.where('member.name', 'like', contains(input.name))
  if (input.department_id) some = some.where(departmentCondition(ctx, input.department_id))
  const { total } = await some.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await slipRows(ctx, some, { page, pagesize })
  const counts = apart((await countsOf(ctx, [batch_id])).get(batch_id) ?? none)
  const understood = understoodOf(ctx, batch)
  return {
    list: rows.map((row) => {
      const content = openContent(ctx.vault, row)
      return {
        salary_id: row.id,
        row: row.row_no,
        name: row.name,
        departments: row.departments,
        status: row.status,
        has_feedback: row.has_feedback,
        version: row.version,
        channel: row.channel,
        ...arrivalOf(row),
        sent_at: isoOrNull(row.sent_at),
        viewed_at: isoOrNull(row.viewed_at),
        confirmed_at: isoOrNull(row.confirmed_at),
        net_fen: content.net_fen,
        cells: shownCells(content, understood),
      }
    }),
    page: { page, pagesize, total: Number(total) },
    batch: {
      title: batch.title_name ?? '',
      month: batch.title_month,
      status: batch.status,
      scheduled_at: batch.status === 'scheduled' ? isoOrNull(batch.scheduled_at) : null,
      undo_seconds: undoLeft(batch, ctx.now),
      owner: await ownerName(ctx, batch.owner_id),
      rules: rulesOf(batch.rules),
      counts,
      ...(await reached(ctx, batch_id)),
    },
    columns: columnsOf(ctx, batch),
    sums: sumsOf(understood),
  }
})

/** One page of them, with how each arrived. */
const slipRows = (ctx: Ctx, some: ReturnType<typeof withPeople>, { page, pagesize }: { page: number; pagesize: number }) =>
  some
    .leftJoinLateral(
      (eb) =>
        // The message that announced the slip as it is now; reminders are told by the timeline.
        eb
          .selectFrom('delivery')
          .select(['delivery.status as delivery', 'delivery.message as failure', 'delivery.code', 'delivery.delivered_at'])
          .where('delivery.company_id', '=', ctx.company_id)
          .whereRef('delivery.salary_id', '=', 'salary.id')
          .where('delivery.purpose', 'in', ['slip', 'corrected'])
          .orderBy('delivery.version', 'desc')
          // Of several ways the one that he went on by.
          .orderBy(sql`delivery.channel = salary.channel`, 'desc')
          .limit(1)
          .as('told'),
      (join) => join.onTrue(),
    )
    .select([
      'salary.id',
      'salary.row_no',
      'member.name',
      'salary.status',
      'salary.has_feedback',
      'salary.version',
      'salary.channel',
    ])
    .select(['salary.sent_at', 'salary.viewed_at', 'salary.confirmed_at', 'salary.cells', 'told.delivery', 'told.failure'])
    .select(['told.code', 'told.delivered_at'])
    .select(departmentNames(ctx.company_id).as('departments'))
    .orderBy('salary.row_no')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()

export const getMemberSlips = handle(contract.getMemberSlips, async (ctx, { member_id, page, pagesize }) => {
  const ids = await rowsOfPerson(ctx, member_id)
  const all = slipsFor(ctx).where('salary.member_id', '=', sql<string>`any(${ids}::uuid[])`)
  const { total } = await all.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await all
    .leftJoin('title', (join) => join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'))
    .select(['salary.id', 'salary.batch_id', 'salary.status', 'salary.version', 'salary.cells', 'batch.title_id'])
    .select(['salary.sent_at', 'salary.viewed_at', 'salary.confirmed_at', 'title.name as title', 'title.month'])
    .orderBy('title.month', (order) => order.desc().nullsFirst())
    .orderBy('salary.id', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return {
    list: rows.map(({ id, title_id, title, cells, ...row }) => ({
      ...row,
      salary_id: id,
      title: openTitle(ctx.vault, title_id, title) ?? '',
      net_fen: openContent(ctx.vault, { id, version: row.version, cells }).net_fen,
      sent_at: isoOrNull(row.sent_at),
      viewed_at: isoOrNull(row.viewed_at),
      confirmed_at: isoOrNull(row.confirmed_at),
    })),
    page: { page, pagesize, total },
  }
})

/** The columns of the sheet, and how the amounts in them are signed. */
function columnsOf(ctx: Ctx, batch: BatchRow) {
  const understood = understoodOf(ctx, batch)
  const signs = signsOf({ ...understood, layout: layoutOf(ctx, batch, understood) })
  return understood.columns.map(({ key, label, role, kind }) => ({ key, label, role, kind, sign: signs.get(key) ?? 'own' }))
}

/** For queries on `member`: the names of his departments, joined by 、. */
export const departmentNames = (company_id: string): RawBuilder<string> => sql<string>`(
  select coalesce(string_agg(department.name, '、' order by department.place, department.id), '')
  from member_department
  join department on department.company_id = member_department.company_id and department.id = member_department.department_id
  where member_department.company_id = ${company_id} and member_department.member_id = member.id)`

/** By their columns, and behind them by the rows of a person that became one payslip. */
function shownCells({ cells }: SlipContent, { columns }: { readonly columns: readonly ReadColumn[] }): Record<string, Cell> {
  const roles = new Map(columns.map(({ key, role }) => [key, role]))
  return Object.fromEntries(
    Object.entries(cells).flatMap(([key, cell]) => {
      const role = roles.get(columnKeyOf(key))
      return role ? [[key, { value: cell.value, kind: kindIn(cell, role) }]] : []
    }),
  )
}

async function ownerName(ctx: Ctx, owner_id: string): Promise<string> {
  const owner = await ctx.db
    .selectFrom('admin')
    .select('member_id')
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', owner_id)
    .executeTakeFirst()
  return (await nameOf(ctx, owner?.member_id ?? null)) ?? ''
}
