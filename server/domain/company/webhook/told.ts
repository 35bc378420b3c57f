/** What other domains say to a company's own systems: which slips something has happened to. */
import { sql } from 'kysely'
import type { WebhookEvent } from '../../../contract/wage/webhook.ts'
import type { Tx } from '../../../runtime/db.ts'
import { newId } from '../../../runtime/ids.ts'

const a_statement = 1_000

/** A slip, as those who are told can name it. */
export type ToldSlip = { readonly salary_id: string; readonly batch_id: string }

/**
 * Written down in the transaction in which it happens: told if it commits, and not otherwise. A company without webhooks pays one look at none.
 */
export async function tellWebhooks(
  { db, company_id, now }: { readonly db: Tx; readonly company_id: string; readonly now: Date },
  event: WebhookEvent,
  slips: readonly ToldSlip[],
): Promise<void> {
  if (slips.length === 0) return
  const listening = await db
    .selectFrom('webhook')
    .select('id')
    .where('company_id', '=', company_id)
    .where('status', '=', 'active')
    .where(sql<boolean>`${event} = any(events)`)
    .execute()
  const told = listening.flatMap(({ id }) =>
    slips.map((slip) => ({ company_id, id: newId(), webhook_id: id, event, ...slip, at: now, due_at: now })),
  )
  for (let from = 0; from < told.length; from += a_statement)
    await db
      .insertInto('webhook_event')
      .values(told.slice(from, from + a_statement))
      .execute()
}
