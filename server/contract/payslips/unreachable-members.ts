/** Members who may not be reachable on pay day, with the reason, found in advance. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineRead } from '../call.ts'
import { id, pageParams, paginatedList, reachIssues } from '../shared/schemas.ts'

export const getUnreachableMemberList = defineRead('POST /api/Member/getReachList', requirePower('2', '3'), {
  summary:
    "Lists the members within the caller's scope whom a payslip may not reach, with the reasons and the number of members for each.",
  rateLimit: 'costly',
  input: z.object({
    issue: z.optional(z.enum(reachIssues)),
    /** Only the people of this wage sheet. */
    batch_id: z.optional(id),
    ...pageParams,
  }),
  output: z.extend(
    paginatedList(
      z.object({
        member_id: id,
        name: z.string(),
        mobile: z.string(),
        departments: z.string(),
        problems: z.array(z.enum(reachIssues)),
        /** The carrier's error for the last message. */
        why: z.nullable(z.string()),
      }),
    ),
    {
      counts: z.record(z.enum(reachIssues), z.int()),
      /** Members whom nothing reaches as things are; the others only need attention. */
      unreachable_count: z.int(),
    },
  ),
})
