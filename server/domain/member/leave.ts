/** What leaving is, for one or for many. Writes member and department. */
import { sql } from 'kysely'
import { dayOf } from '../../runtime/clock.ts'
import type { Ctx } from '../../runtime/handle.ts'
import { differences, record } from './file/events.ts'

type Here = Pick<Ctx, 'db' | 'company_id' | 'now' | 'me' | 'vault'>
/** Who was set over what. */
export type Leader = { readonly id: string; readonly leader_id: string }

/** `on`: their last day. Answers how many of them were still here. By the account he had somebody is known again, should he come back with another phone. */
export async function markLeft(ctx: Here, ids: readonly string[], on?: string): Promise<number> {
  const { db, company_id, now } = ctx
  const left_on = on ?? dayOf(now)
  const left = await db
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
  await record(
    ctx,
    left.map(({ id }) => ({ member_id: id, kind: 'left', changes: differences([['left_on', null, left_on]]) })),
  )
  return left.length
}

/** Whoever has left leads no department. Answers which they were set over. */
export async function leadNothing(
  { db, company_id }: Pick<Here, 'db' | 'company_id'>,
  ids: readonly string[],
): Promise<Leader[]> {
  const theirs = sql<boolean>`leader_id = any(${ids}::uuid[])`
  const led = await db
    .selectFrom('department')
    .select(['id', 'leader_id'])
    .where('company_id', '=', company_id)
    .where(theirs)
    .execute()
  await db.updateTable('department').set({ leader_id: null }).where('company_id', '=', company_id).where(theirs).execute()
  return led.flatMap(({ id, leader_id }) => (leader_id ? [{ id, leader_id }] : []))
}
