/** What other domains say to a company's own systems: which slips something has happened to. */
import { type RawBuilder, sql } from 'kysely'
import type { WebhookEvent } from '../../../contract/wage/webhook.ts'
import type { Tx } from '../../../runtime/db.ts'
import { newId } from '../../../runtime/ids.ts'

const a_statement = 1_000

/** A slip, as those who are told can name it. */
export type ToldSlip = { readonly salary_id: string; readonly batch_id: string }

const hears = (company_id: string, event: WebhookEvent): RawBuilder<boolean> =>
  sql<boolean>`webhook.company_id = ${company_id} and webhook.status = 'active' and ${event} = any(webhook.events)`

/** In a statement that changes slips: whether anybody is to be told of it. A statement of its own for each group of messages is time that each waits. */
export const isHeard = (company_id: string, event: WebhookEvent): RawBuilder<boolean> =>
  sql<boolean>`exists (select from webhook where ${hears(company_id, event)})`

/**
 * Written down in the transaction in which it happens: told if it commits, and not otherwise. A company without webhooks pays one look at none.
 */
export async function tellWebhooks(
  { db, company_id, now }: { readonly db: Tx; readonly company_id: string; readonly now: Date },
  event: WebhookEvent,
  slips: readonly ToldSlip[],
): Promise<void> {
  if (slips.length === 0) return
  const { rows: listening } = await sql<{ id: string }>`select id from webhook where ${hears(company_id, event)}`.execute(db)
  const told = listening.flatMap(({ id }) =>
    slips.map((slip) => ({ company_id, id: newId(), webhook_id: id, event, ...slip, at: now, due_at: now })),
  )
  for (let from = 0; from < told.length; from += a_statement)
    await db
      .insertInto('webhook_event')
      .values(told.slice(from, from + a_statement))
      .execute()
}
