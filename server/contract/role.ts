/** Administrators, their powers and scopes. calls.md §3. */
import * as z from 'zod/mini'
import { call } from './call.ts'
import { holders } from './who.ts'
import { id, listOf, pageInput, wordsOrNone } from './words.ts'

const power = z.enum(['1', '2', '3', '4'])
export const scope = z.object({ all: z.boolean(), department_ids: z.array(id) })

export const getUserList = call('POST /api/User/getUserList', {
  does: 'Administrators with their powers and scope',
  who: holders('1'),
  once: false,
  audit: 'none',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: z.object({ power: z.optional(power), name: z.optional(wordsOrNone(50)), ...pageInput }),
  output: listOf(
    z.object({
      user_id: id,
      member_id: id,
      name: z.string(),
      mobile_masked: z.string(),
      power: z.array(power),
      scope: z.object({ all: z.boolean(), departments: z.array(z.string()) }),
    }),
  ),
  refuses: [],
})
