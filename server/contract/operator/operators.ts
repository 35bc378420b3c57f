/** Operators: sign-in, the list of operators, and their audit log. No call here shows pay. */
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
  summary:
    'Starts an operator account with a key of the environment or an invitation: sets name and password and returns what the authenticator app scans.',
  access: 'public',
  idempotent: false,
  audit: 'none',
  rateLimit: 'guess',
  input: z.object({ key, name, password: newPassword, confirm_password: z.string() }),
  output: z.object({ secret: z.string(), url: z.string() }),
  errors: ['wrong_code', 'locked'],
})

export const completeOperatorSetup = defineCall('POST /api/ops/confirmOperator', {
  summary: 'Activates an operator account with the first code of the app. Its key is used up.',
  access: 'public',
  idempotent: false,
  audit: 'none',
  rateLimit: 'guess',
  input: z.object({ key, name, code }),
  output: z.object({ token: z.string() }),
  errors: ['wrong_code', 'locked'],
})

export const signInOperator = defineCall('POST /api/ops/signInOperator', {
  summary: 'Signs an operator in with name, password and app code in one call. The error does not say which of them is wrong.',
  access: 'public',
  idempotent: false,
  audit: 'none',
  rateLimit: 'guess',
  input: z.object({ name: requiredText(30, '请填写用户名'), password, code }),
  output: z.object({ token: z.string() }),
  errors: ['wrong_password', 'locked'],
})

export const signOutOperator = defineCall('POST /api/ops/signOutOperator', {
  summary: 'Ends the current operator session.',
  access: 'operator',
  idempotent: false,
  audit: 'change',
  allowedOnFullDisk: true,
  input: emptyObject,
  output: emptyObject,
  errors: [],
})

export const getOperatorList = defineCall('POST /api/ops/getOperatorList', {
  summary: 'Lists the operators and marks the current one.',
  access: 'operator',
  idempotent: false,
  audit: 'none',
  input: emptyObject,
  output: z.object({
    current_operator: z.string(),
    list: z.array(
      z.object({
        operator_id: id,
        name: z.string(),
        created_at: time,
        last_active_at: z.nullable(time),
        ended_at: z.nullable(time),
        is_me: z.boolean(),
      }),
    ),
  }),
  errors: [],
})

export const inviteOperator = defineCall('POST /api/ops/inviteOperator', {
  summary: 'Creates an invitation key for one more operator, valid once within a day and shown only now.',
  access: 'operator',
  idempotent: false,
  audit: 'change',
  input: emptyObject,
  output: z.object({ key: z.string(), expires_at: time }),
  errors: [],
})

export const deactivateOperator = defineCall('POST /api/ops/endOperator', {
  summary: 'Removes another operator and ends their sessions.',
  access: 'operator',
  idempotent: false,
  audit: 'change',
  allowedOnFullDisk: true,
  input: z.object({ operator_id: id }),
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
})

export const getOperatorLog = defineCall('POST /api/ops/getOperatorLog', {
  summary: 'Lists the actions and attempts of operators, newest first.',
  access: 'operator',
  idempotent: false,
  audit: 'none',
  input: z.object({ ...pageParams }),
  output: paginatedList(
    z.object({
      id,
      at: time,
      name: z.string(),
      call: z.string(),
      outcome: z.string(),
      /** Ids and counts, as recorded. */
      details: z.string(),
      address: z.string(),
    }),
  ),
  errors: [],
})
