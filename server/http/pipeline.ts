/**
 * The request pipeline: one Fastify plugin whose hooks are the steps of a call, in this order
 * (docs/decisions/20261129-use-fastify-hooks-around-one-transaction.md):
 *
 * request id → same origin → request context → deprecation headers → early rate limit → calls of API keys → concurrency limit → limit of guesses
 * → disk space → authenticate → authorize → rate limit → upload → [transaction: authenticate → authorize → rate limit → validate →
 * idempotency → handler → audit] → serialize
 *
 * A call whose handler is one transaction authenticates inside it, because rights must be read in the transaction that
 * relies on them; the hooks then leave these steps to `transaction.ts`. A thrown AppError rolls back and becomes the
 * envelope.
 */
import type { FastifyInstance } from 'fastify'
import { registerApiKeyCalls } from './api-keys.ts'
import { registerAuditLinks, registerErrorAudit } from './audit.ts'
import { registerAuthentication } from './authenticate.ts'
import { registerAuthorization } from './authorize.ts'
import { registerConcurrencyLimit, registerCostlyLimit } from './concurrency-limit.ts'
import { registerDeprecationHeaders } from './deprecation.ts'
import { registerDiskSpace } from './disk-space.ts'
import { runExternalHandler } from './external-handler.ts'
import { FormReader } from './form-reader.ts'
import type { Handler } from './handler.ts'
import { TokenBuckets } from './limits/rate-limits.ts'
import { runOperatorHandler } from './operator-access.ts'
import { registerEarlyRateLimit, registerGuessLimit, registerRateLimit } from './rate-limit.ts'
import {
  type AppDeps,
  getRequestContext,
  type RequestContext,
  type RequestDeps,
  registerRequestContext,
} from './request-context.ts'
import { sendOutput } from './serialize.ts'
import { runInTransaction } from './transaction.ts'
import { registerUpload } from './upload.ts'

export type { RequestDeps } from './request-context.ts'

/** Creates a route for every handler, in a Fastify scope of their own. */
export async function registerCalls(
  app: FastifyInstance,
  handlers: readonly Handler[],
  sections: RequestDeps & Pick<AppDeps, 'limiters' | 'provenCallers'>,
): Promise<void> {
  const deps: AppDeps = { ...sections, buckets: new TokenBuckets(sections.rateLimitScale), formReader: new FormReader() }
  await app.register(async (scope) => {
    registerRequestContext(scope, deps)
    registerDeprecationHeaders(scope, deps)
    registerEarlyRateLimit(scope, deps)
    registerApiKeyCalls(scope)
    registerConcurrencyLimit(scope, deps)
    registerGuessLimit(scope, deps)
    registerAuthentication(scope, deps)
    registerAuthorization(scope)
    registerDiskSpace(scope, deps)
    registerRateLimit(scope, deps)
    registerCostlyLimit(scope, deps)
    registerUpload(scope, deps)
    registerErrorAudit(scope, deps)
    registerAuditLinks(scope, deps)
    for (const handler of handlers) {
      const { method, path: url } = handler.call
      scope.route({
        method,
        url,
        config: { handler },
        handler: async (request) => {
          const ctx = getRequestContext(request)
          const output = await runHandler(deps, ctx)
          ctx.onSuccess()
          return sendOutput(deps, ctx, output)
        },
      })
    }
  })
}

function runHandler(app: AppDeps, ctx: RequestContext): Promise<unknown> {
  const { handler } = ctx
  if (handler.kind === 'operator') return runOperatorHandler(app, ctx, handler)
  return handler.kind === 'external' ? runExternalHandler(app, ctx, handler) : runInTransaction(app, ctx, handler)
}
