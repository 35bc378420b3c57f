/** Terminating one or many members. Writes member and department. */
import { sql } from 'kysely'
import type { HandlerContext } from '../../http/handler.ts'
import { toShanghaiDate } from '../../shared/clock.ts'
import { queueWebhookEvents } from '../webhooks/index.ts'
import { getFieldChanges, recordMemberEvents } from './file/events.ts'

type MemberWriteContext = Pick<HandlerContext, 'db' | 'company_id' | 'now' | 'currentUser' | 'vault'>
export type DepartmentLeader = { readonly id: string; readonly leader_id: string }

/** `lastDay`: the last working day. Returns how many were still active. The former account identifies who returns later. */
export async function markTerminated(ctx: MemberWriteContext, ids: readonly string[], lastDay?: string): Promise<number> {
  const { db, company_id, now } = ctx
  const left_on = lastDay ?? toShanghaiDate(now)
  const terminated = await db
    .updateTable('member')
    .set((eb) => ({
      status: 'left',
      left_at: now,
      left_on,
      account_id: null,
      former_account: eb.fn.coalesce('former_account', 'account_id'),
    }))
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('status', '<>', 'left')
    .returning('id')
    .execute()
  await recordMemberEvents(
    ctx,
    terminated.map(({ id }) => ({ member_id: id, kind: 'left', changes: getFieldChanges([['left_on', null, left_on]]) })),
  )
  await queueWebhookEvents(
    { db, company_id, now },
    'employee.terminated',
    terminated.map(({ id }) => ({ member_id: id })),
  )
  return terminated.length
}

/** A terminated member leads no department. Returns the departments they led. */
export async function removeAsLeaders(
  { db, company_id }: Pick<MemberWriteContext, 'db' | 'company_id'>,
  ids: readonly string[],
): Promise<DepartmentLeader[]> {
  const isLedByMembers = sql<boolean>`leader_id = any(${ids}::uuid[])`
  const departments = await db
    .selectFrom('department')
    .select(['id', 'leader_id'])
    .where('company_id', '=', company_id)
    .where(isLedByMembers)
    .execute()
  await db.updateTable('department').set({ leader_id: null }).where('company_id', '=', company_id).where(isLedByMembers).execute()
  return departments.flatMap(({ id, leader_id }) => (leader_id ? [{ id, leader_id }] : []))
}
