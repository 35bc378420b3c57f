/** Clients that never complete their request are closed, and no shutdown waits for them. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { shutDownInStages } from '../../../server/shared/shutdown.ts'
import { startServer } from '../../support/run/server.ts'

const servers: Awaited<ReturnType<typeof startServer>>[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) if (server.process.exitCode === null) await server.stop()
})

const header = 'POST /api/index/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n'
const slow = {
  'half a header': header,
  'half a body': `${header}content-length: 5000\r\n\r\n{"phone":`,
  'a body in pieces without an end': `${header}transfer-encoding: chunked\r\n\r\n5\r\n{"pho\r\n`,
} as const

async function open(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(text)
  socket.resume()
  return socket
}

describe('shutdown', () => {
  it('shuts down cleanly whatever anonymous clients have started: exit 0, no stage late, no own connection lost', async () => {
    const server = await startServer()
    servers.push(server)
    const clients = await Promise.all(
      Object.values(slow).flatMap((text) => Array.from({ length: 5 }, () => open(server.port, text))),
    )
    await expect.poll(async () => (await fetch(`${server.address}/readyz`)).status, { timeout: 60_000 }).toBe(200)
    await server.stop()
    expect([server.process.exitCode, server.process.signalCode]).toEqual([0, null])
    expect(server.output()).not.toMatch(/connection was lost|did not end/)
    for (const client of clients) client.destroy()
  })

  it('continues the shutdown with the next stage if one hangs or fails, and names it', async () => {
    const messages: string[] = []
    const ended: string[] = []
    const late = await shutDownInStages(
      [
        { name: 'one', within_ms: 20, run: () => new Promise(() => undefined) },
        { name: 'two', within_ms: 60_000, run: async () => void ended.push('two') },
        { name: 'three', within_ms: 60_000, run: () => Promise.reject(new Error('broken')) },
        { name: 'four', within_ms: 60_000, run: async () => void ended.push('four') },
      ],
      (text) => messages.push(text),
    )
    expect([late, ended]).toEqual([
      ['one', 'three'],
      ['two', 'four'],
    ])
    expect(messages).toEqual(['stopping: one did not end: not within 20 ms', 'stopping: three did not end: broken'])
  })
})

describe('slow clients', () => {
  it('closes slow clients however slowly they continue, except a file at the speed of a slow connection', async () => {
    const server = await startServer()
    servers.push(server)
    const sockets = await Promise.all(Object.values(slow).map((text) => open(server.port, text)))
    // A byte every second keeps no connection open.
    const trickle = setInterval(() => sockets.forEach((socket) => void (socket.writable && socket.write('x'))), 1_000)
    // The client sends 8 kB a second, a fifth of a slow connection. It lasts for two minutes, longer than a busy
    // machine keeps the others alive.
    const honest = await open(server.port, `${header}content-length: 1040000\r\n\r\n`)
    const pace = setInterval(() => void (honest.writable && honest.write('x'.repeat(8_000))), 1_000)
    const began = performance.now()
    const lived = await Promise.all(sockets.map((socket) => once(socket, 'close').then(() => performance.now() - began)))
    clearInterval(trickle)
    // A header is closed by its own rule, not by the final timeout of any connection.
    const [header_ms = 0, body_ms = 0] = lived
    expect(header_ms).toBeLessThan(3 * body_ms)
    // This is longer than any of the others lived.
    await new Promise((done) => setTimeout(done, 3_000))
    expect(honest.closed).toBe(false)
    clearInterval(pace)
    honest.destroy()
  })
})
