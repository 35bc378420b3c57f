/** Who may not be reached on pay day, and why: found out before. */
import * as z from 'zod/mini'
import { call } from '../call.ts'
import { holders } from '../who.ts'
import { id, listOf, pageInput, reachProblems } from '../words/words.ts'

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
