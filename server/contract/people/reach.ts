/** Who may not be reached on pay day, and why: found out before. */
import * as z from 'zod/mini'
import { call } from '../call.ts'
import { holders } from '../who.ts'
import { id, listOf, pageInput } from '../words.ts'

/**
 * `no_phone` · `unconfirmed`: the phone was given by somebody else · `bounced`: the last message to him failed · `not_joined` · `never_viewed`: has been
 * sent slips and looked at none · `no_platform`: the company is bound to a chat platform that does not know him.
 */
export const reachProblems = ['no_phone', 'unconfirmed', 'bounced', 'not_joined', 'never_viewed', 'no_platform'] as const
export type ReachProblem = (typeof reachProblems)[number]

export const getReachList = call('POST /api/Member/getReachList', {
  does: 'People within my scope whom a slip may not reach, with the reasons; how many of each',
  who: holders('2', '3'),
  once: false,
  audit: 'none',
  rate: 'costly',
  input: z.object({ problem: z.optional(z.enum(reachProblems)), ...pageInput }),
  output: z.extend(
    listOf(
      z.object({
        member_id: id,
        name: z.string(),
        mobile: z.string(),
        departments: z.string(),
        problems: z.array(z.enum(reachProblems)),
        /** What the carrier said of the last message. */
        why: z.nullable(z.string()),
      }),
    ),
    { counts: z.record(z.enum(reachProblems), z.int()) },
  ),
  refuses: [],
})
