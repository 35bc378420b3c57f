/**
 * The step that validates the input by the call's schema. It follows authorization, so that a user without the right
 * learns nothing about the input; and authorization belongs to the transaction of the handler. So routes declare no
 * `schema.body`, which Fastify would validate before both.
 */
import { type Call, isVersionedPath } from '../contract/call.ts'
import { errorCodes } from '../contract/errors.ts'
import { parseBySchema } from '../contract/parse-input.ts'
import { extractIds } from './audit-log.ts'
import { fail } from './errors.ts'
import type { RequestContext } from './request-context.ts'

/** Parses the input; returns the idempotency key. */
export function validate(ctx: RequestContext): string | null {
  const { call, request, form } = ctx
  const provided = form ? form.fields : call.requestType === 'query' ? request.query : request.body
  ctx.input = parseWithSchema(call, isVersionedPath(call.path) ? withPathParams(request.params, provided) : provided)
  Object.assign(ctx.auditDetails, extractIds(ctx.input))
  return call.idempotent ? getIdempotencyKey(ctx) : null
}

/** The parameters of the path belong to the input; nothing in the body overrides them. */
function withPathParams(params: unknown, provided: unknown): unknown {
  if (provided === null || provided === undefined) return params
  return typeof provided === 'object' && !Array.isArray(provided) ? Object.assign({}, provided, params) : provided
}

function parseWithSchema(call: Call, provided: unknown): unknown {
  const { data, issue } = parseBySchema(call.input, provided ?? {})
  if (!issue) return data
  const { field } = issue
  const message = issue.message ?? `${errorCodes.invalid.message}${field ? `（${field}）` : ''}`
  throw fail('invalid', message, { field })
}

/** Keys of a program are its own: it acts in the seat of an administrator who has keys as well. */
function getIdempotencyKey({ request, principal: { apiKey } }: RequestContext): string | null {
  const key = request.headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || !/^[\w.-]{8,80}$/.test(key))
    throw fail('invalid', '操作编号不正确，请刷新后重试', { field: 'Idempotency-Key' })
  return apiKey ? `${apiKey.id} ${key}` : key
}
