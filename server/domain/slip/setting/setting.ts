/** Wage settings of the company. The settings themselves are kept by the company; these are the calls. */
import * as contract from '../../../contract/slip/slip.ts'
import { type Ctx, handle, refuse } from '../../../runtime/handle.ts'
import { canDecideSend } from '../../approval/index.ts'
import { meansOf, type SettingChange, saveSetting, settingOf } from '../../company/index.ts'
import { notify } from '../../desk/index.ts'
import { keepsAll } from '../../member/index.ts'
import { adminsWith } from '../../role/index.ts'
import { shownByExample } from '../send/claims.ts'

/** Only what was given; `undefined` is not a change. */
const given = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }

/** What holds for everybody is changed by whoever pays everybody; so nobody of one department becomes a reader of all standings either. */
async function change(ctx: Ctx, to: SettingChange): Promise<void> {
  if (!keepsAll(ctx))
    throw refuse('not_permitted', '这些设置对全公司生效，您只管理部分部门，不能修改；请联系管理全公司的薪酬管理员或系统管理员')
  await saveSetting(ctx, to)
}

export const setting = handle(contract.setting, async (ctx) => {
  const { name, provider } = await meansOf(ctx)
  return { ...(await settingOf(ctx)), changeable: keepsAll(ctx), locked: { provider, shown: shownByExample(ctx, name) } }
})
export const setFeedback = handle(contract.setFeedback, async (ctx, { status, answer_days }) => {
  await change(ctx, given({ feedback: status, answer_days }))
  return {}
})
export const setConfirm = handle(contract.setConfirm, async (ctx, { status }) => {
  await change(ctx, { confirm: status })
  return {}
})
export const setLeaver = handle(contract.setLeaver, async (ctx, { months }) => {
  await change(ctx, { leaver_months: months })
  return {}
})
export const getConfirmRule = handle(contract.getConfirmRule, async (ctx) => (await settingOf(ctx)).confirm_rule)
export const setConfirmRule = handle(contract.setConfirmRule, async (ctx, { auto_confirm_days, remind_day }) => {
  await change(ctx, given({ auto_confirm_days, add_remind_day: remind_day, at: ctx.now }))
  return {}
})
export const clearConfirmRule = handle(contract.clearConfirmRule, async (ctx, { remind_day }) => {
  await change(ctx, { clear_remind_day: remind_day })
  return {}
})
export const getSendRule = handle(contract.getSendRule, async (ctx) => (await settingOf(ctx)).send_rule)
export const setSendRule = handle(contract.setSendRule, async (ctx, { remind_member, weChat, ...flags }) => {
  if (flags.approve_from !== undefined) await mayChangeApproval(ctx, flags.approve_from)
  const chat = weChat === undefined ? undefined : weChat === 1
  await change(ctx, given({ ...flags, weChat: chat, add_remind_member: remind_member }))
  return {}
})
/**
 * Whoever pays everybody may ask for approvals, or for more of them; fewer are for whoever may do everything, or a sender would free himself. All
 * others who may hear of it.
 */
async function mayChangeApproval(ctx: Ctx, to: number): Promise<void> {
  const { me } = ctx
  const { approve_from: from } = (await settingOf(ctx)).send_rule
  if (to === from || !me.admin_id) return
  const others = await canDecideSend(ctx, me.admin_id)
  if (to > 0 && others.length === 0)
    throw refuse('not_permitted', '企业里没有另一位管理员可以审批，请先添加一位系统管理员，再打开发送审批')
  if (from > 0 && (to === 0 || to > from) && !me.power.includes('4'))
    throw refuse('not_permitted', '关闭或放宽发送审批，要由系统管理员来做')
  const words = to === 0 ? '关闭了发送审批' : `把发送审批改为 ${to} 人及以上`
  for (const admin_id of await adminsWith(ctx, ['2', '4']))
    if (admin_id !== me.admin_id) await notify(ctx, admin_id, { kind: 'approval', text: `${me.name} ${words}`, batch_id: null })
}

export const clearSendRule = handle(contract.clearSendRule, async (ctx, { remind_member }) => {
  await change(ctx, { clear_remind_member: remind_member })
  return {}
})
