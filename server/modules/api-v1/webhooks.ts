/** Webhook addresses below /api/v1. */
import * as contract from '../../contract/api-v1/webhooks.ts'
import * as webhook from '../../contract/webhooks/webhooks.ts'
import { bindHandlers, defineHandler } from '../../http/handler.ts'
import { parseIdCursor, toPage } from './cursor.ts'
import type { CallRunner } from './run-call.ts'

export const createProgramWebhookHandlers = ({ run }: CallRunner) =>
  bindHandlers(contract, {
    listWebhooks: defineHandler(contract.listWebhooks, async (ctx, { cursor, limit }) => {
      const after = parseIdCursor(cursor)
      const { list } = await run(ctx, webhook.getWebhooks, {})
      const rows = list
        .filter(({ webhook_id }) => after === null || webhook_id > after)
        .toSorted((a, b) => (a.webhook_id < b.webhook_id ? -1 : 1))
      const { data, next_cursor } = toPage(rows, limit, ({ webhook_id }) => webhook_id)
      return { data: data.map(({ waiting, ...row }) => ({ ...row, waiting_event_count: waiting })), next_cursor }
    }),
    createWebhook: defineHandler(contract.createWebhook, async (ctx, { url, events }) => {
      const { webhook_id, secret } = await run(ctx, webhook.saveWebhook, { url, events, active: true })
      return { webhook_id, secret: secret ?? '' }
    }),
    removeWebhook: defineHandler(contract.removeWebhook, async (ctx, { webhook_id }) => {
      await run(ctx, webhook.deleteWebhook, { webhook_id })
      return { webhook_id }
    }),
    sendTestEvent: defineHandler(contract.sendTestEvent, async (ctx, { webhook_id }) =>
      run(ctx, webhook.testWebhook, { webhook_id }),
    ),
    replayEvents: defineHandler(contract.replayEvents, async (ctx, range) => ({
      event_count: (await run(ctx, webhook.replayWebhookEvents, range)).count,
    })),
  })
