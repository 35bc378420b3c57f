/** Notifications of an administrator. calls.md §2. */
import * as z from 'zod/mini'
import { defineRead } from '../call.ts'
import { emptyObject, id, pageParams, paginatedList, time } from '../shared/schemas.ts'
import { notificationKinds } from './kinds.ts'

export const getNotificationList = defineRead('POST /api/Notice/getNoticeList', 'admin', {
  summary: "Lists the caller's notifications, newest first.",
  input: z.object({ ...pageParams }),
  output: paginatedList(
    z.object({
      id,
      kind: z.enum(notificationKinds),
      text: z.string(),
      batch_id: z.nullable(id),
      created_at: time,
      read: z.boolean(),
    }),
  ),
})

export const markNotificationsRead = defineRead('POST /api/Notice/read', 'admin', {
  summary: 'Marks notifications as read. With `seen` it only clears the red dot and leaves them unread.',
  input: z.object({
    ids: z.optional(z.array(id).check(z.maxLength(100))),
    all: z.optional(z.boolean()),
    home_visited: z.optional(z.boolean()),
  }),
  output: emptyObject,
})
