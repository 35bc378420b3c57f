/** The concurrency slot of a request: held until its response is ready, however slowly the client reads it. */
import type { FastifyInstance } from 'fastify'
import { getConcurrencyClass } from './limits/concurrency.ts'
import { toPeerAddress } from './limits/rate-limits.ts'
import { type AppDeps, getRateLimitKey, getRequestContext } from './request-context.ts'

/** Runs before authentication: the owner is a signed-in browser or an address. Uploads have their own limit. */
export function registerConcurrencyLimit(app: FastifyInstance, { limiters }: AppDeps): void {
  app.addHook('preValidation', async (request) => {
    const ctx = getRequestContext(request)
    const owner = String(request.headers['user-token'] ?? toPeerAddress(request.ip))
    if (ctx.call.requestType !== 'file' && getConcurrencyClass(ctx.call) !== 'costly')
      ctx.releaseSlot = await limiters.acquire(getConcurrencyClass(ctx.call), owner)
  })
  app.addHook('onSend', async ({ requestContext }) => requestContext?.releaseSlot())
  // A response that ends before it is sent must not keep the slot either.
  app.addHook('onResponse', async ({ requestContext }) => requestContext?.releaseSlot())
}

/** The slot of a costly call depends on its company, so it follows authentication. */
export function registerCostlyLimit(app: FastifyInstance, { limiters }: AppDeps): void {
  app.addHook('preValidation', async (request) => {
    const ctx = getRequestContext(request)
    const { call, handler, principal } = ctx
    if (handler.kind !== 'operator' && call.requestType !== 'file' && getConcurrencyClass(call) === 'costly')
      ctx.releaseSlot = await limiters.acquire('costly', principal.me?.company_id ?? getRateLimitKey(ctx))
  })
}
