/** The body of a webhook event, for the API document and for `buildWebhookBody`. */
import * as z from 'zod/mini'
import { id, time } from '../shared/schemas.ts'
import { type WebhookEvent, webhookEvents } from './webhooks.ts'

/** The payslip of an event; the calls for administrators name it `salary_id`. */
export const payslipEventData = z.object({ slip_id: id, batch_id: id })

export const webhookEventSummaries: Readonly<Record<WebhookEvent | 'webhook.test', string>> = {
  'slip.sent': 'The payslip was sent: at least one channel accepted its message.',
  'slip.viewed': 'The employee opened the payslip for the first time.',
  'slip.confirmed': 'The payslip was confirmed, by the employee or automatically by the rule of the company.',
  'slip.disputed': 'The employee asked a question about the payslip.',
  'slip.withdrawn': 'A payroll administrator withdrew the payslip.',
  'webhook.test': 'An administrator tested the address.',
}

/** The schema of the body of each event. */
export const webhookPayloads = [...webhookEvents, 'webhook.test' as const].map((event) => ({
  event,
  schema: z.object({
    type: z.literal(event),
    timestamp: time,
    data: event === 'webhook.test' ? z.object({}) : payslipEventData,
  }),
}))
