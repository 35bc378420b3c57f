/** The envelope of every JSON response. */
import type { FastifyReply } from 'fastify'
import { type Envelope, isPaymentPath, isVersionedPath } from '../contract/call.ts'
import { type ErrorName, errorCodes, successCode } from '../contract/errors.ts'
import { createProblem } from './problem.ts'

/** `path`: of the call, because those of payment repeat the code under another name. */
export function createEnvelope(path: string, name: ErrorName | null, message = '', data: unknown = {}): Envelope {
  const error_code = name ? errorCodes[name].code : successCode
  return { error_code, error_msg: message, errmsg: message, ...(isPaymentPath(path) && { errcode: error_code }), data }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The error that was sent, for the log and the metrics. */
    errorName?: ErrorName
  }
}

/**
 * Sends an error in the envelope, or as problem details below /api/v1. Bypasses the route's serializer, which only knows
 * the shape of a success response.
 */
export function sendError(
  reply: FastifyReply,
  status: number,
  name: ErrorName,
  message: string,
  data: object = {},
): FastifyReply {
  const { request } = reply
  const isVersioned = isVersionedPath(request.url)
  request.errorName = name
  return reply
    .code(status)
    .type(isVersioned ? 'application/problem+json; charset=utf-8' : 'application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(
      isVersioned
        ? createProblem({ status, name, message, details: data, request_id: request.id })
        : createEnvelope(request.url, name, message, data),
    )
}
