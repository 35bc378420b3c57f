/**
 * Simulated WeCom: identity by code, tokens and tickets of an application; the rest is in neighbouring files
 * (platform/wecom.md).
 */
import { renderSignInPage } from '../pages/sign-in.ts'
import {
  type Reply,
  type SimulatedCalls,
  type SimulatedRequest,
  type SimulatedVendor,
  type SimulatorState,
  textOrEmpty,
} from '../state.ts'
import { createWecomDirectoryCalls } from './directory.ts'
import { createWecomHiddenNameCalls } from './hidden-names.ts'
import { createWecomMessageCalls } from './messages.ts'
import { createWecomCheck, createWecomEvent } from './push.ts'
import { addJsonWarning, replyError, replyOk, withAppToken } from './replies.ts'
import { createWecomSuiteCalls } from './suite.ts'

function signInCalls(state: SimulatorState): SimulatedCalls {
  const renderPage = (request: SimulatedRequest) => {
    const appid = request.query.get('appid') ?? ''
    const app =
      state.findApp('wecom', { corp_id: appid, agent_id: request.query.get('agentid') ?? '' }) ??
      state.apps.find((one) => one.provider === 'wecom' && one.suite?.id === appid)
    return renderSignInPage(state, app, request, { codeParam: 'code' })
  }
  const createIdentityCall = (spelling: 'userid' | 'UserId') =>
    withAppToken(state, ({ query }, app) => {
      const user = state.redeemCode(query.get('code'), app, 'page')
      if (user === 'expired') return replyError(42003, 'oauth_code expired')
      if (typeof user === 'string') return replyError(40029, 'invalid code')
      // A user of another company has an open id only.
      if (user.corp_id !== app.corp_id)
        return replyOk(spelling === 'userid' ? { openid: `o-${user.user_id}` } : { OpenId: `o-${user.user_id}` })
      const company = state.getCompany(app)
      // Consent counts only for users in the visible range, and cannot be given on a browser page.
      const hasConsent = state.getGrantedScope(query.get('code')) === 'snsapi_privateinfo' && company.canSeeUser(app.range, user)
      const ticket = hasConsent ? { user_ticket: state.createTicket('wecom user', user.user_id, 1_800_000) } : {}
      return replyOk({ [spelling]: user.user_id, ...ticket, ...(spelling === 'UserId' ? { DeviceId: '' } : {}) })
    })
  const getUserDetail = withAppToken(state, ({ json }, app) => {
    const userid = state.getTicketSubject('wecom user', json.user_ticket)
    const user = userid === null ? undefined : state.getCompany(app).findUser(userid)
    if (!user)
      return state.isTicketExpired(json.user_ticket)
        ? replyError(84014, 'user_ticket expired')
        : replyError(84015, 'invalid user_ticket')
    return replyOk({
      userid: user.user_id,
      gender: '0',
      avatar: '',
      qr_code: '',
      mobile: user.mobile ?? '',
      email: user.email ?? '',
      biz_mail: '',
      address: '',
    })
  })
  /** Tickets: one for the company, and one for each application. */
  const createTicketCall = (kind: 'ticket' | 'agent_ticket') =>
    withAppToken(state, ({ query }, app) => {
      if (kind === 'agent_ticket' && query.get('type') !== 'agent_config') return replyError(40058, 'invalid parameter: type')
      const [subject, count] = kind === 'ticket' ? [app.corp_id, 400] : [`${app.corp_id} ${app.agent_id}`, 100]
      if (state.limits.tryTake(`wecom ${kind} ${subject}`, [{ count, per_ms: 3_600_000 }]) !== null)
        return replyError(45009, 'reach max api hour frequence limit')
      const first = state.apps.find((one) => one.provider === 'wecom' && one.corp_id === app.corp_id) ?? app
      const { token, expiresInSeconds } = state.getToken(kind === 'ticket' ? first : app, kind, 0)
      return replyOk({ ticket: token, expires_in: expiresInSeconds })
    })
  return {
    'GET /connect/oauth2/authorize': renderPage,
    'GET /wwlogin/sso/login': renderPage,
    'GET /wwopen/sso/qrConnect': renderPage,
    'GET /cgi-bin/gettoken': ({ query }) => {
      const corp_id = query.get('corpid') ?? ''
      if (!state.apps.some((one) => one.provider === 'wecom' && one.corp_id === corp_id))
        return replyError(40013, 'invalid corpid')
      const secret = query.get('corpsecret') ?? ''
      const app = state.findApp('wecom', { corp_id, secret })
      if (!app && secret !== '' && state.findApp('wecom', { secret })) return replyError(40091, 'secret of another corp')
      if (!app || app.suite) return replyError(40001, 'invalid credential')
      if (state.limits.tryTake(`wecom gettoken ${app.corp_id} ${app.agent_id}`, [{ count: 600, per_ms: 60_000 }]) !== null)
        return replyError(45009, 'reach max api minute frequence limit')
      const { token, expiresInSeconds } = state.getToken(app, 'at', 0)
      return replyOk({ access_token: token, expires_in: expiresInSeconds })
    },
    'GET /cgi-bin/auth/getuserinfo': createIdentityCall('userid'),
    'GET /cgi-bin/user/getuserinfo': createIdentityCall('UserId'),
    'POST /cgi-bin/auth/getuserdetail': getUserDetail,
    'POST /cgi-bin/user/getuserdetail': getUserDetail,
    'GET /cgi-bin/get_jsapi_ticket': createTicketCall('ticket'),
    'GET /cgi-bin/ticket/get': createTicketCall('agent_ticket'),
    'GET /cgi-bin/get_api_domain_ip': withAppToken(state, () => replyOk({ ip_list: ['127.0.0.1'] })),
    'GET /cgi-bin/getcallbackip': withAppToken(state, () => replyOk({ ip_list: ['127.0.0.1'] })),
  }
}

export const createWecomVendor = (state: SimulatorState): SimulatedVendor => {
  const calls = {
    ...signInCalls(state),
    ...createWecomDirectoryCalls(state),
    ...createWecomMessageCalls(state),
    ...createWecomSuiteCalls(state),
    ...createWecomHiddenNameCalls(state),
  }
  return { ...createVendorBase(state), calls, replyUnknownCall: createUnknownCallReply(calls) }
}
/** Unknown calls are answered with HTTP 200 as well. */
const createUnknownCallReply =
  (calls: SimulatedCalls) =>
  (method: string, path: string): Reply => {
    const otherMethod = method === 'GET' ? 'POST' : 'GET'
    if (`${otherMethod} ${path}` in calls)
      return otherMethod === 'GET' ? replyError(43001, 'require GET method') : replyError(43002, 'require POST method')
    return path.startsWith('/cgi-bin/') ? replyError(40066, 'invalid url') : { status: 404, body: '' }
  }
const createVendorBase = (state: SimulatorState): Omit<SimulatedVendor, 'calls'> => ({
  provider: 'wecom',
  withJsonWarning: addJsonWarning,
  replyError: (_path, code) => replyError(code, 'refused'),
  replyRateLimited: () => replyError(45009, 'reach max api daily quota limit'),
  getReceiver: (app) => app.suite?.id ?? app.corp_id,
  createEvent: createWecomEvent(state.now),
  createUrlCheck: createWecomCheck(state.now),
  isValidResponse: (_notified, answer, word) => answer.status === 200 && (word === null || textOrEmpty(answer.body) === word),
  createTicket: ({ id }) => state.createTicket('wecom ticket', id, 1_800_000),
  retryDelaysMs: [5000, 5000, 5000],
})
