/** Runs an external handler: no transaction is open until it opens one, which authenticates again. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import '@fastify/cookie'
import { sql } from 'kysely'
import type { Tx } from '../database/database.ts'
import { noTransaction } from '../database/no-transaction.ts'
import { writeCallAudit, writeCallAuditAfterwards } from './audit.ts'
import { getLockScope, type LockScope } from './authenticate.ts'
import type { ExternalContext, ExternalHandler, HandlerContext } from './handler.ts'
import { createCommonContext, createHandlerContext, getClosedSignal } from './handler-contexts.ts'
import { withIdempotency } from './idempotency.ts'
import type { AppDeps, RequestContext } from './request-context.ts'
import { withAuthorizedTx } from './transaction.ts'
import { validate } from './validate.ts'

export async function runExternalHandler(app: AppDeps, ctx: RequestContext, handler: ExternalHandler): Promise<unknown> {
  const key = validate(ctx)
  const output = await handler.run(createExternalContext(app, ctx, key), ctx.input)
  if (!ctx.isAudited) await writeCallAuditAfterwards(app, ctx, 'done')
  return output
}

/** `key`: the idempotency key, with which the first response is returned again. */
function createExternalContext(app: AppDeps, requestContext: RequestContext, key: string | null): ExternalContext {
  const { call, request, reply, principal, form } = requestContext
  const upload = form?.upload ?? null
  const { database, secrets, senders, jobs, log, supportContact, demo, registration, provenCallers } = app
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
    ...createResponseHelpers(requestContext, app.https),
    me: principal.me,
    currentAccount: principal.account,
    noTransaction,
    inTransaction: (fn) => within('nothing', fn),
    mutate: (fn) => mutate(getLockScope(call), 'done', fn),
    readCompany: (company_id, fn) => readCompany(app, requestContext, company_id, fn),
    mutateAccess: (outcome, fn) => mutate('rights', outcome, (ctx) => fn({ ...ctx, accessLock: 'held' })),
    database,
    secrets,
    rememberCaller: (credentials, account_id) => provenCallers.remember(credentials, account_id),
    senders,
    jobs,
    log,
    supportContact,
    demo,
    registration,
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

const createResponseHelpers = (
  ctx: RequestContext,
  secure: boolean,
): Pick<ExternalContext, 'setCookie' | 'sendBytes' | 'redirect'> => ({
  setCookie: (name, value, { http_only, max_age_s }) =>
    void ctx.reply.setCookie(name, value, { path: '/', httpOnly: http_only, secure, sameSite: 'lax', maxAge: max_age_s }),
  sendBytes: (file) => {
    void ctx.reply
      .header('content-type', file.type)
      .header('content-disposition', `attachment; filename="download"; filename*=UTF-8''${encodeURIComponent(file.name)}`)
    const { bytes } = file
    if (Buffer.isBuffer(bytes)) return void (ctx.rawResponse = { bytes })
    void ctx.reply.header('content-length', bytes.size)
    ctx.rawResponse = { bytes: Readable.from(bytes.chunks(), { objectMode: true, highWaterMark: 1 }) }
  },
  redirect: (url) => void (ctx.rawResponse = { address: url }),
})
