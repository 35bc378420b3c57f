/** Whether an employee has read the payslip message in the chat, if the platform reports it. Beyond calls.md: openapi.ts. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineRead } from '../call.ts'
import { providers } from '../shared/providers.ts'
import { id, time } from '../shared/schemas.ts'

/** `not_told`: this platform never reports it · `unsure`: it no longer reports on this message, or cannot be queried now. */
export const chatReadStatuses = ['read', 'unread', 'not_told', 'unsure'] as const
export type ChatReadStatus = (typeof chatReadStatuses)[number]

export const getChatReadStatus = defineRead('POST /api/wage/getCardRead', requirePower('2'), {
  summary: 'Returns whether the chat message about this payslip was read. Asks the platform.',
  input: z.object({ salary_id: id }),
  /** The value is null if no such message was sent. */
  output: z.object({
    message: z.nullable(z.object({ provider: z.enum(providers), sent_at: time, read: z.enum(chatReadStatuses) })),
  }),
  errors: ['not_found'],
})
