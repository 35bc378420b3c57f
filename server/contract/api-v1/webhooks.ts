/** Webhook addresses for programs with an API key. */
import * as z from 'zod/mini'
import { requireKey } from '../access.ts'
import { defineChange, defineRead } from '../call.ts'
import { id, time } from '../shared/schemas.ts'
import { saveWebhook, webhookEvents, webhookStatuses } from '../webhooks/webhooks.ts'
import { cursorParams, paginate } from './shared.ts'

const heads = requireKey('1')

export const listWebhooks = defineRead('GET /api/v1/webhooks', heads, {
  summary: 'Lists the webhook addresses, without their secrets.',
  input: z.object(cursorParams),
  output: paginate(
    z.object({
      webhook_id: id,
      url: z.string(),
      events: z.array(z.enum(webhookEvents)),
      status: z.enum(webhookStatuses),
      failing_since: z.nullable(time),
      waiting_event_count: z.int(),
    }),
  ),
})

const { url, events } = saveWebhook.input.shape

export const createWebhook = defineChange('POST /api/v1/webhooks', heads, {
  summary: 'Adds a webhook address. The secret is returned once.',
  input: z.object({ url, events }),
  output: z.object({ webhook_id: id, secret: z.string() }),
  errors: ['not_found', 'wrong_state'],
})

export const removeWebhook = defineChange('DELETE /api/v1/webhooks/:webhook_id', heads, {
  summary: 'Deletes a webhook address and its log.',
  idempotent: false,
  input: z.object({ webhook_id: id }),
  output: z.object({ webhook_id: id }),
  errors: ['not_found'],
})

export const sendTestEvent = defineChange('POST /api/v1/webhooks/:webhook_id/test', heads, {
  summary: 'Sends the event `webhook.test` to a webhook address.',
  rateLimit: 'costly',
  input: z.object({ webhook_id: id }),
  output: z.object({ event_id: id }),
  errors: ['not_found', 'wrong_state'],
})

export const replayEvents = defineChange('POST /api/v1/webhooks/:webhook_id/replay', heads, {
  summary: 'Delivers up to 1000 events of a time range within the last 30 days again, each with its `webhook-id`.',
  rateLimit: 'costly',
  input: z.object({ webhook_id: id, from: time, to: time }),
  output: z.object({ event_count: z.int() }),
  errors: ['not_found', 'wrong_state'],
})
