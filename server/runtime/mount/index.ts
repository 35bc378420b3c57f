/**
 * Makes a route of every handler, and does for each call, in this order: request id → lane → session → who → rate → parse → begin, company
 * role → idempotency → function → evidence → commit → shape the answer → envelope. A thrown refusal rolls back and becomes the envelope.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { Call, Envelope } from '../../contract/call.ts'
import { always, type RefusalName, refusals, success } from '../../contract/refusals.ts'
import { idsIn, writeAudit, writeSignIn } from '../audit.ts'
import type { Tx } from '../db.ts'
import { type Handler, type Me, Refusal, refuse } from '../handle.ts'
import { Buckets, peerOf } from '../limits.ts'
import { Lanes, laneOf } from '../load/lanes.ts'
import { once } from '../once.ts'
import { type Form, Forms, hearOut } from '../uploads.ts'
import { goneOf, insideCtx, insteadOf, meIn, outsideCtx } from './contexts.ts'
import { permit, recognise } from './known.ts'
import { type House, nobody, type Parts, peerIn, type Visit } from './visit.ts'

export type { Parts } from './visit.ts'

export const envelope = (name: RefusalName | null, message = '', data: unknown = {}): Envelope => ({
  error_code: name ? refusals[name].code : success,
  error_msg: message,
  errmsg: message,
  data,
})

export function mount(app: FastifyInstance, handlers: readonly Handler[], parts: Parts): void {
  const house: House = {
    ...parts,
    buckets: new Buckets(parts.limit_scale),
    forms: new Forms(),
    lanes: new Lanes(parts.shed !== null),
  }
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
  spare: null,
  input: null,
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
const know: Step = async (house, visit) => {
  visit.known = await recognise(house, visit)
}
/** Whoever may, and while there is room what needs some. */
const admit: Step = async ({ room }, visit) => {
  permit(visit)
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
const way: readonly Step[] = [enterLane, know, admit, limit, enterCostlyLane]

async function answer(house: House, visit: Visit): Promise<unknown> {
  const { call, request } = visit
  try {
    for (const step of way) await step(house, visit)
    if (call.takes !== 'file') return await work(house, visit, null)
    return await house.forms.with(request, peerIn(visit), (form) => work(house, visit, form))
  } catch (error) {
    if (call.takes === 'file') await hearOut(request.raw)
    if (error instanceof Refusal) await refused(house, visit, error)
    throw house.room.told(error, request.log)
  } finally {
    visit.leave()
  }
}

async function refused(house: House, visit: Visit, { refusal }: Refusal): Promise<void> {
  const { call, request } = visit
  await evidenceAfter(house, visit, refusal).catch(house.room.withoutRow(request.log))
  if (!call.refuses.includes(refusal) && !always.includes(refusal)) house.onUndeclared(call, refusal)
}

async function work(house: House, visit: Visit, form: Form | null): Promise<unknown> {
  const { handler, call, request } = visit
  visit.input = parse(call, form ? form.fields : call.takes === 'query' ? request.query : request.body)
  Object.assign(visit.about, idsIn(visit.input))
  const key = call.once ? keyOf(request) : null
  if (handler.where === 'inside') return workInside(house, visit, handler, key)
  const output = await handler.fn(outsideCtx(house, visit, form?.upload ?? null, key), visit.input as never)
  await evidenceAfter(house, visit, 'done')
  return output
}

async function workInside(
  house: House,
  visit: Visit,
  handler: Extract<Handler, { where: 'inside' }>,
  key: string | null,
): Promise<unknown> {
  const { call, request, reply, input } = visit
  const { database, room } = house
  const me = meIn(visit)
  const act = (leavesLine: boolean) =>
    database.inCompany(me.company_id, async (tx) => {
      const ctx = await insideCtx(house, visit, tx, me)
      const fn = () => handler.fn(ctx, input as never)
      const output = key ? await once(ctx, call, key, input, fn) : await fn()
      if (leavesLine) await evidence(tx, visit, me, 'done')
      return output
    })
  const done = await (showsOwnPay(call) ? room.sparing(request.log, act) : act(call.audit !== 'none'))
  if (!handler.after) return done
  // Whoever only waits keeps nobody else from coming in.
  visit.leave()
  return handler.after({ company_id: me.company_id, database, signal: goneOf(reply) }, input, done)
}

/** An employee reads about himself: where a disk has no room even for the line of evidence, he still reads, and the log has it. */
const showsOwnPay = (call: Call): boolean => call.who === 'employee' && call.audit === 'view'

const evidence = (tx: Tx, { call, about, now, request }: Visit, me: Me, outcome: string) =>
  writeAudit(tx, me, { call, outcome, about, at: now, address: request.ip, request_id: request.id })

/** In a transaction of its own: what was asked is refused, or was done outside. */
async function evidenceAfter({ database, secrets }: House, visit: Visit, outcome: string): Promise<void> {
  const { call, known, about, now, request, input } = visit
  if (call.audit === 'sign_in')
    await writeSignIn(database, secrets, { call, outcome, said: input, known, about, at: now, request })
  else if (known.me && call.audit !== 'none') {
    const { me } = known
    await database.inCompany(me.company_id, (tx) => evidence(tx, visit, me, outcome))
  }
}

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
