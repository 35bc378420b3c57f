/**
 * Makes a route of every handler, and does for each call, in this order: request id → session → who → rate → parse → begin, company
 * role → idempotency → function → evidence → commit → shape the answer → envelope. A thrown refusal rolls back and becomes the envelope.
 */
import { createHash } from 'node:crypto'
import '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { Call, Envelope } from '../contract/call.ts'
import { type RefusalName, refusals, success } from '../contract/refusals.ts'
import { may } from '../contract/who.ts'
import { type About, idsIn, writeAudit, writeSignIn } from './audit.ts'
import type { Clock } from './clock.ts'
import type { Database, Tx } from './db.ts'
import { type Ctx, type HalfMe, type Handler, type Me, type OutsideCtx, Refusal, refuse, type Upload } from './handle.ts'
import type { Jobs } from './jobs.ts'
import { Buckets, peerOf } from './limits.ts'
import { Lanes, laneOf } from './load/lanes.ts'
import type { Room } from './load/room.ts'
import { once } from './once.ts'
import type { Secrets } from './secrets.ts'
import { cookieName, loadMe, mustBeAlive, readSession, type Session, xsrfOf } from './sessions.ts'
import { type Form, Forms, hearOut } from './uploads.ts'

export type Parts = {
  readonly database: Database
  readonly secrets: Secrets
  readonly jobs: Jobs
  readonly room: Room
  readonly clock: Clock
  /** How many pieces an SMS is charged as. */
  readonly pieces: Ctx['pieces']
  readonly origin: string
  readonly https: boolean
  /** Checks every answer against its schema before it is sent: on everywhere but in production. */
  readonly strict: boolean
  /** Somebody has the token of this session and not its cookie. */
  readonly onStolenToken: (
    session: Session,
    seen: { readonly call: Call; readonly address: string; readonly request_id: string; readonly now: Date },
  ) => Promise<void>
  /** Turns away what finds the lanes full or the event loop further behind than this; null in tests, which ask thousands of calls at once. */
  readonly shed: { readonly loop_ms: number } | null
  /** Widens the in-memory limits (tests walk thousands of calls from one address). */
  readonly limit_scale: number
}

export const envelope = (name: RefusalName | null, message = '', data: unknown = {}): Envelope => ({
  error_code: name ? refusals[name].code : success,
  error_msg: message,
  errmsg: message,
  data,
})

type Known = { readonly session_id: string | null; readonly me: Me | null; readonly half: HalfMe | null }
const nobody: Known = { session_id: null, me: null, half: null }

function permit(call: Call, known: Known): void {
  if (call.who === 'public') return
  if (!known.half) throw refuse('signed_out')
  if (call.who === 'half_signed_in') return
  if (!known.me) throw refuse('signed_out')
  if (!may(known.me, call.who)) throw refuse('not_permitted')
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

const signedOut = (): never => {
  throw refuse('signed_out')
}

/** An employee reads about himself: where a disk has no room even for the line of evidence, he still reads, and the log has it. */
const showsOwnPay = (call: Call): boolean => call.who === 'employee' && call.audit === 'view'

/** Whoever may, and while there is room what needs some; answers how much that may be. */
async function admit(call: Call, known: Known, room: Room): Promise<number | null> {
  permit(call, known)
  return room.admit(call)
}

export function mount(app: FastifyInstance, handlers: readonly Handler[], parts: Parts): void {
  const { database, secrets } = parts
  const buckets = new Buckets(parts.limit_scale)
  const forms = new Forms()
  const lanes = new Lanes(parts.shed !== null)

  async function whoIs(request: FastifyRequest, call: Call): Promise<Known> {
    const token = request.headers['user-token']
    const cookie = request.cookies[cookieName(parts.https)] ?? null
    if (typeof token !== 'string' || !token || token.length > 200 || (cookie && cookie.length > 200)) return nobody
    const now = parts.clock.now()
    const read = (keeps: boolean) => readSession(database, token, cookie, { now, keeps: keeps && !call.watches })
    const session = await parts.room.sparing(request.log, read)
    if (!session) return nobody
    if (session.state === 'over') {
      // Whoever signs in anew may still be sending what he had before.
      if (call.who === 'public') return nobody
      throw session.transferred ? refuse('transferred') : refuse('signed_out', session.say)
    }
    if (session.state === 'stolen') {
      await parts.onStolenToken(session, { call, address: request.ip, request_id: request.id, now })
      return nobody
    }
    if (call.method !== 'GET' && request.headers['x-xsrf-token'] !== xsrfOf(secrets, session.id)) return nobody
    const half = { session_id: session.id, account_id: session.account_id, mobile: session.mobile }
    if (!session.company_id) return { session_id: session.id, me: null, half }
    const me = await database.inCompany(session.company_id, (tx) => loadMe(tx, session))
    return { session_id: session.id, me, half }
  }

  async function answer(handler: Handler, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { call } = handler
    const now = parts.clock.now()
    const about: About = {}
    let [known, spare, said]: [Known, number | null, unknown] = [nobody, null, null]
    const common = {
      now,
      request_id: request.id,
      address: request.ip,
      ...outsideOf(parts),
      about: (ids: About) => void Object.assign(about, ids),
    }
    const ctxOf = async (tx: Tx, me: Me): Promise<Ctx> => ({
      ...common,
      db: tx,
      me,
      company_id: me.company_id,
      spare,
      vault: await secrets.vault(tx, me.company_id),
      jobs: { send: (name, data, options) => parts.jobs.send(tx, name, data, options) },
    })
    const evidence = (tx: Tx, me: Me, outcome: string) =>
      writeAudit(tx, me, { call, outcome, about, at: now, address: request.ip, request_id: request.id })
    const lane = laneOf(call)
    let leave = noLane
    const evidenceAfter = async (outcome: string): Promise<void> => {
      const { me } = known
      if (call.audit === 'sign_in') await writeSignIn(database, secrets, { call, outcome, said, known, about, at: now, request })
      else if (me && call.audit !== 'none') await database.inCompany(me.company_id, (tx) => evidence(tx, me, outcome))
    }

    const work = async (form: Form | null): Promise<unknown> => {
      const input = parse(call, form ? form.fields : call.takes === 'query' ? request.query : request.body)
      Object.assign(about, idsIn(input))
      said = input
      const key = call.once ? keyOf(request) : null
      if (handler.where === 'inside') {
        const me = known.me ?? signedOut()
        const answer = (leavesLine: boolean) =>
          database.inCompany(me.company_id, async (tx) => {
            const ctx = await ctxOf(tx, me)
            const act = () => handler.fn(ctx, input as never)
            const output = key ? await once(ctx, call, key, input, act) : await act()
            if (leavesLine) await evidence(tx, me, 'done')
            return output
          })
        const done = await (showsOwnPay(call) ? parts.room.sparing(request.log, answer) : answer(call.audit !== 'none'))
        if (!handler.after) return done
        // Whoever only waits keeps nobody else from coming in.
        leave()
        return handler.after({ company_id: me.company_id, database, signal: goneOf(reply) }, input, done)
      }
      const upload = form?.upload ?? null
      const sent = upload ? [input, createHash('sha256').update(upload.bytes).digest('hex')] : input
      const output = await handler.fn(
        outsideCtx(request, reply, known, common, upload, ctxOf, { call, key, input: sent }),
        input as never,
      )
      await evidenceAfter('done')
      return output
    }

    try {
      // Files wait for seats of their own. Whose a costly call is decides its turn, so that is asked first.
      if (call.takes !== 'file' && lane !== 'costly') leave = await lanes.enter(lane, ownerOf(request))
      known = await whoIs(request, call)
      spare = await admit(call, known, parts.room)
      const peer = known.half?.account_id ?? request.ip
      buckets.take(`${call.rate}|${peer}`, call.rate, Date.now())
      if (call.takes !== 'file' && lane === 'costly') leave = await lanes.enter(lane, known.me?.company_id ?? peer)
      return await (call.takes === 'file' ? forms.with(request, peer, work) : work(null))
    } catch (error) {
      if (call.takes === 'file') await hearOut(request.raw)
      if (error instanceof Refusal) await evidenceAfter(error.refusal).catch(parts.room.withoutRow(request.log))
      throw parts.room.told(error, request.log)
    } finally {
      leave()
    }
  }

  function outsideCtx(
    request: FastifyRequest,
    reply: FastifyReply,
    known: Known,
    common: Pick<OutsideCtx, 'now' | 'request_id' | 'address' | 'origin' | 'pieces' | 'about'>,
    upload: Upload | null,
    ctxOf: (tx: Tx, me: Me) => Promise<Ctx>,
    work: { call: Call; key: string | null; input: unknown },
  ): OutsideCtx {
    const inTransaction: OutsideCtx['inTransaction'] = (fn) => {
      const me = known.me ?? signedOut()
      return database.inCompany(me.company_id, async (tx) => {
        // Read once at the door; the form, and what is done with it, may take a minute more.
        await mustBeAlive(tx, me.session_id)
        return fn(await ctxOf(tx, me))
      })
    }
    return {
      ...common,
      me: known.me,
      half: known.half,
      inTransaction,
      inTransactionOnce: <T>(fn: (ctx: Ctx) => Promise<T>) =>
        inTransaction(async (ctx) =>
          work.key ? ((await once(ctx, work.call, work.key, work.input, () => fn(ctx))) as T) : fn(ctx),
        ),
      database,
      jobs: parts.jobs,
      upload,
      request: { user_agent: String(request.headers['user-agent'] ?? ''), cookies: request.cookies, https: parts.https },
      setCookie: (name, value, { http_only, max_age_s }) =>
        void reply.setCookie(name, value, {
          path: '/',
          httpOnly: http_only,
          secure: parts.https,
          sameSite: 'lax',
          maxAge: max_age_s,
        }),
      sendBytes: (file) => {
        void reply
          .header('content-type', file.type)
          .header('content-disposition', `attachment; filename="download"; filename*=UTF-8''${encodeURIComponent(file.name)}`)
        bytesOf.set(reply, file.bytes)
      },
      goTo: (url) => void addressOf.set(reply, url),
      signal: goneOf(reply),
    }
  }

  for (const handler of handlers) {
    const { call } = handler
    app.route({
      ...routeOf(call),
      handler: async (request, reply) => {
        const output = await answer(handler, request, reply)
        const bytes = bytesOf.get(reply)
        if (bytes) return reply.send(bytes)
        const address = addressOf.get(reply)
        if (address) return reply.redirect(address, 302)
        if (parts.strict) z.parse(call.output, output)
        return envelope(null, '', output)
      },
    })
  }
}

/** Where the world finds this installation, and what its messages are charged as. */
const outsideOf = ({ origin, pieces }: Parts) => ({ origin, pieces })
const noLane = (): void => undefined
/** Before anybody is looked up: one signed-in browser, or one address. */
const ownerOf = (request: FastifyRequest): string => String(request.headers['user-token'] ?? peerOf(request.ip))

/** Closed before it was answered: nobody is there any more to hear of it. */
function goneOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) gone.abort(new Error('the client has gone'))
  })
  return gone.signal
}

const bytesOf = new WeakMap<FastifyReply, Buffer>()
const addressOf = new WeakMap<FastifyReply, string>()

/** Undeclared fields of an answer are dropped by the serialiser that is made of its schema: a column can never leak. */
function routeOf(call: Call) {
  const whole = z.object({ error_code: z.int(), error_msg: z.string(), errmsg: z.string(), data: call.output })
  const answer = z.toJSONSchema(whole, { target: 'draft-7', io: 'output' })
  return { method: call.method, url: call.path, config: { isCall: true as const }, schema: { response: { 200: answer } } }
}

function keyOf(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || !/^[\w.-]{8,80}$/.test(key))
    throw refuse('invalid', '操作编号不正确，请刷新后重试', { field: 'Idempotency-Key' })
  return key
}
