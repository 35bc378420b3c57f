import { request as call, createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { overloadLimits } from '../../../server/http/limits/config.ts'
import { closeSlowRequests } from '../../../server/http/limits/slow-clients.ts'

/** Only the timers of the monitor are simulated; sockets are real. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** Advances second by second, so that the monitor does not assume a suspended process. */
const pass = (ms: number) => {
  for (let at = 0; at < ms; at += overloadLimits.checkIntervalMs) vi.advanceTimersByTime(overloadLimits.checkIntervalMs)
}

/** A monitored server, and a client that sends `bytes` and holds the rest back until `finish`. */
async function sending(bytes: number, listener: RequestListener) {
  const server = createServer(listener)
  closeSlowRequests(server)
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const client = call({ port, method: 'POST', headers: { 'content-length': String(bytes + 1) } })
  const end = new Promise<number | string>((done) => {
    client.once('response', (response) => {
      response.resume()
      done(response.statusCode ?? 0)
    })
    client.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
  })
  client.write(Buffer.alloc(bytes))
  return { end: end.finally(() => server.close()), finish: () => client.end('x') }
}

it('does not close a client that waits because the server is not reading yet', async () => {
  let reading: (request: IncomingMessage) => void = () => undefined
  const arrived = new Promise<IncomingMessage>((done) => {
    reading = done
  })
  let answer = () => undefined as unknown
  const { end, finish } = await sending(1024 * 1024, (request, response) => {
    answer = () => request.resume().once('end', () => response.end())
    reading(request)
  })
  const request = await arrived
  await vi.waitUntil(() => request.readableLength >= request.readableHighWaterMark, { timeout: 60_000 })
  pass(overloadLimits.window_ms * 3)
  finish()
  answer()
  expect(await end).toBe(200)
})

it('closes a client that sends almost nothing to a reading server', async () => {
  let arrive: () => void = () => undefined
  const arrived = new Promise<void>((done) => {
    arrive = done
  })
  const { end } = await sending(100, (request) => {
    request.resume().once('error', () => undefined)
    arrive()
  })
  await arrived
  pass(overloadLimits.window_ms * 2)
  expect(await end).toBe('ECONNRESET')
})
