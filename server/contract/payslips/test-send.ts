/**
 * 试发: a batch tried out on oneself and a few people who have agreed to look, before anybody is paid by it. It makes no slip, costs no prepaid message
 * and is counted nowhere. Somebody's real figures are shown to nobody but the one who tries it out, who may see them anyway; everybody else
 * gets invented ones.
 */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineCall } from '../call.ts'
import { channel, channels, deliveryStatuses, id, rowNumber, time } from '../shared/schemas.ts'
import { payslip } from './payslip.ts'

/** Besides oneself. */
export const maxTesters = 4

const testSend = z.object({
  rehearsal_id: id,
  name: z.string(),
  /** To myself. */
  mine: z.boolean(),
  /** With invented figures. */
  sample: z.boolean(),
  at: time,
  expires_at: time,
  opened_at: z.nullable(time),
  /** One message a way; none where only the link was chosen. `message`: why it did not arrive. */
  ways: z.array(z.object({ channel, status: z.enum(deliveryStatuses), message: z.string() })),
  /** Where it opens; only for its owner, after signing in. */
  link: z.string(),
})

export const sendTest = defineCall('POST /api/wage/rehearse', {
  does: 'Try a batch out on myself and up to four people: a message marked 试发 by each chosen way that reaches them. No slip, no prepaid message',
  who: requirePower('2'),
  once: true,
  audit: 'change',
  rate: 'costly',
  input: z.object({
    batch_id: id,
    channels: z.array(channel).check(z.minLength(1), z.maxLength(channels.length)),
    /** People of the roster who have signed in with their own phone; they see invented figures. */
    member_ids: z.array(id).check(z.maxLength(maxTesters, `最多再选 ${maxTesters} 个人`)),
    /** Whose figures I see myself; left out: invented ones. */
    row: z.optional(rowNumber),
  }),
  output: z.object({ list: z.array(testSend) }),
  refuses: ['not_found', 'wrong_state', 'too_often'],
})

export const getTestSendList = defineCall('POST /api/wage/getRehearsalList', {
  does: 'What became of the rehearsals of a batch in the last day, the newest first',
  who: requirePower('2'),
  once: false,
  audit: 'none',
  input: z.object({ batch_id: id }),
  output: z.object({ list: z.array(testSend) }),
  refuses: ['not_found'],
})

export const getTestSend = defineCall('POST /Api/Mobile/getRehearsal', {
  does: 'A rehearsal that was sent to me, as the slip would look; nobody else opens it, and after a day nobody',
  who: 'signed_in',
  once: false,
  audit: 'view',
  input: z.object({ rehearsal_id: id }),
  output: z.object({ slip: payslip, sample: z.boolean(), by: z.string(), at: time, expires_at: time }),
  refuses: ['not_found'],
})
