/** What a gateway reports of messages about slips: who got one, and who did not and goes on by the next way. */
import { sql } from 'kysely'
import { newId } from '../../../runtime/ids.ts'
import type { Marked, Reported } from '../../../runtime/post/index.ts'
import { notify } from '../../desk/index.ts'
import { setBatchStatus } from '../../sheet/index.ts'
import { gate, type Of } from '../claims.ts'
import { undeliveredText } from '../rules/outcome.ts'
import { fallBack } from './fall-back.ts'

type Here = Of & Parameters<typeof fallBack>[0]

/** By lots: the batches of these messages. */
export async function batchesOfMessages({ db, company_id }: Pick<Here, 'db' | 'company_id'>, reports: readonly Reported[]) {
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
 * Writes reports about messages of one batch into the ledger. A report counts once, for the message as it was taken then: told twice, after another
 * try, or of a message that was settled otherwise meanwhile, it changes nothing. Answers whether something leaves by another way.
 */
export async function reported(of: Here, reports: readonly Reported[]): Promise<boolean> {
  const { db, company_id, batch_id, now } = of
  const batch = await gate(of, 'update')
  if (!batch) return false
  const pick = <T>(read: (one: Reported) => T) => reports.map(read)
  const { rows } = await sql<Marked & { version: number; delivered: boolean }>`
    update delivery set status = case when said.delivered then 'accepted' else 'failed' end,
      delivered_at = case when said.delivered then ${now}::timestamptz end,
      code = case when said.delivered then null else 'undelivered' end, message = said.message
    from unnest(${pick(({ id }) => id)}::uuid[], ${pick(({ ref }) => ref)}::text[], ${pick(({ delivered }) => delivered)}::boolean[],
      ${pick(({ delivered, code }) => (delivered ? null : undeliveredText(code)))}::text[]) as said (id, ref, delivered, message)
    where delivery.company_id = ${company_id} and delivery.batch_id = ${batch_id} and delivery.id = said.id and delivery.provider_ref = said.ref
      and delivery.status in ('accepted', 'unknown') and delivery.delivered_at is null and delivery.code is distinct from 'settled'
    returning delivery.id, delivery.salary_id as about, delivery.purpose, delivery.channel, delivery.pieces, delivery.status, delivery.code,
      delivery.version, said.delivered`.execute(db)
  const lost = rows.filter(({ delivered, purpose }) => !delivered && purpose === 'slip')
  if (lost.length === 0) return false
  // Who has looked has his slip, whatever became of the message; a later version has a message of its own.
  const { rows: waiting } = await sql<{ id: string }>`
    update salary set status = 'queued'
    from unnest(${lost.map(({ about }) => about)}::uuid[], ${lost.map(({ version }) => version)}::int[]) as one (id, version)
    where salary.company_id = ${company_id} and salary.id = one.id and salary.version = one.version and salary.status = 'sent'
      and salary.viewed_at is null and salary.channel = 'sms'
    returning salary.id`.execute(db)
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
    const text = `「${batch.title}」有 ${stay.length} 人的短信没有送到手机，请查看原因后重发`
    await notify(of, batch.owner_id, { id: newId(), kind: 'failed', text, batch_id })
  }
  if (onTheirWay.size > 0) await setBatchStatus(of, batch_id, ['sent'], 'sending')
  return onTheirWay.size > 0
}
