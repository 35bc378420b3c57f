/** Load shedding by the delay of the event loop. */
import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import { OverloadedError } from './concurrency.ts'
import { overloadLimits } from './config.ts'

const { maxAnonymousLoopDelayMs, pressureRetryAfterSeconds } = overloadLimits

/**
 * Refuses calls while the event loop delay exceeds `most_ms`. Pages, their scripts and health checks are still served:
 * they cost almost nothing, and a page with a refused script is broken, while a call with a Retry-After is retried
 * automatically.
 */
export async function registerLoadShedding(app: FastifyInstance, most_ms: number): Promise<void> {
  await app.register(underPressure, {
    maxEventLoopDelay: most_ms,
    pressureHandler: async (request) => {
      if (request.routeOptions.config.handler) throw new OverloadedError(pressureRetryAfterSeconds)
    },
  })
}

/**
 * Returns the seconds after which to retry while the loop is delayed; otherwise null. Callers who have proved no account
 * are refused much earlier than employees and administrators.
 */
export const getPressureRetryAfter = (app: FastifyInstance, isProven: boolean): number | null =>
  app.isUnderPressure() || (!isProven && app.memoryUsage().eventLoopDelay > maxAnonymousLoopDelayMs)
    ? pressureRetryAfterSeconds
    : null
