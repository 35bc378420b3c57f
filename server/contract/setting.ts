/** Wage settings of a company. calls.md §5. */
import * as z from 'zod/mini'
import { call } from './call.ts'
import { holders } from './who.ts'
import { id, nothing } from './words.ts'

const payroll = holders('2')

/** Spec §3: the flag of the workplace chat is a number on the wire; always 0 where `corp_origin` is 10. */
const zeroOrOne = z.union([z.literal(0), z.literal(1)])

const settings = z.object({
  feedback: z.boolean(),
  confirm: z.boolean(),
  confirm_rule: z.object({ auto_confirm_days: z.int(), remind_days: z.array(z.int()) }),
  send_rule: z.object({
    weChat: zeroOrOne,
    sms: z.boolean(),
    link: z.boolean(),
    remind_members: z.array(z.object({ member_id: id, name: z.string() })),
    view_password: z.boolean(),
    burn_after_minutes: z.int(),
    watermark: z.boolean(),
  }),
})
const read = { who: payroll, once: false, audit: 'none', rate: 'normal', takes: 'query', gives: 'json', refuses: [] } as const
const write = {
  who: payroll,
  once: false,
  audit: 'change',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  refuses: ['not_found'],
} as const
const remind_day = z.int().check(z.gte(1, '提醒天数为 1 到 28'), z.lte(28, '提醒天数为 1 到 28'))

export const setting = call('GET /api/wage/setting', {
  does: 'Wage settings of the company',
  ...read,
  input: nothing,
  /** `changeable`: he pays everybody, for whom these hold. */
  output: z.extend(settings, { changeable: z.boolean() }),
})
export const setFeedback = call('POST /api/wage/setting/feedback', {
  does: 'Whether employees may write feedback',
  ...write,
  input: z.object({ status: z.boolean() }),
  output: nothing,
})
export const setConfirm = call('POST /api/wage/setting/confirm', {
  does: 'Whether employees are asked to confirm',
  ...write,
  input: z.object({ status: z.boolean() }),
  output: nothing,
})
export const getConfirmRule = call('GET /api/wage/setting/confirm_rule', {
  does: 'When slips confirm themselves, when to remind',
  ...read,
  input: nothing,
  output: settings.shape.confirm_rule,
})
export const setConfirmRule = call('POST /api/wage/setting/confirm_rule', {
  does: 'Set the days to automatic confirmation (0 never), or add a remind day',
  ...write,
  input: z.object({ auto_confirm_days: z.optional(z.int().check(z.gte(0), z.lte(60))), remind_day: z.optional(remind_day) }),
  output: nothing,
})
export const clearConfirmRule = call('DELETE /api/wage/setting/confirm_rule', {
  does: 'Remove a remind day',
  ...write,
  takes: 'json',
  input: z.object({ remind_day }),
  output: nothing,
})
export const getSendRule = call('GET /api/wage/setting/send_rule', {
  does: 'Channels, people to remind, and how slips behave',
  ...read,
  input: nothing,
  output: settings.shape.send_rule,
})
export const setSendRule = call('POST /api/wage/setting/send_rule', {
  does: 'Set the flags, or add a person who is reminded',
  ...write,
  input: z.object({
    weChat: z.optional(zeroOrOne),
    sms: z.optional(z.boolean()),
    link: z.optional(z.boolean()),
    view_password: z.optional(z.boolean()),
    burn_after_minutes: z.optional(z.int().check(z.gte(0), z.lte(43_200))),
    watermark: z.optional(z.boolean()),
    remind_member: z.optional(id),
  }),
  output: nothing,
})
export const clearSendRule = call('DELETE /api/wage/setting/send_rule', {
  does: 'Remove a person who is reminded',
  ...write,
  input: z.object({ remind_member: id }),
  output: nothing,
})
