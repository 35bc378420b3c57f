/** The step that limits the requests of one account or address (`limits/rate-limits.ts`). */
import type { FastifyInstance } from 'fastify'
import {
  type AppDeps,
  authenticatesInTransaction,
  getRateLimitKey,
  getRequestContext,
  type RequestContext,
} from './request-context.ts'

export function registerRateLimit(app: FastifyInstance, deps: AppDeps): void {
  app.addHook('preValidation', async (request) => {
    const ctx = getRequestContext(request)
    if (!authenticatesInTransaction(ctx)) limitRate(deps, ctx)
  })
}

export function limitRate({ buckets }: AppDeps, ctx: RequestContext): void {
  const { rateLimit } = ctx.call
  buckets.consume(`${rateLimit}|${getRateLimitKey(ctx)}`, rateLimit, Date.now())
}
