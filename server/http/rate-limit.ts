/** The steps that limit the requests of one account or address (`limits/rate-limits.ts`). */
import type { FastifyInstance } from 'fastify'
import { readApiKey } from './credentials.ts'
import type { AppError } from './errors.ts'
import { type TokenBuckets, toPeerAddress } from './limits/rate-limits.ts'
import {
  type AppDeps,
  authenticatesInTransaction,
  getRateLimitKey,
  getRequestContext,
  type RequestContext,
} from './request-context.ts'

/**
 * Runs before the body is read and anything is looked up: refused calls count, so that a flood of them costs neither a
 * transaction nor a parsed body. Anonymous and operators' calls are counted here, by address.
 */
export function registerEarlyRateLimit(app: FastifyInstance, { buckets }: AppDeps): void {
  app.addHook('onRequest', async (request) => {
    const ctx = getRequestContext(request)
    const { call, handler, provenOwner } = ctx
    const peer = toPeerAddress(request.ip)
    if (!provenOwner && (call.access === 'public' || handler.kind === 'operator')) {
      ctx.isRateCounted = true
      buckets.consume('anonymous', peer)
      if (call.rateLimit === 'guess') buckets.assertAvailable('guess', peer)
      else if (call.rateLimit === 'costly') buckets.consume('costly', peer)
    } else if (provenOwner)
      withRateLimitHeaders(buckets, ctx, provenOwner, () => buckets.assertAvailable(call.rateLimit, provenOwner))
    else buckets.assertAvailable('refused', peer)
  })
}

/**
 * Counts a guess of a caller without an account once it has its slot: colleagues who wait for theirs are no guesses yet.
 * A guess that was right is given back.
 */
export function registerGuessLimit(app: FastifyInstance, { buckets }: AppDeps): void {
  app.addHook('preValidation', async (request) => {
    const ctx = getRequestContext(request)
    if (ctx.call.rateLimit !== 'guess' || ctx.provenOwner || !ctx.isRateCounted) return
    const peer = toPeerAddress(request.ip)
    buckets.consume('guess', peer)
    ctx.onSuccess = () => buckets.giveBack('guess', peer)
  })
}

export function registerRateLimit(app: FastifyInstance, deps: AppDeps): void {
  app.addHook('preValidation', async (request) => {
    const ctx = getRequestContext(request)
    if (!authenticatesInTransaction(ctx)) limitRate(deps, ctx)
  })
}

export function limitRate({ buckets }: AppDeps, ctx: RequestContext): void {
  if (ctx.isRateCounted) return
  ctx.isRateCounted = true
  const owner = getRateLimitKey(ctx)
  withRateLimitHeaders(buckets, ctx, owner, () => buckets.consume(ctx.call.rateLimit, owner))
}

/** A program with an API key sees how many calls remain, also where this one is refused. */
function withRateLimitHeaders(
  buckets: TokenBuckets,
  { call, request, reply }: RequestContext,
  owner: string,
  check: () => void,
): void {
  try {
    check()
  } finally {
    if (readApiKey(request.headers) !== null) {
      const { limit, remaining, reset_s } = buckets.getState(call.rateLimit, owner)
      void reply.headers({ 'ratelimit-limit': limit, 'ratelimit-remaining': remaining, 'ratelimit-reset': reset_s })
    }
  }
}

/** Counts a call that was refused before its rate limit: of the caller's account, or of their address. */
export function countRejectedCall({ buckets }: AppDeps, ctx: RequestContext, { error }: AppError): void {
  const { call, principal, request } = ctx
  if (ctx.isRateCounted || error === 'too_often') return
  if (principal.account) buckets.take(call.rateLimit, getRateLimitKey(ctx))
  else buckets.take('refused', toPeerAddress(request.ip))
}
