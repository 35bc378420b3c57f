/** The line of evidence of a call: with the deed, or afterwards where there is none. */

import type { Tx } from '../database/database.ts'
import { writeAuditEntry, writeSignInEntry } from './audit-log.ts'
import type { AppDeps, RequestContext } from './request-context.ts'

/** In the transaction of the deed. */
export async function writeCallAudit(
  tx: Tx,
  { call, about, now, request, known }: RequestContext,
  outcome: string,
): Promise<void> {
  if (known.me)
    await writeAuditEntry(tx, known.me, { call, outcome, about, at: now, address: request.ip, request_id: request.id })
}

/** In a transaction of its own: what was asked is refused, or was read or done outside. */
export async function writeCallAuditAfterwards(
  { database, secrets }: AppDeps,
  visit: RequestContext,
  outcome: string,
): Promise<void> {
  const { call, known, about, now, request, input } = visit
  if (call.audit === 'sign_in')
    await writeSignInEntry(database, secrets, { call, outcome, said: input, known, about, at: now, request })
  else if (known.me && call.audit !== 'none')
    await database.inCompany(known.me.company_id, (tx) => writeCallAudit(tx, visit, outcome))
}
