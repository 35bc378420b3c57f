/** Wage settings of the company. The settings themselves are kept by the company; these are the calls. */
import * as contract from '../../contract/slip.ts'
import { handle } from '../../runtime/handle.ts'
import { saveSetting, settingOf } from '../company/index.ts'

/** Only what was given; `undefined` is not a change. */
const given = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }

export const setting = handle(contract.setting, (ctx) => settingOf(ctx))
export const setFeedback = handle(contract.setFeedback, async (ctx, { status }) => {
  await saveSetting(ctx, { feedback: status })
  return {}
})
export const setConfirm = handle(contract.setConfirm, async (ctx, { status }) => {
  await saveSetting(ctx, { confirm: status })
  return {}
})
export const getConfirmRule = handle(contract.getConfirmRule, async (ctx) => (await settingOf(ctx)).confirm_rule)
export const setConfirmRule = handle(contract.setConfirmRule, async (ctx, { auto_confirm_days, remind_day }) => {
  await saveSetting(ctx, given({ auto_confirm_days, add_remind_day: remind_day, at: ctx.now }))
  return {}
})
export const clearConfirmRule = handle(contract.clearConfirmRule, async (ctx, { remind_day }) => {
  await saveSetting(ctx, { clear_remind_day: remind_day })
  return {}
})
export const getSendRule = handle(contract.getSendRule, async (ctx) => (await settingOf(ctx)).send_rule)
export const setSendRule = handle(contract.setSendRule, async (ctx, { remind_member, ...flags }) => {
  await saveSetting(ctx, given({ ...flags, add_remind_member: remind_member }))
  return {}
})
export const clearSendRule = handle(contract.clearSendRule, async (ctx, { remind_member }) => {
  await saveSetting(ctx, { clear_remind_member: remind_member })
  return {}
})
