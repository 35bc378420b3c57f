/** The transaction of a request: authentication, authorization, the handler and its audit log entry are one. */
import { sql } from 'kysely'
import type { Call } from '../contract/call.ts'
import type { Tx } from '../database/database.ts'
import { writeCallAudit } from './audit.ts'
import { authenticate, getLockScope, hasCredentials, type LockScope, recordSessionUse } from './authenticate.ts'
import { authorize } from './authorize.ts'
import { assertDiskSpace } from './disk-space.ts'
import type { CompanyHandler } from './handler.ts'
import { createHandlerContext, getClosedSignal, requireCurrentUser } from './handler-contexts.ts'
import { withIdempotency } from './idempotency.ts'
import { limitRate } from './rate-limit.ts'
import { type AppDeps, anonymous, authenticatesInTransaction, type RequestContext } from './request-context.ts'
import { validate } from './validate.ts'

/**
 * Runs a transaction that starts with authorization. A revocation of a right or an end of a session is seen by it, or
 * waits for it if it holds a lock. Deferred writes of the authorization are made after it has ended.
 */
export async function withAuthorizedTx<T>(
  app: AppDeps,
  ctx: RequestContext,
  holding: LockScope,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  // Without credentials the database is not queried.
  if (!hasCredentials(app, ctx)) authorize(ctx.call, anonymous)
  try {
    return await app.database.withoutCompany(async (tx) => {
      const existing = await authenticate(app, ctx, tx, holding)
      // A user who was authenticated before and is not any more remains the principal of the audit log entry.
      if (existing.account || !ctx.principal.account) ctx.principal = existing
      authorize(ctx.call, existing)
      return work(tx)
    })
  } finally {
    await recordSessionUse(app, ctx)
  }
}

/** Runs a handler in its transaction: authenticate → authorize → rate limit → validate → idempotency → handler → audit. */
export async function runInTransaction(app: AppDeps, requestContext: RequestContext, handler: CompanyHandler): Promise<unknown> {
  const { call, request, reply } = requestContext
  const { database, diskGuard } = app
  const work = async (tx: Tx, isReadOnly: boolean): Promise<unknown> => {
    if (isReadOnly) await sql`set transaction read only`.execute(tx)
    if (authenticatesInTransaction(requestContext)) {
      await assertDiskSpace(app, requestContext)
      limitRate(app, requestContext)
    }
    const key = validate(requestContext)
    const ctx = await createHandlerContext(app, requestContext, tx)
    const { input } = requestContext
    const run = () => handler.run({ ...ctx, isReadOnly, accessLock: 'held' }, input)
    const output = key ? await withIdempotency(ctx, call, key, input, run) : await run()
    if (call.audit !== 'none' && !isReadOnly) await writeCallAudit(tx, requestContext, 'done')
    return output
  }
  const holding = handler.locksAccess ? 'rights' : getLockScope(call)
  const attempt = (isReadOnly: boolean) => withAuthorizedTx(app, requestContext, holding, (tx) => work(tx, isReadOnly))
  const output = await (isOwnRead(call) ? diskGuard.withReadOnlyFallback(request.log, attempt) : attempt(false))
  if (!handler.afterCommit) return output
  // A request that only waits must not occupy a slot.
  requestContext.releaseSlot()
  const { company_id } = requireCurrentUser(requestContext)
  return handler.afterCommit({ company_id, database, signal: getClosedSignal(reply) }, requestContext.input, output)
}

/**
 * An employee reads their own data: where there is no disk space even for the audit log entry, the first view or a
 * missing receipt, they can still read. The entry goes to the log; the view and the receipt are recorded at the next
 * reading.
 */
const isOwnRead = (call: Call): boolean => call.access === 'employee' && call.audit !== 'change'
