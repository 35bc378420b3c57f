/** Batches for programs with an API key: planned, sent, scheduled, withdrawn, followed. */
import * as z from 'zod/mini'
import { requireKey } from '../access.ts'
import { defineChange, defineRead, defineView } from '../call.ts'
import { sendPaySheet, setSchedule } from '../payslips/send.ts'
import {
  batchStatus,
  channel,
  channels,
  deliveryStatuses,
  id,
  inFlightCount,
  month,
  optionalText,
  time,
  titleKinds,
} from '../shared/schemas.ts'
import { spotCheck } from '../sheets/layout.ts'
import { batchNames, batchParam, cursorParams, employeeNames, externalId, paginate } from './shared.ts'

const payroll = requireKey('2')

export const listBatches = defineRead('GET /api/v1/batches', payroll, {
  summary: 'Lists batches with their counts, newest first.',
  input: z.object({
    external_id: z.optional(externalId),
    month: z.optional(month),
    status: z.optional(batchStatus),
    ...cursorParams,
  }),
  output: paginate(
    z.object({
      ...batchNames,
      title: z.string(),
      month: z.nullable(month),
      kind: z.enum(titleKinds),
      status: batchStatus,
      people: z.int(),
      /** Each count includes the next: sent, viewed, confirmed. */
      sent: z.int(),
      viewed: z.int(),
      confirmed: z.int(),
      failed: z.int(),
      scheduled_at: z.nullable(time),
      created_at: time,
    }),
  ),
})

const approvalStatuses = ['waiting', 'approved', 'returned', 'void'] as const

export const getBatch = defineRead('GET /api/v1/batches/:batch_id', payroll, {
  summary: 'Returns the status of a batch: counts of deliveries, the schedule and the approval.',
  input: z.object(batchParam),
  output: z.object({
    ...batchNames,
    title: z.string(),
    status: batchStatus,
    /** `queued + sent + failed + unknown + withdrawn = total` holds at any time. */
    total: z.int(),
    queued: z.int(),
    sent: z.int(),
    failed: z.int(),
    /** It is unknown whether the message arrived; it is never repeated automatically. */
    unknown: z.int(),
    withdrawn: z.int(),
    /** Part of `sent`; each includes the next. */
    viewed: z.int(),
    confirmed: z.int(),
    scheduled_at: z.nullable(time),
    /** Seconds in which the send can still be undone in the product. */
    undo_seconds: z.nullable(z.int()),
    approval: z.nullable(
      z.object({
        plan_id: id,
        status: z.enum(approvalStatuses),
        requested_at: time,
        decided_by: z.nullable(z.string()),
        reason: z.string(),
      }),
    ),
  }),
  errors: ['not_found'],
})

const planChannels = z.optional(z.array(channel).check(z.minLength(1, '请至少选择一种方式'), z.maxLength(channels.length)))
const { shape: planShape } = sendPaySheet.output
const unreached = z.object({ row: z.int(), name: z.string() })

export const planBatch = defineChange('POST /api/v1/batches/:batch_id/plan', payroll, {
  summary: 'Freezes who gets the payslips of a checked batch, how and when. Sends nothing.',
  rateLimit: 'costly',
  input: z.object({
    ...batchParam,
    /** In the order of attempts; by default all. */
    channels: planChannels,
    /** Rows of the sheet; by default all. */
    rows: z.optional(sendPaySheet.input.shape.rows),
    /** By default at once, after the time in which a send can be undone. */
    scheduled_at: z.optional(time),
  }),
  output: z.object({
    ...batchNames,
    plan_id: id,
    recipient_count: z.int(),
    by_channel: planShape.by_channel,
    sms_needed: z.int(),
    sms_left: z.nullable(z.int()),
    /** Not part of `recipient_count`: no channel reaches them, or their identity must be confirmed first. */
    unreachable: z.array(unreached),
    blocked: z.array(z.extend(unreached, { reason: z.string() })),
    sms_insufficient: z.array(unreached),
    /** Payslips that a person has to look at before they are sent. */
    spot_checks: z.array(spotCheck),
    needs_approval: z.boolean(),
    approval_reason: z.nullable(z.string()),
  }),
  errors: ['not_found', 'wrong_state'],
})

export const sendBatchTest = defineChange('POST /api/v1/batches/:batch_id/test', payroll, {
  summary:
    'Sends a test of a checked batch to the administrator who created the key, and to nobody else: messages marked 试发, invented amounts, no payslip, no prepaid message.',
  rateLimit: 'costly',
  input: z.object({
    ...batchParam,
    /** By default all: one message for each channel that reaches the administrator. */
    channels: planChannels,
  }),
  output: z.object({
    ...batchNames,
    test_send_id: id,
    recipient: employeeNames,
    /** None where only the link was selected. */
    deliveries: z.array(z.object({ channel, delivery_status: z.enum(deliveryStatuses) })),
    /** The address of the test payslip; opens for the recipient only, after sign-in. */
    link: z.string(),
    expires_at: time,
  }),
  errors: ['not_found', 'wrong_state', 'too_often'],
})

export const sendPlannedBatch = defineChange('POST /api/v1/batches/:batch_id/send', payroll, {
  summary:
    'Sends a plan, or asks a second administrator to approve it where the company requires it. Call it again once it is approved; a second call for a plan that was sent does nothing more.',
  input: z.object({
    ...batchParam,
    plan_id: id,
    /** A person has looked at the payslips in `spot_checks`. It is recorded under the name of the key. */
    spot_checked: z._default(z.boolean(), false),
  }),
  output: z.object({
    ...batchNames,
    outcome: z.enum(['sent', 'scheduled', 'pending_approval']),
    status: batchStatus,
  }),
  errors: ['not_found', 'wrong_state', 'sms_used_up'],
})

export const scheduleBatch = defineChange('POST /api/v1/batches/:batch_id/schedule', payroll, {
  summary: 'Changes the time of a scheduled batch. One that was approved keeps its time.',
  input: z.object({ ...batchParam, scheduled_at: setSchedule.input.shape.when }),
  output: z.object({ ...batchNames, scheduled_at: time }),
  errors: ['not_found', 'wrong_state'],
})

export const withdrawBatch = defineChange('POST /api/v1/batches/:batch_id/withdraw', payroll, {
  summary: 'Withdraws a whole batch: nobody can open its payslips from this moment, and nothing more is sent.',
  allowedOnFullDisk: true,
  input: z.object({ ...batchParam, reason: z.optional(optionalText(200)) }),
  output: z.object({ ...batchNames, withdrawn: z.int(), not_sent: z.int(), in_flight: inFlightCount }),
  errors: ['not_found', 'wrong_state'],
})

export const listDeliveries = defineView('GET /api/v1/batches/:batch_id/deliveries', payroll, {
  summary: 'Lists the payslips of a batch with the delivery of their messages.',
  input: z.object({ ...batchParam, ...cursorParams }),
  output: paginate(
    z.object({
      payslip_id: id,
      employee: employeeNames,
      channel: z.nullable(channel),
      delivery_status: z.nullable(z.enum(deliveryStatuses)),
      /** Why the message has not arrived, or may not have. */
      message: z.nullable(z.string()),
      sent_at: z.nullable(time),
      /** When the carrier reported delivery, if it did. */
      delivered_at: z.nullable(time),
    }),
  ),
  errors: ['not_found'],
})
