/** Where providers say that something was paid. The text as it came is what is signed, so it is read before anything is made of it. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { PayName } from '../../platform/pay/index.ts'
import type { TakesNotices } from '../domain/company/order/calls.ts'

const most_bytes = 64 * 1024
const names: readonly string[] = ['alipay', 'wechat'] satisfies PayName[]
const isName = (text: string): text is PayName => names.includes(text)
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

export function payNotices(app: FastifyInstance, takes: TakesNotices): void {
  const { ops_token } = takes
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
    if (!ops_token) return
    // For whoever runs the server: a transfer that stands on the account.
    scope.post('/ops/transfer', async ({ headers, body }, reply) => {
      const given = digest((headers.authorization ?? '').replace(/^Bearer /, ''))
      if (!timingSafeEqual(given, digest(ops_token))) return reply.code(404).send()
      const said = transferIn(typeof body === 'string' ? body : '')
      if (!said) return reply.code(400).type('text/plain').send('order_no, reference, amount_fen\n')
      return reply.type('text/plain').send(`${await takes.transfer(said)}\n`)
    })
  })
}

function transferIn(body: string): { order_no: string; reference: string; amount_fen: number } | null {
  const said = new URLSearchParams(body)
  const [order_no, reference, amount] = [said.get('order_no'), said.get('reference'), said.get('amount_fen')]
  if (!order_no || !reference || reference.length > 60 || !/^[1-9]\d{0,11}$/.test(amount ?? '')) return null
  return { order_no, reference, amount_fen: Number(amount) }
}
