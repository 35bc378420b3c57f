/** Sending progress and pausing. Every number is counted from the delivery ledger; no counters are stored. */

import { sql } from 'kysely'
import * as contract from '../../../contract/payslips/send.ts'
import { type BatchStatus, type Channel, channels } from '../../../contract/shared/schemas.ts'
import { can, countedStatuses, type PayslipCount } from '../../../contract/shared/statuses.ts'
import { assertAllowed, defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { newId } from '../../../shared/ids.ts'
import { refundSms } from '../../billing/index.ts'
import { isPayablePayslip } from '../../directory/index.ts'
import { memberView } from '../../directory/read-model.ts'
import { countUnsent, requireBatchForPayslips, setBatchStatus } from '../../sheets/index.ts'
import { sumSmsSegments } from '../rules/message.ts'
import { getUndoSecondsRemaining } from '../rules/payslip-rules.ts'
import { selectLatestStartedPlan } from './ledger.ts'

const maxFailures = 100
/** The remaining time is estimated from the rate of the last half minute. */
const rateWindowMs = 30_000

export const getSendInfo = defineHandler(contract.getSendInfo, async (ctx, { batch_id }) => {
  const { db, company_id, now } = ctx
  const batch = await requireBatchForPayslips(ctx, batch_id, 'view')
  // One statement sees one snapshot, so the numbers always add up; each part reads its table once.
  const { rows } = await sql<ProgressRow>`
    select 'slip' as part, status, channel, has_feedback, count(*)::int as count, null::timestamptz as first
    from payslip where company_id = ${company_id} and batch_id = ${batch_id} and status <> 'waiting' and ${isPayablePayslip(ctx)}
    group by status, channel, has_feedback
    union all
    select 'unknown', payslip.status, payslip.channel, false, count(*)::int, null
    from (select salary_id from delivery where company_id = ${company_id} and batch_id = ${batch_id} and status = 'unknown' and purpose = 'slip' offset 0) as unclear
    join payslip on payslip.company_id = ${company_id} and payslip.id = unclear.salary_id and ${isPayablePayslip(ctx)}
    group by payslip.status, payslip.channel
    union all
    select 'delivered', payslip.status, payslip.channel, false, count(*)::int, null
    from delivery
    join payslip on payslip.company_id = ${company_id} and payslip.id = delivery.salary_id and payslip.version = delivery.version and ${isPayablePayslip(ctx)}
    where delivery.company_id = ${company_id} and delivery.batch_id = ${batch_id} and delivery.purpose = 'slip' and delivery.delivered_at is not null
    group by payslip.status, payslip.channel
    union all
    select 'rate', '', 'link', false, (count(*) filter (where done_at > ${new Date(now.getTime() - rateWindowMs)}))::int, min(done_at)
    from delivery where company_id = ${company_id} and batch_id = ${batch_id} and purpose = 'slip'`.execute(db)
  const count = (matches: (row: ProgressRow) => boolean) =>
    rows.filter((row) => row.part === 'slip' && matches(row)).reduce((sum, row) => sum + row.count, 0)
  const hasFigure = (figure: PayslipCount) => (row: ProgressRow) =>
    countedStatuses[figure].some((status) => status === row.status)
  const isDelivered = hasFigure('sent')
  const unknown = rows.filter((row) => row.part === 'unknown' && isDelivered(row)).reduce((sum, row) => sum + row.count, 0)
  const queued = count(hasFigure('queued'))
  const by_channel = channels
    .map((channel) => ({
      channel,
      count: count((row) => row.channel === channel),
      failed: count((row) => row.channel === channel && row.status === 'failed'),
    }))
    .filter((channelCount) => channelCount.count > 0)
  return {
    status: batch.status,
    title: batch.title_name ?? '',
    total: count(() => true),
    queued,
    sent: count(isDelivered) - unknown,
    failed: count(hasFigure('failed')),
    unknown,
    delivered: rows.filter((row) => row.part === 'delivered' && isDelivered(row)).reduce((sum, row) => sum + row.count, 0),
    viewed: count(hasFigure('viewed')),
    confirmed: count(hasFigure('confirmed')),
    feedback: count((row) => row.has_feedback && isDelivered(row)),
    withdrawn: count(hasFigure('withdrawn')),
    by_channel,
    failures: await listFailures(ctx, batch_id),
    ...(await listFallbacks(ctx, batch_id)),
    delays: await findWaitingReasons(ctx, batch_id),
    eta_seconds: batch.status === 'sending' ? estimateSecondsRemaining(rows, queued, now) : null,
    unsent: await countUnsent(ctx, batch_id),
    scheduled_at: batch.scheduled_at && batch.status === 'scheduled' ? toIsoTimestamp(batch.scheduled_at) : null,
    undo_seconds: getUndoSecondsRemaining(batch, now),
    link: `${ctx.origin}/m/slips`,
  }
})

type ProgressRow = {
  part: 'slip' | 'unknown' | 'delivered' | 'rate'
  status: string
  channel: Channel
  has_feedback: boolean
  count: number
  first: Date | null
}

function estimateSecondsRemaining(rows: readonly ProgressRow[], queued: number, now: Date): number | null {
  const rate = rows.find((row) => row.part === 'rate')
  if (!rate?.first || rate.count === 0) return null
  const seconds = Math.max(1, Math.min(rateWindowMs, now.getTime() - rate.first.getTime()) / 1000)
  return Math.ceil((queued * seconds) / rate.count)
}

/** Lists the recipients who were not, or possibly not, reached, and why. */
async function listFailures(ctx: HandlerContext, batch_id: string) {
  const { db, company_id } = ctx
  const rows = await db
    .selectFrom('delivery')
    .innerJoin('payslip', (join) =>
      join.onRef('payslip.company_id', '=', 'delivery.company_id').onRef('payslip.id', '=', 'delivery.salary_id'),
    )
    .innerJoin(memberView, (join) =>
      join.onRef('member.company_id', '=', 'payslip.company_id').onRef('member.id', '=', 'payslip.member_id'),
    )
    .select([
      'delivery.salary_id',
      'member.name',
      'delivery.channel',
      'delivery.status',
      'delivery.code',
      'delivery.message',
      'payslip.status as slip',
    ])
    .where('delivery.company_id', '=', company_id)
    .where('delivery.batch_id', '=', batch_id)
    .where('delivery.purpose', '=', 'slip')
    .where('delivery.status', 'in', ['failed', 'unknown'])
    // A channel that failed with a fallback after it is not a failure for the recipient.
    .whereRef('delivery.channel', '=', 'payslip.channel')
    .whereRef('delivery.version', '=', 'payslip.version')
    .where('payslip.status', '<>', 'withdrawn')
    .where(isPayablePayslip(ctx))
    .orderBy('payslip.row_no')
    .limit(maxFailures)
    .execute()
  return rows.map(({ slip, status, code, message, ...row }) => ({
    ...row,
    status: status === 'unknown' ? ('unknown' as const) : ('failed' as const),
    is_viewed: slip === 'viewed' || slip === 'confirmed',
    code: code ?? '',
    message: message ?? '',
  }))
}

/** Lists why queued messages are delayed, each reason once. */
async function findWaitingReasons({ db, company_id }: HandlerContext, batch_id: string) {
  const rows = await db
    .selectFrom('delivery')
    .select(['channel', 'message'])
    .distinct()
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', 'queued')
    .where('message', 'is not', null)
    .orderBy('channel')
    .execute()
  return rows.map(({ channel, message }) => ({ channel, message: message ?? '' }))
}

/** Lists the recipients reached through a fallback channel, and why. */
async function listFallbacks(ctx: HandlerContext, batch_id: string) {
  const { db, company_id } = ctx
  const { rows } = await sql<{
    salary_id: string
    name: string
    from: Channel
    message: string | null
    to: Channel
    count: number
  }>`
    select payslip.id as salary_id, member.name, delivery.channel as from, delivery.message, payslip.channel as to, (count(*) over ())::int as count
    from delivery
    join payslip on payslip.company_id = ${company_id} and payslip.id = delivery.salary_id and payslip.version = delivery.version
    join ${memberView} on member.company_id = ${company_id} and member.id = payslip.member_id
    where delivery.company_id = ${company_id} and delivery.batch_id = ${batch_id} and delivery.purpose = 'slip' and delivery.status = 'failed'
      and delivery.channel <> payslip.channel and payslip.status <> 'withdrawn' and ${isPayablePayslip(ctx)}
    order by delivery.done_at desc, payslip.row_no limit ${maxFailures}`.execute(db)
  return {
    fallbacks: rows.map(({ salary_id, name, from, to, message }) => ({ salary_id, name, from, to, message: message ?? '' })),
    fallback_count: rows[0]?.count ?? 0,
  }
}

export const pauseSend = defineHandler(contract.pauseSend, async (ctx, { batch_id }) => {
  const batch = await requireBatchForPayslips(ctx, batch_id, 'manage')
  const { status } = batch
  assertAllowed(can.pause(status), { status })
  // Where a part was sent before, cancelling the schedule of the rest returns to that.
  const next: BatchStatus = status === 'scheduled' ? (batch.sent_at ? 'sent' : 'checked') : 'paused'
  if (status === 'scheduled') await cancelSchedule(ctx, batch_id)
  const fields = status === 'scheduled' ? { scheduled_at: null, undo_until: null } : {}
  if (!(await setBatchStatus(ctx, batch_id, [status], next, fields))) throw fail('wrong_state', undefined, { status })
  return { status: next }
})

/** Restores the state before sending: nothing was sent, so the sheet may change again and the charge is refunded. */
async function cancelSchedule(ctx: HandlerContext, batch_id: string): Promise<void> {
  const { db, company_id } = ctx
  const deletedDeliveries = await db
    .deleteFrom('delivery')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('purpose', '=', 'slip')
    .where('status', '=', 'queued')
    .where('attempts', '=', 0)
    .returning(['channel', 'segments'])
    .execute()
  await db
    .updateTable('payslip')
    .set({ status: 'waiting' })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', 'queued')
    .execute()
  await db
    .updateTable('send_plan')
    .set({ status: 'void' })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('id', '=', selectLatestStartedPlan(ctx, batch_id))
    .execute()
  await refundSms(ctx, sumSmsSegments(deletedDeliveries), 'unsent', { id: newId(), batch_id })
}

export const resumeSend = defineHandler(contract.resumeSend, async (ctx, { batch_id }) => {
  const { status } = await requireBatchForPayslips(ctx, batch_id, 'manage')
  assertAllowed(can.resume(status), { status })
  if (!(await setBatchStatus(ctx, batch_id, ['paused'], 'sending'))) throw fail('wrong_state', undefined, { status })
  await ctx.jobs.send('send', { company_id: ctx.company_id, batch_id })
  return { status: 'sending' as const }
})
