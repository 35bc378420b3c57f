/**
 * Resending to individual recipients: failed messages are sent again, recipients who have not viewed their payslip are
 * reminded (at most three times a day).
 */

import { type RawBuilder, sql } from 'kysely'
import * as contract from '../../../contract/payslips/send.ts'
import type { Channel } from '../../../contract/shared/schemas.ts'
import { can } from '../../../contract/shared/statuses.ts'
import { lockCompanySubject } from '../../../database/company-lock.ts'
import { assertAllowed, defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import { toShanghaiDate } from '../../../shared/clock.ts'
import { newId } from '../../../shared/ids.ts'
import { chargeSms, getDeliveryMeans } from '../../billing/index.ts'
import { isPayablePayslip } from '../../directory/index.ts'
import { type BatchRow, requireBatchForPayslips, setBatchStatus } from '../../sheets/index.ts'
import { resendWithdrawn } from '../payslip/resend-withdrawn.ts'
import { retryFailed, selectRetryChannels } from '../plan/fallback.ts'
import {
  getNextReminderNumber,
  getReminderPrefix,
  maxRemindersPerDay,
  toAutomaticReminderPurpose,
  toReminderPurpose,
} from '../rules/reminder-purpose.ts'
import { refreshIdentity } from './identity.ts'
import { lockPayslip, queueDeliveries } from './ledger.ts'
import { getSegmentCount } from './message-source.ts'

export const sendSingle = defineHandler(contract.sendSingle, async (ctx, { salary_id }) => {
  const { salary, batch } = await lockPayslip(ctx, salary_id)
  assertBatchSent(batch, salary.status !== 'sent')
  ctx.addAuditDetails({ batch_id: batch.id })
  if (salary.status === 'failed' || salary.status === 'sent') await refreshIdentity(ctx, salary_id)
  if (salary.status === 'failed') return { queued: await retryFailedPayslips(ctx, batch, [salary_id]), skipped: 0 }
  assertAllowed(can.remind(salary.status), { status: salary.status })
  if (salary.channel === 'link')
    throw fail('wrong_state', '这个人没有可用的消息渠道，请把工资条链接直接发给他', { status: salary.status })
  const queued = await sendReminders(ctx, batch, { where: isSelected(ctx, [salary_id]), by: 'hand' })
  if (queued === 0)
    throw fail('too_often', `今天已经提醒过 ${maxRemindersPerDay} 次，请明天再提醒`, {
      retry_after: getSecondsUntilTomorrow(ctx.now),
    })
  return { queued, skipped: 0 }
})

export const sendBatch = defineHandler(contract.sendBatch, async (ctx, { batch_id, salary_ids, only }) => {
  const batch = await requireBatchForPayslips(ctx, batch_id, 'manage')
  // Applies only when requested explicitly: a reminder to a recipient whose payslip was withdrawn meanwhile must not
  // send it again.
  if (only === 'withdrawn') {
    if (batch.status === 'scheduled') assertBatchSent(batch, true)
    for (const salary_id of salary_ids?.length === 1 ? salary_ids : []) await refreshIdentity(ctx, salary_id)
    const queued = await resendWithdrawn(ctx, batch, salary_ids)
    ctx.addAuditDetails({ queued })
    return { queued, skipped: Math.max(0, (salary_ids?.length ?? 0) - queued) }
  }
  assertBatchSent(batch, only === 'failed')
  const queued =
    only === 'failed'
      ? await retryFailedPayslips(ctx, batch, salary_ids)
      : await sendReminders(ctx, batch, { where: isSelected(ctx, salary_ids), by: 'hand' })
  const requestedCount =
    salary_ids?.length ??
    (await countByStatus(ctx, batch_id, only === 'failed' ? 'failed' : 'sent')) + (only === 'failed' ? queued : 0)
  ctx.addAuditDetails({ queued })
  return { queued, skipped: Math.max(0, requestedCount - queued) }
})

/** While the rest of a batch is scheduled, the part that was sent may be reminded but not sent again. */
function assertBatchSent({ status, sent_at }: BatchRow, isResend: boolean): void {
  const isRestScheduled = status === 'scheduled' && sent_at !== null
  if (isRestScheduled && isResend)
    throw fail('wrong_state', '其余的人正在等定时发送；请等发出后，或先取消定时，再重发', { status })
  const isSent = isRestScheduled || ['sending', 'paused', 'sent'].includes(status)
  assertAllowed(isSent || (status === 'withdrawn' ? '这一批已经撤回，请在工资条详情里重新发送' : '这一批还没有发送'), { status })
}

async function countByStatus(ctx: HandlerContext, batch_id: string, status: 'failed' | 'sent'): Promise<number> {
  const { db, company_id } = ctx
  const { count } = await db
    .selectFrom('payslip')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', status)
    .where(isPayablePayslip(ctx))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** A failed message was clearly rejected, so it may be sent again: still one ledger row per payslip and channel. */
async function retryFailedPayslips(ctx: HandlerContext, batch: BatchRow, salary_ids?: readonly string[]): Promise<number> {
  const where = sql<boolean>`payslip.batch_id = ${batch.id} and ${isSelected(ctx, salary_ids)}`
  const queued = await retryFailed({ ...ctx, batch_id: batch.id }, where)
  if (queued === 0) return 0
  if (batch.status === 'sent') await setBatchStatus(ctx, batch.id, ['sent'], 'sending')
  await ctx.jobs.send('send', { company_id: ctx.company_id, batch_id: batch.id })
  return queued
}

/** SQL condition for `payslip`: the given ones, or all if none are given, within the user's scope. */
const isSelected = (ctx: HandlerContext, salary_ids: readonly string[] | undefined): RawBuilder<boolean> =>
  salary_ids ? sql<boolean>`(payslip.id = any(${[...salary_ids]}::uuid[]) and ${isPayablePayslip(ctx)})` : isPayablePayslip(ctx)

/** SQL expression for `payslip`: how often its recipient was reminded on this day, over all batches. */
const selectRemindersToday = (company_id: string, day: string): RawBuilder<number> => sql<number>`(
    select count(*) from delivery as earlier
    join payslip as his on his.company_id = earlier.company_id and his.id = earlier.salary_id
    where earlier.company_id = ${company_id} and his.member_id = payslip.member_id and earlier.purpose like ${`${getReminderPrefix(day)}%`} and earlier.status <> 'cancelled')`
/** SQL condition for `payslip`: sent and not viewed, with a channel that carries messages. */
const isUnviewedWithChannel = sql<boolean>`payslip.status = 'sent' and payslip.channel <> 'link'`

export const getResendCost = defineHandler(contract.getResendCost, async (ctx, { batch_id, salary_ids, only }) => {
  const batch = await requireBatchForPayslips(ctx, batch_id, 'manage')
  const day = toShanghaiDate(ctx.now)
  const where = sql<boolean>`payslip.batch_id = ${batch.id} and ${isSelected(ctx, salary_ids)}`
  const countByChannel = async (condition: RawBuilder<boolean>) => {
    const { rows } = await sql<{ channel: Channel; count: number }>`select payslip.channel, count(*)::int as count from payslip
      where payslip.company_id = ${ctx.company_id} and ${where} and ${condition} group by payslip.channel`.execute(ctx.db)
    return rows
  }
  const counts =
    only === 'failed'
      ? (await selectRetryChannels({ ...ctx, batch_id: batch.id }, where)).map(({ channel }) => ({ channel, count: 1 }))
      : only === 'withdrawn'
        ? await countByChannel(sql<boolean>`payslip.status = 'withdrawn'`)
        : await countByChannel(
            sql<boolean>`${isUnviewedWithChannel} and ${selectRemindersToday(ctx.company_id, day)} < ${maxRemindersPerDay}`,
          )
  const sms_per_recipient = await getSegmentCount(ctx, batch.id, only === 'unviewed' ? toAutomaticReminderPurpose(day) : 'slip')
  const addCounts = (rows: typeof counts) => rows.reduce((sum, { count }) => sum + count, 0)
  const sms_people = addCounts(counts.filter(({ channel }) => channel === 'sms'))
  return {
    people: addCounts(counts),
    sms_people,
    sms_per_recipient,
    sms_needed: sms_people * sms_per_recipient,
    sms_left: (await getDeliveryMeans(ctx)).sms_left,
  }
})

/**
 * Reminds, among the payslips matched by `where`, every recipient who has been sent one and has not viewed it;
 * recipients reminded three times today are left out. `by: 'day'` is the company's rule, once a day; manual reminders
 * may be repeated.
 */
export async function sendReminders(
  ctx: Pick<HandlerContext, 'db' | 'company_id' | 'vault' | 'now' | 'jobs' | 'origin' | 'countSegments'>,
  batch: Pick<BatchRow, 'id' | 'status'>,
  { where: condition, by }: { readonly where: RawBuilder<boolean>; readonly by: 'hand' | 'day' },
): Promise<number> {
  const { company_id } = ctx
  const day = toShanghaiDate(ctx.now)
  // Reminders per recipient are counted over all batches, but only one batch is locked: reminders of a company are
  // serialized, otherwise two would use the same count.
  await lockCompanySubject(ctx, 'remind')
  const sentToday = selectRemindersToday(company_id, day)
  const segments = await getSegmentCount(ctx, batch.id, toAutomaticReminderPurpose(day))
  let queued = 0
  let sms = 0
  // One statement for each possible number of earlier reminders; the number is part of the purpose, which is unique per
  // payslip.
  const numbered = Array.from({ length: maxRemindersPerDay }, (_, sentCount) => ({
    had: sentCount,
    number: getNextReminderNumber(sentCount),
  }))
    .toReversed()
    .flatMap(({ had: sentCount, number }) =>
      number === null ? [] : [{ may: sql<boolean>`${sentToday} = ${sentCount}`, purpose: toReminderPurpose(day, number) }],
    )
  const steps =
    by === 'hand'
      ? numbered
      : [{ may: sql<boolean>`${sentToday} < ${maxRemindersPerDay}`, purpose: toAutomaticReminderPurpose(day) }]
  for (const { may: isAllowed, purpose } of steps) {
    const where = sql<boolean>`${isUnviewedWithChannel} and ${isAllowed} and ${condition}`
    const queuedReminders = await queueDeliveries(ctx, batch.id, where, {
      purpose: sql<string>`${purpose}::text`,
      segments,
    })
    queued += queuedReminders.count
    sms += queuedReminders.sms
  }
  if (queued === 0) return 0
  await chargeSms(ctx, sms, 'remind', { id: newId(), batch_id: batch.id })
  if (batch.status !== 'paused') await ctx.jobs.send('send', { company_id, batch_id: batch.id })
  return queued
}

/** Returns the seconds until midnight in Shanghai. */
const getSecondsUntilTomorrow = (now: Date): number => {
  const daySeconds = 86_400
  return daySeconds - Math.floor((now.getTime() / 1000 + 8 * 3600) % daySeconds)
}
