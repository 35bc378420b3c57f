/** Where an SMS gateway reports what became of messages. Gateways sign nothing: whoever knows the address is one, and nobody else learns that there is one. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { reportAnswer, reportsIn, type SmsApp, type SmsReport } from '../../platform/sms/index.ts'

const most_bytes = 512 * 1024
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

export type TakesSmsReports = {
  /** Null: there is no address, and reports are not taken. */
  readonly secret: string | null
  readonly provider: SmsApp['provider'] | null
  take(reports: readonly SmsReport[]): Promise<void>
}

export function smsReports(app: FastifyInstance, { secret, provider, take }: TakesSmsReports): void {
  if (!secret || !provider) return
  const wanted = digest(secret)
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: most_bytes }, (_request, body, done) => done(null, body))
    scope.post<{ Params: { secret: string } }>('/callback/sms/:secret', async ({ params, body }, reply) => {
      if (!timingSafeEqual(digest(params.secret), wanted)) return reply.code(404).send()
      const reports = reportsIn(provider, typeof body === 'string' ? body : '')
      if (!reports) return reply.code(400).send(reportAnswer(provider, false))
      await take(reports)
      return reply.send(reportAnswer(provider, true))
    })
  })
}
