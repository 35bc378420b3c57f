/** Later reports about accepted payslip messages: delivered ones, and lost ones that continue through the next channel. */

import { sql } from 'kysely'
import type { Channel } from '../../../contract/shared/schemas.ts'
import type { SettledRow } from '../../../outbox/index.ts'
import { newId } from '../../../shared/ids.ts'
import { notify } from '../../notifications/index.ts'
import { setBatchStatus } from '../../sheets/index.ts'
import { queueWebhookEvents } from '../../webhooks/index.ts'
import { type BatchTx, lockBatch } from '../send/message-source.ts'
import { queueFallbacks } from './fallback.ts'

type DeliveryUpdateTx = BatchTx & Parameters<typeof queueFallbacks>[0]

/** A report about one message. `ref`: of the accepted attempt; null if only our id is known. `delayed`: the outcome is open. */
export type DeliveryUpdate = {
  readonly id: string
  readonly ref: string | null
  readonly outcome: 'delivered' | 'lost' | 'delayed'
  /** Why the message was lost, or what it waits for. */
  readonly message: string | null
}

async function groupByBatch({ db, company_id }: Pick<DeliveryUpdateTx, 'db' | 'company_id'>, updates: readonly DeliveryUpdate[]) {
  const rows = await db
    .selectFrom('delivery')
    .select(['id', 'batch_id'])
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${updates.map(({ id }) => id)}::uuid[])`)
    .execute()
  const batchById = new Map(rows.map(({ id, batch_id }) => [id, batch_id]))
  return Map.groupBy(
    updates.filter(({ id }) => batchById.has(id)),
    ({ id }) => batchById.get(id) ?? '',
  )
}

/**
 * Applies reports about a company's messages to its delivery ledger. A report counts once, for the message as accepted
 * at that time: repeated, after another attempt, or for a message settled otherwise meanwhile, it changes nothing.
 * Returns the batches in which something is sent through another channel.
 */
export async function applyDeliveryUpdates(
  companyTx: Omit<DeliveryUpdateTx, 'batch_id'>,
  updates: readonly DeliveryUpdate[],
): Promise<string[]> {
  const resumedBatchIds: string[] = []
  // The order is fixed so that two reports never deadlock; all batches are locked before the prepaid balance, as in
  // sending.
  const batches = [...(await groupByBatch(companyTx, updates))].toSorted(([a], [b]) => (a < b ? -1 : 1))
  if (batches.length > 1) for (const [batch_id] of batches) await lockBatch({ ...companyTx, batch_id }, 'update')
  for (const [batch_id, batchUpdates] of batches)
    if (await applyBatchUpdates({ ...companyTx, batch_id }, batchUpdates)) resumedBatchIds.push(batch_id)
  return resumedBatchIds
}

const lostMessageLabels: Partial<Record<Channel, string>> = { sms: '短信没有送到手机', email: '邮件被退回' }

async function applyBatchUpdates(batchTx: DeliveryUpdateTx, updates: readonly DeliveryUpdate[]): Promise<boolean> {
  const { db, company_id, batch_id, now } = batchTx
  const batch = await lockBatch(batchTx, 'update')
  if (!batch) return false
  const mapUpdates = <T>(getValue: (one: DeliveryUpdate) => T) => updates.map(getValue)
  const { rows } = await sql<SettledRow & { version: number; became: DeliveryUpdate['outcome'] }>`
    update delivery set status = case when said.became = 'delivered' then 'accepted' when said.became = 'lost' then 'failed' else delivery.status end,
      delivered_at = case when said.became = 'delivered' then ${now}::timestamptz end,
      code = case when said.became = 'lost' then 'undelivered' when said.became = 'delayed' then 'delayed' end, message = said.message
    from unnest(${mapUpdates(({ id }) => id)}::uuid[], ${mapUpdates(({ ref }) => ref)}::text[], ${mapUpdates(({ outcome }) => outcome)}::text[],
      ${mapUpdates(({ message }) => message)}::text[]) as said (id, ref, became, message)
    where delivery.company_id = ${company_id} and delivery.batch_id = ${batch_id} and delivery.id = said.id
      and (said.ref is null or delivery.provider_ref = said.ref)
      and delivery.status in ('accepted', 'unknown') and delivery.delivered_at is null and delivery.code is distinct from 'settled'
    returning delivery.id, delivery.salary_id as subject_id, delivery.purpose, delivery.channel, delivery.segments, delivery.status, delivery.code,
      delivery.version, said.became`.execute(db)
  const lost = rows.filter(({ became, purpose }) => became === 'lost' && purpose === 'slip')
  if (lost.length === 0) return false
  // An employee who has viewed the payslip has received it, regardless of the message's outcome; a later version has a
  // message of its own.
  const { rows: waiting } = await sql<{ id: string; channel: Channel }>`
    update payslip set status = 'queued'
    from unnest(${lost.map(({ subject_id }) => subject_id)}::uuid[], ${lost.map(({ version }) => version)}::int[],
      ${lost.map(({ channel }) => channel)}::text[]) as one (id, version, channel)
    where payslip.company_id = ${company_id} and payslip.id = one.id and payslip.version = one.version and payslip.status = 'sent'
      and payslip.viewed_at is null and payslip.channel = one.channel
    returning payslip.id, payslip.channel`.execute(db)
  const ids = new Set(waiting.map(({ id }) => id))
  const fallbackIds = await queueFallbacks(
    batchTx,
    lost.filter(({ subject_id }) => ids.has(subject_id)),
  )
  const failedIds = [...ids].filter((id) => !fallbackIds.has(id))
  if (failedIds.length > 0) {
    const failed = await db
      .updateTable('payslip')
      .set({ status: 'failed' })
      .where('company_id', '=', company_id)
      .where('id', '=', sql<string>`any(${failedIds}::uuid[])`)
      .where('status', '=', 'queued')
      .returning(['id as salary_id', 'batch_id', 'member_id'])
      .execute()
    await queueWebhookEvents({ db, company_id, now }, 'payslip.failed', failed)
    const [reason = '消息没有送达'] = [...new Set(waiting.map(({ channel }) => lostMessageLabels[channel]))]
    const text = `「${batch.title}」有 ${failedIds.length} 人的${reason}，请查看原因后重发`
    await notify(batchTx, batch.owner_id, { id: newId(), kind: 'failed', text, batch_id })
  }
  if (fallbackIds.size > 0) await setBatchStatus(batchTx, batch_id, ['sent'], 'sending')
  return fallbackIds.size > 0
}
