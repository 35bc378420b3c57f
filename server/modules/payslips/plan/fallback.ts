/** Fallback to the plan's next channel after a failure, and resending from the first: each step is a row of the ledger. */

import { type RawBuilder, sql } from 'kysely'
import { type Channel, channels } from '../../../contract/shared/enums.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import type { SettledRow } from '../../../outbox/index.ts'
import { newId } from '../../../shared/ids.ts'
import { chargeSms, lockSmsBalance } from '../../billing/index.ts'
import { getBoundProvider, loadWageSettings } from '../../company/settings/index.ts'
import { type RecipientContact, selectChannel } from '../rules/channel.ts'
import { selectFallbackChannels } from '../rules/fallback.ts'
import { sumSmsSegments } from '../rules/message.ts'
import { loadRecipients } from '../send/identity.ts'
import { type CompanyTx, queueDeliveries } from '../send/ledger.ts'
import { getSegmentCount } from '../send/message-source.ts'

type SendTx = CompanyTx & Pick<HandlerContext, 'vault' | 'origin' | 'countSegments'> & { readonly batch_id: string }
type ChannelStep = { readonly salary_id: string; readonly channel: Channel }

/** Returns the channels of the batch in order. */
async function getChannelOrder({ db, company_id, batch_id }: SendTx): Promise<readonly Channel[]> {
  const plan = await db
    .selectFrom('send_plan')
    .select('channels')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', 'started')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return (plan?.channels ?? []).flatMap((value) => channels.find((one) => one === value) ?? [])
}

type RetryRecipient = {
  readonly salary_id: string
  readonly channel: Channel
  readonly used: readonly Channel[]
  readonly recipient: RecipientContact
}

/** Loads the recipients' current contacts, and the channels through which the current version may already have been sent. */
async function loadRetryRecipients(sendTx: SendTx, condition: RawBuilder<boolean>): Promise<RetryRecipient[]> {
  const { db, company_id } = sendTx
  const { rows } = await sql<Omit<RetryRecipient, 'recipient'> & { member_id: string }>`
    select payslip.id as salary_id, payslip.channel, payslip.member_id,
      array(select delivery.channel from delivery where delivery.company_id = ${company_id} and delivery.salary_id = payslip.id
        and delivery.version = payslip.version and delivery.purpose = 'slip' and delivery.status in ('accepted', 'unknown', 'leased', 'queued')) as used
    from payslip where payslip.company_id = ${company_id} and ${condition} order by payslip.row_no`.execute(db)
  if (rows.length === 0) return []
  const provider = await getBoundProvider(sendTx)
  const recipientById = await loadRecipients(
    sendTx,
    rows.map(({ member_id }) => member_id),
  )
  return rows.flatMap(({ member_id, ...row }) => {
    const recipient = recipientById.get(member_id)
    if (!recipient) return []
    const { mobile, email, status, platform_user_id } = recipient
    return [
      {
        ...row,
        recipient: { mobile, email, isTerminated: status === 'left', platform_user_id: provider ? platform_user_id : null },
      },
    ]
  })
}

/**
 * Continues failed payslips through the next channel that reaches their recipient; those that can continue stay
 * `queued`. Returns which. Called in the transaction that records the failure, with the batch locked, so that no
 * withdrawal comes in between.
 */
export async function queueFallbacks(sendTx: SendTx, failed: readonly SettledRow[]): Promise<ReadonlySet<string>> {
  if (failed.length === 0) return new Set()
  const { db, company_id, batch_id } = sendTx
  const order = await getChannelOrder(sendTx)
  const ids = failed.map(({ subject_id }) => subject_id)
  if (order.length < 2) return new Set()
  const recipients = await loadRetryRecipients(
    sendTx,
    sql<boolean>`payslip.id = any(${ids}::uuid[]) and payslip.status = 'queued'`,
  )
  const reasons = new Map(failed.map((one) => [one.subject_id, one]))
  const { send_rule } = await loadWageSettings(sendTx)
  const segmentsPerMessage = await getSegmentCount(sendTx, batch_id, 'slip')
  const remainingSms = order.includes('sms') ? await lockSmsBalance({ db, company_id }) : 0
  const failedRecipients = recipients.map(({ channel, ...one }) => ({
    ...one,
    failedChannel: channel,
    code: reasons.get(one.salary_id)?.code ?? null,
  }))
  const nextChannels = selectFallbackChannels(failedRecipients, order, send_rule, {
    remaining: remainingSms,
    segmentsPerMessage,
  })
  const steps = failedRecipients.flatMap(({ salary_id }, at) => {
    const channel = nextChannels[at]
    return channel ? [{ salary_id, channel }] : []
  })
  await queueSteps(sendTx, steps, segmentsPerMessage, 'fall-back')
  return new Set(steps.map(({ salary_id }) => salary_id))
}

/**
 * Selects the first channel that reaches the recipient of each failed payslip according to the current contacts; if
 * none does, the one that failed, so that the reason is reported again.
 */
export async function selectRetryChannels(sendTx: SendTx, condition: RawBuilder<boolean>): Promise<ChannelStep[]> {
  const order = await getChannelOrder(sendTx)
  const recipients = await loadRetryRecipients(sendTx, sql<boolean>`payslip.status = 'failed' and ${condition}`)
  if (recipients.length === 0) return []
  const { send_rule } = await loadWageSettings(sendTx)
  return recipients.map(({ salary_id, channel, used, recipient }) => ({
    salary_id,
    channel:
      selectChannel(
        recipient,
        order.filter((one) => !used.includes(one)),
        send_rule,
      ) ?? channel,
  }))
}

/** Sends failed payslips again. Returns their number. */
export async function retryFailed(sendTx: SendTx, condition: RawBuilder<boolean>): Promise<number> {
  const steps = await selectRetryChannels(sendTx, condition)
  if (steps.length > 0) await queueSteps(sendTx, steps, await getSegmentCount(sendTx, sendTx.batch_id, 'slip'), 'retry')
  return steps.length
}

/** Queues each payslip in its channel: inserts a delivery, or reopens the one that failed there before. */
async function queueSteps(sendTx: SendTx, steps: readonly ChannelStep[], segments: number, reason: string): Promise<void> {
  if (steps.length === 0) return
  const { db, company_id, now, batch_id } = sendTx
  const ids = steps.map(({ salary_id }) => salary_id)
  await sql`
    update payslip set status = 'queued', channel = step.channel
    from unnest(${ids}::uuid[], ${steps.map(({ channel }) => channel)}::text[]) as step (id, channel)
    where payslip.company_id = ${company_id} and payslip.id = step.id and payslip.status in ('queued', 'failed')`.execute(db)
  const isStepPayslip = sql<boolean>`payslip.id = any(${ids}::uuid[])`
  const { rows } = await sql<{ channel: Channel; segments: number }>`
    update delivery set status = 'queued', attempts = 0, due_at = ${now}, done_at = null, code = null, message = null, lease_by = null, lease_until = null
    from payslip
    where delivery.company_id = ${company_id} and delivery.batch_id = ${batch_id} and delivery.purpose = 'slip' and delivery.status = 'failed'
      and payslip.company_id = ${company_id} and payslip.id = delivery.salary_id and payslip.channel = delivery.channel
      and payslip.version = delivery.version and ${isStepPayslip}
    returning delivery.channel, delivery.segments`.execute(db)
  const queued = await queueDeliveries(sendTx, batch_id, isStepPayslip, { purpose: sql<string>`'slip'`, segments })
  await chargeSms(sendTx, queued.sms + sumSmsSegments(rows), reason, { id: newId(), batch_id })
}
