/** Handlers of the wage settings. The settings themselves are stored by the company module. */

import * as contract from '../../../contract/payslips/send.ts'
import { defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import { listAdminIdsWithPowers } from '../../access/index.ts'
import { listSendDeciders } from '../../approvals/index.ts'
import { getDeliveryMeans } from '../../billing/index.ts'
import { loadWageSettings, saveWageSettings, type WageSettingsChange } from '../../company/settings/index.ts'
import { canManageAllMembers } from '../../directory/index.ts'
import { notify } from '../../notifications/index.ts'
import { previewExampleMessages } from '../send/message-source.ts'

/** Keeps only given fields; `undefined` is not a change. */
const omitUndefined = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }

/**
 * Settings for all members are changed only by administrators who pay all members; this also prevents an administrator
 * of one department from receiving all progress reports.
 */
async function updateSettings(ctx: HandlerContext, to: WageSettingsChange): Promise<void> {
  if (!canManageAllMembers(ctx))
    throw fail('not_permitted', '这些设置对全公司生效，您只管理部分部门，不能修改；请联系管理全公司的薪酬管理员或系统管理员')
  await saveWageSettings(ctx, to)
}

export const getWageSettings = defineHandler(contract.getWageSettings, async (ctx) => {
  const { name, provider } = await getDeliveryMeans(ctx)
  return {
    ...(await loadWageSettings(ctx)),
    can_edit: canManageAllMembers(ctx),
    lock_screen: { provider, shown: previewExampleMessages(ctx, name) },
  }
})
export const setFeedback = defineHandler(contract.setFeedback, async (ctx, { status, answer_days }) => {
  await updateSettings(ctx, omitUndefined({ feedback: status, answer_within_days: answer_days }))
  return {}
})
export const setConfirm = defineHandler(contract.setConfirm, async (ctx, { status }) => {
  await updateSettings(ctx, { confirm: status })
  return {}
})
export const setTerminatedAccess = defineHandler(contract.setTerminatedAccess, async (ctx, { months }) => {
  await updateSettings(ctx, { terminated_access_months: months })
  return {}
})
export const getConfirmRule = defineHandler(contract.getConfirmRule, async (ctx) => (await loadWageSettings(ctx)).confirm_rule)
export const setConfirmRule = defineHandler(contract.setConfirmRule, async (ctx, { auto_confirm_days, remind_day }) => {
  await updateSettings(ctx, omitUndefined({ auto_confirm_days, add_remind_day: remind_day, at: ctx.now }))
  return {}
})
export const clearConfirmRule = defineHandler(contract.clearConfirmRule, async (ctx, { remind_day }) => {
  await updateSettings(ctx, { clear_remind_day: remind_day })
  return {}
})
export const getSendRule = defineHandler(contract.getSendRule, async (ctx) => (await loadWageSettings(ctx)).send_rule)
export const setSendRule = defineHandler(contract.setSendRule, async (ctx, { remind_member, weChat, ...flags }) => {
  if (flags.approve_from !== undefined) await assertCanChangeApproval(ctx, flags.approve_from)
  const chat = weChat === undefined ? undefined : weChat === 1
  await updateSettings(ctx, omitUndefined({ ...flags, weChat: chat, add_remind_member: remind_member }))
  return {}
})
/**
 * An administrator who pays all members may require approvals, or more of them; reducing them needs a system
 * administrator, otherwise senders could exempt themselves. All other system administrators are notified.
 */
async function assertCanChangeApproval(ctx: HandlerContext, to: number): Promise<void> {
  const { currentUser } = ctx
  const { approve_from: from } = (await loadWageSettings(ctx)).send_rule
  if (to === from || !currentUser.admin_id) return
  const otherApprovers = await listSendDeciders(ctx, currentUser.admin_id)
  if (to > 0 && otherApprovers.length === 0)
    throw fail('not_permitted', '企业里没有另一位管理员可以审批，请先添加一位系统管理员，再打开发送审批')
  if (from > 0 && (to === 0 || to > from) && !currentUser.power.includes('4'))
    throw fail('not_permitted', '关闭或放宽发送审批，要由系统管理员来做')
  const changeText = to === 0 ? '关闭了发送审批' : `把发送审批改为 ${to} 人及以上`
  for (const admin_id of await listAdminIdsWithPowers(ctx, ['2', '4']))
    if (admin_id !== currentUser.admin_id)
      await notify(ctx, admin_id, { kind: 'approval', text: `${currentUser.name} ${changeText}`, batch_id: null })
}

export const clearSendRule = defineHandler(contract.clearSendRule, async (ctx, { remind_member }) => {
  await updateSettings(ctx, { clear_remind_member: remind_member })
  return {}
})
