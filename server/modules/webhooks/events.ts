/** The interface by which other modules report events of payslips to a company's own systems. */
import { type RawBuilder, sql } from 'kysely'
import type { WebhookEvent } from '../../contract/webhooks/webhooks.ts'
import type { CompanyTimeTx } from '../../database/company-tx.ts'
import { newId } from '../../shared/ids.ts'

const rowsPerStatement = 1_000

/** A payslip as named in webhook events. */
export type PayslipRef = { readonly salary_id: string; readonly batch_id: string }

const isSubscribed = (company_id: string, event: WebhookEvent): RawBuilder<boolean> =>
  sql<boolean>`webhook.company_id = ${company_id} and webhook.status = 'active' and ${event} = any(webhook.events)`

/** SQL condition for statements that change payslips: whether a webhook subscribes to the event, in no own statement. */
export const hasSubscriber = (company_id: string, event: WebhookEvent): RawBuilder<boolean> =>
  sql<boolean>`exists (select from webhook where ${isSubscribed(company_id, event)})`

/** Records events in the current transaction: delivered only if it commits. Without webhooks the cost is one lookup. */
export async function queueWebhookEvents(
  { db, company_id, now }: CompanyTimeTx,
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
