/** WeCom's response formats: always HTTP 200, `errcode` decides, and a trace id in every error (platform/wecom.md). */
import type { RegisteredApp } from '../registered-apps.ts'
import { createJsonReply, type Reply, type SimulatedCall, type SimulatedRequest, type SimulatorState } from '../state.ts'

const traceHint =
  ', hint: [1635043469_160_1ea1b1d99cd2c82ebf782c0c06a61af4], from ip: 203.0.113.7, more info at https://open.work.weixin.qq.com/devtool/query?e='

export const replyOk = (more: object = {}): Reply => createJsonReply(200, { errcode: 0, errmsg: 'ok', ...more })
export const replyError = (errcode: string | number, errmsg: string): Reply =>
  createJsonReply(200, { errcode, errmsg: `${errmsg}${traceHint}${errcode}` })

/** Adds the warning about malformed JSON that could nevertheless be parsed. */
export const addJsonWarning = (reply: Reply): Reply => ({
  ...reply,
  body: reply.body.replace('"errmsg":"ok"', '"errmsg":"ok. Warning: wrong json format. "'),
})

const callLimits = [
  { count: 10_000, per_ms: 60_000 },
  { count: 150_000, per_ms: 3_600_000 },
]

/** Handles a call with an application's token. Messages do not count towards the call limit. */
export const withAppToken =
  (
    state: SimulatorState,
    handle: (request: SimulatedRequest, app: RegisteredApp) => Reply,
    { counted: isLimited = true } = {},
  ): SimulatedCall =>
  (request) => {
    const token = request.query.get('access_token')
    if (!token) return replyError(41001, 'access_token missing')
    const tokenEntry = state.findTokenEntry(token, 'at')
    if (tokenEntry?.app.provider !== 'wecom')
      return state.isTokenExpired(token) ? replyError(42001, 'access_token expired') : replyError(40014, 'invalid access_token')
    const { app } = tokenEntry
    if (app.isUntrustedAddress)
      return replyError(
        60020,
        'not allow to access from your ip, hint: [1764390000_1_0123456789], from ip: 203.0.113.7, more info at https://open.work.weixin.qq.com/devtool/query?e=60020',
      )
    if (app.isStopped) return replyError(50003, 'app is disabled')
    if (isLimited && state.limits.tryTake(`wecom ${app.corp_id} ${request.path}`, callLimits) !== null)
      return replyError(45009, 'reach max api minute frequence limit')
    return handle(request, app)
  }
