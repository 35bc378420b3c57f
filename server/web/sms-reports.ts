/**
 * Endpoint for delivery reports of an SMS gateway. Gateways do not sign them: the secret URL authenticates the gateway,
 * and other clients do not learn that it exists.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { SmsGatewayConfig } from '../../platform/sms/config.ts'
import { createReportResponse, parseSmsReports, type SmsReport } from '../../platform/sms/index.ts'

const maxBodyBytes = 512 * 1024
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

export type SmsReportReceiver = {
  /** If null, there is no endpoint, and reports are not accepted. */
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
