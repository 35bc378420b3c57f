import { errorCodes } from '../../../server/contract/errors.ts'
import { ApiError } from '../../api-core.ts'
import type { ValidationError } from './messages.ts'

/** What a form found wrong before asking the server, as the refusal that the server would give: it goes to its field. */
export const createFieldError = ({ field, text }: ValidationError<string>): ApiError =>
  new ApiError(errorCodes.invalid.code, text, { field })

/** Refusals about what was typed, which belong at a field and need no toast. */
export const isFieldLevelError = (error: ApiError): boolean =>
  error.is('wrong_password') || error.is('wrong_code') || error.is('locked')

/** Where such a refusal names no field, it goes to this one: what was typed last is what was wrong. */
export async function assignErrorToField<T>(field: string, request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    throw error instanceof ApiError && error.field === undefined && isFieldLevelError(error)
      ? createFieldError({ field, text: error.is('wrong_password') ? '登录密码不正确' : error.message })
      : error
  }
}
