/**
 * Makes a route of every handler, and does for each call, in this order: request id → lane → begin → session → company role → who → room → rate →
 * parse → idempotency → function → evidence → commit → shape the answer → envelope: one transaction. Where somebody waits between being known
 * and the deed (a costly call's turn, a form that arrives, the outside world) that begins at the door once more. A thrown refusal rolls back and
 * becomes the envelope.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { Call, Envelope } from '../contract/call.ts'
import { commonErrors, type ErrorName, errorCodes, successCode } from '../contract/errors.ts'
import type { Tx } from '../database/database.ts'
import { drainRequest, FormReader, type MultipartForm } from '../files/uploads.ts'
import { extractIds } from './audit-log.ts'
import { authenticateRequest, getLockScope, withAuthorizedTx } from './authorize.ts'
import { writeCallAudit, writeCallAuditAfterwards } from './call-audit.ts'
import { AppError, fail, type Handler } from './handler.ts'
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
  parts: RequestDeps & { readonly limiters: ConcurrencyLimiters },
): void {
  const house: AppDeps = { ...parts, buckets: new TokenBuckets(parts.rateLimitScale), formReader: new FormReader() }
  for (const handler of handlers) {
    const { call } = handler
    app.route({
      ...routeOf(call),
      handler: async (request, reply) => {
        const output = await handleRequest(house, createRequestContext(house, handler, request, reply))
        const { bytes, address } = getRawResponse(reply)
        if (bytes) return reply.send(bytes)
        if (address) return reply.redirect(address, 302)
        if (parts.validateResponses) z.parse(call.output, output)
        return reply
          .type('application/json; charset=utf-8')
          .send(getResponseSerializer(call, reply)(createEnvelope(null, '', output)))
      },
    })
  }
}

const routeOf = (call: Call) => ({ method: call.method, url: call.path, config: { isCall: true as const } })

type Writer = (whole: Envelope) => string
const writers = new WeakMap<Call, Writer>()
/**
 * Undeclared fields of an answer are dropped by what is made of its schema: a column can never leak. Made when the call answers for the first time:
 * all of them would cost each start of the server, and each world of the tests, 0.7 s of processor.
 */
export function getResponseSerializer(call: Call, reply: FastifyReply): Writer {
  const known = writers.get(call)
  if (known) return known
  const whole = z.object({ error_code: z.int(), error_msg: z.string(), errmsg: z.string(), data: call.output })
  const made: Writer = reply.compileSerializationSchema(z.toJSONSchema(whole, { target: 'draft-7', io: 'output' }))
  writers.set(call, made)
  return made
}

const createRequestContext = (
  house: AppDeps,
  handler: Handler,
  request: FastifyRequest,
  reply: FastifyReply,
): RequestContext => ({
  handler,
  call: handler.call,
  request,
  reply,
  now: house.clock.now(),
  auditDetails: {},
  principal: anonymous,
  deferred: { stolenSession: null, sessionToTouch: null },
  spareBytes: null,
  input: null,
  isAudited: false,
  releaseSlot: () => undefined,
})

/** A step of the way of a request. What it throws ends the way. */
type PipelineStep = (house: AppDeps, visit: RequestContext) => Promise<void> | void

/** Before anybody is looked up: one signed-in browser, or one address. Files wait for seats of their own. */
const acquireSlot: PipelineStep = async ({ limiters }, visit) => {
  const { call, request } = visit
  const owner = String(request.headers['user-token'] ?? toPeerAddress(request.ip))
  if (call.requestType !== 'file' && getConcurrencyClass(call) !== 'costly')
    visit.releaseSlot = await limiters.acquire(getConcurrencyClass(call), owner)
}
/** While there is room, what needs some. */
const assertDiskSpace: PipelineStep = async ({ diskGuard }, visit) => {
  visit.spareBytes = await diskGuard.assertSpaceFor(visit.call)
}
const limitRate: PipelineStep = ({ buckets }, visit) => {
  const { rateLimit } = visit.call
  buckets.consume(`${rateLimit}|${getRateLimitKey(visit)}`, rateLimit, Date.now())
}
/** Whose a costly call is decides its turn, so that is asked first. */
const acquireCostlySlot: PipelineStep = async ({ limiters }, visit) => {
  const { call, principal } = visit
  if (call.requestType !== 'file' && getConcurrencyClass(call) === 'costly')
    visit.releaseSlot = await limiters.acquire('costly', principal.me?.company_id ?? getRateLimitKey(visit))
}
const runSteps = async (steps: readonly PipelineStep[], house: AppDeps, visit: RequestContext): Promise<void> => {
  for (const step of steps) await step(house, visit)
}

type InternalHandler = Extract<Handler, { kind: 'inside' }>
type ExternalHandler = Extract<Handler, { kind: 'outside' }>
type OperatorHandler = Extract<Handler, { kind: 'ops' }>
/** Nothing is waited for between being known and the deed. */
const isUninterrupted = ({ handler, call }: RequestContext): boolean =>
  handler.kind === 'inside' && getConcurrencyClass(call) !== 'costly'

async function handleRequest(house: AppDeps, visit: RequestContext): Promise<unknown> {
  const { handler, call, request } = visit
  try {
    await acquireSlot(house, visit)
    await house.diskGuard.checkFor(call)
    if (handler.kind === 'ops') return await handleOperatorRequest(house, visit, handler)
    if (!isUninterrupted(visit))
      await runSteps([authenticateRequest, assertDiskSpace, limitRate, acquireCostlySlot], house, visit)
    if (handler.kind === 'inside') return await runInternal(house, visit, handler)
    if (call.requestType !== 'file') return await runExternal(house, visit, handler, null)
    return await house.formReader.withForm(request, getRateLimitKey(visit), (form) => runExternal(house, visit, handler, form))
  } catch (error) {
    if (call.requestType === 'file') await drainRequest(request.raw)
    if (error instanceof AppError) await recordError(house, visit, error)
    throw house.diskGuard.toDiskFullError(error, request.log)
  } finally {
    visit.releaseSlot()
  }
}

/** As the call's own schema has read it. */
const inputOf = ({ input }: RequestContext) => input as never

/** Few people, known by the address until they are recognised in the transaction. */
async function handleOperatorRequest(house: AppDeps, visit: RequestContext, handler: OperatorHandler): Promise<unknown> {
  await runSteps([assertDiskSpace, limitRate], house, visit)
  const work = (form: MultipartForm | null) =>
    withOperatorTx(house, visit, form?.upload ?? null, async (ctx) => {
      parseInput(visit, form)
      return handler.run(ctx, inputOf(visit))
    })
  if (visit.call.requestType !== 'file') return work(null)
  // Nobody's file is taken in before he is known.
  await authenticateOperator(house, visit)
  return house.formReader.withForm(visit.request, getRateLimitKey(visit), work)
}

async function recordError(house: AppDeps, visit: RequestContext, { refusal }: AppError): Promise<void> {
  const { call, request } = visit
  if (visit.handler.kind === 'ops') await recordOperatorError(house, visit, refusal).catch(() => undefined)
  // `transferred` is what came of a deed.
  if (!visit.isAudited || refusal !== 'transferred')
    await writeCallAuditAfterwards(house, visit, refusal).catch(house.diskGuard.ignoreDiskFull(request.log))
  if (!call.errors.includes(refusal) && !commonErrors.includes(refusal)) house.onUndeclaredError(call, refusal)
}

/** Reads what was asked; answers the key under which it is done once. */
function parseInput(visit: RequestContext, form: MultipartForm | null): string | null {
  const { call, request } = visit
  visit.input = parseWithSchema(call, form ? form.fields : call.requestType === 'query' ? request.query : request.body)
  Object.assign(visit.auditDetails, extractIds(visit.input))
  return call.idempotent ? getIdempotencyKey(request) : null
}

async function runExternal(
  house: AppDeps,
  visit: RequestContext,
  handler: ExternalHandler,
  form: MultipartForm | null,
): Promise<unknown> {
  const key = parseInput(visit, form)
  const output = await handler.run(createExternalContext(house, visit, form?.upload ?? null, key), inputOf(visit))
  if (!visit.isAudited) await writeCallAuditAfterwards(house, visit, 'done')
  return output
}

async function runInternal(house: AppDeps, visit: RequestContext, handler: InternalHandler): Promise<unknown> {
  const { call, request, reply } = visit
  const { database, diskGuard } = house
  const isFirst = isUninterrupted(visit)
  const work = async (tx: Tx, leavesLine: boolean): Promise<unknown> => {
    if (isFirst) await runSteps([assertDiskSpace, limitRate], house, visit)
    const key = parseInput(visit, null)
    const ctx = await createHandlerContext(house, visit, tx)
    const input = visit.input as never
    const fn = () => (handler.changesAccess ? handler.run({ ...ctx, accessLock: 'held' }, input) : handler.run(ctx, input))
    const output = key ? await withIdempotency(ctx, call, key, visit.input, fn) : await fn()
    if (leavesLine) await writeCallAudit(tx, visit, 'done')
    return output
  }
  const holding = handler.changesAccess ? 'rights' : getLockScope(call)
  const act = (leavesLine: boolean) => withAuthorizedTx(house, visit, holding, (tx) => work(tx, leavesLine))
  const done = await (isOwnPayRead(call) ? diskGuard.withOptionalRow(request.log, act) : act(call.audit !== 'none'))
  if (!handler.afterCommit) return done
  // Whoever only waits keeps nobody else from coming in.
  visit.releaseSlot()
  return handler.afterCommit(
    { company_id: requireCurrentUser(visit).company_id, database, signal: getClosedSignal(reply) },
    visit.input,
    done,
  )
}

/** An employee reads about himself: where a disk has no room even for the line of evidence, he still reads, and the log has it. */
const isOwnPayRead = (call: Call): boolean => call.access === 'employee' && call.audit === 'view'

function parseWithSchema(call: Call, given: unknown): unknown {
  const read = z.safeParse(call.input, given ?? {})
  if (read.success) return read.data
  const issue = read.error.issues[0]
  const field = issue?.path.map(String).join('.') ?? ''
  // What the schema says in Chinese is for people; what the library says by itself is not.
  const said =
    issue?.message && /[一-鿿]/.test(issue.message)
      ? issue.message
      : `${errorCodes.invalid.message}${field ? `（${field}）` : ''}`
  throw fail('invalid', said, { field })
}

function getIdempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || !/^[\w.-]{8,80}$/.test(key))
    throw fail('invalid', '操作编号不正确，请刷新后重试', { field: 'Idempotency-Key' })
  return key
}
