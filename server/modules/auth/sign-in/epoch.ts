/** Changes of the sign-in method end the account's other sessions, including those being created. */

import type { Tx } from '../../../database/database.ts'
import type { SessionEndReason } from '../../../http/session-lifetime.ts'
import { endSessions } from '../../../http/sessions.ts'

/** A sign-in verified before this call and not finished yet gets an expired epoch. The session `except` continues. */
export async function endOtherSessions(tx: Tx, account_id: string, reason: SessionEndReason, except?: string): Promise<void> {
  const { epoch } = await tx
    .updateTable('account')
    .set((eb) => ({ epoch: eb('epoch', '+', 1) }))
    .where('id', '=', account_id)
    .returning('epoch')
    .executeTakeFirstOrThrow()
  await endSessions(tx, { account_id, ...(except ? { except } : {}) }, reason)
  if (except) await tx.updateTable('session').set({ epoch }).where('id', '=', except).where('ended', 'is', null).execute()
}
