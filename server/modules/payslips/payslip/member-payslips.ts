/** The newest payslips of some members, for the page about a member. */
import { sql } from 'kysely'
import type { HandlerContext } from '../../../http/handler.ts'
import { getMemberNames } from '../../directory/index.ts'
import { getBatchTitles } from '../../sheets/index.ts'
import { selectVisiblePayslips } from '../send/ledger.ts'

/** Lists only those visible to the user, newest first. */
export async function listMemberPayslips(ctx: HandlerContext, member_ids: readonly string[], limit: number) {
  if (member_ids.length === 0) return []
  const rows = await selectVisiblePayslips(ctx)
    .select(['payslip.id', 'payslip.batch_id', 'payslip.member_id', 'payslip.status'])
    .where('payslip.member_id', '=', sql<string>`any(${[...member_ids]}::uuid[])`)
    .where('payslip.status', '<>', 'waiting')
    .orderBy('payslip.id', 'desc')
    .limit(limit)
    .execute()
  const names = await getMemberNames(ctx, [...new Set(rows.map(({ member_id }) => member_id))])
  const titles = await getBatchTitles(ctx, [...new Set(rows.map(({ batch_id }) => batch_id))])
  return rows.map(({ id, batch_id, member_id, status }) => ({
    salary_id: id,
    batch_id,
    name: names.get(member_id)?.name ?? '',
    title: titles.get(batch_id)?.title ?? '',
    month: titles.get(batch_id)?.month ?? null,
    status,
  }))
}
