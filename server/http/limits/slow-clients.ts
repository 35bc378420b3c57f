/**
 * Closes connections that send too slowly. Fastify's timeouts apply only to the whole request, which must allow a large
 * file on a slow connection; a trickle differs by how many bytes arrived recently.
 */
import type { IncomingMessage, Server } from 'node:http'
import { overloadLimits } from './config.ts'

type BodyProgress = { since: number; bytes: number }

/** The read buffer is full: the server is the slow side, waiting for a slot or a reader, so the client must not be cut off. */
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
    // After a pause of this process nothing could be received, so all windows restart.
    const wasAway = now - looked > overloadLimits.checkIntervalMs * 2
    looked = now
    for (const [request, { since, bytes }] of receiving) {
      if (request.complete) receiving.delete(request)
      else if (wasAway || isFull(request)) receiving.set(request, { since: now, bytes: request.socket.bytesRead })
      else if (now - since >= overloadLimits.window_ms) {
        if (request.socket.bytesRead - bytes < overloadLimits.window_bytes) request.socket.destroy()
        else receiving.set(request, { since: now, bytes: request.socket.bytesRead })
      }
    }
  }, overloadLimits.checkIntervalMs)
  clock.unref()
  server.once('close', () => clearInterval(clock))
}
