/**
 * 试发: a test send of a batch to the current user and a few testers before anyone is paid by it. It creates no payslip,
 * costs no prepaid message and is not counted. Real amounts are shown only to the user who runs the test, who may see
 * them anyway; all testers get invented ones.
 */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineChange, defineRead, defineView } from '../call.ts'
import { channel, channels, deliveryStatuses, id, rowNumber, time } from '../shared/schemas.ts'
import { payslip } from './payslip.ts'

/** Maximum number of testers in addition to the current user. */
export const maxTesters = 4

const testSend = z.object({
  test_send_id: id,
  name: z.string(),
  /** Sent to the current user. */
  is_own: z.boolean(),
  /** With invented amounts. */
  is_sample: z.boolean(),
  at: time,
  expires_at: time,
  opened_at: z.nullable(time),
  /**
   * There is one message per channel, and none where only the link was selected. `message` states why it did not
   * arrive.
   */
  deliveries: z.array(z.object({ channel, status: z.enum(deliveryStatuses), message: z.string() })),
  /** The URL of the test payslip; opens only for its recipient after sign-in. */
  link: z.string(),
})

export const sendTest = defineChange('POST /api/wage/rehearse', requirePower('2'), {
  summary:
    'Sends a test of a batch to the caller and up to four others: one message marked 试发 for each selected channel that reaches them. Creates no payslip and uses no prepaid message.',
  rateLimit: 'costly',
  input: z.object({
    batch_id: id,
    channels: z.array(channel).check(z.minLength(1), z.maxLength(channels.length)),
    /** Members who have signed in with their own phone; they see invented amounts. */
    member_ids: z.array(id).check(z.maxLength(maxTesters, `最多再选 ${maxTesters} 个人`)),
    /** The row whose amounts the current user sees; omitted: invented ones. */
    row: z.optional(rowNumber),
  }),
  output: z.object({ list: z.array(testSend) }),
  errors: ['not_found', 'wrong_state', 'too_often'],
})

export const getTestSendList = defineRead('POST /api/wage/getRehearsalList', requirePower('2'), {
  summary: 'Lists the results of the test sends of a batch in the last day, newest first.',
  input: z.object({ batch_id: id }),
  output: z.object({ list: z.array(testSend) }),
  errors: ['not_found'],
})

export const getTestSend = defineView('POST /Api/Mobile/getRehearsal', 'signed_in', {
  summary:
    'Returns a test send addressed to the caller, as the payslip would look. No one else can open it, and no one can after a day.',
  input: z.object({ test_send_id: id }),
  output: z.object({ payslip, sample: z.boolean(), by: z.string(), at: time, expires_at: time }),
  errors: ['not_found'],
})
