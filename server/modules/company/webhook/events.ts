/** What other domains say to a company's own systems: which slips something has happened to. */
import { type RawBuilder, sql } from 'kysely'
import type { WebhookEvent } from '../../../contract/webhooks/webhooks.ts'
import type { Tx } from '../../../database/database.ts'
import { newId } from '../../../shared/ids.ts'

const rowsPerStatement = 1_000

/** A slip, as those who are told can name it. */
export type PayslipRef = { readonly salary_id: string; readonly batch_id: string }

const isSubscribed = (company_id: string, event: WebhookEvent): RawBuilder<boolean> =>
  sql<boolean>`webhook.company_id = ${company_id} and webhook.status = 'active' and ${event} = any(webhook.events)`

/** In a statement that changes slips: whether anybody is to be told of it. A statement of its own for each group of messages is time that each waits. */
export const hasSubscriber = (company_id: string, event: WebhookEvent): RawBuilder<boolean> =>
  sql<boolean>`exists (select from webhook where ${isSubscribed(company_id, event)})`

/**
 * Written down in the transaction in which it happens: told if it commits, and not otherwise. A company without webhooks pays one look at none.
 */
export async function queueWebhookEvents(
  { db, company_id, now }: { readonly db: Tx; readonly company_id: string; readonly now: Date },
  event: WebhookEvent,
  payslips: readonly PayslipRef[],
): Promise<void> {
  if (payslips.length === 0) return
  const { rows: webhooks } = await sql<{ id: string }>`select id from webhook where ${isSubscribed(company_id, event)}`.execute(
    db,
  )
  const events = webhooks.flatMap(({ id }) =>
    payslips.map((slip) => ({ company_id, id: newId(), webhook_id: id, event, ...slip, at: now, due_at: now })),
  )
  for (let from = 0; from < events.length; from += rowsPerStatement)
    await db
      .insertInto('webhook_event')
      .values(events.slice(from, from + rowsPerStatement))
      .execute()
}
