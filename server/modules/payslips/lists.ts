/** The list of batches, and one batch with its payslips. */

import { type RawBuilder, sql } from 'kysely'
import type { CallInput } from '../../contract/call.ts'
import { getColumnKey } from '../../contract/payslips/payslip.ts'
import * as contract from '../../contract/payslips/send.ts'
import type { Cell, PayslipStatus } from '../../contract/shared/schemas.ts'
import type { PayslipCount } from '../../contract/shared/statuses.ts'
import type { ReadColumn } from '../../contract/sheets/sheet.ts'
import { defineHandler, type HandlerContext, invalidInput } from '../../http/handler.ts'
import { getCellKind } from '../../rules/amounts.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import { adminView } from '../access/read-model.ts'
import { departmentCondition, getMemberName, getMemberRowIds, isPayablePayslip } from '../directory/index.ts'
import { departmentView, memberDepartmentView, memberView } from '../directory/read-model.ts'
import { countPayslips, openFeedbackCount, openPayslipContent, type PayslipContent } from '../payslip-records/index.ts'
import { getAmountSigns, openPayslipLayout, openRecognition, openTitle } from '../sheets/display/index.ts'
import {
  type BatchRow,
  countUnsent,
  filterByName,
  loadPaidTotals,
  maxSearchedRows,
  openFileName,
  requireBatchForPayslips,
  selectUnsentCount,
  visibleBatches,
} from '../sheets/index.ts'
import { batchView, titleView } from '../sheets/read-model.ts'
import { getColumnSums } from './payslip/column-sums.ts'
import { countReached, toDeliveryView } from './payslip/delivery-status.ts'
import { getUndoSecondsRemaining, parsePayslipRules } from './rules/payslip-rules.ts'
import { selectAnnouncement, selectVisiblePayslips } from './send/ledger.ts'

type WageListParams = CallInput<typeof contract.getWageList>
type BatchFilters = Pick<Partial<WageListParams>, 'title_id' | 'month' | 'status'> & { readonly batch_id?: string }
const toIsoOrNull = (at: Date | null): string | null => (at ? toIsoTimestamp(at) : null)
/** `%` and `_` in search text match themselves. */
const toLikePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** Selects the batches visible to the user that match the filters. Names are encrypted: searching by name is a separate step. */
function selectVisibleBatches(ctx: HandlerContext, { title_id, month, status, batch_id }: BatchFilters) {
  const { db, company_id } = ctx
  let query = db
    .selectFrom(batchView)
    .leftJoin(titleView, (join) =>
      join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'),
    )
    .where('batch.company_id', '=', company_id)
    .where(visibleBatches(ctx))
  if (batch_id) query = query.where('batch.id', '=', batch_id)
  if (title_id) query = query.where('batch.title_id', '=', title_id)
  if (month) query = query.where('title.month', '=', month)
  if (status) query = query.where('batch.status', '=', status)
  return query
}

/** Returns the ids of batches whose title or file name contains `searchText`. */
async function findBatchesByName(
  { vault }: HandlerContext,
  batches: ReturnType<typeof selectVisibleBatches>,
  searchText: string,
): Promise<string[]> {
  const rows = await batches
    .select(['batch.id', 'batch.title_id', 'batch.file_name', 'title.name as title'])
    .limit(maxSearchedRows + 1)
    .execute()
  if (rows.length > maxSearchedRows) throw invalidInput('name', '工资批次太多，请先选择月份或状态，再按名称搜索')
  const matches = await filterByName(rows, searchText, ({ id, title_id, title, file_name }) => [
    openTitle(vault, title_id, title),
    openFileName(vault, id, file_name),
  ])
  return matches.map(({ id }) => id)
}

/** The sum of fewer people would show the pay of one of them in a list that is no view of payslips. */
const minSummedPeople = 3

/** Lists the batches visible to the user, newest first. */
async function listBatches(ctx: HandlerContext, { name, page, pagesize, ...filters }: WageListParams) {
  let query = selectVisibleBatches(ctx, filters)
  if (name) query = query.where(sql<boolean>`batch.id = any(${await findBatchesByName(ctx, query, name)}::uuid[])`)
  const { total } = await query.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await selectBatchRows(ctx, query)
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return { list: await toBatchList(ctx, rows), page: { page, pagesize, total: Number(total) } }
}

/** Lists batches in the same order: those after a position, which never changes. */
export async function listBatchesAfter(
  ctx: HandlerContext,
  filters: BatchFilters,
  { after, limit }: { readonly after: { created_at: string; batch_id: string } | null; readonly limit: number },
) {
  const batches = selectVisibleBatches(ctx, filters).$if(after !== null, (query) =>
    query.where(({ eb, and, or }) =>
      or([
        eb('batch.created_at', '<', new Date(after?.created_at ?? 0)),
        and([eb('batch.created_at', '=', new Date(after?.created_at ?? 0)), eb('batch.id', '>', after?.batch_id ?? '')]),
      ]),
    ),
  )
  return toBatchList(ctx, await selectBatchRows(ctx, batches).limit(limit).execute())
}

const selectBatchRows = (ctx: HandlerContext, batches: ReturnType<typeof selectVisibleBatches>) =>
  batches
    .innerJoin(adminView, (join) =>
      join.onRef('admin.company_id', '=', 'batch.company_id').onRef('admin.id', '=', 'batch.owner_id'),
    )
    .innerJoin(memberView, (join) =>
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
      selectUnsentCount(ctx).as('unsent'),
    ])
    .select(['title.name as title', 'title.month', 'title.kind', 'member.name as owner', 'batch.undo_until'])
    .orderBy('batch.created_at', 'desc')
    .orderBy('batch.id')

type ListedBatch = Awaited<ReturnType<ReturnType<typeof selectBatchRows>['execute']>>[number]
async function toBatchList(ctx: HandlerContext, rows: readonly ListedBatch[]) {
  const { currentUser, vault } = ctx
  const batch_ids = rows.map((row) => row.batch_id)
  const counts = await countByBatch(ctx, batch_ids)
  const totals = await loadPaidTotals(ctx, batch_ids)
  return rows.map(({ owner_id, title, kind, file_name, undo_until, ...row }) => {
    const batchCounts = counts.get(row.batch_id)
    const paid = totals.get(row.batch_id)
    return {
      ...row,
      title: openTitle(vault, row.title_id, title) ?? '',
      file_name: openFileName(vault, row.batch_id, file_name),
      kind: kind ?? 'monthly',
      people: batchCounts ? batchCounts.total + row.unsent : row.people,
      sent: batchCounts?.sent ?? 0,
      viewed: batchCounts?.viewed ?? 0,
      confirmed: batchCounts?.confirmed ?? 0,
      feedback: batchCounts?.feedback ?? 0,
      failed: batchCounts?.failed ?? 0,
      net_fen: paid && paid.people >= minSummedPeople ? paid.net_fen : null,
      is_own: owner_id === currentUser.admin_id,
      scheduled_at: row.status === 'scheduled' ? toIsoOrNull(row.scheduled_at) : null,
      soon: row.status === 'scheduled' && undo_until !== null,
      created_at: toIsoTimestamp(row.created_at),
    }
  })
}

export const getWageList = defineHandler(contract.getWageList, listBatches)
export const getBatchList = defineHandler(contract.getBatchList, listBatches)

type PayslipCounts = Record<PayslipCount, number> & { total: number; feedback: number }
const zeroCounts: PayslipCounts = { total: 0, sent: 0, viewed: 0, confirmed: 0, feedback: 0, failed: 0, withdrawn: 0, queued: 0 }

/** Counts payslips within the user's scope: cumulative counts, each containing the next, and those with open feedback. */
async function countByBatch(ctx: HandlerContext, batch_ids: readonly string[]): Promise<Map<string, PayslipCounts>> {
  const { db, company_id } = ctx
  if (batch_ids.length === 0) return new Map()
  const { rows } = await sql<PayslipCounts & { batch_id: string }>`
    select batch_id, count(*)::int as total, ${countPayslips('sent')} as sent, ${countPayslips('viewed')} as viewed,
      ${countPayslips('confirmed')} as confirmed, ${countPayslips('failed')} as failed, ${countPayslips('withdrawn')} as withdrawn,
      ${countPayslips('queued')} as queued, ${openFeedbackCount} as feedback
    from payslip where company_id = ${company_id} and batch_id = any(${[...batch_ids]}::uuid[]) and status <> 'waiting' and ${isPayablePayslip(ctx)}
    group by batch_id`.execute(db)
  return new Map(rows.map(({ batch_id, ...counts }) => [batch_id, counts]))
}
/** Converts to exclusive counts: each payslip is in exactly one, as in the filters. */
const toExclusiveCounts = (counts: PayslipCounts): PayslipCounts => ({
  ...counts,
  sent: counts.sent - counts.viewed,
  viewed: counts.viewed - counts.confirmed,
})

/** SQL condition for `payslip`: the payslips of a filter. `counts` counts exactly these. */
function hasStatus(status: PayslipStatus | 'feedback'): RawBuilder<boolean> {
  if (status === 'feedback') return sql<boolean>`(payslip.has_feedback and payslip.status <> 'withdrawn')`
  return sql<boolean>`payslip.status = ${status}`
}

const selectPayslipsWithMembers = (ctx: HandlerContext, batch_id: string) =>
  selectVisiblePayslips(ctx)
    .innerJoin(memberView, (join) =>
      join.onRef('member.company_id', '=', 'payslip.company_id').onRef('member.id', '=', 'payslip.member_id'),
    )
    .where('payslip.batch_id', '=', batch_id)
    // A planned payslip is no payslip yet.
    .where('payslip.status', '<>', 'waiting')

export const getWageDetail = defineHandler(contract.getWageDetail, async (ctx, input) => {
  const { batch_id, page, pagesize } = input
  const batch = await requireBatchForPayslips(ctx, batch_id, 'view')
  let query = selectPayslipsWithMembers(ctx, batch_id)
  if (input.status) query = query.where(hasStatus(input.status))
  if (input.name) query = query.where('member.name', 'like', toLikePattern(input.name))
  if (input.department_id) query = query.where(departmentCondition(ctx, input.department_id))
  const { total } = await query.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await loadPayslipRows(ctx, query, { page, pagesize })
  const counts = toExclusiveCounts((await countByBatch(ctx, [batch_id])).get(batch_id) ?? zeroCounts)
  const recognition = openRecognition(ctx, batch)
  return {
    list: rows.map((row) => {
      const content = openPayslipContent(ctx.vault, row)
      return {
        salary_id: row.id,
        row: row.row_no,
        name: row.name,
        departments: row.departments,
        status: row.status,
        has_feedback: row.has_feedback,
        version: row.version,
        channel: row.channel,
        ...toDeliveryView(row),
        sent_at: toIsoOrNull(row.sent_at),
        viewed_at: toIsoOrNull(row.viewed_at),
        confirmed_at: toIsoOrNull(row.confirmed_at),
        net_fen: content.net_fen,
        cells: getVisibleCells(content, recognition),
      }
    }),
    page: { page, pagesize, total: Number(total) },
    batch: {
      title: batch.title_name ?? '',
      month: batch.title_month,
      status: batch.status,
      scheduled_at: batch.status === 'scheduled' ? toIsoOrNull(batch.scheduled_at) : null,
      undo_seconds: getUndoSecondsRemaining(batch, ctx.now),
      owner: await getOwnerName(ctx, batch.owner_id),
      rules: parsePayslipRules(batch.rules),
      counts: { ...counts, unsent: await countUnsent(ctx, batch_id) },
      ...(await countReached(ctx, batch_id)),
      net_fen: (await loadPaidTotals(ctx, [batch_id])).get(batch_id)?.net_fen ?? null,
    },
    columns: getSheetColumns(ctx, batch),
    sums: getColumnSums(recognition),
  }
})

/** Loads one page of payslips with their delivery status. */
const loadPayslipRows = (
  ctx: HandlerContext,
  query: ReturnType<typeof selectPayslipsWithMembers>,
  { page, pagesize }: { page: number; pagesize: number },
) =>
  query
    .leftJoinLateral(selectAnnouncement(ctx.company_id), (join) => join.onTrue())
    .select([
      'payslip.id',
      'payslip.row_no',
      'member.name',
      'payslip.status',
      'payslip.has_feedback',
      'payslip.version',
      'payslip.channel',
    ])
    .select([
      'payslip.sent_at',
      'payslip.viewed_at',
      'payslip.confirmed_at',
      'payslip.cells',
      'message.delivery',
      'message.failure',
    ])
    .select(['message.code', 'message.delivered_at'])
    .select(selectDepartmentNames(ctx.company_id).as('departments'))
    .orderBy('payslip.row_no')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()

export const getMemberSlips = defineHandler(contract.getMemberSlips, async (ctx, { member_id, page, pagesize }) => {
  const ids = await getMemberRowIds(ctx, member_id)
  const query = selectVisiblePayslips(ctx).where('payslip.member_id', '=', sql<string>`any(${ids}::uuid[])`)
  const { total } = await query.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await query
    .leftJoin(titleView, (join) =>
      join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'),
    )
    .select(['payslip.id', 'payslip.batch_id', 'payslip.status', 'payslip.version', 'payslip.cells', 'batch.title_id'])
    .select(['payslip.sent_at', 'payslip.viewed_at', 'payslip.confirmed_at', 'title.name as title', 'title.month'])
    .orderBy('title.month', (order) => order.desc().nullsFirst())
    .orderBy('payslip.id', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return {
    list: rows.map(({ id, title_id, title, cells, ...row }) => ({
      ...row,
      salary_id: id,
      title: openTitle(ctx.vault, title_id, title) ?? '',
      net_fen: openPayslipContent(ctx.vault, { id, version: row.version, cells }).net_fen,
      sent_at: toIsoOrNull(row.sent_at),
      viewed_at: toIsoOrNull(row.viewed_at),
      confirmed_at: toIsoOrNull(row.confirmed_at),
    })),
    page: { page, pagesize, total },
  }
})

function getSheetColumns(ctx: HandlerContext, batch: BatchRow) {
  const recognition = openRecognition(ctx, batch)
  const signs = getAmountSigns({ ...recognition, layout: openPayslipLayout(ctx, batch, recognition) })
  return recognition.columns.map(({ key, label, role, kind }) => ({ key, label, role, kind, sign: signs.get(key) ?? 'own' }))
}

/** SQL expression for `member`: the names of the member's departments, joined by 、. */
export const selectDepartmentNames = (company_id: string): RawBuilder<string> => sql<string>`(
  select coalesce(string_agg(department.name, '、' order by department.position, department.id), '')
  from ${memberDepartmentView}
  join ${departmentView} on department.company_id = member_department.company_id and department.id = member_department.department_id
  where member_department.company_id = ${company_id} and member_department.member_id = member.id)`

/** Cells by column, followed by the cells of several rows that were merged into one payslip. */
function getVisibleCells(
  { cells }: PayslipContent,
  { columns }: { readonly columns: readonly ReadColumn[] },
): Record<string, Cell> {
  const roles = new Map(columns.map(({ key, role }) => [key, role]))
  return Object.fromEntries(
    Object.entries(cells).flatMap(([key, cell]) => {
      const role = roles.get(getColumnKey(key))
      return role ? [[key, { value: cell.value, kind: getCellKind(cell, role) }]] : []
    }),
  )
}

async function getOwnerName(ctx: HandlerContext, owner_id: string): Promise<string> {
  const owner = await ctx.db
    .selectFrom(adminView)
    .select('member_id')
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', owner_id)
    .executeTakeFirst()
  return (await getMemberName(ctx, owner?.member_id ?? null)) ?? ''
}
