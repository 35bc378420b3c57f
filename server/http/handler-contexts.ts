/** What a handler is given, made of the house and the visit. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import '@fastify/cookie'
import type { FastifyReply } from 'fastify'
import { sql } from 'kysely'
import type { Tx } from '../database/database.ts'
import { noTransaction } from '../database/no-transaction.ts'
import { getLockScope, type LockScope, withAuthorizedTx } from './authorize.ts'
import { writeCallAudit } from './call-audit.ts'
import { type CurrentUser, type ExternalContext, fail, type HandlerContext, type UploadedFile } from './handler.ts'
import { withIdempotency } from './idempotency.ts'
import type { AppDeps, RequestContext } from './request-context.ts'

/** What every handler is given. */
export const createCommonContext = ({ origin, countSegments, previewMessage }: AppDeps, { now, request, auditDetails }: RequestContext) => ({
  now,
  request_id: request.id,
  address: request.ip,
  origin,
  countSegments,
  previewMessage,
  addAuditDetails: (ids: RequestContext['auditDetails']) => void Object.assign(auditDetails, ids),
})

export async function createHandlerContext(house: AppDeps, visit: RequestContext, tx: Tx): Promise<HandlerContext> {
  const me = requireCurrentUser(visit)
  return {
    ...createCommonContext(house, visit),
    db: tx,
    currentUser: me,
    company_id: me.company_id,
    spareBytes: visit.spareBytes,
    vault: await house.secrets.vault(tx, me.company_id),
    jobs: { send: (name, data, options) => house.jobs.send(tx, name, data, options) },
  }
}

/** The person of a company, where the call is for none else. */
export const requireCurrentUser = ({ principal }: RequestContext): CurrentUser => {
  if (!principal.me) throw fail('signed_out')
  return principal.me
}

/** `key`: with it the first answer is given again. */
export function createExternalContext(
  house: AppDeps,
  visit: RequestContext,
  upload: UploadedFile | null,
  key: string | null,
): ExternalContext {
  const { call, request, reply, principal } = visit
  const { database, secrets, senders, jobs, log, supportContact, demo } = house
  const within = <T>(holding: LockScope, fn: (ctx: HandlerContext, tx: Tx) => Promise<T>): Promise<T> =>
    withAuthorizedTx(house, visit, holding, async (tx) => fn(await createHandlerContext(house, visit, tx), tx))
  const sent = upload ? [visit.input, createHash('sha256').update(upload.bytes).digest('hex')] : visit.input
  const deed = async <T>(holding: LockScope, outcome: string, fn: (ctx: HandlerContext) => Promise<T>): Promise<T> => {
    const done = await within(holding, async (ctx, tx) => {
      const answer = key ? ((await withIdempotency(ctx, call, key, sent, () => fn(ctx))) as T) : await fn(ctx)
      if (call.audit === 'change' || call.audit === 'view') await writeCallAudit(tx, visit, outcome)
      return answer
    })
    visit.isAudited = true
    return done
  }
  return {
    ...createCommonContext(house, visit),
    ...createResponseHelpers(reply, house.https),
    me: principal.me,
    currentAccount: principal.account,
    noTransaction: noTransaction,
    inTransaction: (fn) => within('nothing', fn),
    mutate: (fn) => deed(getLockScope(call), 'done', fn),
    readCompany: (company_id, fn) => readCompany(house, visit, company_id, fn),
    mutateAccess: (outcome, fn) => deed('rights', outcome, (ctx) => fn({ ...ctx, accessLock: 'held' })),
    database,
    secrets,
    senders,
    jobs,
    log,
    supportContact,
    demo,
    upload,
    request: { user_agent: String(request.headers['user-agent'] ?? ''), cookies: request.cookies, https: house.https },
    signal: getClosedSignal(reply),
  }
}

async function readCompany<T>(
  { database }: AppDeps,
  { call }: RequestContext,
  company_id: string,
  fn: (tx: Tx) => Promise<T>,
): Promise<T> {
  if (call.access !== 'public') throw new Error(`${call.route} is for people who are known: theirs is the company at the door`)
  return database.inCompany(company_id, async (tx) => {
    await sql`set transaction read only`.execute(tx)
    return fn(tx)
  })
}

const bytesOf = new WeakMap<FastifyReply, Buffer | Readable>()
const addressOf = new WeakMap<FastifyReply, string>()
/** What a handler answered instead of the envelope: bytes, or the address to go to. */
export const getRawResponse = (reply: FastifyReply) => ({ bytes: bytesOf.get(reply), address: addressOf.get(reply) })

const createResponseHelpers = (
  reply: FastifyReply,
  secure: boolean,
): Pick<ExternalContext, 'setCookie' | 'sendBytes' | 'redirect'> => ({
  setCookie: (name, value, { http_only, max_age_s }) =>
    void reply.setCookie(name, value, { path: '/', httpOnly: http_only, secure, sameSite: 'lax', maxAge: max_age_s }),
  sendBytes: (file) => {
    void reply
      .header('content-type', file.type)
      .header('content-disposition', `attachment; filename="download"; filename*=UTF-8''${encodeURIComponent(file.name)}`)
    const { bytes } = file
    if (Buffer.isBuffer(bytes)) return void bytesOf.set(reply, bytes)
    void reply.header('content-length', bytes.size)
    bytesOf.set(reply, Readable.from(bytes.chunks(), { objectMode: true, highWaterMark: 1 }))
  },
  redirect: (url) => void addressOf.set(reply, url),
})

/** Closed before it was answered: nobody is there any more to hear of it. */
export function getClosedSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) gone.abort(new Error('the client has gone'))
  })
  return gone.signal
}
