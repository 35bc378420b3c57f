/**
 * One log line for each request: which call, how it ended, of which company, how long it took. Probes and files of the
 * client are written at the level `debug`: two probes every ten seconds would be most of the log.
 */
import type { FastifyInstance } from 'fastify'

const probes: readonly string[] = ['/healthz', '/readyz', '/metrics']
const millisecondDigits = 1

export function registerRequestLog(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method, requestContext, errorName, routeOptions } = request
    const route = routeOptions.url ?? ''
    const { statusCode: status } = reply
    const line = {
      ...(requestContext ? { call: requestContext.call.name } : {}),
      method,
      route,
      status,
      ...(errorName ? { error: errorName } : {}),
      ...(requestContext?.principal.me ? { company: requestContext.principal.me.company_id } : {}),
      ms: Number(reply.elapsedTime.toFixed(millisecondDigits)),
    }
    const isQuiet = probes.includes(route) || (!requestContext && status < 400)
    request.log[isQuiet ? 'debug' : 'info'](line, 'request')
  })
}
