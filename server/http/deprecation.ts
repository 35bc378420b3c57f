/** Responses of calls that end, wholly or in part, say so in their headers, errors included. */
import type { FastifyInstance } from 'fastify'
import { buildDeprecationHeaders, deprecations } from '../contract/api-v1/deprecations.ts'
import { getRequestContext, type RequestDeps } from './request-context.ts'

export function registerDeprecationHeaders(app: FastifyInstance, { deprecations: table = deprecations }: RequestDeps): void {
  app.addHook('onRequest', async (request, reply) => {
    const headers = buildDeprecationHeaders(getRequestContext(request).call, table)
    if (headers) void reply.headers(headers)
  })
}
