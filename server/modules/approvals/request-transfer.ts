/** Requesting a transfer of payroll authority, and the information shown before a request or decision. */

import * as contract from '../../contract/approvals/approvals.ts'
import { maskMobile } from '../../contract/shared/schemas.ts'
import { defineHandler, fail } from '../../http/handler.ts'
import { listSystemAdminIds, lockJoinedMembers } from '../access/index.ts'
import { notify } from '../notifications/index.ts'
import { countOwned } from '../sheets/index.ts'
import { getAdminProfile, getFirstPayrollAdmin } from './admin-profile.ts'
import { createApproval, findPendingTransfer } from './approval-rows.ts'

export const getWageManagerInfo = defineHandler(contract.getWageManagerInfo, async (ctx) => {
  const { currentUser } = ctx
  const admin =
    currentUser.admin_id && currentUser.power.includes('2')
      ? await getAdminProfile(ctx, currentUser.admin_id)
      : await getFirstPayrollAdmin(ctx)
  const pending = currentUser.admin_id ? await findPendingTransfer(ctx, currentUser.admin_id) : null
  return {
    user_id: admin.id,
    name: admin.name,
    mobile: maskMobile(admin.mobile),
    scope: admin.scope,
    pending_approval: pending && { approval_no: pending.approval_no, to: pending.name },
  }
})

export const applyTransferWageManager = defineHandler(
  contract.applyTransferWageManager,
  { locks: 'access' },
  async (ctx, { member_id }) => {
    const { currentUser } = ctx
    if (currentUser.agency) throw fail('not_permitted', '您是代理企业的人员，权限由对方企业授予，不能移交')
    const [to] = await lockJoinedMembers(ctx, [member_id])
    if (!to) throw fail('not_found', '没有找到所选的员工，请刷新后重选')
    if (currentUser.power.includes('4')) throw fail('not_permitted', '您是系统管理员，可以在「薪酬管理员」页面直接移交，无需申请')
    if (currentUser.power.includes('1')) throw fail('not_permitted', '您同时是企业管理员，请由系统管理员直接移交')
    if (to.id === currentUser.member_id) throw fail('wrong_state', '不能移交给本人，请选择其他人', { status: 'self' })
    // Locks all administrators: of two concurrent requests the second finds the first.
    const applicant_id = currentUser.admin_id
    if (!applicant_id || !currentUser.power.includes('2')) throw fail('not_permitted', '您已不是薪酬管理员，无需移交')
    if (await findPendingTransfer(ctx, applicant_id))
      throw fail('wrong_state', '您已有一份移交申请在等待审批，可以先撤回再重新申请', { status: 'waiting' })
    const systemAdminIds = await listSystemAdminIds(ctx)
    if (systemAdminIds.length === 0)
      throw fail('wrong_state', '企业还没有系统管理员，无法审批，请联系客服', { status: 'no_head' })
    const { id, approval_no } = await createApproval(ctx, {
      kind: 'wage_transfer',
      applicant_id,
      member_id: to.id,
      account_id: to.account_id,
    })
    const text = `${currentUser.name} 申请把薪酬管理权限移交给 ${to.name}，请审批`
    for (const adminId of systemAdminIds) await notify(ctx, adminId, { kind: 'approval', text, batch_id: null })
    ctx.addAuditDetails({ approval_id: id })
    return { approval_no, message: '已发起移交审批，请等待系统管理员审批' }
  },
)

/** Also accepts an administrator whose power was removed while they still own pay runs, which await a transfer. */
export const getSystemManagerTransferInfo = defineHandler(contract.getSystemManagerTransferInfo, async (ctx, { id }) => {
  const admin = await getAdminProfile(ctx, id)
  const { batches, titles, shares } = await countOwned(ctx, id)
  if (!admin.power.includes('2') && batches + titles === 0) throw fail('not_found', '这位管理员没有薪酬管理权限，也没有工资记录')
  const pending = await findPendingTransfer(ctx, id)
  return {
    user_id: admin.id,
    name: admin.name,
    scope: admin.scope,
    batches,
    shares,
    to: pending && { member_id: pending.member_id, name: pending.name, approval_no: pending.approval_no },
  }
})
