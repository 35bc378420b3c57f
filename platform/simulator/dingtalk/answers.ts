/** How DingTalk answers: older calls with `errcode` in HTTP 200, newer ones with a status and a word (platform/dingtalk.md). */
import { traceId } from '../company.ts'
import { type AskedCall, jsonReply, type Registered, type Reply, type SimulatedCall, type State } from '../state.ts'

export const result = (value?: unknown): Reply =>
  jsonReply(200, { errcode: 0, errmsg: 'ok', request_id: traceId(), ...(value === undefined ? {} : { result: value }) })
export const ok = (more: object): Reply => jsonReply(200, { errcode: 0, errmsg: 'ok', request_id: traceId(), ...more })
export const old = (errcode: string | number, errmsg: string): Reply => jsonReply(200, { errcode, errmsg, request_id: traceId() })
/** The gate before the older calls has a shape of its own. */
export const gate = (sub_code: string, sub_msg: string): Reply =>
  jsonReply(200, {
    errcode: 88,
    sub_code,
    sub_msg,
    errmsg: `ding talk error[subcode=${sub_code},submsg=${sub_msg}]`,
    request_id: traceId(),
  })
export const refused = (status: number, code: string | number, message: string): Reply =>
  jsonReply(status, { code, message, requestid: traceId() })

/** From one public address, of all applications together. */
const perAddress = [{ count: 10_000, per_ms: 20_000 }]
const blocked = jsonReply(200, { status: 1111, wait: 5, source: 'x5', punish: 'deny', uuid: 'b0f6' })

/** Whoever asks too often hears nothing else for five minutes. */
export function gated(state: State, work: SimulatedCall): SimulatedCall {
  return (asked) => {
    if (state.inbox.known('dingtalk blocked')) return blocked
    if (state.limits.take('dingtalk address', perAddress) !== null) {
      state.inbox.keep('dingtalk blocked', 'yes', 300_000)
      return blocked
    }
    return work(asked)
  }
}
/** An older call with an application's token, and the permission it needs. */
export const withApp = (state: State, work: (asked: AskedCall, app: Registered) => Reply, permission?: string): SimulatedCall =>
  gated(state, (asked) => {
    const token = asked.query.get('access_token')
    const holder = state.holder(token, 'at')
    if (holder?.app.provider !== 'dingtalk')
      return state.isOver(token) ? gate('42001', 'access_token超时') : gate('40014', '不合法的access_token')
    const { app } = holder
    if (app.distrusted) return gate('60020', '访问ip不在白名单之中')
    if (app.stopped) return old(48004, '企业未授权或已停用该应用')
    if (permission && app.permissions && !app.permissions.includes(permission))
      return gate('60011', `应用尚未开通所需的权限：[${permission}]`)
    return work(asked, app)
  })
/** A newer one. */
export const withHeader = (state: State, kind: 'at' | 'u', work: (asked: AskedCall, app: Registered) => Reply): SimulatedCall =>
  gated(state, (asked) => {
    const holder = state.holder(asked.headers['x-acs-dingtalk-access-token'], kind)
    if (holder?.app.provider !== 'dingtalk') return refused(400, 'InvalidAuthentication', '不合法的access_token')
    return work(asked, holder.app)
  })
