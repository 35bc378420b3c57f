/** The interface by which other modules report events to a company's own systems. */
import { type RawBuilder, sql } from 'kysely'
import type { WebhookEvent } from '../../contract/webhooks/webhooks.ts'
import type { CompanyTimeTx } from '../../database/company-tx.ts'
import { newId } from '../../shared/ids.ts'

const rowsPerStatement = 1_000

/** A payslip as named in webhook events. */
export type PayslipRef = { readonly salary_id: string; readonly batch_id: string; readonly member_id: string }
/** What the events of a kind are about. */
export type EventSubject<Event extends WebhookEvent> = Event extends 'employee.terminated'
  ? Pick<PayslipRef, 'member_id'>
  : Event extends 'batch.sent' | 'batch.finished'
    ? Pick<PayslipRef, 'batch_id'>
    : Event extends 'feedback.created'
      ? PayslipRef & { readonly feedback_id: string }
      : PayslipRef

const isSubscribed = (company_id: string, event: WebhookEvent): RawBuilder<boolean> =>
  sql<boolean>`webhook.company_id = ${company_id} and webhook.status = 'active' and ${event} = any(webhook.events)`

/** SQL condition for statements that change payslips: whether a webhook subscribes to the event, in no own statement. */
export const hasSubscriber = (company_id: string, event: WebhookEvent): RawBuilder<boolean> =>
  sql<boolean>`exists (select from webhook where ${isSubscribed(company_id, event)})`

/** Records events in the current transaction: delivered only if it commits. Without webhooks the cost is one lookup. */
export async function queueWebhookEvents<Event extends WebhookEvent>(
  { db, company_id, now }: CompanyTimeTx,
  event: Event,
  subjects: readonly EventSubject<Event>[],
): Promise<void> {
  if (subjects.length === 0) return
  const { rows: webhooks } = await sql<{ id: string }>`select id from webhook where ${isSubscribed(company_id, event)}`.execute(
    db,
  )
  const named: readonly Partial<EventSubject<'feedback.created'>>[] = subjects
  const events = webhooks.flatMap(({ id }) =>
    named.map((subject) => ({ company_id, id: newId(), webhook_id: id, event, ...subject, at: now, due_at: now })),
  )
  for (let from = 0; from < events.length; from += rowsPerStatement)
    await db
      .insertInto('webhook_event')
      .values(events.slice(from, from + rowsPerStatement))
      .execute()
}

/** Records that a batch is being sent, or that all its payslips have an outcome. */
export const queueBatchEvent = (
  { db, company_id, now, batch_id }: CompanyTimeTx & Pick<PayslipRef, 'batch_id'>,
  event: 'batch.sent' | 'batch.finished',
): Promise<void> => queueWebhookEvents({ db, company_id, now }, event, [{ batch_id }])
