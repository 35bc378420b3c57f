/** The Fastify app; the same for the server, the tests and the browser tests. */

import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import helmet from '@fastify/helmet'
import multipart from '@fastify/multipart'
import fastify, { type FastifyBaseLogger, type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify'
import type { PaymentSimulator } from '../platform/pay/simulator.ts'
import { type ErrorName, errorCodes } from './contract/errors.ts'
import { DocumentFormatError } from './crypto/sealed-document.ts'
import { isStatementTimeout, isTransientDatabaseError } from './database/transient-errors.ts'
import type { PlatformSimulatorPages } from './demo/pages/platform.ts'
import { AppError, type Handler } from './http/handler.ts'
import { registerJsonParser } from './http/json-body.ts'
import { ConcurrencyLimiters, OverloadedError } from './http/limits/concurrency.ts'
import { getPressureRetryAfter, registerLoadShedding } from './http/limits/event-loop-pressure.ts'
import { registerEarlyLoadShedding } from './http/limits/load-shedding.ts'
import { bodyTimeouts, closeSlowRequests } from './http/limits/slow-clients.ts'
import { createEnvelope, type RequestDeps, registerCalls } from './http/pipeline.ts'
import type { PaymentNotificationReceiver } from './modules/billing/calls.ts'
import type { Log } from './observability/log.ts'
import { createMetrics, type Metrics } from './observability/metrics.ts'
import { newId } from './shared/ids.ts'
import { registerApiDocs } from './web/api-docs.ts'
import { registerPlatformCallbacks } from './web/callbacks.ts'
import { registerClientPages } from './web/client-pages.ts'
import { registerPaymentNotifications } from './web/payment-notifications.ts'
import { registerShortLinks } from './web/short-links.ts'
import { registerSmsReports } from './web/sms-reports.ts'

export type AppOptions = RequestDeps & {
  readonly handlers: readonly Handler[]
  /** Handlers for callbacks from the chat platforms. */
  readonly callbacks: Parameters<typeof registerPlatformCallbacks>[1]
  readonly reports: Parameters<typeof registerSmsReports>[1]
  readonly demo: boolean
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
    genReqId: () => newId(),
    // No single one of these timeouts closes a slow client. Together with the check for slow bodies they do so within
    // ten seconds.
    requestTimeout: bodyTimeouts.request_ms,
    connectionTimeout: 75_000,
    http: { headersTimeout: bodyTimeouts.header_ms, connectionsCheckingInterval: bodyTimeouts.checkIntervalMs },
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
  if (options.loadShedding) registerEarlyRejection(app, options, limiters, metrics)
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
  if (options.loadShedding) await registerLoadShedding(app, options.loadShedding.loop_ms)

  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    // Matches the route, regardless of how the URL was spelled; a URL without a route is answered with an error.
    if (/^\/(api|index\/test)(\/|$)/i.test(request.routeOptions.url ?? request.url))
      reply.header('cache-control', 'no-store').header('x-robots-tag', 'noindex')
    if (request.method !== 'GET' && request.method !== 'HEAD') assertSameOrigin(request.headers.origin, request.headers.host)
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof AppError) return sendError(reply, 200, error.error, error.message, error.details)
    if (isTransientDatabaseError(error)) {
      request.log.warn({ err: error }, 'busy')
      return sendError(
        reply.header('retry-after', '5'),
        503,
        'too_often',
        isStatementTimeout(error) ? timeoutMessage : conflictMessage,
        { retry_after: 5 },
      )
    }
    if (error instanceof OverloadedError)
      return sendError(
        reply.header('retry-after', String(error.retry_after_s)),
        503,
        'too_often',
        error.message,
        toSheddingDetails(error),
      )
    // The error message names the kind of document and its versions, never its content.
    if (error instanceof DocumentFormatError) {
      request.log.error({ err: error }, 'a sealed document was not readable')
      return sendError(reply, 500, 'internal_error', error.isNewerVersion ? newerVersionMessage : unreadableMessage, {
        request_id: request.id,
      })
    }
    const status = error.statusCode ?? 500
    if (status >= 500 && status !== 503) request.log.error({ err: error }, 'request failed')
    const [name, message] = toTransportError(status)
    return sendError(reply, status, name, message, { request_id: request.id })
  })

  registerHealthRoutes(app, options, metrics)
  registerCalls(app, options.handlers, { ...options, limiters })
  registerPlatformCallbacks(app, options.callbacks)
  registerPaymentNotifications(app, options.paymentNotifications)
  registerSmsReports(app, options.reports)
  registerApiDocs(app, options.handlers)
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
  { handlers, https }: AppOptions,
  limiters: ConcurrencyLimiters,
  metrics: Metrics,
): void {
  const calls = handlers.map(({ call }) => call)
  registerEarlyLoadShedding(app.server, calls, {
    limiters,
    getPressureRetryAfter: () => getPressureRetryAfter(app),
    formatBody: (error) => JSON.stringify(createEnvelope('too_often', error.message, toSheddingDetails(error))),
    recordRequest: ({ path, method }, status, seconds) => metrics.record({ route: path, method, status, seconds }),
    https,
  })
}

/** Registers the health and metrics endpoints for monitoring. */
function registerHealthRoutes(app: FastifyInstance, options: AppOptions, metrics: Metrics): void {
  app.get('/healthz', async () => ({ ok: true }))
  app.get('/readyz', async (_request, reply) => {
    const ready = (await options.database.isHealthy()) && (await options.isReady())
    // A full disk does not make the server unready: payslips can still be read. Monitoring sees the state and the free
    // space.
    return reply.code(ready ? 200 : 503).send({ ok: ready, room: await options.diskGuard.check() })
  })
  app.get('/metrics', async (_request, reply) => reply.type('text/plain; version=0.0.4').send(metrics.render()))
}

/** `shed` tells a client that nothing was started, so it may retry automatically. */
const toSheddingDetails = ({ retry_after_s }: OverloadedError) => ({ retry_after: retry_after_s, shed: true })

/** Sends an error in the envelope. Bypasses the route's serializer, which only knows the shape of a success response. */
const sendError = (reply: FastifyReply, status: number, name: ErrorName, message: string, data: object = {}) =>
  reply
    .code(status)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(createEnvelope(name, message, data))

/** Another transaction held a lock for too long. Nothing was changed, and a retry is appropriate. */
const conflictMessage = '有其他操作正在进行，请稍后再试'
const timeoutMessage = '这一步要处理的内容太多，没有来得及做完，也没有改动任何内容；请稍后再试，或分几次处理'
const newerVersionMessage = '这条内容由更新版本的服务写入，当前版本读不了，也没有改动它；请联系系统运维升级服务后再看'
const unreadableMessage = '这条内容读不出来，没有改动它；请把页面上的编号告诉系统运维'
/** Rejects writing requests from pages of another origin, which the browser names in the `Origin` header. */
function assertSameOrigin(origin: string | undefined, host: string | undefined): void {
  if (origin === undefined || origin === 'null' || !host) return
  if (!URL.canParse(origin) || new URL(origin).host !== host) throw new AppError('not_permitted')
}

function toTransportError(status: number): [ErrorName, string] {
  if (status === 413) return ['invalid', '内容太大，请减少后重试']
  if (status === 415) return ['invalid', '请求的格式不支持']
  if (status === 429 || status === 503) return ['too_often', '服务繁忙，请稍后再试']
  if (status >= 500) return ['internal_error', errorCodes.internal_error.message]
  return ['invalid', '请求的内容无法识别']
}

/** Serves the client: its files, and its HTML page for every other URL that a browser navigates to. */
async function registerPages(app: FastifyInstance, dir: string | null, demo: boolean): Promise<void> {
  const sendPage = await registerClientPages(app, dir)
  app.setNotFoundHandler(async (request, reply) => {
    const wantsPage =
      request.method === 'GET' &&
      // The widget gallery is a client page, but it exists only in a demo.
      (!/^\/(api|index\/test|dev)(\/|$)/i.test(request.url) || (demo && /^\/dev\/ui\/?(\?|$)/i.test(request.url))) &&
      String(request.headers.accept ?? '').includes('text/html')
    if (wantsPage && (await sendPage(reply, request.url))) return reply
    return sendError(reply, 404, 'not_found', '没有这个地址')
  })
}
