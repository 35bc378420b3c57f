/**
 * Creates a route for every handler, and processes each call in this order: request id → concurrency slot → begin →
 * session → company type → access → disk space → rate → parse → idempotency → function → audit log → commit → serialize
 * the response → envelope: one transaction. Where the request waits between authentication and execution (the slot of a
 * costly call, an upload, an external service), that transaction authenticates again. A thrown AppError rolls back and
 * becomes the envelope.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { Call, Envelope } from '../contract/call.ts'
import { commonErrors, type ErrorName, errorCodes, successCode } from '../contract/errors.ts'
import { parseBySchema } from '../contract/parse-input.ts'
import type { Tx } from '../database/database.ts'
import { drainRequest, FormReader, type MultipartForm } from '../files/uploads.ts'
import { extractIds } from './audit-log.ts'
import { authenticateRequest, getLockScope, withAuthorizedTx } from './authorize.ts'
import { writeCallAudit, writeCallAuditAfterwards } from './call-audit.ts'
import { AppError, fail } from './errors.ts'
import type { CompanyHandler, ExternalHandler, Handler, OperatorHandler } from './handler.ts'
import {
  createExternalContext,
  createHandlerContext,
  getClosedSignal,
  getRawResponse,
  requireCurrentUser,
} from './handler-contexts.ts'
import { withIdempotency } from './idempotency.ts'
import { type ConcurrencyLimiters, getConcurrencyClass } from './limits/concurrency.ts'
import { TokenBuckets, toPeerAddress } from './limits/rate-limits.ts'
import { authenticateOperator, recordOperatorError, withOperatorTx } from './operator-access.ts'
import { type AppDeps, anonymous, getRateLimitKey, type RequestContext, type RequestDeps } from './request-context.ts'

export type { RequestDeps } from './request-context.ts'

export const createEnvelope = (name: ErrorName | null, message = '', data: unknown = {}): Envelope => ({
  error_code: name ? errorCodes[name].code : successCode,
  error_msg: message,
  errmsg: message,
  data,
})

export function registerCalls(
  app: FastifyInstance,
  handlers: readonly Handler[],
  sections: RequestDeps & { readonly limiters: ConcurrencyLimiters },
): void {
  const deps: AppDeps = { ...sections, buckets: new TokenBuckets(sections.rateLimitScale), formReader: new FormReader() }
  for (const handler of handlers) {
    const { call } = handler
    app.route({
      ...getRoute(call),
      handler: async (request, reply) => {
        const output = await handleRequest(deps, createRequestContext(deps, handler, request, reply))
        const { bytes, address } = getRawResponse(reply)
        if (bytes) return reply.send(bytes)
        if (address) return reply.redirect(address, 302)
        if (sections.validateResponses) z.parse(call.output, output)
        return reply
          .type('application/json; charset=utf-8')
          .send(getResponseSerializer(call, reply)(createEnvelope(null, '', output)))
      },
    })
  }
}

const getRoute = (call: Call) => ({ method: call.method, url: call.path, config: { isCall: true as const } })

type Writer = (envelope: Envelope) => string
const writers = new WeakMap<Call, Writer>()
/**
 * Undeclared fields of a response are dropped by a serializer built from its schema: a column can never leak. Built
 * when the call is first made: building all of them would cost each start of the server, and each test environment, 0.7
 * s of CPU time.
 */
export function getResponseSerializer(call: Call, reply: FastifyReply): Writer {
  const existing = writers.get(call)
  if (existing) return existing
  const full = z.object({ error_code: z.int(), error_msg: z.string(), errmsg: z.string(), data: call.output })
  const made: Writer = reply.compileSerializationSchema(z.toJSONSchema(full, { target: 'draft-7', io: 'output' }))
  writers.set(call, made)
  return made
}

const createRequestContext = (app: AppDeps, handler: Handler, request: FastifyRequest, reply: FastifyReply): RequestContext => ({
  handler,
  call: handler.call,
  request,
  reply,
  now: app.clock.now(),
  auditDetails: {},
  principal: anonymous,
  deferred: { stolenSession: null, sessionToTouch: null },
  spareBytes: null,
  input: null,
  isAudited: false,
  releaseSlot: () => undefined,
})

/** A step of the pipeline. An error thrown by it ends the pipeline. */
type PipelineStep = (deps: AppDeps, requestContext: RequestContext) => Promise<void> | void

/** Runs before authentication: the owner is a signed-in browser or an address. Uploads have their own limit. */
const acquireSlot: PipelineStep = async ({ limiters }, ctx) => {
  const { call, request } = ctx
  const owner = String(request.headers['user-token'] ?? toPeerAddress(request.ip))
  if (call.requestType !== 'file' && getConcurrencyClass(call) !== 'costly')
    ctx.releaseSlot = await limiters.acquire(getConcurrencyClass(call), owner)
}
/** Checks the disk space for calls that need it. */
const assertDiskSpace: PipelineStep = async ({ diskGuard }, ctx) => {
  ctx.spareBytes = await diskGuard.assertSpaceFor(ctx.call)
}
const limitRate: PipelineStep = ({ buckets }, ctx) => {
  const { rateLimit } = ctx.call
  buckets.consume(`${rateLimit}|${getRateLimitKey(ctx)}`, rateLimit, Date.now())
}
/** The slot of a costly call depends on its company, so it follows authentication. */
const acquireCostlySlot: PipelineStep = async ({ limiters }, ctx) => {
  const { call, principal } = ctx
  if (call.requestType !== 'file' && getConcurrencyClass(call) === 'costly')
    ctx.releaseSlot = await limiters.acquire('costly', principal.me?.company_id ?? getRateLimitKey(ctx))
}
const runSteps = async (steps: readonly PipelineStep[], app: AppDeps, ctx: RequestContext): Promise<void> => {
  for (const step of steps) await step(app, ctx)
}

/** Whether nothing is awaited between authentication and execution. */
const isUninterrupted = ({ handler, call }: RequestContext): boolean =>
  handler.kind === 'company' && getConcurrencyClass(call) !== 'costly'

async function handleRequest(app: AppDeps, ctx: RequestContext): Promise<unknown> {
  const { handler, call, request } = ctx
  try {
    await acquireSlot(app, ctx)
    await app.diskGuard.checkFor(call)
    if (handler.kind === 'operator') return await handleOperatorRequest(app, ctx, handler)
    if (!isUninterrupted(ctx)) await runSteps([authenticateRequest, assertDiskSpace, limitRate, acquireCostlySlot], app, ctx)
    if (handler.kind === 'company') return await runInTransaction(app, ctx, handler)
    if (call.requestType !== 'file') return await runExternal(app, ctx, handler, null)
    return await app.formReader.withForm(request, getRateLimitKey(ctx), (form) => runExternal(app, ctx, handler, form))
  } catch (error) {
    if (call.requestType === 'file') await drainRequest(request.raw)
    if (error instanceof AppError) await recordError(app, ctx, error)
    throw app.diskGuard.toDiskFullError(error, request.log)
  } finally {
    ctx.releaseSlot()
  }
}

/** The input as parsed by the call's schema. */
const getInput = ({ input }: RequestContext) => input as never

/** Operators are few, and are limited by address until they are authenticated in the transaction. */
async function handleOperatorRequest(app: AppDeps, requestContext: RequestContext, handler: OperatorHandler): Promise<unknown> {
  await runSteps([assertDiskSpace, limitRate], app, requestContext)
  const work = (form: MultipartForm | null) =>
    withOperatorTx(app, requestContext, form?.upload ?? null, async (ctx) => {
      parseInput(requestContext, form)
      return handler.run(ctx, getInput(requestContext))
    })
  if (requestContext.call.requestType !== 'file') return work(null)
  // An upload is not read before the operator is authenticated.
  await authenticateOperator(app, requestContext)
  return app.formReader.withForm(requestContext.request, getRateLimitKey(requestContext), work)
}

async function recordError(app: AppDeps, ctx: RequestContext, { error }: AppError): Promise<void> {
  const { call, request } = ctx
  if (ctx.handler.kind === 'operator') await recordOperatorError(app, ctx, error).catch(() => undefined)
  // `transferred` is the result of a successful change.
  if (!ctx.isAudited || error !== 'transferred')
    await writeCallAuditAfterwards(app, ctx, error).catch(app.diskGuard.ignoreDiskFull(request.log))
  if (!call.errors.includes(error) && !commonErrors.includes(error)) app.onUndeclaredError(call, error)
}

/** Parses the input; returns the idempotency key. */
function parseInput(ctx: RequestContext, form: MultipartForm | null): string | null {
  const { call, request } = ctx
  ctx.input = parseWithSchema(call, form ? form.fields : call.requestType === 'query' ? request.query : request.body)
  Object.assign(ctx.auditDetails, extractIds(ctx.input))
  return call.idempotent ? getIdempotencyKey(request) : null
}

async function runExternal(
  app: AppDeps,
  ctx: RequestContext,
  handler: ExternalHandler,
  form: MultipartForm | null,
): Promise<unknown> {
  const key = parseInput(ctx, form)
  const output = await handler.run(createExternalContext(app, ctx, form?.upload ?? null, key), getInput(ctx))
  if (!ctx.isAudited) await writeCallAuditAfterwards(app, ctx, 'done')
  return output
}

async function runInTransaction(app: AppDeps, requestContext: RequestContext, handler: CompanyHandler): Promise<unknown> {
  const { call, request, reply } = requestContext
  const { database, diskGuard } = app
  const isFirst = isUninterrupted(requestContext)
  const work = async (tx: Tx, leavesLine: boolean): Promise<unknown> => {
    if (isFirst) await runSteps([assertDiskSpace, limitRate], app, requestContext)
    const key = parseInput(requestContext, null)
    const ctx = await createHandlerContext(app, requestContext, tx)
    const input = requestContext.input as never
    const fn = () => handler.run({ ...ctx, accessLock: 'held' }, input)
    const output = key ? await withIdempotency(ctx, call, key, requestContext.input, fn) : await fn()
    if (leavesLine) await writeCallAudit(tx, requestContext, 'done')
    return output
  }
  const holding = handler.locksAccess ? 'rights' : getLockScope(call)
  const act = (leavesLine: boolean) => withAuthorizedTx(app, requestContext, holding, (tx) => work(tx, leavesLine))
  const done = await (isOwnPayRead(call) ? diskGuard.withOptionalRow(request.log, act) : act(call.audit !== 'none'))
  if (!handler.afterCommit) return done
  // A request that only waits must not occupy a slot.
  requestContext.releaseSlot()
  return handler.afterCommit(
    { company_id: requireCurrentUser(requestContext).company_id, database, signal: getClosedSignal(reply) },
    requestContext.input,
    done,
  )
}

/**
 * An employee reads their own data: where there is no disk space even for the audit log entry, they can still read, and
 * the entry goes to the log.
 */
const isOwnPayRead = (call: Call): boolean => call.access === 'employee' && call.audit === 'view'

function parseWithSchema(call: Call, provided: unknown): unknown {
  const { data, issue } = parseBySchema(call.input, provided ?? {})
  if (!issue) return data
  const { field } = issue
  const message = issue.message ?? `${errorCodes.invalid.message}${field ? `（${field}）` : ''}`
  throw fail('invalid', message, { field })
}

function getIdempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || !/^[\w.-]{8,80}$/.test(key))
    throw fail('invalid', '操作编号不正确，请刷新后重试', { field: 'Idempotency-Key' })
  return key
}
