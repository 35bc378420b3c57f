/** Handlers of the webhook calls, and the delivery job. */
import * as contract from '../../contract/webhooks/webhooks.ts'
import { bindHandlers } from '../../http/handler.ts'
import { createWebhookDelivery, type WebhookDeps, type WebhookJobData } from './delivery.ts'
import { createWebhookHandlers } from './settings.ts'

export function createWebhookModule(deps: WebhookDeps) {
  const { everyCompany: queueAllCompanies, notify: deliver } = createWebhookDelivery(deps)
  deps.jobs.register<WebhookJobData>('webhook', deliver, { timeoutSeconds: 600, concurrency: 4 })
  deps.jobs.schedule('webhooks', '* * * * *', queueAllCompanies)
  return bindHandlers(contract, createWebhookHandlers(deps.options.allowPrivateHosts))
}
