/** Webhooks: notify a company's own systems of events. Beyond calls.md (issue 13); the reason is in openapi.ts. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineChange, defineRead } from '../call.ts'
import { emptyObject, id, pageParams, paginatedList, time } from '../shared/schemas.ts'

const heads = requirePower('1')

/** Event types. No event carries an amount, a kind of pay, a name or a phone. */
export const webhookEvents = [
  'slip.sent',
  'slip.viewed',
  'slip.confirmed',
  'slip.disputed',
  'slip.withdrawn',
  'payslip.failed',
  'batch.sent',
  'batch.finished',
  'employee.terminated',
  'feedback.created',
] as const
export type WebhookEvent = (typeof webhookEvents)[number]
/** `gone`: the receiver answered 410, or accepted nothing for five days; no events are sent until it is activated again. */
export const webhookStatuses = ['active', 'paused', 'gone'] as const
/** `leased`: being delivered right now. */
export const webhookEventStatuses = ['waiting', 'leased', 'taken', 'failed'] as const
/** A company has few systems of its own; each receives all events it subscribed to. */
export const maxWebhooks = 5
/** Events of one replay: a receiver that was down for longer asks for several ranges. */
export const maxReplayedEvents = 1_000

const url = z.string().check(z.trim(), z.minLength(1, '请填写接收地址'), z.maxLength(500, '接收地址最多 500 个字符'))
const events = z.array(z.enum(webhookEvents)).check(z.minLength(1, '请至少选择一种事件'), z.maxLength(webhookEvents.length))

export const getWebhooks = defineRead('GET /api/corp/webhooks', heads, {
  summary: 'Lists the webhook addresses that receive events, without their secrets.',
  input: emptyObject,
  output: z.object({
    list: z.array(
      z.object({
        webhook_id: id,
        url: z.string(),
        events: z.array(z.enum(webhookEvents)),
        status: z.enum(webhookStatuses),
        /** The time since which no delivery has succeeded. */
        failing_since: z.nullable(time),
        waiting: z.int(),
        /** The time until which events are also signed with the previous secret. */
        former_until: z.nullable(time),
      }),
    ),
  }),
})

export const saveWebhook = defineChange('POST /api/corp/webhooks', heads, {
  summary: 'Adds a webhook address, or changes its events (`webhook_id`). The secret is returned once, when it is created.',
  input: z.object({ webhook_id: z.optional(id), url, events, active: z.boolean() }),
  /** `secret`: `whsec_` and base64, as defined by the Standard Webhooks specification. */
  output: z.object({ webhook_id: id, secret: z.nullable(z.string()) }),
  errors: ['not_found', 'wrong_state'],
})

export const rotateWebhookSecret = defineChange('POST /api/corp/webhooks/secret', heads, {
  summary: 'Creates a new secret. For a day both secrets sign.',
  input: z.object({ webhook_id: id }),
  output: z.object({ secret: z.string(), old_secret_until: time }),
  errors: ['not_found'],
})

export const deleteWebhook = defineChange('DELETE /api/corp/webhooks', heads, {
  summary: 'Deletes a webhook address and its delivery log.',
  idempotent: false,
  input: z.object({ webhook_id: id }),
  output: emptyObject,
  errors: ['not_found'],
})

export const testWebhook = defineChange('POST /api/corp/webhooks/test', heads, {
  summary: 'Sends a test event (`webhook.test`) to a webhook address.',
  rateLimit: 'costly',
  input: z.object({ webhook_id: id }),
  output: z.object({ event_id: id }),
  errors: ['not_found', 'wrong_state'],
})

export const getWebhookLog = defineRead('POST /api/corp/webhooks/log', heads, {
  summary: 'Lists the events sent to a webhook address in the last 30 days with the responses, newest first.',
  input: z.object({ webhook_id: id, ...pageParams }),
  output: paginatedList(
    z.object({
      event_id: id,
      event: z.enum([...webhookEvents, 'webhook.test']),
      at: time,
      status: z.enum(webhookEventStatuses),
      attempts: z.int(),
      /** When the next attempt is due. */
      due_at: z.nullable(time),
      /** An HTTP status, or one of `not_public`, `no_address`, `no_connection` and `timeout`. */
      response: z.nullable(z.string()),
    }),
  ),
  errors: ['not_found'],
})

export const redeliverWebhook = defineChange('POST /api/corp/webhooks/redeliver', heads, {
  summary: 'Delivers an event again with the same id.',
  input: z.object({ event_id: id }),
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
})

export const replayWebhookEvents = defineChange('POST /api/corp/webhooks/replay', heads, {
  summary: 'Delivers the events of a time range again with the same ids: those of the last 30 days that are not already waiting.',
  rateLimit: 'costly',
  input: z.object({ webhook_id: id, from: time, to: time }),
  output: z.object({ count: z.int() }),
  errors: ['not_found', 'wrong_state'],
})
