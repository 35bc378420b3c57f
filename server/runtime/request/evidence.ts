/** The line of evidence of a call: with the deed, or afterwards where there is none. */

import type { Tx } from '../db.ts'
import { writeAudit, writeSignIn } from './audit.ts'
import type { House, Visit } from './visit.ts'

/** In the transaction of the deed. */
export async function evidence(tx: Tx, { call, about, now, request, known }: Visit, outcome: string): Promise<void> {
  if (known.me) await writeAudit(tx, known.me, { call, outcome, about, at: now, address: request.ip, request_id: request.id })
}

/** In a transaction of its own: what was asked is refused, or was read or done outside. */
export async function evidenceAfter({ database, secrets }: House, visit: Visit, outcome: string): Promise<void> {
  const { call, known, about, now, request, input } = visit
  if (call.audit === 'sign_in')
    await writeSignIn(database, secrets, { call, outcome, said: input, known, about, at: now, request })
  else if (known.me && call.audit !== 'none') await database.inCompany(known.me.company_id, (tx) => evidence(tx, visit, outcome))
}
