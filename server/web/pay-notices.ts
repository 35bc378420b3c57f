/** Where providers say that something was paid. The text as it came is what is signed, so it is read before anything is made of it. */
import type { FastifyInstance } from 'fastify'
import type { PayName } from '../../platform/pay/index.ts'
import type { TakesNotices } from '../domain/company/order/calls.ts'

const most_bytes = 64 * 1024
const names: readonly string[] = ['alipay', 'wechat'] satisfies PayName[]
const isName = (text: string): text is PayName => names.includes(text)

export function payNotices(app: FastifyInstance, takes: TakesNotices): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: most_bytes }, (_request, body, done) => done(null, body))
    scope.post<{ Params: { provider: string } }>('/api/pay/notify/:provider', async ({ params, headers, body }, reply) => {
      const provider = params.provider.toLowerCase()
      const taken = isName(provider)
        ? await takes.notice(provider, { headers, body: typeof body === 'string' ? body : '' })
        : null
      // A provider sends it again; nobody else learns anything.
      if (!taken) return reply.code(400).type('text/plain').send('fail')
      return reply.type(taken.type).send(taken.body)
    })
  })
}
