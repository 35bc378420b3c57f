/** Endpoints for events of the chat platforms: they take the raw bytes, because the signature covers bytes. */
import type { FastifyInstance } from 'fastify'
import type { CallbackReply, CallbackRequest } from '../../platform/types.ts'
import { callbackRoute } from '../contract/platform-binding/binding.ts'

type CallbackHandler = (provider: string, app: string, request: CallbackRequest) => Promise<CallbackReply>
const maxBodyBytes = 256 * 1024

const pickStrings = (values: Readonly<Record<string, unknown>>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])))

export function registerPlatformCallbacks(app: FastifyInstance, handleCallback: CallbackHandler): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_request, body, done) => done(null, body))
    scope.route<{ Params: { provider: string; app: string }; Querystring: Record<string, unknown> }>({
      method: ['GET', 'POST'],
      url: callbackRoute,
      bodyLimit: maxBodyBytes,
      handler: async (request, reply) => {
        const { method, headers, params, body, query } = request
        const response = await handleCallback(params.provider.toLowerCase(), params.app.toLowerCase(), {
          method,
          headers: pickStrings(headers),
          query: pickStrings(query),
          body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
        })
        return reply.code(response.status).type(response.type).send(response.body)
      },
    })
  })
}
