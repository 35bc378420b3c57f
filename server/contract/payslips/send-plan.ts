/** Sending payslips: company settings, the choices of step 4 for a batch, and the resulting send plan. calls.md §5. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineChange, defineRead, defineView } from '../call.ts'
import { providers } from '../shared/providers.ts'
import { batchStatus, channel, channels, emptyObject, id, rowNumber, time } from '../shared/schemas.ts'
import { spotCheck } from '../sheets/layout.ts'
import { payslipRules } from './payslip.ts'

const payroll = requirePower('2')

export const maxUndoSeconds = 600

/** Spec §3: the flag of the workplace chat is a number on the wire; always 0 where `corp_origin` is 10. */
const numericFlag = z.union([z.literal(0), z.literal(1)])

/** The lock screen preview of each channel, built by the functions that build the messages. `title` is empty for an SMS. */
const lockScreenPreviews = z.array(z.object({ channel, title: z.string(), text: z.string() }))

const wageSettings = z.object({
  feedback: z.boolean(),
  confirm: z.boolean(),
  /** How many months terminated employees may read their payslips, each time after a code to their phone; 0: not at all. */
  terminated_access_months: z.int(),
  /** Working days within which feedback must be answered; 0: no limit. */
  answer_within_days: z.int(),
  confirm_rule: z.object({ auto_confirm_days: z.int(), remind_days: z.array(z.int()) }),
  send_rule: z.object({
    weChat: numericFlag,
    sms: z.boolean(),
    /** Also false where the company has no tested mailbox. */
    email: z.boolean(),
    link: z.boolean(),
    remind_members: z.array(z.object({ member_id: id, name: z.string() })),
    view_password: z.boolean(),
    burn_after_minutes: z.int(),
    watermark: z.boolean(),
    /** Seconds after 发送 during which nothing is sent and 撤销 is free; 0 sends at once. */
    undo_seconds: z.int(),
    /** Sends to this many recipients or more need the approval of a second administrator; 0: never. */
    approve_from: z.int(),
  }),
})
const remind_day = z.int().check(z.gte(1, '提醒天数为 1 到 28'), z.lte(28, '提醒天数为 1 到 28'))

export const getWageSettings = defineRead('GET /api/wage/setting', payroll, {
  summary: 'Returns the wage settings of the company.',
  input: emptyObject,
  /**
   * `can_edit`: the user pays all employees, to whom these settings apply. `has_mailbox`: a mailbox has accepted a test
   * message. `lock_screen`: the lock screen preview for a batch of this month.
   */
  output: z.extend(wageSettings, {
    can_edit: z.boolean(),
    has_mailbox: z.boolean(),
    lock_screen: z.object({ provider: z.nullable(z.enum(providers)), shown: lockScreenPreviews }),
  }),
})
export const setFeedback = defineChange('POST /api/wage/setting/feedback', payroll, {
  summary: 'Sets whether employees may send feedback and within how many working days it is answered (0: no deadline).',
  idempotent: false,
  input: z.object({
    status: z.optional(z.boolean()),
    answer_days: z.optional(z.int().check(z.gte(0, '天数为 0 到 20'), z.lte(20, '天数为 0 到 20'))),
  }),
  output: emptyObject,
  errors: ['not_found'],
})
export const setConfirm = defineChange('POST /api/wage/setting/confirm', payroll, {
  summary: 'Sets whether employees are asked to confirm.',
  idempotent: false,
  input: z.object({ status: z.boolean() }),
  output: emptyObject,
  errors: ['not_found'],
})
export const setTerminatedAccess = defineChange('POST /api/wage/setting/leaver', payroll, {
  summary: 'Sets how long terminated employees may read their own payslips. Applies at once to all terminated employees.',
  idempotent: false,
  input: z.object({ months: z.int().check(z.gte(0, '月数为 0 到 120'), z.lte(120, '月数为 0 到 120')) }),
  output: emptyObject,
  errors: ['not_found'],
})
export const getConfirmRule = defineRead('GET /api/wage/setting/confirm_rule', payroll, {
  summary: 'Returns when payslips are confirmed automatically and when reminders are sent.',
  input: emptyObject,
  output: wageSettings.shape.confirm_rule,
})
export const setConfirmRule = defineChange('POST /api/wage/setting/confirm_rule', payroll, {
  summary: 'Sets the days until automatic confirmation (0: never), or adds a reminder day.',
  idempotent: false,
  input: z.object({ auto_confirm_days: z.optional(z.int().check(z.gte(0), z.lte(60))), remind_day: z.optional(remind_day) }),
  output: emptyObject,
  errors: ['not_found'],
})
export const clearConfirmRule = defineChange('DELETE /api/wage/setting/confirm_rule', payroll, {
  summary: 'Removes a reminder day.',
  idempotent: false,
  input: z.object({ remind_day }),
  output: emptyObject,
  errors: ['not_found'],
})
export const getSendRule = defineRead('GET /api/wage/setting/send_rule', payroll, {
  summary: 'Returns channels, reminder recipients and payslip behaviour.',
  input: emptyObject,
  output: wageSettings.shape.send_rule,
})
export const setSendRule = defineChange('POST /api/wage/setting/send_rule', payroll, {
  summary: 'Sets the flags, or adds a reminder recipient.',
  idempotent: false,
  input: z.object({
    weChat: z.optional(numericFlag),
    sms: z.optional(z.boolean()),
    email: z.optional(z.boolean()),
    link: z.optional(z.boolean()),
    view_password: z.optional(z.boolean()),
    burn_after_minutes: z.optional(z.int().check(z.gte(0), z.lte(43_200))),
    watermark: z.optional(z.boolean()),
    undo_seconds: z.optional(z.int().check(z.gte(0), z.lte(maxUndoSeconds, `最多 ${maxUndoSeconds} 秒`))),
    approve_from: z.optional(z.int().check(z.gte(0), z.lte(100_000))),
    remind_member: z.optional(id),
  }),
  output: emptyObject,
  errors: ['not_found'],
})
export const clearSendRule = defineChange('DELETE /api/wage/setting/send_rule', payroll, {
  summary: 'Removes a reminder recipient.',
  idempotent: false,
  input: z.object({ remind_member: id }),
  output: emptyObject,
  errors: ['not_found'],
})

// Before a batch is sent

const maxRows = 100_000
/** In the order of attempts: the first channel that reaches a recipient is used. */
const channelOrder = z.array(channel).check(z.minLength(1), z.maxLength(channels.length))
const sendSelection = {
  batch_id: id,
  when: z.optional(time),
  rows: z.optional(z.array(z.int()).check(z.minLength(1), z.maxLength(maxRows))),
  channels: z._default(channelOrder, [...channels]),
  rules: z.optional(z.partial(payslipRules)),
}
const recipientRow = z.object({ row: z.int(), name: z.string() })
const planSummary = z.object({
  count: z.int(),
  by_channel: z.object({ platform: z.int(), sms: z.int(), email: z.int(), link: z.int() }),
  /** SMS segments, as gateways charge a long message; `sms_per_recipient` of them for each recipient. */
  sms_needed: z.int(),
  sms_per_recipient: z.int(),
  /** Null where messages are not sold, so that none are counted. */
  sms_left: z.nullable(z.int()),
  /** Maximum number of additional segments: for recipients whom an earlier channel may not reach and who then get an SMS. */
  sms_fallback_max: z.int(),
  /**
   * Not part of `count`: recipients whom no selected channel reaches; and recipients blocked until their identity is
   * confirmed, with what to do.
   */
  unreachable: z.array(recipientRow),
  blocked: z.array(z.extend(recipientRow, { reason: z.string() })),
  /** Not part of `count` either: recipients with only a phone, for whom the prepaid messages do not suffice. */
  sms_insufficient: z.array(recipientRow),
  /** The chat platform's remaining quota today by its documentation; null where no recipient is reached through it. */
  platform_quota: z.nullable(
    z.object({
      provider: z.enum(providers),
      /** Recipients for the whole application, counted from our own sends; `is_estimate`: based on the users known to us. */
      day: z.nullable(z.object({ limit: z.int(), remaining: z.int(), is_estimate: z.boolean() })),
      /** Messages per recipient: `remaining` of the recipient with the fewest. */
      person: z.nullable(z.object({ limit: z.int(), remaining: z.int() })),
      minutes: z.nullable(z.int()),
      exceeding_count: z.int(),
    }),
  ),
  /** Lock screen previews for the channels in use. */
  previews: lockScreenPreviews,
  spot_checks: z.array(spotCheck),
  matched_by_name_count: z.int(),
  /** Seconds in which the send can be undone after it was confirmed; 0 where it is sent at once or at a chosen time. */
  undo_seconds: z.int(),
  /** A second administrator has to approve it first (`applySend`). */
  needs_approval: z.boolean(),
  /** Why it waits, and who decides; null where no approval is needed. */
  approval_reason: z.nullable(z.string()),
})

export const getSendPlan = defineView('POST /api/wage/getSendPlan', payroll, {
  summary: 'Computes the send plan for the selected options. Stores nothing.',
  rateLimit: 'costly',
  /** `departments`: also returns the rows of each department, for choosing recipients by department. */
  input: z.object({ ...sendSelection, departments: z.optional(z.boolean()) }),
  output: z.extend(planSummary, { departments: z.optional(z.array(z.object({ name: z.string(), rows: z.array(z.int()) }))) }),
  errors: ['not_found', 'wrong_state'],
})

export const sendPaySheet = defineChange('POST /api/wage/sendPaySheet', payroll, {
  summary: 'Freezes a send plan. Sends nothing.',
  rateLimit: 'costly',
  input: z.object(sendSelection),
  output: z.extend(planSummary, { plan_id: id }),
  errors: ['not_found', 'wrong_state'],
})

export const doSend = defineChange('POST /api/wage/doSend', payroll, {
  summary:
    'Sends a plan (`looked` confirms that the caller has reviewed its `looks`, and is stored as evidence). A second call for the same plan does nothing more.',
  input: z.object({ plan_id: id, looked: z.optional(z.boolean()) }),
  output: z.object({ status: batchStatus }),
  errors: ['not_found', 'wrong_state', 'sms_used_up'],
})

/** The choices of step 4: `rows` null means everyone, `when` null means now. */
export const sendOptions = z.object({
  rows: z.nullable(z.array(rowNumber).check(z.maxLength(maxRows))),
  channels: z.array(channel).check(z.maxLength(channels.length)),
  when: z.nullable(time),
  rules: payslipRules,
})
export type SendOptions = z.infer<typeof sendOptions>

export const getSendOptions = defineRead('POST /api/wage/getSendOptions', payroll, {
  summary: "Returns the options selected in step 4 for a batch, or the company's defaults.",
  input: z.object({ batch_id: id }),
  output: z.object({ options: sendOptions, version: z.int() }),
  errors: ['not_found'],
})
export const setSendOptions = defineChange('POST /api/wage/setSendOptions', payroll, {
  summary: 'Saves the options selected in step 4. Fails if someone else has changed them since `version`.',
  idempotent: false,
  input: z.object({ batch_id: id, version: z.int(), options: sendOptions }),
  output: z.object({ version: z.int() }),
  errors: ['not_found', 'wrong_state'],
})
export const setSchedule = defineChange('POST /api/wage/setSchedule', payroll, {
  summary: 'Changes the time of a scheduled batch. Everything else in the plan stays.',
  input: z.object({ batch_id: id, when: time }),
  output: z.object({ scheduled_at: time }),
  errors: ['not_found', 'wrong_state'],
})

export const sendNow = defineChange('POST /api/wage/sendNow', payroll, {
  summary: 'Starts sending a batch at once that is scheduled or can still be undone.',
  input: z.object({ batch_id: id }),
  output: z.object({ status: batchStatus }),
  errors: ['not_found', 'wrong_state'],
})
