/** Where an SMS gateway reports what became of messages. Gateways sign nothing: whoever knows the address is one, and nobody else learns that there is one. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { createReportResponse, parseSmsReports, type SmsGatewayConfig, type SmsReport } from '../../platform/sms/index.ts'

const maxBodyBytes = 512 * 1024
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

export type SmsReportReceiver = {
  /** Null: there is no address, and reports are not taken. */
  readonly secret: string | null
  readonly provider: SmsGatewayConfig['provider'] | null
  processReports(reports: readonly SmsReport[]): Promise<void>
}

export function registerSmsReports(app: FastifyInstance, { secret, provider, processReports }: SmsReportReceiver): void {
  if (!secret || !provider) return
  const expectedDigest = sha256(secret)
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: maxBodyBytes }, (_request, body, done) => done(null, body))
    scope.post<{ Params: { secret: string } }>('/callback/sms/:secret', async ({ params, body }, reply) => {
      if (!timingSafeEqual(sha256(params.secret), expectedDigest)) return reply.code(404).send()
      const reports = parseSmsReports(provider, typeof body === 'string' ? body : '')
      if (!reports) return reply.code(400).send(createReportResponse(provider, false))
      await processReports(reports)
      return reply.send(createReportResponse(provider, true))
    })
  })
}
