/**
 * Approval of a send by a second administrator, where the company requires it (`approve_from` of the send rule). One
 * plan is approved, frozen with its amounts, recipients, channels and time. A change to any of them makes another plan,
 * which needs another approval.
 */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineChange, defineRead, defineView } from '../call.ts'
import { channel, fen, id, month, time } from '../shared/schemas.ts'

/** For fewer recipients no sum is shown, because it would reveal individual pay. */
export const minPeopleForTotals = 3

export const requestSendApproval = defineChange('POST /api/wage/applySend', requirePower('2'), {
  summary:
    'Asks a second administrator to approve a send plan (`looked` confirms that the caller has reviewed its `looks`). Nothing is sent until `doSend` is called.',
  input: z.object({ plan_id: id, looked: z.optional(z.boolean()) }),
  output: z.object({ approval_no: z.string() }),
  errors: ['not_found', 'wrong_state'],
})

export const getSendApproval = defineRead('POST /api/wage/getSendApproval', requirePower('2'), {
  summary: 'Returns the status of the latest approval request of a batch.',
  input: z.object({ batch_id: id }),
  output: z.object({
    approval: z.nullable(
      z.object({
        approval_no: z.string(),
        plan_id: id,
        /** `void`: the batch has changed since the request, or the request was withdrawn. */
        status: z.enum(['waiting', 'approved', 'returned', 'void']),
        people: z.int(),
        scheduled_at: z.nullable(time),
        /** The current user made the request and may withdraw it while it waits. */
        is_own: z.boolean(),
        requested_by: z.string(),
        requested_at: time,
        decided_by: z.nullable(z.string()),
        reason: z.string(),
      }),
    ),
  }),
  errors: ['not_found'],
})

export const getSendApprovalDetail = defineView('POST /api/Approval/getSendToApprove', 'admin', {
  summary:
    'Returns what is to be approved: number of recipients, channels, time and total. Contains no names and no individual amounts.',
  input: z.object({ approval_no: z.string().check(z.regex(/^[0-9a-f]{32}$/, '审批编号不正确')) }),
  output: z.object({
    title: z.string(),
    month: z.nullable(month),
    requested_by: z.string(),
    requested_at: time,
    people: z.int(),
    by_channel: z.array(z.object({ channel, count: z.int() })),
    sms_needed: z.int(),
    scheduled_at: z.nullable(time),
    /** The value is null for fewer than three recipients, or when not every recipient's amounts are known. */
    totals: z.nullable(z.object({ net_fen: fen, gross_fen: z.nullable(fen) })),
    /** The plan can still be approved as requested. */
    is_current: z.boolean(),
  }),
  errors: ['not_found'],
})
