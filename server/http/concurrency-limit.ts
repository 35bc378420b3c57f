/** The concurrency slot of a request: held until its response is ready, however slowly the client reads it. */
import type { FastifyInstance } from 'fastify'
import { getConcurrencyClass, getFirstLimit } from './limits/concurrency.ts'
import { toPeerAddress } from './limits/rate-limits.ts'
import { type AppDeps, getRateLimitKey, getRequestContext } from './request-context.ts'

export function registerConcurrencyLimit(app: FastifyInstance, { limiters }: AppDeps): void {
  app.addHook('preValidation', async (request) => {
    const ctx = getRequestContext(request)
    const name = getFirstLimit(ctx.call, ctx.provenOwner !== null)
    if (name) ctx.releaseSlot = await limiters.acquire(name, ctx.provenOwner ?? toPeerAddress(request.ip))
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
    if (handler.kind === 'operator' || call.requestType === 'file' || getConcurrencyClass(call) !== 'costly') return
    ctx.releaseSlot()
    ctx.releaseSlot = await limiters.acquire('costly', principal.me?.company_id ?? getRateLimitKey(ctx))
  })
}
