/** Asking that one's payroll authority be handed over, and what is shown before somebody asks or decides. */
import * as contract from '../../contract/corp/approval.ts'
import { maskMobile } from '../../contract/words/words.ts'
import { handle, handleRights, refuse } from '../../runtime/handle.ts'
import { notify } from '../desk/index.ts'
import { headsOf, joinedPeople } from '../role/index.ts'
import { runsOf } from '../sheet/index.ts'
import { takeDown, waitingTransfer } from './applications.ts'
import { administrator, firstWageManager } from './who.ts'

export const getWageManagerInfo = handle(contract.getWageManagerInfo, async (ctx) => {
  const { me } = ctx
  const one = me.admin_id && me.power.includes('2') ? await administrator(ctx, me.admin_id) : await firstWageManager(ctx)
  const waiting = me.admin_id ? await waitingTransfer(ctx, me.admin_id) : null
  return {
    user_id: one.id,
    name: one.name,
    mobile: maskMobile(one.mobile),
    scope: one.scope,
    waiting: waiting && { approval_no: waiting.approval_no, to: waiting.name },
  }
})

export const applyTransferWageManager = handleRights(contract.applyTransferWageManager, async (ctx, { member_id }) => {
  const { me } = ctx
  if (me.agency) throw refuse('not_permitted', '您是代理企业的人员，权限由对方企业授予，不能移交')
  const [to] = await joinedPeople(ctx, [member_id])
  if (!to) throw refuse('not_found', '没有找到所选的员工，请刷新后重选')
  if (me.power.includes('4')) throw refuse('not_permitted', '您是系统管理员，可以在「薪酬管理员」页面直接移交，无需申请')
  if (me.power.includes('1')) throw refuse('not_permitted', '您同时是企业管理员，请由系统管理员直接移交')
  if (to.id === me.member_id) throw refuse('wrong_state', '不能移交给本人，请选择其他人', { status: 'self' })
  // All administrators are held: of two applications at once the second finds the first.
  const applicant_id = me.admin_id
  if (!applicant_id || !me.power.includes('2')) throw refuse('not_permitted', '您已不是薪酬管理员，无需移交')
  if (await waitingTransfer(ctx, applicant_id))
    throw refuse('wrong_state', '您已有一份移交申请在等待审批，可以先撤回再重新申请', { status: 'waiting' })
  const heads = await headsOf(ctx)
  if (heads.length === 0) throw refuse('wrong_state', '企业还没有系统管理员，无法审批，请联系客服', { status: 'no_head' })
  const { id, approval_no } = await takeDown(ctx, {
    kind: 'wage_transfer',
    applicant_id,
    member_id: to.id,
    account_id: to.account_id,
  })
  const text = `${me.name} 申请把薪酬管理权限移交给 ${to.name}，请审批`
  for (const head of heads) await notify(ctx, head, { kind: 'approval', text, batch_id: null })
  ctx.about({ approval_id: id })
  return { approval_no, message: '已发起移交审批，请等待系统管理员审批' }
})

/** Also of somebody whose power was taken while pay runs are still his: these wait to be handed over. */
export const getSystemManagerTransferInfo = handle(contract.getSystemManagerTransferInfo, async (ctx, { id }) => {
  const one = await administrator(ctx, id)
  const { batches, titles, shares } = await runsOf(ctx, id)
  if (!one.power.includes('2') && batches + titles === 0) throw refuse('not_found', '这位管理员没有薪酬管理权限，也没有工资记录')
  const waiting = await waitingTransfer(ctx, id)
  return {
    user_id: one.id,
    name: one.name,
    scope: one.scope,
    batches,
    shares,
    to: waiting && { member_id: waiting.member_id, name: waiting.name, approval_no: waiting.approval_no },
  }
})
