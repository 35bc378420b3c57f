/** Errors in the API document: one component per error code, so that a client distinguishes a refusal by its type. */
import type { Call } from '../call.ts'
import { commonErrors, type ErrorName, errorCodes, successCode } from '../errors.ts'
import type { ComponentSchemas, JsonSchema } from './schemas.ts'

const toComponentName = (name: ErrorName): string =>
  `${name
    .split('_')
    .map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
    .join('')}Error`
const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

const toEnvelope = (code: JsonSchema, data: JsonSchema): JsonSchema => ({
  type: 'object',
  required: ['error_code', 'error_msg', 'errmsg', 'data'],
  properties: {
    error_code: { type: 'integer', ...code },
    error_msg: { type: 'string', description: 'A sentence for the user, in Chinese.' },
    errmsg: { type: 'string', description: 'The same as error_msg, for older clients.' },
    errcode: { type: 'integer', description: 'The same as error_code, in the calls of payment only.' },
    data,
  },
})

/** Adds the components of all errors. */
export function addErrorSchemas(components: ComponentSchemas): void {
  components.add('ErrorDetails', {
    type: 'object',
    description: 'What a program may need to react. Further fields depend on the error.',
    properties: {
      field: { type: 'string', description: 'The field of the request that is wrong.' },
      retry_after: { type: 'integer', description: 'Seconds after which the request may be repeated.' },
      request_id: { type: 'string', description: 'The id in the header X-Request-Id, for questions to the operator.' },
    },
  })
  const details = refTo('ErrorDetails')
  const names = Object.keys(errorCodes) as ErrorName[]
  for (const name of names)
    components.add(toComponentName(name), {
      description: errorCodes[name].message,
      ...toEnvelope({ const: errorCodes[name].code }, details),
    })
  components.add('CommonError', {
    description: 'The errors that every call may return.',
    oneOf: commonErrors.map((name) => refTo(toComponentName(name))),
  })
  components.add('AnyError', {
    description: 'Any error, as returned with an HTTP status other than 200.',
    oneOf: names.map((name) => refTo(toComponentName(name))),
  })
}

/** The errors of one call, as alternatives to its success. */
export const listErrorSchemas = (call: Call): readonly JsonSchema[] => [
  refTo('CommonError'),
  ...call.errors.filter((name) => !commonErrors.includes(name)).map((name) => refTo(toComponentName(name))),
]

/** One of these; a single alternative stands for itself. */
export const combineAlternatives = (schemas: readonly JsonSchema[]): JsonSchema =>
  schemas.length === 1 && schemas[0] ? schemas[0] : { oneOf: schemas }

export const toSuccessSchema = (data: JsonSchema): JsonSchema => toEnvelope({ const: successCode }, data)

const retryAfter = { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } } }
const toResponse = (description: string, headers?: object) => ({
  description,
  ...(headers && { headers }),
  content: { 'application/json': { schema: refTo('AnyError') } },
})

/** Responses to a program with an API key, which gets the HTTP status of every error (`getHttpStatus`). */
export const apiKeyErrorResponses = {
  401: ['Unauthorized', toResponse('The API key is unknown, revoked or expired.')],
  403: ['Forbidden', toResponse('The API key lacks the scope, or may not be used from this address.')],
  409: ['Conflict', toResponse('The state does not allow the call.')],
} as const

/** Responses with another HTTP status than 200: nothing of the request was executed. */
export const errorResponses = {
  400: ['BadRequest', toResponse('The request cannot be read, for example malformed JSON.')],
  404: ['NotFound', toResponse('The address does not exist on this server.')],
  413: ['ContentTooLarge', toResponse('The body or the file is too large.')],
  429: ['TooManyRequests', toResponse('Too many requests.', retryAfter)],
  503: ['ServiceUnavailable', toResponse('The server is overloaded; the request may be repeated.', retryAfter)],
} as const
