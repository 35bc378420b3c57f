/** Errors of the calls below /api/v1: problem details as defined by RFC 9457. */
import { type ErrorName, errorCodes } from '../contract/errors.ts'

/** The reference page explains the error at this address. */
export const getProblemType = (name: ErrorName): string => `/api/reference#error-${name}`

type Problem = {
  readonly status: number
  readonly name: ErrorName
  readonly message: string
  readonly details: object
  readonly request_id: string
}

/** `title` is the same for every occurrence; `detail` says what is wrong with this request. */
export const createProblem = ({ status, name, message, details, request_id }: Problem) => ({
  ...details,
  type: getProblemType(name),
  title: errorCodes[name].message,
  status,
  detail: message,
  code: name,
  request_id,
})
