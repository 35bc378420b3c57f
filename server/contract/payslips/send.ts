/** Sending a checked batch, and withdrawing it. calls.md §5, second half. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineChange, defineRead, defineView } from '../call.ts'
import { amountSigns } from '../shared/money.ts'
import {
  batchStatus,
  cell,
  channel,
  deliveryStatuses,
  fen,
  id,
  inFlightCount,
  month,
  optionalText,
  pageParams,
  paginatedList,
  payslipStatus,
  time,
  titleKinds,
} from '../shared/schemas.ts'
import { column } from '../sheets/sheet.ts'
import { columnSum } from './correct-and-export.ts'
import { payslipRules } from './payslip.ts'

export * from './correct-and-export.ts'
export { payslipRules } from './payslip.ts'
export * from './send-plan.ts'

const payroll = requirePower('2')
const batchRef = z.object({ batch_id: id })
const undo_seconds = z.nullable(z.int())
const reason = z.optional(optionalText(200))
const allowedOnFullDisk = { allowedOnFullDisk: true } as const

export const getSendInfo = defineRead('POST /api/wage/getSendInfo', payroll, {
  summary: 'Returns the sending status. Every figure is counted from the delivery ledger.',
  input: batchRef,
  output: z.object({
    status: batchStatus,
    title: z.string(),
    total: z.int(),
    /** `queued + sent + failed + unknown + withdrawn = total` holds at any time. */ queued: z.int(),
    sent: z.int(),
    failed: z.int(),
    /** The payslip is readable, but it is unknown whether the message arrived; it is never resent automatically. */
    unknown: z.int(),
    /** Part of `sent`: messages whose delivery to the phone the gateway reported. */
    delivered: z.int(),
    /** Part of `sent`: `confirmed` is part of `viewed`. */
    viewed: z.int(),
    confirmed: z.int(),
    feedback: z.int(),
    withdrawn: z.int(),
    by_channel: z.array(z.object({ channel, count: z.int(), failed: z.int() })),
    /** The first hundred of `failed` and `unknown`. */
    failures: z.array(
      z.object({
        salary_id: id,
        name: z.string(),
        channel,
        status: z.enum(['failed', 'unknown']),
        /** The employee has viewed the payslip, even if its message failed. */
        is_viewed: z.boolean(),
        code: z.string(),
        message: z.string(),
      }),
    ),
    /**
     * Recipients whom one channel did not reach and who got the next channel of the plan; the first hundred of
     * `fallback_count`, latest first.
     */
    fallbacks: z.array(z.object({ salary_id: id, name: z.string(), from: channel, message: z.string(), to: channel })),
    fallback_count: z.int(),
    /** Why queued messages wait although the batch is not paused: a carrier asked to slow down and gave a reason. */
    delays: z.array(z.object({ channel, message: z.string() })),
    eta_seconds: z.nullable(z.int()),
    /** Not part of `total`: recipients of the wage sheet who have no payslip yet. */
    unsent: z.int(),
    scheduled_at: z.nullable(time),
    /** Seconds left in which the send can be undone; null where there is nothing to undo. */
    undo_seconds,
    link: z.string(),
  }),
  errors: ['not_found'],
})

export const pauseSend = defineChange('POST /api/wage/pauseSend', payroll, {
  summary: 'Stops sending what is still queued.',
  ...allowedOnFullDisk,
  input: batchRef,
  output: z.object({ status: batchStatus }),
  errors: ['not_found', 'wrong_state'],
})
export const resumeSend = defineChange('POST /api/wage/resumeSend', payroll, {
  summary: 'Resumes sending.',
  input: batchRef,
  output: z.object({ status: batchStatus }),
  errors: ['not_found', 'wrong_state'],
})
export const sendSingle = defineChange('POST /api/wage/sendSingle', payroll, {
  summary: 'Sends the failed payslip of one employee again, or a reminder (at most 3 a day for each employee).',
  input: z.object({ salary_id: id }),
  output: z.object({ queued: z.int(), skipped: z.int() }),
  errors: ['not_found', 'wrong_state', 'too_often', 'sms_used_up'],
})
const resendInput = {
  batch_id: id,
  salary_ids: z.optional(z.array(id).check(z.maxLength(10_000))),
  only: z.enum(['failed', 'unviewed', 'withdrawn']),
}
export const getResendCost = defineRead('POST /api/wage/getResendCost', payroll, {
  summary: 'Counts the recipients and SMS of a `sendBatch` with the same input, without sending anything.',
  rateLimit: 'costly',
  input: z.object(resendInput),
  output: z.object({
    people: z.int(),
    sms_people: z.int(),
    /** A long message is charged as several. */
    sms_per_recipient: z.int(),
    sms_needed: z.int(),
    /** Null where messages are not sold. */
    sms_left: z.nullable(z.int()),
  }),
  errors: ['not_found'],
})
export const sendBatch = defineChange('POST /api/wage/sendBatch', payroll, {
  summary: 'Sends several failed or withdrawn payslips again, or reminds the employees who have not viewed theirs.',
  rateLimit: 'costly',
  input: z.object(resendInput),
  output: z.object({ queued: z.int(), skipped: z.int() }),
  errors: ['not_found', 'wrong_state', 'sms_used_up'],
})

export const resolveUnknownDeliveries = defineChange('POST /api/wage/settleUnknown', payroll, {
  summary:
    'Settles messages whose delivery is unknown: treats them as sent, or sends them once more to employees who have not viewed their payslip.',
  input: z.object({
    batch_id: id,
    salary_ids: z.optional(z.array(id).check(z.maxLength(10_000))),
    resolution: z.enum(['sent', 'again']),
  }),
  output: z.object({ count: z.int() }),
  errors: ['not_found', 'wrong_state', 'sms_used_up'],
})

export const withdrawSingleSalary = defineChange('POST /api/wage/withdrawSingleSalary', payroll, {
  summary: 'Withdraws one payslip. The employee cannot open it from this moment.',
  ...allowedOnFullDisk,
  input: z.object({ salary_id: id, reason }),
  output: z.object({ in_flight: inFlightCount }),
  errors: ['not_found', 'wrong_state'],
})
export const withdrawBatchPaySheet = defineChange('POST /api/wage/withdrawBatchPaySheet', payroll, {
  summary: 'Withdraws a whole batch. What is still queued is not sent.',
  ...allowedOnFullDisk,
  input: z.object({ batch_id: id, reason }),
  output: z.object({ withdrawn: z.int(), not_sent: z.int(), in_flight: inFlightCount }),
  errors: ['not_found', 'wrong_state'],
})

const batchListItem = z.object({
  batch_id: id,
  title_id: z.nullable(id),
  title: z.string(),
  month: z.nullable(month),
  kind: z.enum(titleKinds),
  status: batchStatus,
  file_name: z.string(),
  people: z.int(),
  /** Each includes the next: `sent` ⊇ `viewed` ⊇ `confirmed`, as a progress bar shows them. */
  sent: z.int(),
  viewed: z.int(),
  confirmed: z.int(),
  feedback: z.int(),
  failed: z.int(),
  /** The net pay of the sent payslips; null for fewer than three, or where the caller may not see all of them. */
  net_fen: z.nullable(fen),
  /** Part of `people`: recipients who have no payslip yet, once the sending has begun. */
  unsent: z.int(),
  owner: z.string(),
  is_own: z.boolean(),
  /** When a scheduled batch is sent. */
  scheduled_at: z.nullable(time),
  /** The batch is only in its undo period, which the user did not choose. */
  soon: z.boolean(),
  created_at: time,
})
const batchFilter = {
  title_id: z.optional(id),
  month: z.optional(month),
  status: z.optional(batchStatus),
  name: z.optional(optionalText(50)),
  ...pageParams,
}
export const getWageList = defineRead('POST /api/wage/getWageList', payroll, {
  summary: 'Lists the batches that the caller owns or that are shared with them, with counts, newest first.',
  input: z.object(batchFilter),
  output: paginatedList(batchListItem),
})
export const getBatchList = defineRead('POST /api/wage/getBatchList', payroll, {
  summary: 'Lists the batches of one title.',
  input: z.object(batchFilter),
  output: paginatedList(batchListItem),
})

export const getMemberSlips = defineView('POST /api/wage/getMemberSlips', payroll, {
  summary:
    'Lists the payslips of one member, over all employment periods, in the batches that the caller may view, newest month first.',
  input: z.object({ member_id: id, ...pageParams }),
  output: paginatedList(
    z.object({
      salary_id: id,
      batch_id: id,
      title: z.string(),
      month: z.nullable(month),
      status: payslipStatus,
      version: z.int(),
      net_fen: z.nullable(fen),
      sent_at: z.nullable(time),
      viewed_at: z.nullable(time),
      confirmed_at: z.nullable(time),
    }),
  ),
  errors: ['not_found'],
})

export const getWageDetail = defineView('POST /api/wage/getWageDetail', payroll, {
  summary: 'Returns one batch: its payslips with status, times, channel and net pay.',
  input: z.object({
    batch_id: id,
    status: z.optional(z.union([payslipStatus, z.literal('feedback')])),
    name: z.optional(optionalText(50)),
    department_id: z.optional(id),
    ...pageParams,
  }),
  output: z.extend(
    paginatedList(
      z.object({
        salary_id: id,
        row: z.int(),
        name: z.string(),
        departments: z.string(),
        status: payslipStatus,
        has_feedback: z.boolean(),
        version: z.int(),
        channel: z.nullable(channel),
        delivery: z.nullable(z.enum(deliveryStatuses)),
        failure_message: z.nullable(z.string()),
        /** When the carrier reported delivery, if it did. */ delivered_at: z.nullable(time),
        /** Why an accepted message has not arrived yet. */ delay_message: z.nullable(z.string()),
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
        scheduled_at: z.nullable(time),
        undo_seconds,
        owner: z.string(),
        rules: payslipRules,
        /** Each payslip counts in exactly one status (`feedback` is separate): the number that the same filter lists. */
        counts: z.object({
          total: z.int(),
          sent: z.int(),
          viewed: z.int(),
          confirmed: z.int(),
          feedback: z.int(),
          failed: z.int(),
          withdrawn: z.int(),
          queued: z.int(),
          /** Not part of `total`: recipients of the wage sheet who have no payslip yet. */
          unsent: z.int(),
        }),
        /** Part of `counts.sent`: recipients whom a reminder reaches. */ remindable: z.int(),
        /** Part of `counts.sent`: recipients whose message was reported as delivered. */ delivered: z.int(),
        /** The net pay of all sent payslips; null where the caller may not see all of them. */ net_fen: z.nullable(fen),
      }),
      columns: z.array(
        z.extend(z.pick(column, { key: true, label: true, role: true, kind: true }), {
          /** The sign with which amounts are shown: deductions have a minus sign. */
          sign: z.enum(amountSigns),
        }),
      ),
      /** The sums of columns, for corrections: totals change with their items. */
      sums: z.array(columnSum),
    },
  ),
  errors: ['not_found'],
})
