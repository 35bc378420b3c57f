/** What is held about an employee, for himself: who looked at it, what he was told, and all of it to take along. calls.md lacks these. */
import * as z from 'zod/mini'
import { defineCall } from '../call.ts'
import { channel, emptyObject, fen, id, month, pageParams, paginatedList, time } from '../shared/schemas.ts'

/**
 * `slip` opened one slip · `corrected` corrected it · `log` read what was corrected · `question` read or answered a question · `person` his slips by
 * month · `id_card` his identity card · `tax` his deductions and insurance · `list` and `export` of a whole batch: a manager of some departments sees only their people there.
 */
export const accessKinds = ['slip', 'corrected', 'log', 'question', 'person', 'id_card', 'tax', 'list', 'export'] as const
export type AccessKind = (typeof accessKinds)[number]

export const getAccessLog = defineCall('POST /Api/Mobile/getLookList', {
  does: 'Which administrators looked at my slips, and when: who and what, no amounts; a line a day, the newest first',
  who: 'employee',
  once: false,
  audit: 'none',
  input: z.object(pageParams),
  output: paginatedList(
    z.object({
      /** The last time on that day. */
      at: time,
      times: z.int(),
      by: z.string(),
      what: z.enum(accessKinds),
      /** Of which slip; null where it was not about one. */
      title: z.nullable(z.string()),
      month: z.nullable(month),
    }),
  ),
  refuses: ['unconfirmed_holder'],
})

export const payslipMessageKinds = ['slip', 'corrected', 'remind', 'answered'] as const

export const getReceivedMessageList = defineCall('POST /Api/Mobile/getToldList', {
  does: 'What I was told about my slips, by which way and whether I have read it since, the newest first',
  who: 'employee',
  once: false,
  audit: 'none',
  input: z.object(pageParams),
  output: paginatedList(
    z.object({
      told_id: id,
      at: time,
      about: z.enum(payslipMessageKinds),
      title: z.string(),
      month: z.nullable(month),
      /** Null where the slip was withdrawn meanwhile. */
      slip_id: z.nullable(id),
      channel,
      /** The carrier gave no answer: it may not have arrived. */
      unsure: z.boolean(),
      read: z.boolean(),
    }),
  ),
  refuses: ['unconfirmed_holder'],
})

export const exportOwnData = defineCall('POST /Api/Mobile/exportMine', {
  does: 'Everything held about me as a .zip (a sheet to read and JSON), after proving myself with `unlock`; answers a download ticket',
  who: 'employee',
  once: false,
  audit: 'view',
  rate: 'costly',
  input: emptyObject,
  output: z.object({ oss_path: z.string(), file_name: z.string(), slips: z.int() }),
  refuses: ['unconfirmed_holder', 'view_locked', 'not_found'],
})

export const getReceipt = defineCall('POST /Api/Mobile/getReceipt', {
  does: 'The receipts of what I confirmed of one slip, of earlier versions too, the newest first: as a file, and as the address of a code. No amounts',
  who: 'employee',
  once: false,
  audit: 'none',
  input: z.object({ slip_id: id }),
  output: z.object({
    list: z.array(
      z.object({
        version: z.int(),
        /** Of the version that counts now. */
        stands: z.boolean(),
        kind: z.enum(['person', 'auto']),
        confirmed_at: time,
        /** An SVG path; null where it was confirmed by a button. */
        handwriting: z.nullable(z.string()),
        /** Where anybody can check it; the receipt stands behind the #, which no server sees. */
        url: z.string(),
        /** The text of the file (docs/receipt.md). */
        file: z.string(),
        file_name: z.string(),
      }),
    ),
  }),
  refuses: ['not_found', 'unconfirmed_holder', 'view_locked'],
})

export const getSlipChanges = defineCall('POST /Api/Mobile/getSlipChanges', {
  does: 'What is different in a slip of mine from the one of the same kind before it, and why: a sentence each, which add up to the difference of net pay',
  who: 'employee',
  once: false,
  audit: 'view',
  input: z.object({ slip_id: id }),
  output: z.object({
    /** `上月`, or which month; null where there is none before, or it is not shown. */
    since: z.nullable(z.string()),
    difference_fen: fen,
    lines: z.array(
      z.object({
        /** `rest`: what no item of the two slips tells. */
        kind: z.enum(['new', 'gone', 'more', 'less', 'rest']),
        label: z.string(),
        /** What it does to the net pay. */
        effect_fen: fen,
        text: z.string(),
      }),
    ),
  }),
  refuses: ['not_found', 'unconfirmed_holder', 'view_locked', 'closes_after_look', 'slip_closed'],
})
