/** Load shedding at the request headers: with the limiter full, no body is awaited and no route is called. */
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { getAvailableCorps, login } from '../../../server/contract/auth/sign-in.ts'
import type { Call } from '../../../server/contract/call.ts'
import { allCalls } from '../../../server/contract/index.ts'
import { type ConcurrencyClass, ConcurrencyLimiters, getConcurrencyClass } from '../../../server/http/limits/concurrency.ts'
import { concurrencyLimits } from '../../../server/http/limits/config.ts'
import { registerEarlyLoadShedding } from '../../../server/http/limits/load-shedding.ts'

let server: Server
afterEach(() => {
  server.closeAllConnections()
  vi.useRealTimers()
})

/** A server whose limiters are all full, or none; requests passed to the routes get the response `went on`. */
async function stage({
  full = true,
  pressed = null,
  proven = true,
  lane = 'employee',
}: {
  full?: boolean
  pressed?: number | null
  proven?: boolean
  lane?: ConcurrencyClass
} = {}) {
  // No waiting request times out because the machine stalled; sockets have timers of their own.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const limits = new ConcurrencyLimiters(true)
  const { maxRunning, maxQueued } = concurrencyLimits[lane]
  if (full) for (let at = 0; at < maxRunning + maxQueued; at++) limits.acquire(lane, `owner ${at}`).catch(() => undefined)
  const noted: string[] = []
  const rejected: (string | undefined)[] = []
  server = createServer((_request, response) => void response.end('went on'))
  registerEarlyLoadShedding(server, allCalls, {
    limiters: limits,
    getPressureRetryAfter: () => pressed,
    findOwner: ({ headers }) => (proven ? String(headers['user-token']) : null),
    formatBody: ({ retry_after_s }) => JSON.stringify({ retry_after_s }),
    recordRequest: ({ name }, status) => void noted.push(`${name} ${status}`),
    countRejection: ({ socket }) => void rejected.push(socket.remoteAddress),
    https: false,
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const asks = (...heads: readonly string[]): Promise<string> =>
    new Promise((done, fail) => {
      let heard = ''
      const socket = connect(port, '127.0.0.1', () => void socket.write(heads.join('')))
      socket.on('error', fail)
      socket.on('close', () => done(heard))
      socket.on('data', (bytes) => {
        heard += bytes.toString()
        if ((heard.match(/HTTP\/1\.1 [\s\S]*?(went on|\})/g)?.length ?? 0) >= heads.length) socket.destroy()
      })
    })
  return { asks, noted, rejected }
}
const getHead = ({ method, path }: Pick<Call, 'method' | 'path'>, length = 2, body = ''): string =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\nUser-Token: t\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`

describe('a caller who has proved no account', () => {
  it('does not stand in the limit of employees, whatever token they invent', async () => {
    expect(await (await stage({ proven: false })).asks(getHead(getAvailableCorps, 2, '{}'))).toContain('went on')
  })
  it('stands in the public limit', async () => {
    const heard = await (await stage({ proven: false, lane: 'public' })).asks(getHead(getAvailableCorps, 2, '{}'))
    expect(heard).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nretry-after: 3\r\n/)
  })
  it('is counted as a part of a flood when refused, and a caller with an account is not', async () => {
    for (const [proven, addresses] of [
      [false, ['127.0.0.1']],
      [true, []],
    ] as const) {
      const { asks, rejected } = await stage({ proven, lane: proven ? 'employee' : 'public' })
      expect(await asks(getHead(getAvailableCorps, 2, '{}'))).toMatch(/^HTTP\/1\.1 503 /)
      expect(rejected).toEqual(addresses)
      server.closeAllConnections()
    }
  })
})

describe('full concurrency limiter', () => {
  it('rejects a request before its body has arrived, with a retry time', async () => {
    const { asks, noted } = await stage()
    const heard = await asks(getHead(getAvailableCorps, 500))
    expect(heard).toMatch(/^HTTP\/1\.1 503 /)
    expect(heard).toMatch(/\r\nretry-after: 1\r\n/)
    expect(heard).toMatch(/\r\ncache-control: no-store\r\n/)
    expect(heard).toMatch(/\r\nx-request-id: [\da-f-]{36}\r\n/)
    expect(heard).toMatch(/\{"retry_after_s":1\}$/)
    expect(noted).toEqual(['getMyCorps 503'])
  })

  it('still serves the next request of the same connection', async () => {
    const { asks } = await stage()
    const heard = await asks(getHead(getAvailableCorps, 2, '{}'), getHead(login, 2, '{}'))
    expect(heard.match(/HTTP\/1\.1 \d+|went on/g)).toEqual(['HTTP/1.1 503', 'HTTP/1.1 200', 'went on'])
  })

  const costly = allCalls.find((call) => getConcurrencyClass(call) === 'costly' && call.requestType === 'json') as Call
  const file = allCalls.find((call) => call.requestType === 'file') as Call
  it.each([
    ['another lane', login],
    ['costly, whose turn is its company’s', costly],
    ['a file, which waits for a seat', file],
    ['no call', { method: 'GET', path: '/healthz' } as const],
  ])('passes on %s', async (_what, call) => {
    expect(await (await stage()).asks(getHead(call, 2, '{}'))).toContain('went on')
  })
})

it('passes on a request while the limiter has capacity', async () => {
  expect(await (await stage({ full: false })).asks(getHead(getAvailableCorps, 2, '{}'))).toContain('went on')
})

it('rejects ordinary requests while the event loop is behind', async () => {
  const heard = await (await stage({ full: false, pressed: 5 })).asks(getHead(login, 2, '{}'))
  expect(heard).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nretry-after: 5\r\n/)
})
