/** The Fastify app; the same for the server, the tests and the browser journeys. */

import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import helmet from '@fastify/helmet'
import multipart from '@fastify/multipart'
import fastify, { type FastifyBaseLogger, type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify'
import type { PaySimulator } from '../platform/pay/simulator.ts'
import { type RefusalName, refusals } from './contract/refusals.ts'
import type { TakesNotices } from './domain/company/order/calls.ts'
import { isBusy, isLong } from './runtime/data/busy.ts'
import { DocumentUnreadable } from './runtime/data/document.ts'
import { type Handler, Refusal } from './runtime/handle.ts'
import { newId } from './runtime/ids.ts'
import { readJson } from './runtime/load/json-body.ts'
import { Lanes, Overloaded } from './runtime/load/lanes.ts'
import { pressedFor, turnCallsAway } from './runtime/load/pressure.ts'
import { closeSlowBodies, patience } from './runtime/load/slow-clients.ts'
import { turnAwayEarly } from './runtime/load/turned-away.ts'
import type { Log } from './runtime/log.ts'
import { type Measures, measures } from './runtime/process/measures.ts'
import { envelope, mount, type Parts } from './runtime/request/mount.ts'
import { callbackPages } from './web/callbacks.ts'
import { clientPages } from './web/client-pages.ts'
import { documentPages } from './web/documents.ts'
import { outboxPages } from './web/outbox.ts'
import { payNotices } from './web/pay-notices.ts'
import { payPages } from './web/pay-pages.ts'
import { type PageStage, platformPages } from './web/platform-pages.ts'
import { shortPages } from './web/short.ts'
import { smsReports } from './web/sms-reports.ts'

export type AppParts = Parts & {
  readonly handlers: readonly Handler[]
  /** Where the chat platforms tell what happened. */
  readonly callbacks: Parameters<typeof callbackPages>[1]
  readonly reports: Parameters<typeof smsReports>[1]
  readonly demo: boolean
  readonly orders: TakesNotices
  readonly paySimulator?: PaySimulator | null
  /** What stands in for the chat platforms in a demo. */
  readonly simulator: PageStage | null
  readonly log: Log
  readonly trust_proxy: readonly string[]
  /** Where the built client lies; null serves the calls only. */
  readonly client_dir: string | null
  /** Further conditions of being ready, besides the database. */
  readonly ready: () => Promise<boolean>
}

const contentPolicy = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  // antd writes its styles at run time; scripts stay strict.
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

export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: parts.log as FastifyBaseLogger,
    genReqId: () => newId(),
    // One of these alone does not close a slow client; together, and with the watch over slow bodies, they do within ten seconds.
    requestTimeout: patience.request_ms,
    connectionTimeout: 75_000,
    http: { headersTimeout: patience.header_ms, connectionsCheckingInterval: patience.look_ms },
    bodyLimit: 1_048_576,
    trustProxy: parts.trust_proxy.length > 0 ? [...parts.trust_proxy] : false,
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 200 },
    forceCloseConnections: 'idle',
    // An address that cannot be read at all: answered before any route, in the envelope as everything else.
    frameworkErrors: (_error, request, reply) => {
      void say(reply, 400, 'invalid', '请求的地址无法识别', { request_id: request.id })
    },
  })
  const lanes = new Lanes(parts.shed !== null)
  const figures = measures(app)
  if (parts.shed) refuseEarly(app, parts, lanes, figures)
  closeSlowBodies(app.server)
  app.removeContentTypeParser('text/plain')
  readJson(app)
  await app.register(cookie)
  await app.register(multipart)
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: contentPolicy },
    hsts: parts.https ? { maxAge: 31_536_000 } : false,
    referrerPolicy: { policy: 'no-referrer' },
    frameguard: false,
    crossOriginOpenerPolicy: parts.https,
    originAgentCluster: parts.https,
  })
  // Pay data is never compressed beside what an attacker may choose; the client's own files are.
  await app.register(compress, {
    customTypes: /^(text\/html|text\/css|text\/javascript|application\/javascript|image\/svg\+xml)/,
    threshold: 1024,
  })
  if (parts.shed) await turnCallsAway(app, parts.shed.loop_ms)

  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    // By the route, however its address was spelled; an address without one is a refusal.
    if (/^\/(api|index\/test)(\/|$)/i.test(request.routeOptions.url ?? request.url))
      reply.header('cache-control', 'no-store').header('x-robots-tag', 'noindex')
    if (request.method !== 'GET' && request.method !== 'HEAD') mustBeOurs(request.headers.origin, request.headers.host)
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof Refusal) return say(reply, 200, error.refusal, error.message, error.data)
    if (isBusy(error)) {
      request.log.warn({ err: error }, 'busy')
      return say(reply.header('retry-after', '5'), 503, 'too_often', isLong(error) ? tooLong : inTheWay, { retry_after: 5 })
    }
    if (error instanceof Overloaded)
      return say(reply.header('retry-after', String(error.retry_after_s)), 503, 'too_often', error.message, shedOf(error))
    // Its message names the kind of document and versions, never what is in it.
    if (error instanceof DocumentUnreadable) {
      request.log.error({ err: error }, 'a sealed document was not readable')
      return say(reply, 500, 'our_fault', error.isLater ? writtenLater : damaged, { request_id: request.id })
    }
    const status = error.statusCode ?? 500
    if (status >= 500 && status !== 503) request.log.error({ err: error }, 'request failed')
    const [name, message] = transportRefusal(status)
    return say(reply, status, name, message, { request_id: request.id })
  })

  watchPages(app, parts, figures)
  mount(app, parts.handlers, { ...parts, lanes })
  callbackPages(app, parts.callbacks)
  payNotices(app, parts.orders)
  smsReports(app, parts.reports)
  documentPages(app, parts.handlers)
  if (parts.demo) outboxPages(app, parts.database)
  shortPages(app)
  if (parts.demo && parts.paySimulator) payPages(app, parts.paySimulator)
  if (parts.demo && parts.simulator) platformPages(app, parts.simulator)
  await pages(app, parts.client_dir, parts.demo)
  return app
}

/** Whatever finds its lane full goes no farther than here. */
function refuseEarly(app: FastifyInstance, { handlers, https }: AppParts, lanes: Lanes, figures: Measures): void {
  const calls = handlers.map(({ call }) => call)
  turnAwayEarly(app.server, calls, {
    lanes,
    pressed: () => pressedFor(app),
    say: (no) => JSON.stringify(envelope('too_often', no.message, shedOf(no))),
    note: ({ path, method }, status, seconds) => figures.note({ route: path, method, status, seconds }),
    https,
  })
}

/** For the machine room. */
function watchPages(app: FastifyInstance, parts: AppParts, figures: Measures): void {
  app.get('/healthz', async () => ({ ok: true }))
  app.get('/readyz', async (_request, reply) => {
    const ready = (await parts.database.healthy()) && (await parts.ready())
    // A full disk is no reason to send nobody here: slips are read. Whoever watches sees it, and how much is left.
    return reply.code(ready ? 200 : 503).send({ ok: ready, room: await parts.room.look() })
  })
  app.get('/metrics', async (_request, reply) => reply.type('text/plain; version=0.0.4').send(figures.text()))
}

/** `shed` tells a client that nothing was begun: it may ask again by itself. */
const shedOf = ({ retry_after_s }: Overloaded) => ({ retry_after: retry_after_s, shed: true })

/** A no, in the envelope; not through the answer's own serialiser, which knows only the shape of a yes. */
const say = (reply: FastifyReply, status: number, name: RefusalName, message: string, data: object = {}) =>
  reply
    .code(status)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(envelope(name, message, data))

/** Somebody else was in the way for too long. Nothing was done, and doing it again is right. */
const inTheWay = '有其他操作正在进行，请稍后再试'
const tooLong = '这一步要处理的内容太多，没有来得及做完，也没有改动任何内容；请稍后再试，或分几次处理'
const writtenLater = '这条内容由更新版本的服务写入，当前版本读不了，也没有改动它；请联系系统运维升级服务后再看'
const damaged = '这条内容读不出来，没有改动它；请把页面上的编号告诉系统运维'
/** A browser says where a writing request comes from; another site's page may not make one. */
function mustBeOurs(origin: string | undefined, host: string | undefined): void {
  if (origin === undefined || origin === 'null' || !host) return
  if (!URL.canParse(origin) || new URL(origin).host !== host) throw new Refusal('not_permitted')
}

function transportRefusal(status: number): [RefusalName, string] {
  if (status === 413) return ['invalid', '内容太大，请减少后重试']
  if (status === 415) return ['invalid', '请求的格式不支持']
  if (status === 429 || status === 503) return ['too_often', '服务繁忙，请稍后再试']
  if (status >= 500) return ['our_fault', refusals.our_fault.message]
  return ['invalid', '请求的内容无法识别']
}

/** The client: its files, and a page for every other address that a browser navigates to. */
async function pages(app: FastifyInstance, dir: string | null, demo: boolean): Promise<void> {
  const sendPage = await clientPages(app, dir)
  app.setNotFoundHandler(async (request, reply) => {
    const wantsPage =
      request.method === 'GET' &&
      // The story page of the widgets is a page of the client, but only where it is a demo.
      (!/^\/(api|index\/test|dev)(\/|$)/i.test(request.url) || (demo && /^\/dev\/ui\/?(\?|$)/i.test(request.url))) &&
      String(request.headers.accept ?? '').includes('text/html')
    if (wantsPage && (await sendPage(reply, request.url))) return reply
    return say(reply, 404, 'not_found', '没有这个地址')
  })
}
