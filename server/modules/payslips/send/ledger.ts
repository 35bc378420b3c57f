/**
 * The delivery ledger: every message requested from an external service. Changes of what is sent lock the batch first
 * (`requireBatchForPayslips(…, 'manage')`), then deliveries, then payslips, then the company: a single order prevents
 * deadlocks.
 */

import { expressionBuilder, type RawBuilder, sql } from 'kysely'
import type { Channel, PayslipStatus } from '../../../contract/shared/schemas.ts'
import type { SealPosition } from '../../../crypto/secrets.ts'
import type { Tx } from '../../../database/database.ts'
import type { Tables } from '../../../database/tables.ts'
import { AppError, assertAllowed, fail, type HandlerContext } from '../../../http/handler.ts'
import { newId } from '../../../shared/ids.ts'
import { chargeSms } from '../../billing/index.ts'
import { type BatchRow, requireBatchForPayslips, visiblePayslips } from '../../sheets/index.ts'
import { batchView } from '../../sheets/read-model.ts'
import { parsePurpose } from '../rules/dispatch.ts'

export type CompanyTx = { readonly db: Tx; readonly company_id: string; readonly now: Date }

/** The withdrawal reason: written in one statement for the whole batch, so it is encrypted for the batch. */
export const getWithdrawReasonPosition = (batch_id: string): SealPosition => ({
  table: 'payslip',
  row: batch_id,
  column: 'withdrawn_reason',
})

/** Selects the message that announced the current version of a payslip, as `message`; reminders are not among them. */
export const selectAnnouncement = (company_id: string) =>
  expressionBuilder<Tables, 'payslip'>()
    .selectFrom('delivery')
    .select(['delivery.status as delivery', 'delivery.message as failure', 'delivery.code', 'delivery.delivered_at'])
    .where('delivery.company_id', '=', company_id)
    .whereRef('delivery.salary_id', '=', 'payslip.id')
    .where('delivery.purpose', 'in', ['slip', 'corrected'])
    .orderBy('delivery.version', 'desc')
    // Of several channels the last used one is shown.
    .orderBy(sql`delivery.channel = payslip.channel`, 'desc')
    .limit(1)
    .as('message')

/** Selects the payslips accessible to an administrator, with their batches: own or shared ones, members in the current scope. */
export const selectVisiblePayslips = (
  ctx: Pick<HandlerContext, 'db' | 'currentUser' | 'company_id'>,
  access: 'view' | 'manage' = 'view',
) =>
  ctx.db
    .selectFrom('payslip')
    .innerJoin(batchView, (join) =>
      join.onRef('batch.company_id', '=', 'payslip.company_id').onRef('batch.id', '=', 'payslip.batch_id'),
    )
    .where('payslip.company_id', '=', ctx.company_id)
    .where(visiblePayslips(ctx, access))

/** Returns a payslip that the user may view (or change), with its batch; otherwise throws `not_found`. */
export async function getVisiblePayslip(ctx: HandlerContext, salary_id: string, access: 'view' | 'manage') {
  const salary = await selectVisiblePayslips(ctx).selectAll('payslip').where('payslip.id', '=', salary_id).executeTakeFirst()
  if (!salary) throw fail('not_found')
  const batch = await requireBatchForPayslips(ctx, salary.batch_id, access)
  return { salary: { ...salary, status: salary.status, channel: salary.channel }, batch }
}

/** Like `getVisiblePayslip` for changes: the batch is locked, so status and version are current. */
export async function lockPayslip(ctx: HandlerContext, salary_id: string) {
  const unlocked = await getVisiblePayslip(ctx, salary_id, 'manage')
  const salary = await ctx.db
    .selectFrom('payslip')
    .selectAll()
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', salary_id)
    .forUpdate()
    .executeTakeFirst()
  if (!salary) throw fail('not_found')
  return { salary: { ...salary, status: salary.status, channel: salary.channel }, batch: unlocked.batch }
}

/**
 * While a payslip is scheduled the sheet is authoritative, and undoing the schedule plans it again from there: if it were
 * corrected or withdrawn individually it would conflict, or be sent in its earlier state. Payslips of a part of the batch
 * that was sent before are not concerned.
 */
export function assertSendStarted({ status }: Pick<BatchRow, 'status'>, salary: { readonly status: PayslipStatus }): void {
  assertAllowed(
    status !== 'scheduled' || salary.status !== 'queued' || '还没有开始发送；请先取消定时，再回到「核对」修改或跳过这个人',
    { status },
  )
}

/**
 * The id of a delivery derives from its payslip, version, channel and purpose, as a UUIDv8. The same message therefore
 * has the same id even if the row is written again after a backup was restored, and a gateway recognizes it. Computed
 * by the database, so that ten thousand rows are one statement.
 */
const deliveryId = (purpose: RawBuilder<string>): RawBuilder<string> => sql<string>`(
  select (substr(h, 1, 12) || '8' || substr(h, 14, 3) || 'a' || substr(h, 18, 15))::uuid
  from (select encode(sha256(convert_to(concat_ws('|', 'delivery', payslip.company_id, payslip.id, payslip.version, payslip.channel, ${purpose}), 'UTF8')), 'hex') as h) as hash)`

/** `sms` is the number of charged segments. */
type QueuedCount = { readonly count: number; readonly sms: number }

/**
 * Inserts a delivery for each payslip matched by `where` (a condition on `payslip`). Existing rows stay unchanged: a
 * second call never creates a second message. Returns the number of new rows.
 */
export async function queueDeliveries(
  { db, company_id, now }: CompanyTx,
  batch_id: string,
  where: RawBuilder<boolean>,
  { purpose, segments, due_at = now }: { purpose: RawBuilder<string>; segments: number; due_at?: Date },
): Promise<QueuedCount> {
  const { rows } = await sql<QueuedCount>`
    with asked as (
      insert into delivery (company_id, id, salary_id, batch_id, version, channel, purpose, segments, due_at, created_at)
      select payslip.company_id, ${deliveryId(purpose)}, payslip.id, payslip.batch_id, payslip.version, payslip.channel, ${purpose},
        case when payslip.channel = 'sms' then ${segments}::smallint else 1 end, ${due_at}, ${now}
      from payslip where payslip.company_id = ${company_id} and payslip.batch_id = ${batch_id} and ${where}
      on conflict (company_id, salary_id, version, channel, purpose) do nothing
      returning channel, segments)
    select count(*)::int as count, coalesce(sum(segments) filter (where channel = 'sms'), 0)::int as sms from asked`.execute(db)
  return rows[0] ?? { count: 0, sms: 0 }
}

/** Selects the plan that was started last: a batch sent in parts has an earlier one for each part. */
export const selectLatestStartedPlan = ({ db, company_id }: Pick<CompanyTx, 'db' | 'company_id'>, batch_id: string) =>
  db
    .selectFrom('send_plan')
    .select('id')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', 'started')
    .orderBy(sql`started_at desc nulls last`)
    .orderBy('created_at', 'desc')
    .limit(1)

/** Returns a job's start time on the queue's own clock (the product's clock may be changed in tests). */
export const toStartOptions = (ms: number): { start_after?: Date } => (ms > 0 ? { start_after: new Date(Date.now() + ms) } : {})

/** Queues a message about a delivered payslip: corrected, or feedback answered. The action is valid without prepaid SMS. */
export async function queueFollowUp(
  ctx: HandlerContext,
  batch: Pick<BatchRow, 'id' | 'status'>,
  salary: { readonly id: string; readonly channel: Channel },
  { purpose, segments }: { readonly purpose: string; readonly segments: number },
): Promise<void> {
  if (salary.channel === 'sms' && !(await tryChargeSms(ctx, batch.id, { segments, purpose }))) return
  await queueDeliveries(ctx, batch.id, sql<boolean>`payslip.id = ${salary.id}`, {
    purpose: sql<string>`${purpose}::text`,
    segments,
  })
  if (batch.status !== 'paused') await ctx.jobs.send('send', { company_id: ctx.company_id, batch_id: batch.id })
}

const tryChargeSms = (
  ctx: HandlerContext,
  batch_id: string,
  { segments, purpose }: { readonly segments: number; readonly purpose: string },
): Promise<boolean> =>
  chargeSms(ctx, segments, parsePurpose(purpose), { id: newId(), batch_id }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError && error.error === 'sms_used_up') return false
      throw error
    },
  )

/** A message about a payslip that was sent, or may have been. */
export type SentMessage = {
  readonly id: string
  readonly salary_id: string
  readonly at: Date
  readonly purpose: string
  readonly channel: Channel
  readonly unsure: boolean
  /** Whether the recipient has opened its subject since. */
  readonly read: boolean
}

/** Lists the messages sent about these payslips, newest first. */
export async function listSentMessages(
  { db, company_id }: Pick<CompanyTx, 'db' | 'company_id'>,
  salary_ids: readonly string[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ notified: SentMessage[]; total: number }> {
  const { rows } = await sql<SentMessage & { total: number }>`
    select delivery.id, delivery.salary_id, delivery.purpose, delivery.channel, delivery.status = 'unknown' as unsure,
      coalesce(delivery.done_at, delivery.created_at) as at, (count(*) over ())::int as total,
      case when delivery.purpose like 'answered-%' then coalesce(answered.read_at >= delivery.created_at, false)
        else delivery.version < payslip.version or payslip.viewed_at is not null end as read
    from delivery
    join payslip on payslip.company_id = delivery.company_id and payslip.id = delivery.salary_id
    left join lateral (
      select feedback.read_at from feedback_message
      join feedback on feedback.company_id = ${company_id} and feedback.id = feedback_message.feedback_id
      where feedback_message.company_id = ${company_id} and delivery.purpose = 'answered-' || feedback_message.id
        and feedback.salary_id = delivery.salary_id) as answered on delivery.purpose like 'answered-%'
    where delivery.company_id = ${company_id} and delivery.salary_id = any(${[...salary_ids]}::uuid[])
      and delivery.status in ('accepted', 'unknown')
    order by at desc, delivery.id desc limit ${limit} offset ${offset}`.execute(db)
  return { notified: rows, total: rows[0]?.total ?? 0 }
}

/** SQL expression for `member`: the carrier's failure message of the latest payslip message since then, if not delivered. */
export const selectLastDeliveryFailure = (company_id: string, since: Date): RawBuilder<string | null> => sql<string | null>`(
  select case when delivery.status = 'failed' then coalesce(delivery.message, '没有送达') end
  from payslip join delivery on delivery.company_id = ${company_id} and delivery.salary_id = payslip.id
  where payslip.company_id = ${company_id} and payslip.member_id = member.id and delivery.channel <> 'link'
    and delivery.status in ('accepted', 'failed', 'unknown') and delivery.created_at > ${since}
  order by delivery.created_at desc limit 1)`

/** SQL condition for `member`: the member has been sent payslips and has viewed none of them. */
export const hasNeverViewed = (company_id: string): RawBuilder<boolean> => sql<boolean>`(
  exists (select from payslip where payslip.company_id = ${company_id} and payslip.member_id = member.id and payslip.sent_at is not null
    and payslip.status <> 'withdrawn')
  and not exists (select from payslip where payslip.company_id = ${company_id} and payslip.member_id = member.id
    and payslip.viewed_at is not null))`

/** Selects every message ever queued for these payslips, oldest first. */
export const selectDeliveries = ({ db, company_id }: Pick<CompanyTx, 'db' | 'company_id'>, slip_ids: readonly string[]) =>
  db
    .selectFrom('delivery')
    .select(['salary_id', 'version', 'purpose', 'channel', 'status', 'created_at', 'done_at'])
    .where('company_id', '=', company_id)
    .where('salary_id', '=', sql<string>`any(${[...slip_ids]}::uuid[])`)
    .orderBy('created_at')
    .orderBy('version')
    .orderBy('id')
    .execute()
