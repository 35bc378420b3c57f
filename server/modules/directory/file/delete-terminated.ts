/**
 * Deletes the data of members who left long ago, by a function of the database that refuses to go below the lower bound:
 * identity card, bank account, mail address, earlier phone, deductions, insurance, invites and history.
 */
import { sql } from 'kysely'
import type { CompanyTx } from '../../../database/company-tx.ts'
import { fail, type HandlerContext } from '../../../http/handler.ts'
import { toShanghaiDate } from '../../../shared/clock.ts'
import { openPrivateFields, sealPrivateFields } from '../add.ts'
import { getMemberRowIds } from './info.ts'

export async function deleteTerminatedMemberData({ db }: CompanyTx, before: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`select delete_terminated_member_data(${before}, ${limit}) as deleted`.execute(
    db,
  )
  return rows[0]?.deleted ?? 0
}

/** Deletes bank account, mail address, earlier phone, platform account and invites of one terminated member at once. */
export async function eraseTerminatedMember(ctx: HandlerContext, id: string): Promise<{ left_on: string }> {
  const { db, company_id, vault } = ctx
  await getMemberRowIds(ctx, id)
  const member = await db
    .selectFrom('member')
    .select(['status', 'left_on', 'left_at', 'private'])
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (member.status !== 'left') throw fail('wrong_state', '在职员工的资料不能删除；请先标记离职')
  const remaining = sealPrivateFields(vault, id, openPrivateFields(ctx, id, member.private), { bank_account: null })
  await sql`select erase_member_data(${id}, ${remaining.private})`.execute(db)
  return { left_on: member.left_on ?? toShanghaiDate(member.left_at ?? ctx.now) }
}
