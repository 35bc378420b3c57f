/**
 * The step that writes the audit log entry of a call: in the transaction of the change, or afterwards where there is
 * none or the call was refused.
 */
import type { FastifyInstance } from 'fastify'
import { commonErrors } from '../contract/errors.ts'

import type { Tx } from '../database/database.ts'
import { writeAuditEntry, writeSignInEntry } from './audit-log.ts'
import { AppError } from './errors.ts'
import { drainRequest } from './form-reader.ts'
import { recordOperatorError } from './operator-access.ts'
import { countRejectedCall } from './rate-limit.ts'
import type { AppDeps, RequestContext } from './request-context.ts'

/** Has the entries of a call linked after its response, when they are committed. */
export function registerAuditLinks(app: FastifyInstance, { auditLinker }: AppDeps): void {
  app.addHook('onResponse', async ({ requestContext: ctx }) => {
    if (ctx?.principal.me && ctx.call.audit !== 'none') auditLinker.touch(ctx.principal.me.company_id)
  })
}

/** Fastify's error handler of the calls; it throws the error on to the one of the app, which sends the envelope. */
export function registerErrorAudit(app: FastifyInstance, deps: AppDeps): void {
  app.setErrorHandler(async (error, { requestContext: ctx, raw, log }) => {
    if (ctx) {
      ctx.releaseForm()
      if (ctx.call.requestType === 'file') await drainRequest(raw)
      if (error instanceof AppError) {
        countRejectedCall(deps, ctx, error)
        await recordError(deps, ctx, error)
      }
    }
    throw deps.diskGuard.toDiskFullError(error, log)
  })
}

async function recordError(app: AppDeps, ctx: RequestContext, { error }: AppError): Promise<void> {
  const { call, request } = ctx
  if (ctx.handler.kind === 'operator') await recordOperatorError(app, ctx, error).catch(() => undefined)
  // `transferred` is the result of a successful change.
  if (!ctx.isAudited || error !== 'transferred')
    await writeCallAuditAfterwards(app, ctx, error).catch(app.diskGuard.ignoreDiskFull(request.log))
  if (!call.errors.includes(error) && !commonErrors.includes(error)) app.onUndeclaredError(call, error)
}

/** Writes the entry in the transaction of the change. */
export async function writeCallAudit(
  tx: Tx,
  { call, auditDetails, now, request, principal: { me, apiKey } }: RequestContext,
  outcome: string,
): Promise<void> {
  if (me)
    await writeAuditEntry(tx, me, {
      call,
      outcome,
      // The entry of a key has the key's name, and the account of its creator.
      details: apiKey ? { ...auditDetails, api_key_id: apiKey.id } : auditDetails,
      at: now,
      address: request.ip,
      request_id: request.id,
    })
}

/** Writes the entry in a separate transaction: the call was refused, or was a read, or ran outside a transaction. */
export async function writeCallAuditAfterwards(
  { database, secrets }: AppDeps,
  ctx: RequestContext,
  outcome: string,
): Promise<void> {
  const { call, principal, auditDetails, now, request, input } = ctx
  if (call.audit === 'sign_in')
    await writeSignInEntry(database, secrets, {
      call,
      outcome,
      message: input,
      existing: principal,
      details: auditDetails,
      at: now,
      request,
    })
  else if (principal.me && call.audit !== 'none')
    await database.inCompany(principal.me.company_id, (tx) => writeCallAudit(tx, ctx, outcome))
}
