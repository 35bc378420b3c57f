/**
 * The cheapest refusal. In an overload most calls are refused, and the cost of each refusal delays the calls that are
 * served: a call over its concurrency limit is refused once its headers were read, before it has a route, hooks, a log
 * line or a body. Calls that pass this check are checked again by the limiter itself.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Call } from '../../contract/call.ts'
import { newId } from '../../shared/ids.ts'
import { type ConcurrencyLimiters, getFirstLimit, OverloadedError } from './concurrency.ts'

export type LoadSheddingDeps = {
  readonly limiters: ConcurrencyLimiters
  /** Returns the seconds after which to retry while the event loop is delayed; otherwise null. */
  readonly getPressureRetryAfter: (isProven: boolean) => number | null
  /** Formats the response body. */
  readonly formatBody: (no: OverloadedError) => string
  /** Returns the owner of a request whose caller has proved an account; otherwise null. */
  readonly findOwner: (request: IncomingMessage) => string | null
  /** For the metrics. */
  readonly recordRequest: (call: Call, status: number, seconds: number) => void
  /** For the flood guard. */
  readonly countRejection: (request: IncomingMessage) => void
  readonly https: boolean
}

/** The headers of every call's response, as far as they apply to one without content. */
const headers = (https: boolean): string[] =>
  [
    ['content-type', 'application/json; charset=utf-8'],
    ['cache-control', 'no-store'],
    ['content-security-policy', "default-src 'none'"],
    ['cross-origin-resource-policy', 'same-origin'],
    ['referrer-policy', 'no-referrer'],
    ['x-content-type-options', 'nosniff'],
    ['x-robots-tag', 'noindex'],
    https ? ['strict-transport-security', 'max-age=31536000; includeSubDomains'] : [],
  ].flat()

/**
 * Runs before the existing request listeners. Uploads and costly calls are exempt: uploads have their own limit, and
 * costly calls are limited per company.
 */
export function registerEarlyLoadShedding(
  server: Server,
  calls: readonly Call[],
  { limiters, getPressureRetryAfter, formatBody, findOwner, recordRequest, countRejection, https }: LoadSheddingDeps,
): void {
  const existing = new Map(calls.map((call) => [`${call.method} ${call.path}`, call]))
  const always = headers(https)
  const written = new Map<number, { readonly body: string; readonly head: readonly string[] }>()
  const getAnswer = (after_s: number) => {
    const made = written.get(after_s)
    if (made) return made
    const body = formatBody(new OverloadedError(after_s))
    const head = [...always, 'retry-after', String(after_s), 'content-length', String(Buffer.byteLength(body))]
    written.set(after_s, { body, head })
    return { body, head }
  }
  const turnedAway = (request: IncomingMessage, response: ServerResponse): boolean => {
    const { url = '', method } = request
    const query = url.indexOf('?')
    const call = existing.get(`${method} ${query < 0 ? url : url.slice(0, query)}`)
    if (!call) return false
    const owner = findOwner(request)
    const name = getFirstLimit(call, owner !== null)
    if (!name) return false
    const after_s = getPressureRetryAfter(owner !== null) ?? limiters.getRetryAfter(name, owner)
    if (after_s === null) return false
    const began = performance.now()
    const { body, head } = getAnswer(after_s)
    response.writeHead(503, [...head, 'x-request-id', newId()]).end(body)
    if (!owner) countRejection(request)
    recordRequest(call, 503, (performance.now() - began) / 1000)
    return true
  }
  const listeners = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (turnedAway(request, response)) return
    for (const listener of listeners) Reflect.apply(listener, server, [request, response])
  })
}
