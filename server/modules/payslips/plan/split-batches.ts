/** Batches each below the approval threshold but above it together: nothing is blocked, but possible approvers are notified. */

import { sql } from 'kysely'
import type { HandlerContext } from '../../../http/handler.ts'
import { deriveId } from '../../../shared/ids.ts'
import { listSendDeciders } from '../../approvals/index.ts'
import { notify } from '../../notifications/index.ts'
import { getMonthBatches } from '../../sheets/index.ts'
import { needsApproval } from '../rules/payslip-rules.ts'

/**
 * Called when a batch is sent without approval. `approvalThreshold` is the number of recipients from which approval is
 * needed. A member in two batches of a month (wages and a bonus) counts once. Each approver is notified once a month.
 */
export async function notifySplitBatches(
  ctx: HandlerContext,
  { batch_id, from: approvalThreshold }: { readonly batch_id: string; readonly from: number },
): Promise<void> {
  const { db, company_id, currentUser } = ctx
  if (approvalThreshold === 0 || !currentUser.admin_id) return
  const monthBatches = await getMonthBatches(ctx, batch_id)
  if (!monthBatches) return
  const { month, batch_ids } = monthBatches
  const { rows } = await sql<{ runs: number; people: number }>`
    select count(distinct slip.batch_id)::int as runs, count(distinct slip.member_id)::int as people
    from payslip as slip
    where slip.company_id = ${company_id} and slip.batch_id = any(${batch_ids}::uuid[]) and slip.status <> 'withdrawn'
      and (slip.batch_id = ${batch_id} or (slip.status <> 'waiting' and exists (
        select from send_plan where send_plan.company_id = ${company_id} and send_plan.batch_id = slip.batch_id
          and send_plan.status = 'started' and send_plan.approval_id is null)))`.execute(db)
  const { runs, people } = rows[0] ?? { runs: 0, people: 0 }
  if (runs < 2 || !needsApproval(approvalThreshold, people)) return
  const text = `${month} 的工资条没有经过审批，分 ${runs} 批共发给 ${people} 人，合起来已到审批线 ${approvalThreshold} 人；请核对是否拆开发送`
  for (const admin_id of await listSendDeciders(ctx, currentUser.admin_id))
    await notify(ctx, admin_id, { id: deriveId('split', company_id, month, admin_id), kind: 'approval', text, batch_id })
}
