/** Whoever runs the server: how he comes in, who the others are, and what was done by whom. No call here shows pay. */
import * as z from 'zod/mini'
import { defineCall } from '../call.ts'
import { code, emptyObject, id, newPassword, pageParams, paginatedList, password, requiredText, time } from '../shared/schemas.ts'

const key = z.string().check(z.trim(), z.minLength(1, '请填写密钥'), z.maxLength(200, '密钥不正确'))
const name = z
  .string()
  .check(
    z.trim(),
    z.minLength(2, '用户名至少 2 个字'),
    z.maxLength(30, '用户名最多 30 个字'),
    z.regex(/^[\p{L}\p{N}._-]+$/u, '用户名只能用文字、数字和 . _ -'),
  )

export const startOperatorSetup = defineCall('POST /api/ops/beginOperator', {
  does: 'With a key of the environment, or an invitation: a name, a password, and what an authenticator app scans',
  who: 'public',
  once: false,
  audit: 'none',
  rate: 'guess',
  input: z.object({ key, name, password: newPassword, confirm_password: z.string() }),
  output: z.object({ secret: z.string(), url: z.string() }),
  refuses: ['wrong_code', 'locked'],
})

export const completeOperatorSetup = defineCall('POST /api/ops/confirmOperator', {
  does: 'The first code of the app: the account is ready and its key is used up',
  who: 'public',
  once: false,
  audit: 'none',
  rate: 'guess',
  input: z.object({ key, name, code }),
  output: z.object({ token: z.string() }),
  refuses: ['wrong_code', 'locked'],
})

export const signInOperator = defineCall('POST /api/ops/signInOperator', {
  does: 'Name, password and the code of the app, all at once; nobody hears which of them is wrong',
  who: 'public',
  once: false,
  audit: 'none',
  rate: 'guess',
  input: z.object({ name: requiredText(30, '请填写用户名'), password, code }),
  output: z.object({ token: z.string() }),
  refuses: ['wrong_password', 'locked'],
})

export const signOutOperator = defineCall('POST /api/ops/signOutOperator', {
  does: 'Ends this session',
  who: 'operator',
  once: false,
  audit: 'change',
  urgent: true,
  input: emptyObject,
  output: emptyObject,
  refuses: [],
})

export const getOperatorList = defineCall('POST /api/ops/getOperatorList', {
  does: 'Who I am and who else is one',
  who: 'operator',
  once: false,
  audit: 'none',
  input: emptyObject,
  output: z.object({
    me: z.string(),
    list: z.array(
      z.object({
        operator_id: id,
        name: z.string(),
        created_at: time,
        seen_at: z.nullable(time),
        ended_at: z.nullable(time),
        is_me: z.boolean(),
      }),
    ),
  }),
  refuses: [],
})

export const inviteOperator = defineCall('POST /api/ops/inviteOperator', {
  does: 'A key that makes one more, once, within a day; it is shown this time only',
  who: 'operator',
  once: false,
  audit: 'change',
  input: emptyObject,
  output: z.object({ key: z.string(), expires_at: time }),
  refuses: [],
})

export const deactivateOperator = defineCall('POST /api/ops/endOperator', {
  does: 'Somebody else is one no more, and his sessions are over',
  who: 'operator',
  once: false,
  audit: 'change',
  urgent: true,
  input: z.object({ operator_id: id }),
  output: emptyObject,
  refuses: ['not_found', 'wrong_state'],
})

export const getOperatorLog = defineCall('POST /api/ops/getOperatorLog', {
  does: 'What operators did and tried, the newest first',
  who: 'operator',
  once: false,
  audit: 'none',
  input: z.object({ ...pageParams }),
  output: paginatedList(
    z.object({
      id,
      at: time,
      name: z.string(),
      call: z.string(),
      outcome: z.string(),
      /** Ids and counts, as they stand. */
      about: z.string(),
      address: z.string(),
    }),
  ),
  refuses: [],
})
