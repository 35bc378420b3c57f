/** Webhooks: a company's own addresses, and the events that are delivered to them. Writes webhook and webhook_event. */
export { hasSubscriber, type PayslipRef, queueBatchEvent, queueWebhookEvents } from './events.ts'
