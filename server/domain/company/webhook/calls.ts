/** What answers the calls of webhooks, and the job that tells. */
import * as contract from '../../../contract/wage/webhook.ts'
import { implement } from '../../../runtime/handle.ts'
import { webhookCalls } from './keep.ts'
import { openTelling, type WebhookData, type WebhookParts } from './tell.ts'

export function openWebhooks(parts: WebhookParts) {
  const { everyCompany, tell } = openTelling(parts)
  parts.jobs.on<WebhookData>('webhook', tell, { expire_s: 600, at_once: 4 })
  parts.jobs.daily('webhooks', '* * * * *', everyCompany)
  return implement(contract, webhookCalls(parts.desk.private_hosts))
}
