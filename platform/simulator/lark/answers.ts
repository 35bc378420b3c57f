/** How Lark answers: a code in the body beside a status, a trace in the headers, limits by call (platform/lark.md §7). */
import { traceId } from '../company.ts'
import type { RateLimit } from '../limits.ts'
import { type AskedCall, jsonReply, type Registered, type Reply, type SimulatedCall, type State } from '../state.ts'

const traced = () => ({ 'x-tt-logid': traceId() })
export const ok = (data: object = {}): Reply => jsonReply(200, { code: 0, msg: 'success', data }, traced())
export const refuse = (code: string | number, msg: string, more: object = {}): Reply =>
  jsonReply(400, { code, msg, error: { log_id: traceId(), ...more } }, traced())
/** Older calls fail with HTTP 200. */
export const refuseOld = (code: string | number, msg: string): Reply => jsonReply(200, { code, msg }, traced())
export const tooMany = (wait_ms: number): Reply =>
  jsonReply(
    429,
    { code: 99991400, msg: 'request trigger frequency limit' },
    { 'x-ogw-ratelimit-limit': '1000', 'x-ogw-ratelimit-reset': String(Math.ceil(wait_ms / 1000)), ...traced() },
  )

const level4: readonly RateLimit[] = [
  { count: 50, per_ms: 1000 },
  { count: 1000, per_ms: 60_000 },
]
const level9: readonly RateLimit[] = [{ count: 50, per_ms: 1000 }]

export const bearer = (asked: AskedCall): string | null => /^Bearer (\S+)$/.exec(asked.headers.authorization ?? '')?.[1] ?? null
export function noToken(asked: AskedCall): Reply {
  if (!asked.headers.authorization) return refuse(99991661, 'Missing access token for authorization.')
  const [, kind] = /^([tua])-/.exec(bearer(asked) ?? '') ?? []
  const invalid = { t: 99991663, u: 99991668, a: 99991664 }
  return kind === 't' || kind === 'u' || kind === 'a'
    ? refuse(invalid[kind], 'Invalid access token for authorization.')
    : refuse(
        99991671,
        "Invalid access token for authorization. Please make sure that the access token is start with 't-' or 'u-'.",
      )
}
/** A scope that the application lacks is named, as the console writes it. */
export const lacks = (scopes: readonly string[]): Reply =>
  refuse(99991672, `Access denied. One of the following scopes is required: [${scopes.join(', ')}].`, {
    permission_violations: scopes.map((subject) => ({ type: 'action_scope_required', subject })),
  })

/** A call with a company's token, and the scopes of which it needs one. */
export const withTenant = (
  state: State,
  work: (asked: AskedCall, app: Registered) => Reply,
  { scopes = [], counted = 'level9' }: { scopes?: readonly string[]; counted?: 'level4' | 'level9' } = {},
): SimulatedCall => {
  const limits = counted === 'level4' ? level4 : level9
  return (asked) => {
    const holder = state.holder(bearer(asked), 't')
    if (!holder) return noToken(asked)
    const { app } = holder
    if (app.stopped) return refuse(99991662, 'the app is not enabled in this tenant')
    const wait = state.limits.take(`lark ${app.app_id} ${app.corp_id} ${asked.pattern}`, limits)
    if (wait !== null) return tooMany(wait)
    if (scopes.length > 0 && app.permissions && !scopes.some((one) => app.permissions?.includes(one))) return lacks(scopes)
    return work(asked, app)
  }
}
