/** What is told later of messages about slips that were taken: who got one, and who did not and goes on by the next way. */
import { sql } from 'kysely'
import type { Channel } from '../../../contract/words/words.ts'
import { newId } from '../../../runtime/ids.ts'
import type { Marked } from '../../../runtime/post/index.ts'
import { notify } from '../../desk/index.ts'
import { setBatchStatus } from '../../sheet/index.ts'
import { gate, type Of } from '../send/claims.ts'
import { fallBack } from './fall-back.ts'

type Here = Of & Parameters<typeof fallBack>[0]

/** One message. `ref`: of the try that it was taken by; null where it is known by our own id alone. `delayed`: nobody knows yet. */
export type ToldLater = {
  readonly id: string
  readonly ref: string | null
  readonly became: 'delivered' | 'lost' | 'delayed'
  /** Why it was lost, or what it waits for. */
  readonly message: string | null
}

/** By lots: the batches of these messages. */
async function batchesOfMessages({ db, company_id }: Pick<Here, 'db' | 'company_id'>, reports: readonly ToldLater[]) {
  const rows = await db
    .selectFrom('delivery')
    .select(['id', 'batch_id'])
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${reports.map(({ id }) => id)}::uuid[])`)
    .execute()
  const batch = new Map(rows.map(({ id, batch_id }) => [id, batch_id]))
  return Map.groupBy(
    reports.filter(({ id }) => batch.has(id)),
    ({ id }) => batch.get(id) ?? '',
  )
}

/**
 * Writes what was told of messages of a company into its ledger. It counts once, for the message as it was taken then: told twice, after another
 * try, or of a message that was settled otherwise meanwhile, it changes nothing. Answers the batches of which something leaves by another way.
 */
export async function toldLater(of: Omit<Here, 'batch_id'>, reports: readonly ToldLater[]): Promise<string[]> {
  const going: string[] = []
  // In one order, so that two reports never wait for each other; all of them before what is paid for messages, as by whoever sends.
  const batches = [...(await batchesOfMessages(of, reports))].toSorted(([a], [b]) => (a < b ? -1 : 1))
  if (batches.length > 1) for (const [batch_id] of batches) await gate({ ...of, batch_id }, 'update')
  for (const [batch_id, some] of batches) if (await reported({ ...of, batch_id }, some)) going.push(batch_id)
  return going
}

const lostWords: Partial<Record<Channel, string>> = { sms: '短信没有送到手机', email: '邮件被退回' }

/** The same for one batch. */
async function reported(of: Here, reports: readonly ToldLater[]): Promise<boolean> {
  const { db, company_id, batch_id, now } = of
  const batch = await gate(of, 'update')
  if (!batch) return false
  const pick = <T>(read: (one: ToldLater) => T) => reports.map(read)
  const { rows } = await sql<Marked & { version: number; became: ToldLater['became'] }>`
    update delivery set status = case when said.became = 'delivered' then 'accepted' when said.became = 'lost' then 'failed' else delivery.status end,
      delivered_at = case when said.became = 'delivered' then ${now}::timestamptz end,
      code = case when said.became = 'lost' then 'undelivered' when said.became = 'delayed' then 'delayed' end, message = said.message
    from unnest(${pick(({ id }) => id)}::uuid[], ${pick(({ ref }) => ref)}::text[], ${pick(({ became }) => became)}::text[],
      ${pick(({ message }) => message)}::text[]) as said (id, ref, became, message)
    where delivery.company_id = ${company_id} and delivery.batch_id = ${batch_id} and delivery.id = said.id
      and (said.ref is null or delivery.provider_ref = said.ref)
      and delivery.status in ('accepted', 'unknown') and delivery.delivered_at is null and delivery.code is distinct from 'settled'
    returning delivery.id, delivery.salary_id as about, delivery.purpose, delivery.channel, delivery.pieces, delivery.status, delivery.code,
      delivery.version, said.became`.execute(db)
  const lost = rows.filter(({ became, purpose }) => became === 'lost' && purpose === 'slip')
  if (lost.length === 0) return false
  // Who has looked has his slip, whatever became of the message; a later version has a message of its own.
  const { rows: waiting } = await sql<{ id: string; channel: Channel }>`
    update salary set status = 'queued'
    from unnest(${lost.map(({ about }) => about)}::uuid[], ${lost.map(({ version }) => version)}::int[],
      ${lost.map(({ channel }) => channel)}::text[]) as one (id, version, channel)
    where salary.company_id = ${company_id} and salary.id = one.id and salary.version = one.version and salary.status = 'sent'
      and salary.viewed_at is null and salary.channel = one.channel
    returning salary.id, salary.channel`.execute(db)
  const ids = new Set(waiting.map(({ id }) => id))
  const onTheirWay = await fallBack(
    of,
    lost.filter(({ about }) => ids.has(about)),
  )
  const stay = [...ids].filter((id) => !onTheirWay.has(id))
  if (stay.length > 0) {
    await db
      .updateTable('salary')
      .set({ status: 'failed' })
      .where('company_id', '=', company_id)
      .where('id', '=', sql<string>`any(${stay}::uuid[])`)
      .where('status', '=', 'queued')
      .execute()
    const [how = '消息没有送达'] = [...new Set(waiting.map(({ channel }) => lostWords[channel]))]
    const text = `「${batch.title}」有 ${stay.length} 人的${how}，请查看原因后重发`
    await notify(of, batch.owner_id, { id: newId(), kind: 'failed', text, batch_id })
  }
  if (onTheirWay.size > 0) await setBatchStatus(of, batch_id, ['sent'], 'sending')
  return onTheirWay.size > 0
}
