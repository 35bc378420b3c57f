/** Titles: a list of named pay runs, and the administrators each is shared with. calls.md §5. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineChange, defineRead } from '../call.ts'
import { id, month, optionalText, pageParams, paginatedList, time, titleKinds } from '../shared/schemas.ts'

const payroll = requirePower('2')
const titleRef = z.object({ title_id: id })
/** `view` may read; `manage` may do everything the owner may do with the batches except share them. */
export const shareRights = ['view', 'manage'] as const
export type ShareRights = (typeof shareRights)[number]

export const getTitleList = defineRead('POST /api/wage/getTitleList', payroll, {
  summary: 'Lists the titles that the caller owns or that are shared with them, newest month first.',
  input: z.object({ month: z.optional(month), name: z.optional(optionalText(50)), ...pageParams }),
  output: paginatedList(
    z.object({
      title_id: id,
      title: z.string(),
      month,
      kind: z.enum(titleKinds),
      owner: z.string(),
      is_own: z.boolean(),
      /** The current user's rights: full for own titles (and, with power 4, for all titles). */
      rights: z.enum(['own', ...shareRights]),
      /** Number of batches in it, and how many were not sent yet. */
      batches: z.int(),
      unsent: z.int(),
      /** Number of administrators with whom it is shared. */
      shared: z.int(),
      /** When the newest batch of the title was created; null without a batch. */
      last_batch_at: z.nullable(time),
    }),
  ),
})

export const clearTitle = defineChange('POST /api/wage/clearTitle', payroll, {
  summary: 'Deletes a title with its drafts. A title of which something was sent cannot be deleted.',
  input: titleRef,
  output: z.object({ batches: z.int() }),
  errors: ['not_found', 'wrong_state'],
})

export const shareTitle = defineChange('POST /api/wage/shareTitle', payroll, {
  summary:
    'Shares a title with other payroll administrators, changes what they may do, or revokes it. Users not named keep their access.',
  input: z.object({
    title_id: id,
    user_ids: z.array(id).check(z.minLength(1, '请选择要共享给谁'), z.maxLength(200)),
    /** `none` revokes the share. */
    rights: z.enum([...shareRights, 'none']),
  }),
  /** Number of administrators whose rights changed. */
  output: z.object({ changed: z.int() }),
  errors: ['not_found'],
})

export const getShareUserList = defineRead('POST /api/wage/getShareUserList', payroll, {
  summary: 'Lists the users with whom a title may be shared, and their current access.',
  input: titleRef,
  output: z.object({
    list: z.array(
      z.object({
        user_id: id,
        name: z.string(),
        mobile_masked: z.string(),
        /** The administrator pays the whole company; otherwise they see only payslips of their departments, even when shared. */
        whole: z.boolean(),
        rights: z.nullable(z.enum(shareRights)),
      }),
    ),
  }),
  errors: ['not_found'],
})
