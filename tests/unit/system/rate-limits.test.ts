/** Rate limits: whose requests count together, by which clock, and what a refused call costs. */
import cookie from '@fastify/cookie'
import fastify from 'fastify'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod/mini'
import { defineRead } from '../../../server/contract/call.ts'
import { createEnvelope, sendError } from '../../../server/http/envelope.ts'
import { AppError } from '../../../server/http/errors.ts'
import { defineHandler } from '../../../server/http/handler.ts'
import { ConcurrencyLimiters } from '../../../server/http/limits/concurrency.ts'
import { maxProvenCallers, maxTokenBuckets, rateLimits } from '../../../server/http/limits/config.ts'
import { DiskGuard } from '../../../server/http/limits/disk-guard.ts'
import { ProvenCallers } from '../../../server/http/limits/proven-callers.ts'
import { TokenBuckets } from '../../../server/http/limits/rate-limits.ts'
import { registerCalls } from '../../../server/http/pipeline.ts'
import type { AppDeps } from '../../../server/http/request-context.ts'

const countAccepted = (attempts: number, consume: () => void): number => {
  let accepted = 0
  for (let at = 0; at < attempts; at++)
    try {
      consume()
      accepted += 1
    } catch (error) {
      expect(error).toMatchObject({ error: 'too_often' })
    }
  return accepted
}

describe('token bucket', () => {
  it('allows as many requests as its size, and more as time passes', () => {
    let now = 0
    const buckets = new TokenBuckets(1, () => now)
    const consume = () => buckets.consume('guess', 'a')
    expect(countAccepted(100, consume)).toBe(rateLimits.guess)
    now += 10_000
    expect(countAccepted(100, consume)).toBe(rateLimits.guess / 6)
  })

  it('refuses nobody when the clock goes back', () => {
    let now = 3_600_000
    const buckets = new TokenBuckets(1, () => now)
    buckets.consume('guess', 'a')
    now -= 600_000
    expect(countAccepted(50, () => buckets.consume('guess', 'a'))).toBe(50)
  })

  it('drops the key unused for the longest time, and keeps the others', () => {
    const buckets = new TokenBuckets(1, () => 0)
    const consume = (key: string) => countAccepted(100, () => buckets.consume('guess', key))
    expect([consume('first'), consume('second')]).toEqual([60, 60])
    for (let at = 0; at < maxTokenBuckets - 1; at++) buckets.take('guess', `other ${at}`)
    expect([consume('second'), consume('first')]).toEqual([0, 60])
  })
})

describe('proven caller', () => {
  const credentials = { token: 'token', cookie: 'cookie' }
  it('is known by both halves of the session until it ends', () => {
    const callers = new ProvenCallers()
    callers.remember(credentials, 'account')
    expect(callers.find(credentials)).toBe('account')
    expect(callers.find({ token: 'token', cookie: null })).toBeNull()
    callers.forget(credentials)
    expect(callers.find(credentials)).toBeNull()
  })
  it('is forgotten after many others', () => {
    const callers = new ProvenCallers()
    callers.remember(credentials, 'account')
    for (let at = 0; at < maxProvenCallers; at++) callers.remember({ token: `${at}`, cookie: '' }, 'other')
    expect(callers.find(credentials)).toBeNull()
  })
})

const spec = { summary: 'Something', input: z.object({}), output: z.object({}) } as const
const ownCall = defineRead('POST /api/room/own', 'employee', spec)
const openCall = defineRead('POST /api/room/open', 'public', { ...spec, rateLimit: 'guess' })

/** The pipeline with a database that knows no session and counts how often it is asked. */
async function stage() {
  // No token comes back while a slow machine makes the calls.
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const counted = { lookups: 0, runs: 0, isWrong: false }
  const acquired: string[] = []
  const limiters = new ConcurrencyLimiters(false)
  limiters.acquire = async (name, owner) => {
    acquired.push(`${name} of ${owner}`)
    return () => undefined
  }
  const app = fastify({ trustProxy: true })
  onTestFinished(() => app.close())
  await app.register(cookie)
  app.setErrorHandler((error, request, reply) =>
    error instanceof AppError
      ? sendError(reply, 200, error.error, error.message)
      : reply.code(500).send(createEnvelope(request.url, 'internal_error')),
  )
  const deps = {
    database: {
      withoutCompany: async () => {
        counted.lookups += 1
        throw new AppError('signed_out')
      },
    },
    diskGuard: new DiskGuard(null),
    clock: { now: () => new Date(0) },
    https: false,
    validateResponses: true,
    rateLimitScale: 1,
    onUndeclaredError: () => undefined,
    limiters,
    provenCallers: new ProvenCallers(),
  }
  const handlers = [
    defineHandler(ownCall, async () => ({})),
    defineHandler(openCall, { kind: 'external' }, async () => {
      counted.runs += 1
      if (counted.isWrong) throw new AppError('signed_out')
      return {}
    }),
  ]
  await registerCalls(app, handlers, deps as unknown as AppDeps)
  const call = async (path: string, address: string, token?: string): Promise<number> => {
    const headers = { 'x-forwarded-for': address, 'content-type': 'application/json', ...(token && { 'user-token': token }) }
    const response = await app.inject({ method: 'POST', url: path, headers, payload: '{}' })
    return response.json<{ error_code: number }>().error_code
  }
  return { call, counted, acquired, provenCallers: deps.provenCallers }
}

describe('a flood with invented tokens', () => {
  it('is refused before it is looked up, and stands in the public limit under its address', async () => {
    const { call, counted, acquired } = await stage()
    const codes = new Set<number>()
    for (let at = 0; at < rateLimits.refused + 100; at++) codes.add(await call(ownCall.path, '2001:db8:1:2::1', `invented ${at}`))
    expect(codes.size).toBe(2)
    expect(counted.lookups).toBe(rateLimits.refused)
    expect(new Set(acquired)).toEqual(new Set(['public of 2001:db8:1:2::/64']))
  })

  it('counts wrong guesses only, the addresses of one network prefix together, and others apart', async () => {
    const { call, counted } = await stage()
    const right = createEnvelope(openCall.path, null).error_code
    for (let at = 0; at < 100; at++) expect(await call(openCall.path, '2001:db8:1:2::1')).toBe(right)
    counted.runs = 0
    counted.isWrong = true
    for (let at = 0; at < 100; at++) await call(openCall.path, `2001:db8:1:2::${at.toString(16)}`)
    expect(counted.runs).toBe(rateLimits.guess)
    counted.isWrong = false
    expect(await call(openCall.path, '2001:db8:1:3::1')).toBe(createEnvelope(openCall.path, null).error_code)
  })

  it('has a budget of all calls that need no account, by address', async () => {
    const { call, counted } = await stage()
    const codes = new Set<number>()
    for (let at = 0; at < rateLimits.anonymous + 50; at++) codes.add(await call(openCall.path, '192.0.2.7'))
    expect([codes.size, counted.runs]).toEqual([2, rateLimits.anonymous])
    expect(await call(openCall.path, '192.0.2.8')).toBe(createEnvelope(openCall.path, null).error_code)
  })

  it('does not limit a caller who has proved an account, from the same address', async () => {
    const { call, counted, acquired, provenCallers } = await stage()
    for (let at = 0; at < rateLimits.refused + 50; at++) await call(ownCall.path, '192.0.2.1', 'invented')
    const before = counted.lookups
    provenCallers.remember({ token: 'mine', cookie: null }, 'account')
    await call(ownCall.path, '192.0.2.1', 'mine')
    expect(counted.lookups).toBe(before + 1)
    expect(acquired.at(-1)).toBe('employee of account')
  })
})
