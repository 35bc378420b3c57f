/**
 * Closes whoever sends too slowly. Fastify's timeouts know only a time for the whole request, which must be long enough for a large file on a
 * poor line; a trickle is told from that by how much came lately.
 */
import type { IncomingMessage, Server } from 'node:http'

export const bodyTimeouts = {
  /** A header comes within this. */
  header_ms: 7_000,
  /** Of a body, at least so many bytes in each such time: 4 kB a second. */
  window_ms: 8_000,
  window_bytes: 32 * 1024,
  /** All of a request. */
  request_ms: 300_000,
  checkIntervalMs: 1_000,
} as const

type BodyProgress = { since: number; bytes: number }

/** More lies here unread than is taken from the line: the slow one is us, waiting in a lane or for a reader, and he is not to be cut off for it. */
const isFull = (request: IncomingMessage): boolean => request.readableLength >= request.readableHighWaterMark

export function closeSlowRequests(server: Server): void {
  const receiving = new Map<IncomingMessage, BodyProgress>()
  server.prependListener('request', (request: IncomingMessage) => {
    if (request.complete) return
    const { 'content-length': length, 'transfer-encoding': coded } = request.headers
    if (coded === undefined && !(Number(length) > 0)) return
    receiving.set(request, { since: performance.now(), bytes: request.socket.bytesRead })
    request.once('close', () => receiving.delete(request))
  })
  let looked = performance.now()
  const clock = setInterval(() => {
    const now = performance.now()
    // Who was not listened to could not be heard: after a pause of ours everybody begins anew.
    const wasAway = now - looked > bodyTimeouts.checkIntervalMs * 2
    looked = now
    for (const [request, { since, bytes }] of receiving) {
      if (request.complete) receiving.delete(request)
      else if (wasAway || isFull(request)) receiving.set(request, { since: now, bytes: request.socket.bytesRead })
      else if (now - since >= bodyTimeouts.window_ms) {
        if (request.socket.bytesRead - bytes < bodyTimeouts.window_bytes) request.socket.destroy()
        else receiving.set(request, { since: now, bytes: request.socket.bytesRead })
      }
    }
  }, bodyTimeouts.checkIntervalMs)
  clock.unref()
  server.once('close', () => clearInterval(clock))
}
