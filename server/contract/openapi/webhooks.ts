/** The webhook events as the section `webhooks` of the API document. */
import { webhookEventSummaries, webhookPayloads } from '../webhooks/payload.ts'
import type { ComponentSchemas } from './schemas.ts'

const headers = {
  'webhook-id': 'The id of the event: the same when it is delivered again.',
  'webhook-timestamp': 'When this attempt was sent, in seconds since 1970.',
  'webhook-signature': 'One or two signatures `v1,…` as defined by Standard Webhooks.',
}

export const buildWebhooks = (components: ComponentSchemas) =>
  Object.fromEntries(
    webhookPayloads.map(({ event, schema }) => {
      const name = event.replace(/(?:^|\.)([a-z])/g, (_, letter: string) => letter.toUpperCase())
      components.add(`${name}Event`, components.convert(schema, 'output', `${name}Event`))
      return [
        event,
        {
          post: {
            operationId: `on${name}`,
            summary: webhookEventSummaries[event],
            description: 'Delivered at least once; repeated for five days until the receiver responds with a status 2xx.',
            tags: ['webhooks'],
            security: [],
            parameters: Object.entries(headers).map(([header, description]) => ({
              name: header,
              in: 'header',
              required: true,
              description,
              schema: { type: 'string' },
            })),
            requestBody: {
              required: true,
              content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}Event` } } },
            },
            responses: {
              204: { description: 'The receiver has stored the event.' },
              410: { description: 'The receiver no longer exists: the address is deactivated.' },
            },
          },
        },
      ]
    }),
  )
