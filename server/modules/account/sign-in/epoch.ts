/** What changes how one signs in ends the account's other sessions, and those that are just being made. */

import type { Tx } from '../../../database/database.ts'
import type { SessionEndReason } from '../../../http/session-lifetime.ts'
import { endSessions } from '../../../http/sessions.ts'

/** A sign-in that was checked before this and is not finished yet begins a session of an epoch that is over. `except` goes on. */
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
