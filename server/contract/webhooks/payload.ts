/** The body of a webhook event, for the API document and for `buildWebhookBody`. */
import * as z from 'zod/mini'
import { ownReference } from '../api-v1/shared.ts'
import { id, time } from '../shared/schemas.ts'
import { type WebhookEvent, webhookEvents } from './webhooks.ts'

/** An employee by their id and the numbers of the company. No event has a name, a phone or an amount. */
export const eventEmployee = z.object({ employee_id: id, external_id: ownReference, employee_no: z.string() })
export const batchEventData = z.object({ batch_id: id, batch_external_id: ownReference })
/** `slip_id` is the same as `payslip_id`; it stays for receivers that read it. */
export const payslipEventData = z.extend(batchEventData, { payslip_id: id, slip_id: id, employee: z.nullable(eventEmployee) })

/** The data of each event. */
const eventData: Readonly<Record<WebhookEvent | 'webhook.test', z.ZodMiniObject>> = {
  'slip.sent': payslipEventData,
  'slip.viewed': payslipEventData,
  'slip.confirmed': payslipEventData,
  'slip.disputed': payslipEventData,
  'slip.withdrawn': payslipEventData,
  'payslip.failed': payslipEventData,
  'batch.sent': batchEventData,
  'batch.finished': batchEventData,
  'employee.terminated': z.object({ employee: eventEmployee }),
  'feedback.created': z.extend(payslipEventData, { feedback_id: id }),
  'webhook.test': z.object({}),
}

export const webhookEventSummaries: Readonly<Record<WebhookEvent | 'webhook.test', string>> = {
  'slip.sent': 'The payslip was sent: at least one channel accepted its message.',
  'slip.viewed': 'The employee opened the payslip for the first time.',
  'slip.confirmed': 'The payslip was confirmed, by the employee or automatically by the rule of the company.',
  'slip.disputed': 'The employee wrote a question about the payslip, also in a thread that exists.',
  'slip.withdrawn': 'A payroll administrator withdrew the payslip.',
  'payslip.failed': 'No channel reached the employee: the payslip waits for somebody to send it again.',
  'batch.sent': 'Sending began, at its time and after the period in which it can be undone; once for each part of a batch.',
  'batch.finished': 'Every payslip has an outcome; again after payslips were sent again, not after reminders.',
  'employee.terminated': 'The employee was marked as terminated, by hand, by an import, by a program or by the chat platform.',
  'feedback.created': 'The employee opened a thread about the payslip or one of its items.',
  'webhook.test': 'An administrator tested the address.',
}

/** The schema of the body of each event. */
export const webhookPayloads = [...webhookEvents, 'webhook.test' as const].map((event) => ({
  event,
  schema: z.object({ type: z.literal(event), timestamp: time, data: eventData[event] }),
}))
