/**
 * DingTalk's response formats: older calls with `errcode` in HTTP 200, newer ones with a status and a string code
 * (platform/dingtalk.md).
 */
import { createTraceId } from '../company.ts'
import type { RegisteredApp } from '../registered-apps.ts'
import { createJsonReply, type Reply, type SimulatedCall, type SimulatedRequest, type SimulatorState } from '../state.ts'

export const replyResult = (value?: unknown): Reply =>
  createJsonReply(200, {
    errcode: 0,
    errmsg: 'ok',
    request_id: createTraceId(),
    ...(value === undefined ? {} : { result: value }),
  })
export const replyOk = (more: object): Reply =>
  createJsonReply(200, { errcode: 0, errmsg: 'ok', request_id: createTraceId(), ...more })
export const replyLegacyError = (errcode: string | number, errmsg: string): Reply =>
  createJsonReply(200, { errcode, errmsg, request_id: createTraceId() })
/** The gateway in front of the older calls has its own error format. */
export const replyGatewayError = (sub_code: string, sub_msg: string): Reply =>
  createJsonReply(200, {
    errcode: 88,
    sub_code,
    sub_msg,
    errmsg: `ding talk error[subcode=${sub_code},submsg=${sub_msg}]`,
    request_id: createTraceId(),
  })
export const replyError = (status: number, code: string | number, message: string): Reply =>
  createJsonReply(status, { code, message, requestid: createTraceId() })

/** Limit per public IP address, for all applications together. */
const addressLimits = [{ count: 10_000, per_ms: 20_000 }]
const blockedReply = createJsonReply(200, { status: 1111, wait: 5, source: 'x5', punish: 'deny', uuid: 'b0f6' })

/** An IP address that exceeds the limit is blocked for five minutes. */
export function withAddressLimit(state: SimulatorState, handle: SimulatedCall): SimulatedCall {
  return (request) => {
    if (state.inbox.recall('dingtalk blocked')) return blockedReply
    if (state.limits.tryTake('dingtalk address', addressLimits) !== null) {
      state.inbox.remember('dingtalk blocked', 'yes', 300_000)
      return blockedReply
    }
    return handle(request)
  }
}
/** Handles an older call with an application's token and the permission it needs. */
export const withAppToken = (
  state: SimulatorState,
  handle: (request: SimulatedRequest, app: RegisteredApp) => Reply,
  permission?: string,
): SimulatedCall =>
  withAddressLimit(state, (request) => {
    const token = request.query.get('access_token')
    const tokenEntry = state.findTokenEntry(token, 'at')
    if (tokenEntry?.app.provider !== 'dingtalk')
      return state.isTokenExpired(token)
        ? replyGatewayError('42001', 'access_token超时')
        : replyGatewayError('40014', '不合法的access_token')
    const { app } = tokenEntry
    if (app.isUntrustedAddress) return replyGatewayError('60020', '访问ip不在白名单之中,request ip=203.0.113.7')
    if (app.isStopped) return replyLegacyError(48004, '企业未授权或已停用该应用')
    if (permission && app.permissions && !app.permissions.includes(permission))
      return replyGatewayError('60011', `应用尚未开通所需的权限：[${permission}]`)
    return handle(request, app)
  })
/** Handles a newer call with the token in a header. */
export const withTokenHeader = (
  state: SimulatorState,
  kind: 'at' | 'u',
  handle: (request: SimulatedRequest, app: RegisteredApp) => Reply,
): SimulatedCall =>
  withAddressLimit(state, (request) => {
    const tokenEntry = state.findTokenEntry(request.headers['x-acs-dingtalk-access-token'], kind)
    if (tokenEntry?.app.provider !== 'dingtalk') return replyError(400, 'InvalidAuthentication', '不合法的access_token')
    return handle(request, tokenEntry.app)
  })
