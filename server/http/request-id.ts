/** The first step of a request: its id, in every response, and what keeps responses of the API out of caches. */
import type { FastifyInstance } from 'fastify'

export function registerRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    // Matches the route, regardless of how the URL was spelled; a URL without a route is answered with an error.
    if (/^\/(api|index\/test)(\/|$)/i.test(request.routeOptions.url ?? request.url))
      reply.header('cache-control', 'no-store').header('x-robots-tag', 'noindex')
  })
}
