/** From a checked batch to people and back. calls.md §5, second half. */
import * as z from 'zod/mini'
import { call } from './call.ts'
import { rules, slip } from './payslip.ts'
import { column } from './sheet.ts'
import { holders } from './who.ts'
import {
  batchStatus,
  cell,
  channel,
  channels,
  deliveryStatuses,
  fen,
  id,
  listOf,
  month,
  nothing,
  pageInput,
  salaryStatus,
  time,
  titleKinds,
  words,
  wordsOrNone,
} from './words.ts'

export { rules } from './payslip.ts'

const payroll = holders('2')
const ofBatch = z.object({ batch_id: id })
const reason = z.optional(wordsOrNone(200))

export const sendPaySheet = call('POST /api/wage/sendPaySheet', {
  does: 'Freeze what will be sent: a plan. Sends nothing',
  who: payroll,
  once: true,
  audit: 'change',
  rate: 'costly',
  takes: 'json',
  gives: 'json',
  input: z.object({
    batch_id: id,
    when: z.optional(time),
    rows: z.optional(z.array(z.int()).check(z.minLength(1), z.maxLength(100_000))),
    /** In the order in which they are tried: the first that reaches a person is used. */
    channels: z._default(z.array(channel).check(z.minLength(1), z.maxLength(3)), [...channels]),
    rules: z.optional(z.partial(rules)),
  }),
  output: z.object({
    plan_id: id,
    count: z.int(),
    by_channel: z.object({ platform: z.int(), sms: z.int(), link: z.int() }),
    sms_needed: z.int(),
    sms_left: z.int(),
    /** People that no chosen channel reaches; they are not part of `count`. */
    unreachable: z.array(z.object({ row: z.int(), name: z.string() })),
  }),
  refuses: ['not_found', 'wrong_state'],
})

export const doSend = call('POST /api/wage/doSend', {
  does: 'Send a plan; the second call of one plan does nothing more',
  who: payroll,
  once: true,
  audit: 'change',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: z.object({ plan_id: id }),
  output: z.object({ status: batchStatus }),
  refuses: ['not_found', 'wrong_state', 'sms_used_up'],
})

export const getSendInfo = call('POST /api/wage/getSendInfo', {
  does: 'How the sending stands; every figure counted from the ledger',
  who: payroll,
  once: false,
  audit: 'none',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: ofBatch,
  output: z.object({
    status: batchStatus,
    title: z.string(),
    total: z.int(),
    /** `queued + sent + failed + unknown + withdrawn = total` at every look. */
    queued: z.int(),
    sent: z.int(),
    failed: z.int(),
    /** Readable, but whether its message arrived cannot be known; never sent again by itself. */
    unknown: z.int(),
    /** Of the slips handed over: `confirmed` is part of `viewed`. */
    viewed: z.int(),
    confirmed: z.int(),
    feedback: z.int(),
    withdrawn: z.int(),
    by_channel: z.array(z.object({ channel, count: z.int(), failed: z.int() })),
    /** The first hundred of `failed` and `unknown`. */
    failures: z.array(z.object({ salary_id: id, name: z.string(), channel, code: z.string(), message: z.string() })),
    eta_seconds: z.nullable(z.int()),
    scheduled_at: z.nullable(time),
    link: z.string(),
  }),
  refuses: ['not_found'],
})

export const pauseSend = call('POST /api/wage/pauseSend', {
  does: 'Stop sending what is still queued',
  who: payroll,
  once: true,
  audit: 'change',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: ofBatch,
  output: z.object({ status: batchStatus }),
  refuses: ['not_found', 'wrong_state'],
})
export const resumeSend = call('POST /api/wage/resumeSend', {
  does: 'Go on sending',
  who: payroll,
  once: true,
  audit: 'change',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: ofBatch,
  output: z.object({ status: batchStatus }),
  refuses: ['not_found', 'wrong_state'],
})

export const sendSingle = call('POST /api/wage/sendSingle', {
  does: 'One person: sends a failed slip again, or reminds (at most 3 a day a person)',
  who: payroll,
  once: true,
  audit: 'change',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: z.object({ salary_id: id }),
  output: z.object({ queued: z.int(), skipped: z.int() }),
  refuses: ['not_found', 'wrong_state', 'too_often', 'sms_used_up'],
})
export const sendBatch = call('POST /api/wage/sendBatch', {
  does: 'Several people: the failed ones again, or a reminder to who has not looked',
  who: payroll,
  once: true,
  audit: 'change',
  rate: 'costly',
  takes: 'json',
  gives: 'json',
  input: z.object({
    batch_id: id,
    salary_ids: z.optional(z.array(id).check(z.maxLength(10_000))),
    only: z.enum(['failed', 'unviewed']),
  }),
  output: z.object({ queued: z.int(), skipped: z.int() }),
  refuses: ['not_found', 'wrong_state', 'sms_used_up'],
})

export const withdrawSingleSalary = call('POST /api/wage/withdrawSingleSalary', {
  does: 'Withdraw one slip: the employee cannot open it from this moment',
  who: payroll,
  once: true,
  audit: 'change',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: z.object({ salary_id: id, reason }),
  output: nothing,
  refuses: ['not_found', 'wrong_state'],
})
export const withdrawBatchPaySheet = call('POST /api/wage/withdrawBatchPaySheet', {
  does: 'Withdraw a whole batch; what is still queued is not sent',
  who: payroll,
  once: true,
  audit: 'change',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: z.object({ batch_id: id, reason }),
  output: z.object({ withdrawn: z.int(), not_sent: z.int() }),
  refuses: ['not_found', 'wrong_state'],
})

const batchLine = z.object({
  batch_id: id,
  title_id: z.nullable(id),
  title: z.string(),
  month: z.nullable(month),
  kind: z.enum(titleKinds),
  status: batchStatus,
  file_name: z.string(),
  people: z.int(),
  /** Each contains the next: `sent` ⊇ `viewed` ⊇ `confirmed`, as a bar shows them. */
  sent: z.int(),
  viewed: z.int(),
  confirmed: z.int(),
  feedback: z.int(),
  failed: z.int(),
  owner: z.string(),
  mine: z.boolean(),
  created_at: time,
})
const batchFilter = {
  title_id: z.optional(id),
  month: z.optional(month),
  status: z.optional(batchStatus),
  name: z.optional(wordsOrNone(50)),
  ...pageInput,
}
export const getWageList = call('POST /api/wage/getWageList', {
  does: 'The wage list: batches I own or that are shared with me, with counts, newest first',
  who: payroll,
  once: false,
  audit: 'none',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: z.object(batchFilter),
  output: listOf(batchLine),
  refuses: [],
})
export const getBatchList = call('POST /api/wage/getBatchList', {
  does: 'The batches of one title',
  who: payroll,
  once: false,
  audit: 'none',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: z.object(batchFilter),
  output: listOf(batchLine),
  refuses: [],
})

export const getWageDetail = call('POST /api/wage/getWageDetail', {
  does: 'One batch: its slips with status, times, channel and net pay',
  who: payroll,
  once: false,
  audit: 'view',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: z.object({
    batch_id: id,
    status: z.optional(z.union([salaryStatus, z.literal('feedback')])),
    name: z.optional(wordsOrNone(50)),
    department_id: z.optional(id),
    ...pageInput,
  }),
  output: z.extend(
    listOf(
      z.object({
        salary_id: id,
        row: z.int(),
        name: z.string(),
        departments: z.string(),
        status: salaryStatus,
        has_feedback: z.boolean(),
        version: z.int(),
        channel: z.nullable(channel),
        delivery: z.nullable(z.enum(deliveryStatuses)),
        failure: z.nullable(z.string()),
        sent_at: z.nullable(time),
        viewed_at: z.nullable(time),
        confirmed_at: z.nullable(time),
        net_fen: z.nullable(fen),
        cells: z.record(z.string(), cell),
      }),
    ),
    {
      batch: z.object({
        title: z.string(),
        month: z.nullable(month),
        status: batchStatus,
        owner: z.string(),
        rules,
        /** Each slip in exactly one status (`feedback` beside it): what the same filter lists. */
        counts: z.object({
          total: z.int(),
          sent: z.int(),
          viewed: z.int(),
          confirmed: z.int(),
          feedback: z.int(),
          failed: z.int(),
          withdrawn: z.int(),
          queued: z.int(),
        }),
      }),
      columns: z.array(z.pick(column, { key: true, label: true, role: true, kind: true })),
    },
  ),
  refuses: ['not_found'],
})

export const getSalary = call('POST /api/wage/getSalary', {
  does: 'One slip as the employee sees it, with its timeline',
  who: payroll,
  once: false,
  audit: 'view',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: z.object({ salary_id: id }),
  output: z.object({
    slip,
    status: salaryStatus,
    version: z.int(),
    timeline: z.array(
      z.object({
        at: time,
        what: z.enum(['queued', 'sent', 'failed', 'reminded', 'viewed', 'confirmed', 'corrected', 'feedback', 'withdrawn']),
        text: z.string(),
      }),
    ),
    feedback_id: z.nullable(id),
  }),
  refuses: ['not_found'],
})

export const editSalaryDetail = call('POST /api/wage/editSalaryDetail', {
  does: 'Correct a slip: it becomes the next version and the employee sees that it was corrected',
  who: payroll,
  once: true,
  audit: 'change',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: z.object({
    salary_id: id,
    cells: z
      .array(z.object({ key: z.string().check(z.maxLength(8)), value: wordsOrNone(200) }))
      .check(z.minLength(1), z.maxLength(300)),
    reason: words(200, '请填写修改原因'),
  }),
  output: z.object({ version: z.int() }),
  refuses: ['not_found', 'wrong_state'],
})

export const getSalaryModifyLog = call('POST /api/wage/getSalaryModifyLog', {
  does: 'Every change of a slip or a batch: who, when, column, from, to, why. Never deletable',
  who: payroll,
  once: false,
  audit: 'view',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: z.object({ salary_id: z.optional(id), batch_id: z.optional(id), ...pageInput }),
  output: listOf(
    z.object({
      id,
      at: time,
      by: z.string(),
      name: z.string(),
      version: z.int(),
      column: z.string(),
      from: z.string(),
      to: z.string(),
      reason: z.string(),
    }),
  ),
  refuses: ['not_found'],
})

export const exportWageDetail = call('POST /api/wage/exportWageDetail', {
  does: 'Make a file of a batch: its slips, or who has seen and confirmed',
  who: payroll,
  once: true,
  audit: 'view',
  rate: 'costly',
  takes: 'json',
  gives: 'json',
  input: z.object({ batch_id: id, what: z.enum(['detail', 'status']), format: z._default(z.literal('xlsx'), 'xlsx') }),
  output: z.object({ job_id: id }),
  refuses: ['not_found', 'wrong_state'],
})
export const getExportStatus = call('POST /api/wage/getExportStatus', {
  does: 'How far the export is; with a download ticket when it is there',
  who: payroll,
  once: false,
  audit: 'none',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: z.object({ job_id: id }),
  output: z.object({
    progress: z.int(),
    done: z.boolean(),
    failed: z.nullable(z.string()),
    oss_path: z.nullable(z.string()),
    file_name: z.string(),
  }),
  refuses: ['not_found'],
})

// Settings ---------------------------------------------------------------------------------------------------------------

const settings = z.object({
  feedback: z.boolean(),
  confirm: z.boolean(),
  confirm_rule: z.object({ auto_confirm_days: z.int(), remind_days: z.array(z.int()) }),
  send_rule: z.object({
    weChat: z.boolean(),
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
  output: settings,
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
    weChat: z.optional(z.boolean()),
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
