/** Questions about slips, the administrator's side. calls.md §5. */
import * as z from 'zod/mini'
import { call } from './call.ts'
import { holders } from './who.ts'
import { id, listOf, month, nothing, pageInput, time, wordsOrNone } from './words.ts'

/** `answered`: the company has spoken last, and waits for nobody. */
export const feedbackStatus = z.enum(['open', 'answered', 'resolved'])
export type FeedbackStatus = z.infer<typeof feedbackStatus>
export const message = z.object({ at: time, from: z.enum(['employee', 'admin']), name: z.string(), content: z.string() })

const line = z.object({
  id,
  salary_id: id,
  batch_id: id,
  title: z.string(),
  month: z.nullable(month),
  name: z.string(),
  status: feedbackStatus,
  last: z.string(),
  updated_at: time,
})
export const getFeedBackList = call('POST /api/wage/getFeedBackList', {
  does: 'The feedback inbox',
  who: holders('2'),
  once: false,
  audit: 'view',
  input: z.object({
    status: z.optional(feedbackStatus),
    batch_id: z.optional(id),
    name: z.optional(wordsOrNone(50)),
    ...pageInput,
  }),
  output: listOf(line),
  refuses: ['not_found'],
})
export const getFeedBackDetail = call('POST /api/wage/getFeedBackDetail', {
  does: 'One thread',
  who: holders('2'),
  once: false,
  audit: 'view',
  input: z.object({ id }),
  output: z.extend(line, { messages: z.array(message) }),
  refuses: ['not_found'],
})
export const handleFeedback = call('POST /api/wage/handleFeedback', {
  does: 'Reply, resolve or reopen',
  who: holders('2'),
  once: true,
  audit: 'change',
  input: z.object({ id, action: z.enum(['reply', 'resolve', 'reopen']), content: z._default(wordsOrNone(500), '') }),
  output: nothing,
  refuses: ['not_found', 'wrong_state'],
})
