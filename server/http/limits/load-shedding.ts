/**
 * The cheapest no. Of an overload most calls are refused, and what each refusal costs those who are answered have to wait for: a call that finds its
 * lane full is told so when its head has been read, before it has a route, hooks, a log line or a body. Whoever gets past here is
 * asked once more by the lane itself.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Call } from '../../contract/call.ts'
import { newId } from '../../shared/ids.ts'
import { type ConcurrencyLimiters, getConcurrencyClass, OverloadedError } from './concurrency.ts'

export type LoadSheddingDeps = {
  readonly limiters: ConcurrencyLimiters
  /** Seconds after which to ask again while the event loop is behind; null while it is not. */
  readonly getPressureRetryAfter: () => number | null
  /** The body of the answer. */
  readonly formatBody: (no: OverloadedError) => string
  /** For the figures. */
  readonly recordRequest: (call: Call, status: number, seconds: number) => void
  readonly https: boolean
}

/** As every answer of a call has them, as far as they say anything of one without content. */
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

/** Stands before whatever listens for requests now. Uploads wait for seats, costly calls for what their company has asked: those go on. */
export function registerEarlyLoadShedding(
  server: Server,
  calls: readonly Call[],
  { limiters, getPressureRetryAfter, formatBody, recordRequest, https }: LoadSheddingDeps,
): void {
  const existing = new Map(
    calls
      .filter((call) => call.requestType !== 'file' && getConcurrencyClass(call) !== 'costly')
      .map((call) => [`${call.method} ${call.path}`, { call, lane: getConcurrencyClass(call) }]),
  )
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
    const match = existing.get(`${method} ${query < 0 ? url : url.slice(0, query)}`)
    if (!match) return false
    const owner = request.headers['user-token']
    const after_s = getPressureRetryAfter() ?? limiters.getRetryAfter(match.lane, owner === undefined ? null : String(owner))
    if (after_s === null) return false
    const began = performance.now()
    const { body, head } = getAnswer(after_s)
    response.writeHead(503, [...head, 'x-request-id', newId()]).end(body)
    recordRequest(match.call, 503, (performance.now() - began) / 1000)
    return true
  }
  const listeners = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (turnedAway(request, response)) return
    for (const listener of listeners) Reflect.apply(listener, server, [request, response])
  })
}
