/** The Fastify app; the same for the server, the tests and the browser tests. */

import type { IncomingMessage } from 'node:http'
import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import helmet from '@fastify/helmet'
import multipart from '@fastify/multipart'
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { PaymentSimulator } from '../platform/pay/simulator.ts'
import { isVersionedPath } from './contract/call.ts'
import type { PlatformSimulatorPages } from './demo/pages/platform.ts'
import { readApiKey, readCredentials } from './http/credentials.ts'
import { createEnvelope, sendError } from './http/envelope.ts'
import { registerErrorHandler, toSheddingDetails } from './http/error-handler.ts'
import type { Handler } from './http/handler.ts'
import { registerJsonParser } from './http/json-body.ts'
import { ConcurrencyLimiters } from './http/limits/concurrency.ts'
import { overloadLimits } from './http/limits/config.ts'
import { getPressureRetryAfter, registerLoadShedding } from './http/limits/event-loop-pressure.ts'
import { FloodGuard, registerFloodGuard } from './http/limits/flood-guard.ts'
import { registerEarlyLoadShedding } from './http/limits/load-shedding.ts'
import { ProvenCallers } from './http/limits/proven-callers.ts'
import { closeSlowRequests } from './http/limits/slow-clients.ts'
import { getOperatorCookieName } from './http/operators.ts'
import { type RequestDeps, registerCalls } from './http/pipeline.ts'
import { registerRequestId } from './http/request-id.ts'
import { registerRequestLog } from './http/request-log.ts'
import { registerSameOrigin, warnOfUntrustedProxy } from './http/same-origin.ts'
import { getSessionCookieName } from './http/sessions.ts'
import type { PaymentNotificationReceiver } from './modules/billing/calls.ts'
import type { Log } from './observability/log.ts'
import { createMetrics, type Metrics } from './observability/metrics.ts'
import { newId } from './shared/ids.ts'
import { version } from './shared/version.ts'
import { registerApiDocs } from './web/api-docs.ts'
import { registerPlatformCallbacks } from './web/callbacks.ts'
import { registerClientPages } from './web/client-pages.ts'
import { registerMcp } from './web/mcp.ts'
import { registerPaymentNotifications } from './web/payment-notifications.ts'
import { registerShortLinks } from './web/short-links.ts'
import { registerSmsReports } from './web/sms-reports.ts'

export type AppOptions = RequestDeps & {
  readonly handlers: readonly Handler[]
  /** Handlers for callbacks from the chat platforms. */
  readonly callbacks: Parameters<typeof registerPlatformCallbacks>[1]
  readonly reports: Parameters<typeof registerSmsReports>[1]
  readonly demo: boolean
  readonly production: boolean
  readonly public_api_docs: boolean
  readonly paymentNotifications: PaymentNotificationReceiver
  readonly paySimulator?: PaymentSimulator | null
  /** Pages of the chat platform simulator in a demo. */
  readonly simulator: PlatformSimulatorPages | null
  readonly log: Log
  readonly trust_proxy: readonly string[]
  /** Directory of the built client; null serves only the API. */
  readonly client_dir: string | null
  /** Readiness conditions besides the database. */
  readonly isReady: () => Promise<boolean>
}

const contentPolicy = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  // antd injects its styles at run time; scripts stay strict.
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:', 'blob:'],
  fontSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  manifestSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'self'"],
  frameAncestors: ["'self'"],
  objectSrc: ["'none'"],
}

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    // One line a request instead of two (`registerRequestLog`).
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => newId(),
    // No single one of these timeouts closes a slow client. Together with the check for slow bodies they do so within
    // ten seconds.
    requestTimeout: overloadLimits.request_ms,
    connectionTimeout: 75_000,
    http: { headersTimeout: overloadLimits.header_ms, connectionsCheckingInterval: overloadLimits.checkIntervalMs },
    bodyLimit: 1_048_576,
    trustProxy: options.trust_proxy.length > 0 ? [...options.trust_proxy] : false,
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 200 },
    forceCloseConnections: 'idle',
    // A URL that cannot be parsed is answered before routing, in the usual envelope.
    frameworkErrors: (_error, request, reply) => {
      void sendError(reply, 400, 'invalid', '请求的地址无法识别', { request_id: request.id })
    },
  })
  const limiters = new ConcurrencyLimiters(options.loadShedding !== null)
  const metrics = createMetrics(app)
  const provenCallers = new ProvenCallers()
  if (options.loadShedding) registerEarlyRejection(app, options, { limiters, provenCallers }, metrics)
  closeSlowRequests(app.server)
  app.removeContentTypeParser('text/plain')
  registerJsonParser(app)
  await app.register(cookie)
  await app.register(multipart)
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: contentPolicy },
    hsts: options.https ? { maxAge: 31_536_000 } : false,
    referrerPolicy: { policy: 'no-referrer' },
    frameguard: false,
    crossOriginOpenerPolicy: options.https,
    originAgentCluster: options.https,
  })
  // Pay data is never compressed together with input that an attacker may choose (BREACH); the client's static files
  // are compressed.
  await app.register(compress, {
    customTypes: /^(text\/html|text\/css|text\/javascript|application\/javascript|image\/svg\+xml)/,
    threshold: 1024,
  })

  // A call that is refused because of the load has its id in the response, too.
  registerRequestId(app)
  if (options.loadShedding) await registerLoadShedding(app, options.loadShedding.loop_ms)
  registerRequestLog(app)
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('x-robots-tag', 'noindex').header('permissions-policy', 'camera=(), microphone=(), geolocation=(), payment=()')
  })
  registerSameOrigin(app, options)
  warnOfUntrustedProxy(app)
  registerErrorHandler(app)

  registerHealthRoutes(app, options, { metrics, limiters })
  await registerCalls(app, options.handlers, { ...options, limiters, provenCallers })
  registerPlatformCallbacks(app, options.callbacks)
  registerPaymentNotifications(app, options.paymentNotifications)
  registerSmsReports(app, options.reports)
  registerMcp(app, options)
  registerApiDocs(app, options.handlers, options)
  registerShortLinks(app)
  if (options.demo) {
    const { registerDemoPages } = await import('./demo/pages/index.ts')
    registerDemoPages(app, options)
  }
  await registerPages(app, options.client_dir, options.demo)
  return app
}

/** Rejects requests early when the concurrency limit of their class is reached. */
function registerEarlyRejection(
  app: FastifyInstance,
  { handlers, https, trust_proxy }: AppOptions,
  { limiters, provenCallers }: { limiters: ConcurrencyLimiters; provenCallers: ProvenCallers },
  metrics: Metrics,
): void {
  // Programs get problem details, which only the error handler writes.
  const calls = handlers.flatMap(({ call }) => (isVersionedPath(call.path) ? [] : [call]))
  const guard = new FloodGuard()
  const isBehindProxy = trust_proxy.length > 0
  const findOwner = ({ headers }: IncomingMessage): string | null => {
    const apiKey = readApiKey(headers)
    if (apiKey !== null) return provenCallers.find({ token: apiKey, cookie: null })
    const cookies = app.parseCookie(headers.cookie ?? '')
    const names = [getSessionCookieName(https), getOperatorCookieName(https)]
    return (
      names.map((name) => provenCallers.find(readCredentials(headers, cookies, name))).find((owner) => owner !== null) ?? null
    )
  }
  registerEarlyLoadShedding(app.server, calls, {
    limiters,
    getPressureRetryAfter: (isProven) => getPressureRetryAfter(app, isProven),
    findOwner,
    formatBody: (error) => JSON.stringify(createEnvelope('', 'too_often', error.message, toSheddingDetails(error))),
    recordRequest: ({ path, method }, status, seconds) => {
      metrics.record({ route: path, method, status, seconds })
      metrics.recordError({ route: path, error: 'too_often' })
    },
    countRejection: ({ socket }) => {
      if (!isBehindProxy) guard.countRejection(socket.remoteAddress ?? '')
    },
    https,
  })
  registerFloodGuard(app, { guard, isProven: (request) => findOwner(request) !== null, isBehindProxy })
}

/** Registers the health and metrics endpoints for monitoring. */
function registerHealthRoutes(
  app: FastifyInstance,
  options: AppOptions,
  { metrics, limiters }: { readonly metrics: Metrics; readonly limiters: ConcurrencyLimiters },
): void {
  const { database, jobs, diskGuard } = options
  const sources = {
    pool: database.pool,
    limiters,
    readQueues: () => database.withoutCompany((tx) => jobs.getQueueStats(tx)),
    readDisk: () => diskGuard.readUsage(),
  }
  app.get('/healthz', async () => ({ ok: true, version }))
  app.get('/readyz', async (_request, reply) => {
    const ready = (await options.database.isHealthy()) && (await options.isReady())
    // A full disk does not make the server unready: payslips can still be read. Monitoring sees the state and the free
    // space.
    return reply.code(ready ? 200 : 503).send({ ok: ready, room: await options.diskGuard.check() })
  })
  app.get('/metrics', async (request, reply) => {
    if (options.production && !isPrivateAddress(request.ip)) return sendError(reply, 404, 'not_found', '没有这个地址')
    return reply.type('text/plain; version=0.0.4').send(await metrics.render(sources))
  })
}

/** Whether a request comes from this machine or its private network, where monitoring is. */
function isPrivateAddress(address: string): boolean {
  return ipaddr.isValid(address) && ['loopback', 'private', 'uniqueLocal'].includes(ipaddr.process(address).range())
}

/** Names of files that scanners look for; pages have none but `.html`. */
const unknownFilePattern = /\/\.|\.(?!html$)[a-z\d]{1,10}$/i

/** Serves the client: its files, and its HTML page for every other URL that a browser navigates to. */
async function registerPages(app: FastifyInstance, dir: string | null, demo: boolean): Promise<void> {
  const sendPage = await registerClientPages(app, dir)
  app.setNotFoundHandler(async (request, reply) => {
    const wantsPage =
      (request.method === 'GET' || request.method === 'HEAD') &&
      !unknownFilePattern.test(request.url.split('?')[0] ?? '') &&
      // The widget gallery is a client page, but it exists only in a demo.
      (!/^\/(api|index\/test|dev)(\/|$)/i.test(request.url) || (demo && /^\/dev\/ui\/?(\?|$)/i.test(request.url))) &&
      String(request.headers.accept ?? '').includes('text/html')
    if (wantsPage && (await sendPage(reply, request.url))) return reply
    return sendError(reply, 404, 'not_found', '没有这个地址')
  })
}
