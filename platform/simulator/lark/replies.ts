/**
 * Lark's response formats: a code in the body in addition to the status, a trace id in the headers, limits per call
 * (platform/lark.md §7).
 */
import { createTraceId } from '../company.ts'
import type { RateLimit } from '../limits.ts'
import type { RegisteredApp } from '../registered-apps.ts'
import { createJsonReply, type Reply, type SimulatedCall, type SimulatedRequest, type SimulatorState } from '../state.ts'

const createTraceHeaders = () => ({ 'x-tt-logid': createTraceId() })
export const replyOk = (data: object = {}): Reply => createJsonReply(200, { code: 0, msg: 'success', data }, createTraceHeaders())
export const replyError = (code: string | number, msg: string, more: object = {}): Reply =>
  createJsonReply(400, { code, msg, error: { log_id: createTraceId(), ...more } }, createTraceHeaders())
/** Older calls fail with HTTP 200. */
export const replyLegacyError = (code: string | number, msg: string): Reply =>
  createJsonReply(200, { code, msg }, createTraceHeaders())
export const replyRateLimited = (wait_ms: number): Reply =>
  createJsonReply(
    429,
    { code: 99991400, msg: 'request trigger frequency limit' },
    { 'x-ogw-ratelimit-limit': '1000', 'x-ogw-ratelimit-reset': String(Math.ceil(wait_ms / 1000)), ...createTraceHeaders() },
  )

const level4: readonly RateLimit[] = [
  { count: 50, per_ms: 1000 },
  { count: 1000, per_ms: 60_000 },
]
const level9: readonly RateLimit[] = [{ count: 50, per_ms: 1000 }]

export const getBearerToken = (request: SimulatedRequest): string | null =>
  /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? null
export function replyInvalidToken(request: SimulatedRequest): Reply {
  if (!request.headers.authorization) return replyError(99991661, 'Missing access token for authorization.')
  const [, kind] = /^([tua])-/.exec(getBearerToken(request) ?? '') ?? []
  const invalid = { t: 99991663, u: 99991668, a: 99991664 }
  return kind === 't' || kind === 'u' || kind === 'a'
    ? replyError(invalid[kind], 'Invalid access token for authorization.')
    : replyError(
        99991671,
        "Invalid access token for authorization. Please make sure that the access token is start with 't-' or 'u-'.",
      )
}
/** A missing scope is named as in the console. */
export const replyMissingScope = (scopes: readonly string[]): Reply =>
  replyError(99991672, `Access denied. One of the following scopes is required: [${scopes.join(', ')}].`, {
    permission_violations: scopes.map((subject) => ({ type: 'action_scope_required', subject })),
  })

/** Handles a call with a tenant token that needs one of the given scopes. */
export const withTenantToken = (
  state: SimulatorState,
  handle: (request: SimulatedRequest, app: RegisteredApp) => Reply,
  { scopes = [], counted: limitLevel = 'level9' }: { scopes?: readonly string[]; counted?: 'level4' | 'level9' } = {},
): SimulatedCall => {
  const limits = limitLevel === 'level4' ? level4 : level9
  return (request) => {
    const tokenEntry = state.findTokenEntry(getBearerToken(request), 't')
    if (!tokenEntry) return replyInvalidToken(request)
    const { app } = tokenEntry
    if (app.isStopped) return replyError(99991662, 'the app is not enabled in this tenant')
    const wait = state.limits.tryTake(`lark ${app.app_id} ${app.corp_id} ${request.pattern}`, limits)
    if (wait !== null) return replyRateLimited(wait)
    if (scopes.length > 0 && app.permissions && !scopes.some((one) => app.permissions?.includes(one)))
      return replyMissingScope(scopes)
    return handle(request, app)
  }
}
