/** The addresses to which the chat platforms tell what happened: raw bytes go in, because their proof is over bytes. */
import type { FastifyInstance } from 'fastify'
import type { CallbackReply, CallbackRequest } from '../../platform/types.ts'
import { callbackRoute } from '../contract/people/binding.ts'

type Entry = (provider: string, app: string, request: CallbackRequest) => Promise<CallbackReply>
const longest_body = 256 * 1024

const texts = (given: Readonly<Record<string, unknown>>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(given).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])))

export function callbackPages(app: FastifyInstance, entry: Entry): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: longest_body }, (_request, body, done) => done(null, body))
    scope.route<{ Params: { provider: string; app: string }; Querystring: Record<string, unknown> }>({
      method: ['GET', 'POST'],
      url: callbackRoute,
      bodyLimit: longest_body,
      handler: async (request, reply) => {
        const { method, headers, params, body, query } = request
        const answer = await entry(params.provider.toLowerCase(), params.app.toLowerCase(), {
          method,
          headers: texts(headers),
          query: texts(query),
          body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
        })
        return reply.code(answer.status).type(answer.type).send(answer.body)
      },
    })
  })
}
