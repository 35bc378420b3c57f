/** Contexts of handlers, created from the dependencies and the request context. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import '@fastify/cookie'
import type { FastifyReply } from 'fastify'
import { sql } from 'kysely'
import type { Tx } from '../database/database.ts'
import { noTransaction } from '../database/no-transaction.ts'
import { getLockScope, type LockScope, withAuthorizedTx } from './authorize.ts'
import { writeCallAudit } from './call-audit.ts'
import type { CurrentUser } from './current-user.ts'
import { fail } from './errors.ts'
import type { ExternalContext, HandlerContext, UploadedFile } from './handler.ts'
import { withIdempotency } from './idempotency.ts'
import type { AppDeps, RequestContext } from './request-context.ts'

/** Creates the part of the context that every handler gets. */
export const createCommonContext = (
  { origin, countSegments, previewMessage }: AppDeps,
  { now, request, auditDetails }: RequestContext,
) => ({
  now,
  request_id: request.id,
  address: request.ip,
  origin,
  countSegments,
  previewMessage,
  addAuditDetails: (ids: RequestContext['auditDetails']) => void Object.assign(auditDetails, ids),
})

export async function createHandlerContext(app: AppDeps, ctx: RequestContext, tx: Tx): Promise<HandlerContext> {
  const me = requireCurrentUser(ctx)
  return {
    ...createCommonContext(app, ctx),
    db: tx,
    currentUser: me,
    company_id: me.company_id,
    spareBytes: ctx.spareBytes,
    vault: await app.secrets.vault(tx, me.company_id),
    jobs: { send: (name, data, options) => app.jobs.send(tx, name, data, options) },
  }
}

/** Returns the user of a company, for calls that require one. */
export const requireCurrentUser = ({ principal }: RequestContext): CurrentUser => {
  if (!principal.me) throw fail('signed_out')
  return principal.me
}

/** `key`: the idempotency key, with which the first response is returned again. */
export function createExternalContext(
  app: AppDeps,
  requestContext: RequestContext,
  upload: UploadedFile | null,
  key: string | null,
): ExternalContext {
  const { call, request, reply, principal } = requestContext
  const { database, secrets, senders, jobs, log, supportContact, demo } = app
  const within = <T>(holding: LockScope, fn: (ctx: HandlerContext, tx: Tx) => Promise<T>): Promise<T> =>
    withAuthorizedTx(app, requestContext, holding, async (tx) => fn(await createHandlerContext(app, requestContext, tx), tx))
  const sent = upload ? [requestContext.input, createHash('sha256').update(upload.bytes).digest('hex')] : requestContext.input
  const mutate = async <T>(holding: LockScope, outcome: string, fn: (ctx: HandlerContext) => Promise<T>): Promise<T> => {
    const done = await within(holding, async (ctx, tx) => {
      const answer = key ? ((await withIdempotency(ctx, call, key, sent, () => fn(ctx))) as T) : await fn(ctx)
      if (call.audit === 'change' || call.audit === 'view') await writeCallAudit(tx, requestContext, outcome)
      return answer
    })
    requestContext.isAudited = true
    return done
  }
  return {
    ...createCommonContext(app, requestContext),
    ...createResponseHelpers(reply, app.https),
    me: principal.me,
    currentAccount: principal.account,
    noTransaction,
    inTransaction: (fn) => within('nothing', fn),
    mutate: (fn) => mutate(getLockScope(call), 'done', fn),
    readCompany: (company_id, fn) => readCompany(app, requestContext, company_id, fn),
    mutateAccess: (outcome, fn) => mutate('rights', outcome, (ctx) => fn({ ...ctx, accessLock: 'held' })),
    database,
    secrets,
    senders,
    jobs,
    log,
    supportContact,
    demo,
    upload,
    request: { user_agent: String(request.headers['user-agent'] ?? ''), cookies: request.cookies, https: app.https },
    signal: getClosedSignal(reply),
  }
}

async function readCompany<T>(
  { database }: AppDeps,
  { call }: RequestContext,
  company_id: string,
  fn: (tx: Tx) => Promise<T>,
): Promise<T> {
  if (call.access !== 'public')
    throw new Error(`${call.route} requires authentication: use the company of the principal instead of choosing one`)
  return database.inCompany(company_id, async (tx) => {
    await sql`set transaction read only`.execute(tx)
    return fn(tx)
  })
}

const bytesMap = new WeakMap<FastifyReply, Buffer | Readable>()
const addressMap = new WeakMap<FastifyReply, string>()
/** Returns a handler's response in place of the envelope: bytes, or the redirect URL. */
export const getRawResponse = (reply: FastifyReply) => ({ bytes: bytesMap.get(reply), address: addressMap.get(reply) })

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
    if (Buffer.isBuffer(bytes)) return void bytesMap.set(reply, bytes)
    void reply.header('content-length', bytes.size)
    bytesMap.set(reply, Readable.from(bytes.chunks(), { objectMode: true, highWaterMark: 1 }))
  },
  redirect: (url) => void addressMap.set(reply, url),
})

/** Aborts when the connection is closed before the response was sent: the client is gone. */
export function getClosedSignal(reply: FastifyReply): AbortSignal {
  const removed = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) removed.abort(new Error('the client has gone'))
  })
  return removed.signal
}
