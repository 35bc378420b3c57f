/** The audit log entry of a call: written in the transaction of the change, or afterwards where there is none. */

import type { Tx } from '../database/database.ts'
import { writeAuditEntry, writeSignInEntry } from './audit-log.ts'
import type { AppDeps, RequestContext } from './request-context.ts'

/** Writes the entry in the transaction of the change. */
export async function writeCallAudit(
  tx: Tx,
  { call, auditDetails, now, request, principal }: RequestContext,
  outcome: string,
): Promise<void> {
  if (principal.me)
    await writeAuditEntry(tx, principal.me, {
      call,
      outcome,
      details: auditDetails,
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
