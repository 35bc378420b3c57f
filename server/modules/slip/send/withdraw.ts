/** Taking slips back. From the answer on, no employee can open them and nothing that was still waiting is sent. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import * as contract from '../../../contract/payslips/send.ts'
import { can } from '../../../contract/shared/statuses.ts'
import { type AfterCommitContext, assertAllowed, defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import { leaseMs } from '../../../outbox/index.ts'
import { newId } from '../../../shared/ids.ts'
import { queueWebhookEvents, refundSms } from '../../company/index.ts'
import { isPayablePayslip } from '../../member/index.ts'
import { requireBatchForPayslips, setBatchStatus } from '../../sheet/index.ts'
import { getPollDelayMs } from '../rules/dispatch.ts'
import { sumSmsSegments } from '../rules/message.ts'
import { requestChatStatus } from './chat-status.ts'
import { assertSendStarted, getWithdrawReasonPosition, lockPayslip, toStartOptions } from './ledger.ts'

/** Longer than a gateway usually takes, shorter than whoever presses the button believes that something hangs. */
const inFlightTimeoutMs = 5_000

export const withdrawSingleSalary = defineHandler(
  contract.withdrawSingleSalary,
  async (ctx, { salary_id, reason }) => {
    const { salary, batch } = await lockPayslip(ctx, salary_id)
    assertAllowed(can.withdraw(salary.status), { status: salary.status })
    assertSendStarted(batch)
    await withdrawPayslips(ctx, batch.id, sealReason(ctx, batch.id, reason), salary_id)
    if (await isFullyWithdrawn(ctx, batch.id)) await closeBatch(ctx, batch.id, sealReason(ctx, batch.id, reason))
    ctx.addAuditDetails({ batch_id: batch.id })
    return { in_flight: 0 }
  },
  async (after, { salary_id }) => ({ in_flight: await waitForInFlight(after, sql`payslip.id = ${salary_id}`) }),
)

export const withdrawBatchPaySheet = defineHandler(
  contract.withdrawBatchPaySheet,
  async (ctx, { batch_id, reason }) => {
    const { status } = await requireBatchForPayslips(ctx, batch_id, 'manage')
    assertAllowed(can.withdrawBatch(status), { status })
    await assertDiskSpace(ctx, batch_id)
    const done = await withdrawPayslips(ctx, batch_id, sealReason(ctx, batch_id, reason))
    // Slips of people who are out of my scope by now stay, and the batch with them.
    if ((await isFullyWithdrawn(ctx, batch_id)) && !(await closeBatch(ctx, batch_id, sealReason(ctx, batch_id, reason))))
      throw fail('wrong_state', undefined, { status })
    ctx.addAuditDetails({ withdrawn: done.withdrawn, not_sent: done.not_sent })
    return { ...done, in_flight: 0 }
  },
  async (after, { batch_id }, done) => ({
    ...done,
    in_flight: await waitForInFlight(after, sql`delivery.batch_id = ${batch_id}`),
  }),
)

/** What a slip that is taken back writes at most: its row, its message, and both in the database's log (measured: docs/decisions). */
export const bytesPerPayslip = 8 * 1024

/** A disk that is nearly full has room for a withdrawal, not for one of any size. */
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
 * Waits, with no transaction open, until the messages that were begun before the withdrawal have arrived or surely will not: handed to a
 * gateway by a sender, in whatever process, they cannot be called back, and the ledger says which they are (a try is counted before it
 * begins). Answers how many may still arrive after that: those under way even now, and those of which the gateway has not said what became.
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

/** Whether nothing of it is left that anybody could withdraw: also nothing out of my scope. */
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
 * The batch is locked by the caller, so no sender is between asking and sending. Cancels what waits and closes the slips, in one
 * transaction. A message that is just under way (leased) still arrives, and leads to a slip that is closed: the answer waits for it. Its
 * sender, or the job asked for here if that one is dead, writes down what became of it.
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
    .returning(['id as salary_id', 'batch_id'])
    .execute()
  await queueWebhookEvents({ db, company_id, now }, 'slip.withdrawn', closed)
  await requestChatStatus(
    ctx,
    'withdrawn',
    closed.map(({ salary_id: id }) => id),
  )
  // A message whose tries have an unclear outcome may have been paid for; only what surely never left comes back.
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

/** Those of a batch that he may withdraw; or one of them. */
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
    // An earlier try with an unclear outcome may have left, and may still arrive: it is told, and never tried again.
    .set({
      status: sql`case when attempts > 0 then 'unknown' else 'cancelled' end`,
      message: sql`case when attempts > 0 then '撤回前已经尝试发送，不能确认是否送达' else '工资条已撤回' end`,
      code: 'withdrawn',
      done_at: now,
      lease_by: null,
    })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    // Taken by a sender but not begun: it has to pass the batch's gate before it begins, and will not find the row any more.
    .where((eb) => eb.or([eb('status', '=', 'queued'), eb.and([eb('status', '=', 'leased'), eb('attempts', '=', 0)])]))
    .where('salary_id', 'in', payslipIds)
    .returning(['channel', 'segments', 'purpose', 'attempts'])
    .execute()
