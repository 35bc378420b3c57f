/** Floods of refused requests: what an address may cost, and who keeps being served beside it. */
import { type AddressInfo, connect } from 'node:net'
import fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { overloadLimits, rateLimits } from '../../../server/http/limits/config.ts'
import { getPressureRetryAfter } from '../../../server/http/limits/event-loop-pressure.ts'
import { FloodGuard, registerFloodGuard } from '../../../server/http/limits/flood-guard.ts'

const flooder = '127.0.0.9'
const neighbour = '127.0.0.8'

/** A server whose only route refuses callers without an account. */
async function startApp(isBehindProxy = false) {
  let now = 0
  const served = { count: 0 }
  const guard = new FloodGuard(() => now)
  const app = fastify(isBehindProxy ? { trustProxy: true } : {})
  registerFloodGuard(app, { guard, isProven: ({ headers }) => headers['user-token'] === 'proven', isBehindProxy })
  app.setErrorHandler((_error, _request, reply) => reply.code(200).send('no'))
  app.get('/', async ({ headers }) => {
    served.count += 1
    if (headers['user-token'] !== 'proven') throw new Error('signed out')
    return 'slips'
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  const { port } = app.server.address() as AddressInfo
  /** Returns the body of the response; null if the connection was closed without one. */
  const request = (from: string, token = '', path = '/', more = ''): Promise<string | null> =>
    new Promise((resolve) => {
      let heard = ''
      const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nUser-Token: ${token}\r\n${more}\r\n`
      const socket = connect({ port, host: '127.0.0.1', localAddress: from }, () => socket.write(head))
      socket.on('data', (bytes) => (heard += bytes.toString()))
      socket.on('error', () => undefined)
      socket.on('close', () => resolve(heard ? (heard.split('\r\n\r\n')[1] ?? '') : null))
    })
  return { guard, request, served, advance: (ms: number) => (now += ms) }
}
const flood = (guard: FloodGuard, address = flooder) => {
  for (let at = 0; at < rateLimits.flood; at += 1) guard.countRejection(address)
}

it('counts thrown refusals and unknown addresses, and none of callers with an account', async () => {
  const { guard, request } = await startApp()
  for (let at = 0; at < rateLimits.flood - 2; at += 1) guard.countRejection(flooder)
  expect(await request(flooder)).toBe('no')
  expect(guard.isFlooding(flooder)).toBe(false)
  expect(await request(flooder, 'proven')).toContain('slips')
  expect(await request(flooder, 'proven', '/none')).toContain('Not Found')
  expect(guard.isFlooding(flooder)).toBe(false)
  expect(await request(flooder, '', '/none')).toContain('Not Found')
  expect(guard.isFlooding(flooder)).toBe(true)
})

it('closes a flood without an answer, beside which others are served, until its budget has refilled', async () => {
  const { guard, request, served, advance } = await startApp()
  flood(guard)
  const began = performance.now()
  expect(await request(flooder)).toBeNull()
  // The connection is held, so that the next one cannot follow at once.
  expect(performance.now() - began).toBeGreaterThan(overloadLimits.floodDelayMs - 50)
  expect(served.count).toBe(0)
  expect(await request(neighbour)).toBe('no')
  advance(1_000)
  expect(await request(flooder)).toBe('no')
})

it('serves colleagues who have signed in at the address of a flood', async () => {
  const { guard, request } = await startApp()
  expect(await request(flooder, 'proven')).toContain('slips')
  flood(guard)
  expect(await request(flooder, 'proven')).toContain('slips')
  expect(await request(flooder)).toBeNull()
})

it("judges requests of a proxy by their own address, and never closes the proxy's connections", async () => {
  const { guard, request, served } = await startApp(true)
  flood(guard, '203.0.113.9')
  expect(await request('127.0.0.1', '', '/', 'X-Forwarded-For: 203.0.113.9\r\n')).toBe('no')
  expect(served.count).toBe(0)
  expect(await request('127.0.0.1', 'proven', '/', 'X-Forwarded-For: 203.0.113.9\r\n')).toContain('slips')
  expect(await request('127.0.0.1', '', '/', 'X-Forwarded-For: 203.0.113.8\r\n')).toBe('no')
  expect(served.count).toBe(2)
})

it('limits the open connections of one address', () => {
  const guard = new FloodGuard()
  const closers: (() => void)[] = []
  const open = (remoteAddress: string) =>
    guard.openConnection({ remoteAddress, once: (_event: string, close: () => void) => closers.push(close) } as never)
  const decisions = Array.from({ length: overloadLimits.maxConnectionsPerAddress }, () => open('203.0.113.9'))
  expect(new Set(decisions)).toEqual(new Set(['serve']))
  expect([open('203.0.113.9'), open('203.0.113.8')]).toEqual(['close', 'serve'])
  for (const close of closers.splice(0)) close()
  expect(open('203.0.113.9')).toBe('serve')
})

it('refuses callers without an account at a loop delay that others are served at', () => {
  const delayed = { isUnderPressure: () => false, memoryUsage: () => ({ eventLoopDelay: 250 }) } as never
  expect([getPressureRetryAfter(delayed, false), getPressureRetryAfter(delayed, true)]).toEqual([5, null])
})
