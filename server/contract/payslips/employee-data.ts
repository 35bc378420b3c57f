/** The data stored about an employee, for the employee: access log, notifications, an export of everything. Not in calls.md. */
import * as z from 'zod/mini'
import { defineRead, defineView } from '../call.ts'
import { channel, emptyObject, fen, id, month, pageParams, paginatedList, time } from '../shared/schemas.ts'

/**
 * `slip`: opened a payslip · `corrected`: corrected it · `log`: read its corrections · `question`: read or answered
 * feedback · `receipt`: a program read its receipts · `person`: viewed the employee's payslips by month · `id_card`: viewed the identity card · `tax`: viewed
 * deductions and insurance · `list` and `export`: of a whole batch, where a manager of some departments sees only
 * members in scope.
 */
export const accessKinds = [
  'slip',
  'corrected',
  'log',
  'question',
  'receipt',
  'person',
  'id_card',
  'tax',
  'list',
  'export',
] as const
export type AccessKind = (typeof accessKinds)[number]

export const getAccessLog = defineRead('POST /Api/Mobile/getLookList', 'employee', {
  summary: "Lists the administrators who viewed the caller's payslips, and when, without amounts: one entry a day, newest first.",
  input: z.object(pageParams),
  output: paginatedList(
    z.object({
      /** The last time on that day. */
      at: time,
      count: z.int(),
      by: z.string(),
      kind: z.enum(accessKinds),
      /** The payslip concerned; null where the access did not concern one. */
      title: z.nullable(z.string()),
      month: z.nullable(month),
    }),
  ),
  errors: ['unconfirmed_holder'],
})

export const payslipMessageKinds = ['slip', 'corrected', 'remind', 'answered'] as const

export const getReceivedMessageList = defineRead('POST /Api/Mobile/getToldList', 'employee', {
  summary:
    "Lists the notifications about the caller's payslips, with channel and whether the payslip was read since, newest first.",
  input: z.object(pageParams),
  output: paginatedList(
    z.object({
      message_id: id,
      at: time,
      kind: z.enum(payslipMessageKinds),
      title: z.string(),
      month: z.nullable(month),
      /** The value is null where the payslip has been withdrawn. */
      slip_id: z.nullable(id),
      channel,
      /** The carrier did not respond: the message may not have arrived. */
      delivery_unknown: z.boolean(),
      read: z.boolean(),
    }),
  ),
  errors: ['unconfirmed_holder'],
})

export const exportOwnData = defineView('POST /Api/Mobile/exportMine', 'employee', {
  summary:
    'Exports all data stored about the caller as a .zip (a spreadsheet and JSON), after identity proof by `unlock`. Returns a download ticket.',
  rateLimit: 'costly',
  input: emptyObject,
  output: z.object({ oss_path: z.string(), file_name: z.string(), slips: z.int() }),
  errors: ['unconfirmed_holder', 'view_locked', 'not_found'],
})

export const getReceipt = defineRead('POST /Api/Mobile/getReceipt', 'employee', {
  summary:
    'Returns the receipts for the confirmed versions of one payslip, newest first, as files and as addresses for QR codes. Contains no amounts.',
  input: z.object({ slip_id: id }),
  output: z.object({
    list: z.array(
      z.object({
        version: z.int(),
        /** Whether the record confirms the current version. */
        stands: z.boolean(),
        kind: z.enum(['person', 'auto']),
        confirmed_at: time,
        /** An SVG path; null where the payslip was confirmed by a button. */
        handwriting: z.nullable(z.string()),
        /** A URL where anyone can verify it; the receipt is in the fragment, which is not sent to any server. */
        url: z.string(),
        /** The content of the receipt file (docs/receipt.md). */
        file: z.string(),
        file_name: z.string(),
      }),
    ),
  }),
  errors: ['not_found', 'unconfirmed_holder', 'view_locked'],
})

export const getSlipChanges = defineView('POST /Api/Mobile/getSlipChanges', 'employee', {
  summary:
    'Explains how a payslip of the caller differs from the previous one of the same kind: one sentence for each difference; together they add up to the difference in net pay.',
  input: z.object({ slip_id: id }),
  output: z.object({
    /** `上月`, or the month compared with; null where there is no earlier payslip or it is not shown. */
    compared_to: z.nullable(z.string()),
    difference_fen: fen,
    changes: z.array(
      z.object({
        /** `rest` is the difference that no item of the two payslips explains. */
        kind: z.enum(['new', 'gone', 'more', 'less', 'rest']),
        label: z.string(),
        /** The effect on net pay. */
        effect_fen: fen,
        text: z.string(),
      }),
    ),
  }),
  errors: ['not_found', 'unconfirmed_holder', 'view_locked', 'closes_after_view', 'slip_closed'],
})
