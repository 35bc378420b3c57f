/**
 * Authentication: the session of the request and its user, read in the transaction that relies on them
 * (docs/decisions/20261123-use-one-transaction-per-request.md).
 */
import type { FastifyInstance } from 'fastify'
import type { Call } from '../contract/call.ts'
import { scopeToCompany, type Tx } from '../database/database.ts'
import { findApiKey, loadApiKeyPrincipal, needsApiKeyTouch, parseKeyCompany, recordRefusedKey, touchApiKey } from './api-keys.ts'
import { readApiKey, readCredentials } from './credentials.ts'
import type { CurrentUser } from './current-user.ts'
import { AppError, fail } from './errors.ts'
import {
  type AppDeps,
  anonymous,
  authenticatesInTransaction,
  getRequestContext,
  type Principal,
  type RequestContext,
} from './request-context.ts'
import {
  type AccessLock,
  assertSessionActive,
  buildLockStatements,
  createXsrfToken,
  findSession,
  getSessionCookieName,
  loadCurrentUser,
  touchSession,
} from './sessions.ts'

/** Authenticates a request that waits before its transaction: for its slot, its form or an external service. */
export function registerAuthentication(app: FastifyInstance, deps: AppDeps): void {
  app.addHook('preValidation', async (request) => {
    const ctx = getRequestContext(request)
    if (authenticatesInTransaction(ctx) || ctx.handler.kind === 'operator' || !hasCredentials(deps, ctx)) return
    try {
      ctx.principal = await deps.database.withoutCompany((tx) => authenticate(deps, ctx, tx, 'nothing'))
    } finally {
      await recordSessionUse(deps, ctx)
    }
  })
}

/** What is locked meanwhile: `rights` for changes of access rights, `self` for actions based on the user's own rights. */
export type LockScope = 'nothing' | 'self' | 'rights'

/**
 * A read shows what the user may see at the time of the request; a change is made only while the user still has the
 * right.
 */
export const getLockScope = ({ audit, idempotent }: Pick<Call, 'audit' | 'idempotent'>): LockScope =>
  audit === 'change' || idempotent ? 'self' : 'nothing'

const getLockedRows = ({ access }: Call, holding: LockScope): AccessLock['rows'] => {
  if (holding === 'rights') return ['all admins']
  if (access === 'employee') return ['member']
  return access === 'signed_in' || access === 'half_signed_in' || access === 'public' ? ['admin', 'member'] : ['admin']
}

/** The credentials of a user's session, as this request sends them. */
const getCredentials = ({ https }: AppDeps, { request }: RequestContext) =>
  readCredentials(request.headers, request.cookies, getSessionCookieName(https))

export const hasCredentials = (app: AppDeps, ctx: RequestContext): boolean =>
  readApiKey(ctx.request.headers) !== null || getCredentials(app, ctx) !== null

/** A writing request of a session must also carry an XSRF token, which proves that it comes from our own page. */
export async function authenticate(app: AppDeps, ctx: RequestContext, tx: Tx, holding: LockScope): Promise<Principal> {
  const { call, request, now } = ctx
  const { secrets, provenCallers } = app
  const apiKey = readApiKey(request.headers)
  // A key is sent by a program and never by a browser, so it needs neither cookie nor XSRF token.
  if (apiKey !== null) return authenticateApiKey(app, ctx, tx, { apiKey, isLocked: holding !== 'nothing' })
  const credentials = getCredentials(app, ctx)
  if (!credentials) return anonymous
  const session = await findSession(tx, credentials.token, credentials.cookie, now)
  if (session?.state === 'alive') provenCallers.remember(credentials, session.account_id)
  else provenCallers.forget(credentials)
  if (!session) return anonymous
  if (session.state === 'over') {
    // During a new sign-in the client may still send its previous session.
    if (call.access === 'public') return anonymous
    throw session.transferred ? fail('transferred') : fail('signed_out', session.message)
  }
  if (session.state === 'stolen') {
    ctx.deferred.stolenSession = session
    return anonymous
  }
  if (session.needsTouch && !call.isPolling) ctx.deferred.sessionToTouch = session.id
  if (call.method !== 'GET' && request.headers['x-xsrf-token'] !== createXsrfToken(secrets, session.id)) return anonymous
  const { id: session_id, account_id, mobile, company_id } = session
  const half = { session_id, account_id, mobile }
  if (!company_id) return { session_id, me: null, account: half, apiKey: null }
  const locked = holding === 'nothing' ? [] : buildLockStatements(company_id, { session, rows: getLockedRows(call, holding) })
  await scopeToCompany(tx, company_id, locked)
  // The session may have ended while another transaction held the lock.
  if (locked.length > 0) await assertSessionActive(tx, session_id)
  return { session_id, me: applyBillingMode(app, await loadCurrentUser(tx, session, now)), account: half, apiKey: null }
}

async function authenticateApiKey(
  app: AppDeps,
  ctx: RequestContext,
  tx: Tx,
  { apiKey, isLocked }: { readonly apiKey: string; readonly isLocked: boolean },
): Promise<Principal> {
  const credentials = { token: apiKey, cookie: null }
  try {
    const company_id = parseKeyCompany(apiKey)
    await scopeToCompany(tx, company_id)
    const key = await findApiKey(tx, ctx, { company_id, key: apiKey, isLocked })
    if (isLocked) await scopeToCompany(tx, company_id, buildLockStatements(company_id, { session: key, rows: ['admin'] }))
    const principal = await loadApiKeyPrincipal(tx, key, ctx.now)
    ctx.deferred.refusedApiKey = null
    app.provenCallers.remember(credentials, key.id)
    if (needsApiKeyTouch(key, ctx.now)) ctx.deferred.apiKeyToTouch = { company_id, id: key.id }
    return { ...principal, me: applyBillingMode(app, principal.me) }
  } catch (error) {
    // Only a refused key loses its place: while one call of a program authenticates, its other calls keep theirs.
    if (error instanceof AppError) app.provenCallers.forget(credentials)
    throw error
  }
}

/** Without billing every company has all features. */
const applyBillingMode = ({ billing }: AppDeps, me: CurrentUser | null): CurrentUser | null =>
  billing || !me ? me : { ...me, edition: 60 }

/** Runs in separate transactions, so that the facts are recorded for refused requests too. */
export async function recordSessionUse(
  { database, diskGuard, onStolenToken, auditLinker }: AppDeps,
  ctx: RequestContext,
): Promise<void> {
  const { call, request, now, deferred } = ctx
  const { stolenSession, sessionToTouch, apiKeyToTouch, refusedApiKey } = deferred
  deferred.stolenSession = deferred.sessionToTouch = deferred.apiKeyToTouch = deferred.refusedApiKey = null
  if (stolenSession) await onStolenToken(stolenSession, { call, address: request.ip, request_id: request.id, now })
  // An optional small row: the request has succeeded, and the disk may have no space for it.
  const warn = (error: unknown) => {
    if (diskGuard.toDiskFullError(error, request.log) === error)
      request.log.warn({ err: error }, 'not written when a session was used')
  }
  if (sessionToTouch) await touchSession(database, sessionToTouch, now).catch(warn)
  if (apiKeyToTouch) await touchApiKey(database, apiKeyToTouch, now).catch(warn)
  if (refusedApiKey) {
    await recordRefusedKey(database, refusedApiKey, ctx).catch(warn)
    auditLinker.touch(refusedApiKey.company_id)
  }
}
