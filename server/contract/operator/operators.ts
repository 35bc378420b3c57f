/** Operators: sign-in, the list of operators, and their audit log. No call here shows pay. */
import * as z from 'zod/mini'
import { defineChange, defineRead } from '../call.ts'
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

export const startOperatorSetup = defineRead('POST /api/ops/beginOperator', 'public', {
  summary:
    'Starts an operator account with a key of the environment or an invitation: sets name and password and returns what the authenticator app scans.',
  rateLimit: 'guess',
  input: z.object({ key, name, password: newPassword, confirm_password: z.string() }),
  output: z.object({ secret: z.string(), url: z.string() }),
  errors: ['wrong_code', 'locked'],
})

export const completeOperatorSetup = defineRead('POST /api/ops/confirmOperator', 'public', {
  summary: 'Activates an operator account with the first code of the app. Its key is used up.',
  rateLimit: 'guess',
  input: z.object({ key, name, code }),
  output: z.object({ token: z.string() }),
  errors: ['wrong_code', 'locked'],
})

export const signInOperator = defineRead('POST /api/ops/signInOperator', 'public', {
  summary: 'Signs an operator in with name, password and app code in one call. The error does not say which of them is wrong.',
  rateLimit: 'guess',
  input: z.object({ name: requiredText(30, '请填写用户名'), password, code }),
  output: z.object({ token: z.string() }),
  errors: ['wrong_password', 'locked'],
})

export const signOutOperator = defineChange('POST /api/ops/signOutOperator', 'operator', {
  summary: 'Ends the current operator session.',
  idempotent: false,
  allowedOnFullDisk: true,
  input: emptyObject,
  output: emptyObject,
})

export const getOperatorList = defineRead('POST /api/ops/getOperatorList', 'operator', {
  summary: 'Lists the operators and marks the current one.',
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
})

export const inviteOperator = defineChange('POST /api/ops/inviteOperator', 'operator', {
  summary: 'Creates an invitation key for one more operator, valid once within a day and shown only now.',
  idempotent: false,
  input: emptyObject,
  output: z.object({ key: z.string(), expires_at: time }),
})

export const deactivateOperator = defineChange('POST /api/ops/endOperator', 'operator', {
  summary: 'Removes another operator and ends their sessions.',
  idempotent: false,
  allowedOnFullDisk: true,
  input: z.object({ operator_id: id }),
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
})

export const getOperatorLog = defineRead('POST /api/ops/getOperatorLog', 'operator', {
  summary: 'Lists the actions and attempts of operators, newest first.',
  input: z.object({ ...pageParams }),
  output: paginatedList(
    z.object({
      id,
      at: time,
      name: z.string(),
      call: z.string(),
      outcome: z.string(),
      /** Ids, counts, and the reason of a grant, as recorded. */
      details: z.string(),
      address: z.string(),
    }),
  ),
})
