/** An event loop that is behind turns calls away before they are begun. */
import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import { OverloadedError } from './concurrency.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by whoever mounts the contract's calls. */
    isCall?: true
  }
}

/** After how many seconds to ask again. */
const pressureRetryAfterSeconds = 5

/**
 * Calls are turned away while the loop is more than `most_ms` behind. Pages, their scripts and the machine room's questions are answered: they
 * cost nearly nothing, and a page one of whose scripts is refused is broken, while a call that is told to come again does so by itself.
 */
export async function registerLoadShedding(app: FastifyInstance, most_ms: number): Promise<void> {
  await app.register(underPressure, {
    maxEventLoopDelay: most_ms,
    pressureHandler: async (request) => {
      if (request.routeOptions.config.isCall) throw new OverloadedError(pressureRetryAfterSeconds)
    },
  })
}

/** Seconds after which to ask again while the loop is behind; null where it is not. */
export const getPressureRetryAfter = (app: FastifyInstance): number | null =>
  app.isUnderPressure() ? pressureRetryAfterSeconds : null
