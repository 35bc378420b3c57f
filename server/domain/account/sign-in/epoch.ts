/** What changes how one signs in ends the account's other sessions, and those that are just being made. */

import type { Ending } from '../../../runtime/data/endings.ts'
import type { Tx } from '../../../runtime/db.ts'
import { endSessions } from '../../../runtime/request/sessions.ts'

/** A sign-in that was checked before this and is not finished yet begins a session of an epoch that is over. `except` goes on. */
export async function endOthers(tx: Tx, account_id: string, why: Ending, except?: string): Promise<void> {
  const { epoch } = await tx
    .updateTable('account')
    .set((eb) => ({ epoch: eb('epoch', '+', 1) }))
    .where('id', '=', account_id)
    .returning('epoch')
    .executeTakeFirstOrThrow()
  await endSessions(tx, { account_id, ...(except ? { except } : {}) }, why)
  if (except) await tx.updateTable('session').set({ epoch }).where('id', '=', except).where('ended', 'is', null).execute()
}
