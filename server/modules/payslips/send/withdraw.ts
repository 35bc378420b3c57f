/** Withdrawing payslips. From the response on, no employee can open them and no waiting message is sent. */

import { setTimeout as sleep } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import * as contract from '../../../contract/payslips/send.ts'
import { can } from '../../../contract/shared/statuses.ts'
import { type AfterCommitContext, assertAllowed, defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import { leaseMs } from '../../../outbox/index.ts'
import { newId } from '../../../shared/ids.ts'
import { refundSms } from '../../billing/index.ts'
import { isPayablePayslip } from '../../directory/index.ts'
import { requireBatchForPayslips, setBatchStatus } from '../../sheets/index.ts'
import { queueWebhookEvents } from '../../webhooks/index.ts'
import { getPollDelayMs } from '../rules/dispatch.ts'
import { sumSmsSegments } from '../rules/message.ts'
import { assertSendStarted, getWithdrawReasonPosition, lockPayslip, toStartOptions } from './ledger.ts'
import { requestChatStatus } from './request-chat-status.ts'

/**
 * The timeout is longer than a gateway usually takes and shorter than a user would wait before suspecting a failure.
 */
const inFlightTimeoutMs = 5_000

export const withdrawSingleSalary = defineHandler(
  contract.withdrawSingleSalary,
  {
    afterCommit: async (after, { salary_id }) => ({
      in_flight: await waitForInFlight(after, sql`payslip.id = ${salary_id}`),
    }),
  },
  async (ctx, { salary_id, reason }) => {
    const { salary, batch } = await lockPayslip(ctx, salary_id)
    assertAllowed(can.withdraw(salary.status), { status: salary.status })
    assertSendStarted(batch, salary)
    await withdrawPayslips(ctx, batch.id, sealReason(ctx, batch.id, reason), salary_id)
    if (await isFullyWithdrawn(ctx, batch.id)) await closeBatch(ctx, batch.id, sealReason(ctx, batch.id, reason))
    ctx.addAuditDetails({ batch_id: batch.id })
    return { in_flight: 0 }
  },
)

export const withdrawBatchPaySheet = defineHandler(
  contract.withdrawBatchPaySheet,
  {
    afterCommit: async (after, { batch_id }, done) => ({
      ...done,
      in_flight: await waitForInFlight(after, sql`delivery.batch_id = ${batch_id}`),
    }),
  },
  async (ctx, { batch_id, reason }) => {
    const { status } = await requireBatchForPayslips(ctx, batch_id, 'manage')
    assertAllowed(can.withdrawBatch(status), { status })
    await assertDiskSpace(ctx, batch_id)
    const done = await withdrawPayslips(ctx, batch_id, sealReason(ctx, batch_id, reason))
    // Payslips of members outside the current scope stay, and so does the batch.
    if ((await isFullyWithdrawn(ctx, batch_id)) && !(await closeBatch(ctx, batch_id, sealReason(ctx, batch_id, reason))))
      throw fail('wrong_state', undefined, { status })
    ctx.addAuditDetails({ withdrawn: done.withdrawn, not_sent: done.not_sent })
    return { ...done, in_flight: 0 }
  },
)

/** The maximum disk space written per withdrawn payslip: row and delivery, each also in the database log (measured). */
export const bytesPerPayslip = 8 * 1024

/** A nearly full disk has space for a withdrawal, but not for one of any size. */
async function assertDiskSpace({ db, company_id, spareBytes }: HandlerContext, batch_id: string): Promise<void> {
  if (spareBytes === null) return
  const maxPayslips = Math.floor(spareBytes / bytesPerPayslip)
  const { count } = await db
    .selectFrom('payslip')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .executeTakeFirstOrThrow()
  if (Number(count) > maxPayslips)
    throw fail(
      'no_room',
      `服务器磁盘空间不足，一次最多只能撤回 ${maxPayslips} 人；请先暂停发送、逐个撤回，并联系系统运维清理磁盘`,
      {
        retry_after: 30,
      },
    )
}

/**
 * Waits, without an open transaction, until messages started before the withdrawal have arrived or certainly will not.
 * Messages a sender in any process has passed to a gateway cannot be recalled; the ledger shows which they are (an
 * attempt is counted before it starts). Returns how many may still arrive afterwards: those still in progress, and
 * those whose outcome the gateway has not reported.
 */
async function waitForInFlight(
  { database, company_id, signal }: AfterCommitContext,
  condition: RawBuilder<unknown>,
): Promise<number> {
  const endsAt = performance.now() + inFlightTimeoutMs
  for (let attempt = 0; ; attempt += 1) {
    const { rows } = await database.inCompany(company_id, (tx) =>
      sql<{ status: string; count: number }>`
        select delivery.status, count(*)::int as count
        from delivery
        join payslip on payslip.company_id = delivery.company_id and payslip.id = delivery.salary_id
        where delivery.company_id = ${company_id} and ${condition} and payslip.status = 'withdrawn' and delivery.attempts > 0
          and (delivery.status in ('leased', 'queued') or (delivery.status = 'unknown' and delivery.done_at >= payslip.withdrawn_at))
        group by delivery.status`.execute(tx),
    )
    if (!rows.some((row) => row.status === 'leased') || performance.now() >= endsAt || signal.aborted)
      return rows.reduce((sum, row) => sum + row.count, 0)
    await sleep(getPollDelayMs(attempt))
  }
}

/** Whether nothing is left to withdraw, in or out of the user's scope. */
async function isFullyWithdrawn({ db, company_id }: HandlerContext, batch_id: string): Promise<boolean> {
  const remaining = await db
    .selectFrom('payslip')
    .select('id')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', 'not in', ['withdrawn', 'waiting'])
    .limit(1)
    .executeTakeFirst()
  return !remaining
}

const sealReason = ({ vault }: HandlerContext, batch_id: string, reason: string | undefined): Buffer | null =>
  reason ? vault.seal(getWithdrawReasonPosition(batch_id), reason) : null

const closeBatch = (ctx: HandlerContext, batch_id: string, reason: Buffer | null): Promise<boolean> =>
  setBatchStatus(ctx, batch_id, ['scheduled', 'sending', 'paused', 'sent'], 'withdrawn', {
    withdrawn_at: ctx.now,
    withdrawn_reason: reason,
  })

/**
 * Cancels waiting messages and closes the payslips in one transaction. The caller locks the batch, so no sender is
 * between checking and sending. A message in progress (leased) still arrives, and leads to a closed payslip: the
 * response waits for it. Its sender, or the job queued here if that one is dead, records the outcome.
 */
async function withdrawPayslips(
  ctx: HandlerContext,
  batch_id: string,
  reason: Buffer | null,
  salary_id?: string,
): Promise<{ withdrawn: number; not_sent: number }> {
  const { db, company_id, now } = ctx
  const payslipIds = selectWithdrawable(ctx, batch_id, salary_id)
  const cancelledDeliveries = await cancelQueued(ctx, batch_id, payslipIds)
  const closed = await db
    .updateTable('payslip')
    .set({ status: 'withdrawn', withdrawn_at: now, withdrawn_reason: reason })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', 'in', ['queued', 'sent', 'viewed', 'confirmed', 'failed'])
    .where('id', 'in', payslipIds)
    .returning(['id as salary_id', 'batch_id', 'member_id'])
    .execute()
  await queueWebhookEvents({ db, company_id, now }, 'slip.withdrawn', closed)
  await requestChatStatus(
    ctx,
    'withdrawn',
    closed.map(({ salary_id: id }) => id),
  )
  // A message with an attempt of unclear outcome may have been charged; only messages that were certainly never sent
  // are refunded.
  await refundSms(ctx, sumSmsSegments(cancelledDeliveries.filter((row) => row.attempts === 0)), 'unsent', {
    id: newId(),
    batch_id,
  })
  const leased = await db
    .selectFrom('delivery')
    .select('id')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', 'leased')
    .limit(1)
    .executeTakeFirst()
  if (leased) await ctx.jobs.send('send', { company_id, batch_id }, toStartOptions(leaseMs + 5000))
  return {
    withdrawn: closed.length,
    not_sent: cancelledDeliveries.filter((row) => row.purpose === 'slip' && row.attempts === 0).length,
  }
}

/** Selects the payslips of a batch that the user may withdraw; or one of them. */
const selectWithdrawable = (ctx: HandlerContext, batch_id: string, salary_id: string | undefined) =>
  ctx.db
    .selectFrom('payslip')
    .select('id')
    .where('payslip.company_id', '=', ctx.company_id)
    .where('payslip.batch_id', '=', batch_id)
    .where(isPayablePayslip(ctx))
    .$if(salary_id !== undefined, (query) => query.where('payslip.id', '=', salary_id ?? ''))

const cancelQueued = (
  { db, company_id, now }: HandlerContext,
  batch_id: string,
  payslipIds: ReturnType<typeof selectWithdrawable>,
) =>
  db
    .updateTable('delivery')
    // An earlier attempt with unclear outcome may have been sent and may still arrive: it is reported, and never
    // retried.
    .set({
      status: sql`case when attempts > 0 then 'unknown' else 'cancelled' end`,
      message: sql`case when attempts > 0 then '撤回前已经尝试发送，不能确认是否送达' else '工资条已撤回' end`,
      code: 'withdrawn',
      done_at: now,
      lease_by: null,
    })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    // A sender has leased the message but not started it: it has to lock the batch before starting, and will not find
    // the row any more.
    .where((eb) => eb.or([eb('status', '=', 'queued'), eb.and([eb('status', '=', 'leased'), eb('attempts', '=', 0)])]))
    .where('salary_id', 'in', payslipIds)
    .returning(['channel', 'segments', 'purpose', 'attempts'])
    .execute()
