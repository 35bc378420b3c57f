/**
 * What a proxy in front of the server may get wrong: `Host` and `X-Forwarded-For`.
 *
 * Rejects writing requests from pages of another origin, which the browser names in the `Origin` header. A page of this
 * installation's own address is accepted whatever `Host` says: a proxy may replace that header by its own upstream name.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sendError } from './envelope.ts'
import { AppError } from './errors.ts'

/** Of several Host headers Node reads the first one, while a proxy may have routed by another. */
const hasSeveralHosts = (rawHeaders: readonly string[]): boolean =>
  rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length > 1

/**
 * Warns once of an `X-Forwarded-For` that is not believed, because its sender is not in XINHAN_TRUST_PROXY: behind such a
 * proxy all users share one address, and its limits.
 */
export function warnOfUntrustedProxy(app: FastifyInstance): void {
  let isReported = false
  app.addHook('onRequest', async ({ headers, ips, socket, log }) => {
    // Fastify lists the sender and what it believes of the header: a caller on the machine of the proxy has the same address.
    if (isReported || headers['x-forwarded-for'] === undefined || (ips !== undefined && ips.length > 1)) return
    isReported = true
    log.warn(
      { from: socket.remoteAddress },
      'X-Forwarded-For is not believed, so all users behind this proxy share one address and its limits: ' +
        'set XINHAN_TRUST_PROXY to the address of the proxy',
    )
  })
}

export function registerSameOrigin(app: FastifyInstance, options: { readonly origin: string }): void {
  const ownOrigin = new URL(options.origin).origin
  let isReported = false
  const reportOnce = ({ log }: FastifyRequest, names: { readonly origin: string; readonly host: string }): void => {
    if (isReported) return
    isReported = true
    log.warn(
      { ...names, xinhan_origin: ownOrigin },
      'Origin and Host name different addresses: let the proxy pass on Host, and check XINHAN_ORIGIN',
    )
  }
  app.addHook('onRequest', async (request, reply) => {
    const {
      method,
      headers: { origin, host, 'sec-fetch-site': site },
    } = request
    if (hasSeveralHosts(request.raw.rawHeaders)) return sendError(reply, 400, 'invalid', '请求的地址无法识别')
    if (method === 'GET' || method === 'HEAD') return
    if (origin === undefined || !host) return
    // Our pages send no referrer, so that forms and beacons have the origin `null`; so does a sandboxed frame of others.
    if (origin === 'null') {
      if (site !== 'same-origin') throw new AppError('not_permitted')
      return
    }
    const isOfHost = URL.canParse(origin) && new URL(origin).host === host
    if (isOfHost) return
    reportOnce(request, { origin: origin.slice(0, 200), host: host.slice(0, 200) })
    if (origin !== ownOrigin) throw new AppError('not_permitted')
  })
}
