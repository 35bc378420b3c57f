/**
 * Makes a route of every handler, and does for each call, in this order: request id → lane → begin → session → company role → who → room → rate →
 * parse → idempotency → function → evidence → commit → shape the answer → envelope: one transaction. Where somebody waits between being known
 * and the deed (a costly call's turn, a form that arrives, the outside world) that begins at the door once more. A thrown refusal rolls back and
 * becomes the envelope.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { Call, Envelope } from '../../contract/call.ts'
import { always, type RefusalName, refusals, success } from '../../contract/refusals.ts'
import type { Tx } from '../db.ts'
import { type Form, Forms, hearOut } from '../files/uploads.ts'
import { type Handler, Refusal, refuse } from '../handle.ts'
import { type Lanes, laneOf } from '../load/lanes.ts'
import { idsIn } from './audit.ts'
import { goneOf, insideCtx, insteadOf, meIn, outsideCtx } from './contexts.ts'
import { enter, holdingOf, know } from './door.ts'
import { evidence, evidenceAfter } from './evidence.ts'
import { Buckets, peerOf } from './limits.ts'
import { once } from './once.ts'
import { asOperator, knowOperator, operatorRefused } from './operator.ts'
import { type House, nobody, type Parts, peerIn, type Visit } from './visit.ts'

export type { Parts } from './visit.ts'

export const envelope = (name: RefusalName | null, message = '', data: unknown = {}): Envelope => ({
  error_code: name ? refusals[name].code : success,
  error_msg: message,
  errmsg: message,
  data,
})

export function mount(app: FastifyInstance, handlers: readonly Handler[], parts: Parts & { readonly lanes: Lanes }): void {
  const house: House = { ...parts, buckets: new Buckets(parts.limit_scale), forms: new Forms() }
  for (const handler of handlers) {
    const { call } = handler
    app.route({
      ...routeOf(call),
      handler: async (request, reply) => {
        const output = await answer(house, visitOf(house, handler, request, reply))
        const { bytes, address } = insteadOf(reply)
        if (bytes) return reply.send(bytes)
        if (address) return reply.redirect(address, 302)
        if (parts.strict) z.parse(call.output, output)
        return reply.type('application/json; charset=utf-8').send(writerOf(call, reply)(envelope(null, '', output)))
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
export function writerOf(call: Call, reply: FastifyReply): Writer {
  const known = writers.get(call)
  if (known) return known
  const whole = z.object({ error_code: z.int(), error_msg: z.string(), errmsg: z.string(), data: call.output })
  const made: Writer = reply.compileSerializationSchema(z.toJSONSchema(whole, { target: 'draft-7', io: 'output' }))
  writers.set(call, made)
  return made
}

const visitOf = (house: House, handler: Handler, request: FastifyRequest, reply: FastifyReply): Visit => ({
  handler,
  call: handler.call,
  request,
  reply,
  now: house.clock.now(),
  about: {},
  known: nobody,
  left: { stolen: null, unseen: null },
  spare: null,
  input: null,
  isTold: false,
  leave: () => undefined,
})

/** A step of the way of a request. What it throws ends the way. */
type Step = (house: House, visit: Visit) => Promise<void> | void

/** Before anybody is looked up: one signed-in browser, or one address. Files wait for seats of their own. */
const enterLane: Step = async ({ lanes }, visit) => {
  const { call, request } = visit
  const owner = String(request.headers['user-token'] ?? peerOf(request.ip))
  if (call.takes !== 'file' && laneOf(call) !== 'costly') visit.leave = await lanes.enter(laneOf(call), owner)
}
/** While there is room, what needs some. */
const admit: Step = async ({ room }, visit) => {
  visit.spare = await room.admit(visit.call)
}
const limit: Step = ({ buckets }, visit) => {
  const { rate } = visit.call
  buckets.take(`${rate}|${peerIn(visit)}`, rate, Date.now())
}
/** Whose a costly call is decides its turn, so that is asked first. */
const enterCostlyLane: Step = async ({ lanes }, visit) => {
  const { call, known } = visit
  if (call.takes !== 'file' && laneOf(call) === 'costly')
    visit.leave = await lanes.enter('costly', known.me?.company_id ?? peerIn(visit))
}
const take = async (steps: readonly Step[], house: House, visit: Visit): Promise<void> => {
  for (const step of steps) await step(house, visit)
}

type Inside = Extract<Handler, { where: 'inside' }>
type Outside = Extract<Handler, { where: 'outside' }>
type Ops = Extract<Handler, { where: 'ops' }>
/** Nothing is waited for between being known and the deed. */
const isAtOnce = ({ handler, call }: Visit): boolean => handler.where === 'inside' && laneOf(call) !== 'costly'

async function answer(house: House, visit: Visit): Promise<unknown> {
  const { handler, call, request } = visit
  try {
    await enterLane(house, visit)
    await house.room.lookFor(call)
    if (handler.where === 'ops') return await answerOperator(house, visit, handler)
    if (!isAtOnce(visit)) await take([know, admit, limit, enterCostlyLane], house, visit)
    if (handler.where === 'inside') return await workInside(house, visit, handler)
    if (call.takes !== 'file') return await workOutside(house, visit, handler, null)
    return await house.forms.with(request, peerIn(visit), (form) => workOutside(house, visit, handler, form))
  } catch (error) {
    if (call.takes === 'file') await hearOut(request.raw)
    if (error instanceof Refusal) await refused(house, visit, error)
    throw house.room.told(error, request.log)
  } finally {
    visit.leave()
  }
}

/** As the call's own schema has read it. */
const inputOf = ({ input }: Visit) => input as never

/** Few people, known by the address until they are recognised in the transaction. */
async function answerOperator(house: House, visit: Visit, handler: Ops): Promise<unknown> {
  await take([admit, limit], house, visit)
  const work = (form: Form | null) =>
    asOperator(house, visit, form?.upload ?? null, async (ctx) => {
      read(visit, form)
      return handler.fn(ctx, inputOf(visit))
    })
  if (visit.call.takes !== 'file') return work(null)
  // Nobody's file is taken in before he is known.
  await knowOperator(house, visit)
  return house.forms.with(visit.request, peerIn(visit), work)
}

async function refused(house: House, visit: Visit, { refusal }: Refusal): Promise<void> {
  const { call, request } = visit
  if (visit.handler.where === 'ops') await operatorRefused(house, visit, refusal).catch(() => undefined)
  // `transferred` is what came of a deed.
  if (!visit.isTold || refusal !== 'transferred')
    await evidenceAfter(house, visit, refusal).catch(house.room.withoutRow(request.log))
  if (!call.refuses.includes(refusal) && !always.includes(refusal)) house.onUndeclared(call, refusal)
}

/** Reads what was asked; answers the key under which it is done once. */
function read(visit: Visit, form: Form | null): string | null {
  const { call, request } = visit
  visit.input = parse(call, form ? form.fields : call.takes === 'query' ? request.query : request.body)
  Object.assign(visit.about, idsIn(visit.input))
  return call.once ? keyOf(request) : null
}

async function workOutside(house: House, visit: Visit, handler: Outside, form: Form | null): Promise<unknown> {
  const key = read(visit, form)
  const output = await handler.fn(outsideCtx(house, visit, form?.upload ?? null, key), inputOf(visit))
  if (!visit.isTold) await evidenceAfter(house, visit, 'done')
  return output
}

async function workInside(house: House, visit: Visit, handler: Inside): Promise<unknown> {
  const { call, request, reply } = visit
  const { database, room } = house
  const isFirst = isAtOnce(visit)
  const work = async (tx: Tx, leavesLine: boolean): Promise<unknown> => {
    if (isFirst) await take([admit, limit], house, visit)
    const key = read(visit, null)
    const ctx = await insideCtx(house, visit, tx)
    const input = visit.input as never
    const fn = () => (handler.onRights ? handler.fn({ ...ctx, rights: 'held' }, input) : handler.fn(ctx, input))
    const output = key ? await once(ctx, call, key, visit.input, fn) : await fn()
    if (leavesLine) await evidence(tx, visit, 'done')
    return output
  }
  const holding = handler.onRights ? 'rights' : holdingOf(call)
  const act = (leavesLine: boolean) => enter(house, visit, holding, (tx) => work(tx, leavesLine))
  const done = await (showsOwnPay(call) ? room.sparing(request.log, act) : act(call.audit !== 'none'))
  if (!handler.after) return done
  // Whoever only waits keeps nobody else from coming in.
  visit.leave()
  return handler.after({ company_id: meIn(visit).company_id, database, signal: goneOf(reply) }, visit.input, done)
}

/** An employee reads about himself: where a disk has no room even for the line of evidence, he still reads, and the log has it. */
const showsOwnPay = (call: Call): boolean => call.who === 'employee' && call.audit === 'view'

function parse(call: Call, given: unknown): unknown {
  const read = z.safeParse(call.input, given ?? {})
  if (read.success) return read.data
  const issue = read.error.issues[0]
  const field = issue?.path.map(String).join('.') ?? ''
  // What the schema says in Chinese is for people; what the library says by itself is not.
  const said =
    issue?.message && /[一-鿿]/.test(issue.message) ? issue.message : `${refusals.invalid.message}${field ? `（${field}）` : ''}`
  throw refuse('invalid', said, { field })
}

function keyOf(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || !/^[\w.-]{8,80}$/.test(key))
    throw refuse('invalid', '操作编号不正确，请刷新后重试', { field: 'Idempotency-Key' })
  return key
}
