/** Confirmation of a changed phone by two administrators: one requests it, another one decides. */

import * as contract from '../../contract/approvals/approvals.ts'
import { defineHandler, fail, type HandlerContext } from '../../http/handler.ts'
import { listSystemAdminIds } from '../access/index.ts'
import { confirmPhone, lockUnconfirmedPhone, requireUnconfirmedPhone } from '../directory/index.ts'
import { notify } from '../notifications/index.ts'
import { createApproval } from './approval-rows.ts'

export const applyConfirmPhone = defineHandler(contract.applyConfirmPhone, async (ctx, { member_id }) => {
  const { db, company_id, currentUser } = ctx
  if (!currentUser.admin_id) throw fail('not_permitted')
  const member = await requireUnconfirmedPhone(ctx, member_id)
  if (!member) throw fail('wrong_state', '这位员工的手机号不需要确认，请刷新', { status: 'confirmed' })
  const pending = await db
    .selectFrom('approval')
    .select('id')
    .where('company_id', '=', company_id)
    .where('member_id', '=', member_id)
    .where('kind', '=', 'phone')
    .where('status', '=', 0)
    .executeTakeFirst()
  if (pending) throw fail('wrong_state', '已经申请过确认，请等待另一位管理员审批', { status: 'waiting' })
  const { id, approval_no } = await createApproval(ctx, {
    kind: 'phone',
    applicant_id: currentUser.admin_id,
    member_id,
    account_id: member.account_id,
  })
  const text = `${currentUser.name} 申请确认 ${member.name} 的新手机号（尾号${member.mobile.slice(-4)}）是本人的，请向本人核实后审批`
  for (const adminId of await listSystemAdminIds(ctx))
    if (adminId !== currentUser.admin_id) await notify(ctx, adminId, { kind: 'approval', text, batch_id: null })
  ctx.addAuditDetails({ approval_id: id })
  return { approval_no, message: '已申请确认，请等待另一位管理员审批；也可以请本人登录后自己确认' }
})

/** Confirms only the state at the time of the request: a phone or owner changed since then is not confirmed. */
export async function applyPhoneConfirmation(
  ctx: HandlerContext,
  approval: {
    readonly member_id: string | null
    readonly created_at: Date
    readonly named: string | null
    readonly to_name: string
  },
): Promise<void> {
  const member = approval.member_id ? await lockUnconfirmedPhone(ctx, approval.member_id) : null
  if (!member)
    throw fail('wrong_state', `${approval.to_name} 的手机号已经确认过，或已离职，请驳回这份申请`, { status: 'confirmed' })
  const joinedSince = approval.named !== null && approval.named !== member.account_id
  if (member.unconfirmed_at > approval.created_at || joinedSince || !(await confirmPhone(ctx, member)))
    throw fail('wrong_state', `${approval.to_name} 的手机号在申请之后又改过，请核实后驳回，再重新申请`, { status: 'changed' })
}
