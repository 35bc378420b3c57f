/**
 * Rejects writing requests from pages of another origin, which the browser names in the `Origin` header. A page of this
 * installation's own address is accepted whatever `Host` says: a proxy may replace that header by its own upstream name.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from './errors.ts'

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
  app.addHook('onRequest', async (request) => {
    const {
      method,
      headers: { origin, host },
    } = request
    if (method === 'GET' || method === 'HEAD') return
    if (origin === undefined || origin === 'null' || !host) return
    const isOfHost = URL.canParse(origin) && new URL(origin).host === host
    if (isOfHost) return
    reportOnce(request, { origin: origin.slice(0, 200), host: host.slice(0, 200) })
    if (origin !== ownOrigin) throw new AppError('not_permitted')
  })
}
