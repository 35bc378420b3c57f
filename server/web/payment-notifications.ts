/** Endpoints for payment notifications of the providers. The signature covers the raw text: verified before parsing. */
import type { FastifyInstance } from 'fastify'
import type { PaymentProviderName } from '../../platform/pay/index.ts'
import type { PaymentNotificationReceiver } from '../modules/billing/calls.ts'

const maxBodyBytes = 64 * 1024
const paymentProviderNames: readonly string[] = ['alipay', 'wechat'] satisfies PaymentProviderName[]
const isPaymentProviderName = (text: string): text is PaymentProviderName => paymentProviderNames.includes(text)

export function registerPaymentNotifications(app: FastifyInstance, receiver: PaymentNotificationReceiver): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: maxBodyBytes }, (_request, body, done) => done(null, body))
    scope.post<{ Params: { provider: string } }>('/api/pay/notify/:provider', async ({ params, headers, body }, reply) => {
      const provider = params.provider.toLowerCase()
      const notificationReply = isPaymentProviderName(provider)
        ? await receiver.receiveNotification(provider, { headers, body: typeof body === 'string' ? body : '' })
        : null
      // A payment provider repeats the notification; other clients learn nothing.
      if (!notificationReply) return reply.code(400).type('text/plain').send('fail')
      return reply.type(notificationReply.type).send(notificationReply.body)
    })
  })
}
