/** The message of a slip in somebody's chat: whether he has seen it there, where the platform tells. Beyond calls.md; why stands in openapi.ts. */
import * as z from 'zod/mini'
import { call } from '../call.ts'
import { holders } from '../who.ts'
import { id, providers, time } from '../words/words.ts'

/** `not_told`: this platform never says · `unsure`: it says nothing of this one any more, or cannot be asked now. */
export const cardReads = ['read', 'unread', 'not_told', 'unsure'] as const
export type CardRead = (typeof cardReads)[number]

export const getCardRead = call('POST /api/wage/getCardRead', {
  does: 'Whether the message in the chat that announced this slip was read there; asks the platform',
  who: holders('2'),
  once: false,
  audit: 'none',
  input: z.object({ salary_id: id }),
  /** Null: no such message went out. */
  output: z.object({ card: z.nullable(z.object({ provider: z.enum(providers), sent_at: time, read: z.enum(cardReads) })) }),
  refuses: ['not_found'],
})
