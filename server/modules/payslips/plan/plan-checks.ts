/** Checks whether the user may send a plan or request its approval: all recipients in scope, required spot checks done. */
import { sql } from 'kysely'
import type { BatchStatus } from '../../../contract/shared/schemas.ts'
import { fail, type HandlerContext } from '../../../http/handler.ts'
import { isPayablePayslip } from '../../directory/index.ts'

/** The plan was frozen by an administrator with a larger scope, or before the user's own scope was reduced. */
export async function assertPlanInScope(ctx: HandlerContext, batch_id: string, status: BatchStatus): Promise<void> {
  const outOfScope = await ctx.db
    .selectFrom('payslip')
    .select('id')
    .where('company_id', '=', ctx.company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', 'waiting')
    .where(sql<boolean>`not ${isPayablePayslip(ctx)}`)
    .limit(1)
    .executeTakeFirst()
  if (outOfScope)
    throw fail('wrong_state', '这份安排里有您已不管理的部门的员工，请回到「核对」跳过他们，再重新安排发送', { status })
}

/** Throws if the plan's spot checks are not confirmed; records who confirms them. Returns their number. */
export async function assertSpotChecked(
  ctx: HandlerContext,
  {
    plan_id,
    spot_checks: spotChecks,
    spot_checked_at,
    status,
  }: { plan_id: string; spot_checks: unknown; spot_checked_at: Date | null; status: BatchStatus },
  isSpotChecked: boolean,
): Promise<number> {
  const count = Array.isArray(spotChecks) ? spotChecks.length : 0
  // Confirmed earlier, when approval was requested.
  if (count === 0 || spot_checked_at) return count
  if (!isSpotChecked)
    throw fail('wrong_state', `请先看过列出的 ${count} 位员工的工资条，确认姓名和金额是本人的，再发送`, {
      status,
      spot_checks: count,
    })
  await ctx.db
    .updateTable('send_plan')
    .set({ spot_checked_by: ctx.currentUser.account_id, spot_checked_at: ctx.now })
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', plan_id)
    .execute()
  return count
}
