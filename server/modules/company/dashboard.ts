/**
 * The dashboard shows the month at a glance. Payslip data covers only batches visible to the user (row-level security,
 * layer 3); users without any see only members.
 */

import { sql } from 'kysely'
import { hasPower } from '../../contract/access.ts'
import type { CallOutput } from '../../contract/call.ts'
import * as contract from '../../contract/company/company.ts'
import { sumFen } from '../../contract/shared/money.ts'
import { paidStatuses as slipsPaid } from '../../contract/shared/statuses.ts'
import { defineHandler, type HandlerContext } from '../../http/handler.ts'
import { toIsoTimestamp, toShanghaiMonth } from '../../shared/clock.ts'
import { countVisibleMembers, isEmployedOrTerminationStored, isPayablePayslip } from '../directory/index.ts'
import { hasSendStarted, payslipCountsLateral, payslipsLateral } from '../payslip-records/index.ts'
import {
  batchesInFullScope,
  computePaidTotals,
  getBatchName,
  selectUnsentCount,
  visibleBatches,
  visiblePayslips,
} from '../sheets/index.ts'
import { batchView, titleView } from '../sheets/read-model.ts'

type HomeOutput = CallOutput<typeof contract.getIndex>

const emptyCounts: HomeOutput['counts'] = {
  batches: 0,
  sent_batches: 0,
  total: 0,
  sent: 0,
  viewed: 0,
  uploaded: 0,
  unsent: 0,
  unconfirmed: 0,
}

export const getIndex = defineHandler(contract.getIndex, async (ctx) => {
  const { db, company_id, currentUser, now, billing } = ctx
  // Power 1 alone manages the company, not its pay: no batch, no amount.
  const isPayrollAdmin = hasPower(currentUser.power, ['2'])
  const { sms_left } = await db.selectFrom('company').select('sms_left').where('id', '=', company_id).executeTakeFirstOrThrow()
  return {
    month: toShanghaiMonth(now),
    ...(isPayrollAdmin ? await getBatchSummaries(ctx) : { batches: [], counts: emptyCounts }),
    todos: isPayrollAdmin ? await listTodos(ctx) : [],
    trend: await getPayTrend(ctx, isPayrollAdmin),
    members: await countVisibleMembers(ctx),
    sms_left: billing ? sms_left : null,
  }
})

/** Subtracts months: `2026-11`, 1 → `2026-10`. */
export function subtractMonths(month: string, count: number): string {
  const [year = 0, monthOfYear = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, monthOfYear - 1 - count, 1)).toISOString().slice(0, 7)
}

const maxListedBatches = 20

const getMonthStart = ({ now }: Pick<ViewerContext, 'now'>): Date => new Date(`${toShanghaiMonth(now)}-01T00:00:00+08:00`)

/**
 * Selects unfinished batches, those sent this month, and those of the last pay month (wages of October are sent in
 * November), with their payslip counts.
 */
function selectCurrentBatches(ctx: ViewerContext) {
  const { db, company_id, now } = ctx
  const month = toShanghaiMonth(now)
  return db
    .selectFrom(batchView)
    .leftJoin(titleView, (join) =>
      join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'),
    )
    .leftJoinLateral(
      payslipCountsLateral(company_id, {
        where: isPayablePayslip(ctx),
        isReachable: isEmployedOrTerminationStored(company_id),
      }).as('slips'),
      (join) => join.onTrue(),
    )
    .where('batch.company_id', '=', company_id)
    .where('batch.status', '<>', 'withdrawn')
    .where(visibleBatches(ctx))
    .where((eb) =>
      eb.or([
        eb('batch.status', 'in', ['draft', 'checked', 'scheduled', 'sending', 'paused']),
        eb('batch.sent_at', '>=', getMonthStart(ctx)),
        eb('title.month', '>=', subtractMonths(month, 1)),
      ]),
    )
}

/** The recipients of a batch, with those who have no payslip yet. */
const selectRecipientCount = (ctx: ViewerContext) =>
  sql<number>`(coalesce(nullif(slips.total, 0) + ${selectUnsentCount(ctx)}, batch.people))::int`

const selectBatchCounts = (ctx: ViewerContext) => [
  sql<number>`count(*)::int`.as('batches'),
  sql<number>`(count(*) filter (where slips.sent > 0))::int`.as('sent_batches'),
  sql<number>`coalesce(sum(${selectRecipientCount(ctx)}), 0)::int`.as('total'),
  sql<number>`coalesce(sum(slips.sent), 0)::int`.as('sent'),
  sql<number>`coalesce(sum(slips.viewed), 0)::int`.as('viewed'),
  sql<number>`(count(*) filter (where batch.created_at >= ${getMonthStart(ctx)}))::int`.as('uploaded'),
  sql<number>`coalesce(sum(case when slips.total > 0 then ${selectUnsentCount(ctx)} else batch.people end), 0)::int`.as('unsent'),
  sql<number>`coalesce(sum(slips.viewed - slips.confirmed) filter (where (batch.rules ->> 'confirm')::boolean), 0)::int`.as(
    'unconfirmed',
  ),
]

async function getBatchSummaries(ctx: HandlerContext): Promise<Pick<HomeOutput, 'batches' | 'counts'>> {
  const rows = await selectCurrentBatches(ctx)
    .select(['batch.id', 'batch.file_name', 'batch.status', 'batch.updated_at', 'batch.title_id', 'batch.undo_until'])
    .select(['title.name as title', 'title.month', selectRecipientCount(ctx).as('total')])
    .select(['slips.sent', 'slips.viewed', 'slips.confirmed', 'slips.feedback', 'slips.failed', 'slips.remindable'])
    .orderBy('batch.created_at', 'desc')
    .orderBy('batch.id')
    .limit(maxListedBatches)
    .execute()
  const batches = rows.map((row) => ({
    batch_id: row.id,
    title: getBatchName(ctx.vault, row),
    month: row.month,
    status: row.status,
    soon: row.status === 'scheduled' && row.undo_until !== null,
    total: row.total,
    sent: row.sent ?? 0,
    viewed: row.viewed ?? 0,
    confirmed: row.confirmed ?? 0,
    feedback: row.feedback ?? 0,
    failed: row.failed ?? 0,
    remindable: row.remindable ?? 0,
    updated_at: toIsoTimestamp(row.updated_at),
  }))
  const all = await selectCurrentBatches(ctx).select(selectBatchCounts(ctx)).executeTakeFirstOrThrow()
  return { batches, counts: all }
}

type ViewerContext = Pick<HandlerContext, 'db' | 'company_id' | 'currentUser' | 'now'>

/** Returns the user's dashboard figures, counts only. */
export async function getMonthlySummary(ctx: ViewerContext) {
  const counts = await selectCurrentBatches(ctx).select(selectBatchCounts(ctx)).executeTakeFirstOrThrow()
  const todoCounts = new Map<string, number>((await listTodos(ctx)).map(({ kind, count }) => [kind, count]))
  return {
    month: toShanghaiMonth(ctx.now),
    people: await countVisibleMembers(ctx),
    batches: counts.batches,
    sent: counts.sent,
    viewed: counts.viewed,
    drafts: todoCounts.get('draft') ?? 0,
    failed: todoCounts.get('failed') ?? 0,
    feedback: todoCounts.get('feedback') ?? 0,
    unviewed: todoCounts.get('unviewed') ?? 0,
  }
}

const recentWindowMs = 31 * 86_400_000

type TodoKind = HomeOutput['todos'][number]['kind']
/** Lists to-dos; each links to its batch if there is only one. Old payslips are left out. */
export async function listTodos(ctx: ViewerContext): Promise<HomeOutput['todos']> {
  const { db, company_id, now } = ctx
  const visible = db.selectFrom(batchView).where('batch.company_id', '=', company_id).where(visibleBatches(ctx))
  const onlyBatchId = sql<string | null>`case when count(distinct batch.id) = 1 then min(batch.id::text) end`.as('batch_id')
  const drafts = visible
    .select([sql<TodoKind>`'draft'`.as('kind'), sql<number>`count(*)`.as('count'), onlyBatchId, sql<number>`0`.as('late')])
    .where('batch.status', 'in', ['draft', 'checked'])
  const recent = visible
    .where(hasSendStarted)
    .where(sql<boolean>`coalesce(batch.sent_at, batch.updated_at) > ${new Date(now.getTime() - recentWindowMs)}`)
  const selectPayslipTodo = (
    batches: typeof visible,
    kind: TodoKind,
    filter: Pick<Parameters<typeof payslipsLateral>[1], 'statuses' | 'withOpenFeedback'>,
  ) =>
    batches
      .innerJoinLateral(payslipsLateral(company_id, { where: isPayablePayslip(ctx), ...filter }).as('slip'), (join) =>
        join.onTrue(),
      )
      .select([sql<TodoKind>`${kind}::text`.as('kind'), sql<number>`count(*)`.as('count'), onlyBatchId])
      .select(sql<number>`count(*) filter (where slip.answer_due < ${now})`.as('late'))
  const failed = selectPayslipTodo(recent, 'failed', { statuses: ['failed'] })
  const unviewed = selectPayslipTodo(recent, 'unviewed', { statuses: ['sent'] })
  const feedback = selectPayslipTodo(visible, 'feedback', { withOpenFeedback: true })
  const rows = await drafts.unionAll(failed).unionAll(feedback).unionAll(unviewed).execute()
  return rows
    .filter((row) => row.count > 0)
    .map(({ late, ...row }) => ({
      ...row,
      ...(late > 0 ? { late: Number(late) } : {}),
    }))
}

/**
 * The last six months with sent payslips, oldest first. Each contains the number of members, counted once a month, and
 * the pay of exactly these members.
 */
async function getPayTrend(ctx: HandlerContext, isPayrollAdmin: boolean): Promise<HomeOutput['trend']> {
  const { db, company_id } = ctx
  const paidBatches = db
    .selectFrom(batchView)
    .innerJoin(titleView, (join) =>
      join.onRef('title.company_id', '=', 'batch.company_id').onRef('title.id', '=', 'batch.title_id'),
    )
    .innerJoinLateral(
      payslipsLateral(company_id, { where: isPayrollAdmin ? visiblePayslips(ctx) : sql<boolean>`true`, statuses: slipsPaid }).as(
        'slip',
      ),
      (join) => join.onTrue(),
    )
    .where('batch.company_id', '=', company_id)
    .where(hasSendStarted)
  const months = await paidBatches
    .select(['title.month', sql<number>`count(distinct slip.member_id)`.as('people')])
    .groupBy('title.month')
    .orderBy('title.month', 'desc')
    .limit(6)
    .execute()
  const since = months.at(-1)?.month
  const batches =
    isPayrollAdmin && since
      ? await paidBatches
          .select(['batch.id', 'title.month', 'batch.totals', batchesInFullScope(ctx).as('is_full')])
          .select([sql<number>`count(*)::int`.as('slips'), sql<boolean>`bool_or(slip.version > 1)`.as('is_corrected')])
          .where('title.month', '>=', since)
          .groupBy([
            'batch.company_id',
            'batch.id',
            'batch.status',
            'batch.totals',
            'batch.scope_all',
            'batch.scope_ids',
            'title.month',
          ])
          .execute()
      : []
  const totals = await computePaidTotals(ctx, batches)
  return months.toReversed().map(({ month, people }) => {
    const monthTotals = batches.flatMap((batch) => (batch.month === month ? (totals.get(batch.id) ?? []) : []))
    // A sum without one of the batches would be wrong, so none is returned.
    const sumIfComplete = (values: (number | null)[]) =>
      values.length > 0 && values.every((value) => value !== null) ? sumFen(values.map(Number)) : null
    return {
      month,
      people,
      gross_fen: sumIfComplete(monthTotals.map((t) => t.gross_fen)),
      net_fen: sumIfComplete(monthTotals.map((t) => t.net_fen)),
    }
  })
}
