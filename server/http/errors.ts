/** Errors of calls. */
import { type ErrorName, errorCodes } from '../contract/errors.ts'

/** An error with a message for the user. Thrown in a handler, it rolls back the transaction and fills the envelope. */
export class AppError extends Error {
  readonly error: ErrorName
  readonly details: Record<string, unknown>
  constructor(error: ErrorName, message?: string, data: Record<string, unknown> = {}) {
    super(message ?? errorCodes[error].message)
    this.error = error
    this.details = data
  }
}

/** `throw fail('wrong_state', '这一批已经发送过了', { status })` */
export const fail = (name: ErrorName, message?: string, data?: Record<string, unknown>): AppError =>
  new AppError(name, message, data)

/** Creates an error for input that the schema cannot reject; names the field. */
export const invalidInput = (field: string, message: string): AppError => new AppError('invalid', message, { field })

/** Throws unless the result of `can.…` is true. */
export function assertAllowed(result: true | string, data: Record<string, unknown> = {}): void {
  if (result !== true) throw new AppError('wrong_state', result, data)
}
