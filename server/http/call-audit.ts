/** The line of evidence of a call: with the deed, or afterwards where there is none. */

import type { Tx } from '../database/database.ts'
import { writeAuditEntry, writeSignInEntry } from './audit-log.ts'
import type { AppDeps, RequestContext } from './request-context.ts'

/** In the transaction of the deed. */
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

/** In a transaction of its own: what was asked is refused, or was read or done outside. */
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
