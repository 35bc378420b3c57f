/** The demo's payment page: simulates the buyer's payment by one click. */
import type { FastifyInstance } from 'fastify'
import type { PaymentSimulator } from '../../../platform/pay/simulator.ts'

export function registerDemoPayPages(app: FastifyInstance, simulator: PaymentSimulator): void {
  app.post<{ Params: { order_no: string } }>('/dev/pay/:order_no', async ({ params }, reply) => {
    if (!simulator.trades.has(params.order_no)) return reply.code(404).send()
    const { url, headers, body } = simulator.pay(params.order_no)
    const response = await app.inject({ method: 'POST', url: new URL(url).pathname, headers, payload: body })
    return reply.send({ ok: response.statusCode === 200 })
  })
}
