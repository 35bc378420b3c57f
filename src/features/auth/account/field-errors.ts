import { errorCodes } from '../../../../server/contract/errors.ts'
import { ApiError } from '../../../api-core.ts'
import type { ValidationError } from './messages.ts'

/** Wraps a client-side validation error as the `ApiError` that the server would send, so that it is shown at its field. */
export const createFieldError = ({ field, text }: ValidationError<string>): ApiError =>
  new ApiError(errorCodes.invalid.code, text, { field })

/** Returns whether an error concerns typed input; such errors are shown at a field and need no toast. */
export const isFieldLevelError = (error: ApiError): boolean =>
  error.is('wrong_password') || error.is('wrong_code') || error.is('locked')

/** Assigns such an error to this field if it names none: the value typed last is the wrong one. */
export async function assignErrorToField<T>(field: string, request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    throw error instanceof ApiError && error.field === undefined && isFieldLevelError(error)
      ? createFieldError({ field, text: error.is('wrong_password') ? '登录密码不正确' : error.message })
      : error
  }
}
