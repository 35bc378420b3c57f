/**
 * Closes floods of refused requests. A refusal is cheap, yet a thousand a second from one address delay everybody
 * else's calls, and each answer only invites the next request. An address has a budget of refusals; beyond it, callers
 * who have not proved an account get no answer, and their new connections wait before they are closed, so that the
 * flood cannot go faster by connecting again.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { OverloadedError } from './concurrency.ts'
import { overloadLimits } from './config.ts'
import { TokenBuckets, toPeerAddress } from './rate-limits.ts'

const { maxConnectionsPerAddress, floodDelayMs, provenAddressMs, maxProvenAddresses, pressureRetryAfterSeconds } = overloadLimits

export class FloodGuard {
  readonly #buckets: TokenBuckets
  readonly #now: () => number
  /** When a caller from this address last proved an account, in the order of that time. */
  readonly #provenAt = new Map<string, number>()
  readonly #connections = new Map<string, number>()

  constructor(now: () => number = () => performance.now()) {
    this.#buckets = new TokenBuckets(1, now)
    this.#now = now
  }

  countRejection(address: string): void {
    this.#buckets.take('flood', toPeerAddress(address))
  }

  rememberProven(address: string): void {
    const peer = toPeerAddress(address)
    this.#provenAt.delete(peer)
    this.#provenAt.set(peer, this.#now())
    const [oldest] = this.#provenAt.size > maxProvenAddresses ? this.#provenAt.keys() : []
    if (oldest !== undefined) this.#provenAt.delete(oldest)
  }

  isFlooding(address: string): boolean {
    return !this.#buckets.isAvailable('flood', toPeerAddress(address))
  }

  /** Counts a connection until it closes. Returns whether it is refused: `wait` before it is closed, or at once. */
  openConnection(socket: Pick<Socket, 'remoteAddress' | 'once'>): 'serve' | 'wait' | 'close' {
    const peer = toPeerAddress(socket.remoteAddress ?? '')
    const count = (this.#connections.get(peer) ?? 0) + 1
    this.#connections.set(peer, count)
    socket.once('close', () => {
      const left = (this.#connections.get(peer) ?? 1) - 1
      if (left > 0) this.#connections.set(peer, left)
      else this.#connections.delete(peer)
    })
    if (count > maxConnectionsPerAddress) return 'close'
    // Colleagues of an office share its address: who has signed in keeps being served.
    const provenAt = this.#provenAt.get(peer) ?? Number.NEGATIVE_INFINITY
    return this.isFlooding(peer) && this.#now() - provenAt > provenAddressMs ? 'wait' : 'serve'
  }
}

type FloodGuardDeps = {
  readonly guard: FloodGuard
  readonly isProven: (request: IncomingMessage) => boolean
  /** Connections come from a proxy, which has to limit them itself; requests name their own address. */
  readonly isBehindProxy: boolean
}

/** Counts the refusals of the app. Must be registered before routes. */
export function registerFloodGuard(app: FastifyInstance, { guard, isProven, isBehindProxy }: FloodGuardDeps): void {
  if (!isBehindProxy) closeFloods(app.server, guard, isProven)
  const countRejection = (request: FastifyRequest): void => {
    if (!isProven(request.raw)) guard.countRejection(request.ip)
  }
  app.addHook('onRequest', async (request) => {
    if (guard.isFlooding(request.ip) && !isProven(request.raw)) throw new OverloadedError(pressureRetryAfterSeconds)
  })
  // Refused calls have the status 200 in the envelope, but were thrown.
  app.addHook('onError', async (request) => countRejection(request))
  app.addHook('onResponse', async (request, reply) => {
    if (reply.statusCode === 404) countRejection(request)
    else if (reply.statusCode < 400 && isProven(request.raw)) guard.rememberProven(request.ip)
  })
}

type Listener = (...args: unknown[]) => void
/** Runs before all other listeners: nothing is parsed, routed or logged. */
function closeFloods(server: Server, guard: FloodGuard, isProven: FloodGuardDeps['isProven']): void {
  const intercept = (event: 'connection' | 'request', mayPass: (...args: never[]) => boolean): void => {
    const listeners = server.listeners(event) as Listener[]
    server.removeAllListeners(event)
    server.on(event, (...args: unknown[]) => {
      if (Reflect.apply(mayPass, null, args) === false) return
      for (const listener of listeners) Reflect.apply(listener, server, args)
    })
  }
  intercept('connection', (socket: Socket) => {
    const decision = guard.openConnection(socket)
    if (decision === 'serve') return true
    socket.on('error', () => undefined)
    if (decision === 'close') socket.destroy()
    else setTimeout(() => socket.destroy(), floodDelayMs).unref()
    return false
  })
  intercept('request', (request: IncomingMessage, _response: ServerResponse) => {
    if (!guard.isFlooding(request.socket.remoteAddress ?? '') || isProven(request)) return true
    request.socket.destroy()
    return false
  })
}
