/** WeCom's side: who is asked for by a code, tokens and tickets of an application; the rest stands beside (platform/wecom.md). */
import { signInPage } from '../pages/sign-in.ts'
import { type AskedCall, type Reply, type SimulatedCalls, type State, said, type Vendor } from '../state.ts'
import { ok, refuse, warned, withApp } from './answers.ts'
import { wecomDirectory } from './directory.ts'
import { wecomHidden } from './hidden.ts'
import { wecomMessages } from './messages.ts'
import { wecomCheck, wecomEvent } from './push.ts'
import { wecomSuite } from './suite.ts'

function signIn(state: State): SimulatedCalls {
  const page = (asked: AskedCall) => {
    const appid = asked.query.get('appid') ?? ''
    const app =
      state.app('wecom', { corp_id: appid, agent_id: asked.query.get('agentid') ?? '' }) ??
      state.apps.find((one) => one.provider === 'wecom' && one.suite?.id === appid)
    return signInPage(state, app, asked, { code: 'code' })
  }
  const who = (spelling: 'userid' | 'UserId') =>
    withApp(state, ({ query }, app) => {
      const person = state.redeem(query.get('code'), app, 'page')
      if (person === 'expired') return refuse(42003, 'oauth_code expired')
      if (typeof person === 'string') return refuse(40029, 'invalid code')
      // Somebody of another company has an open id only.
      if (person.corp_id !== app.corp_id)
        return ok(spelling === 'userid' ? { openid: `o-${person.user_id}` } : { OpenId: `o-${person.user_id}` })
      const company = state.companyOf(app)
      // Consent counts for those in the visible range, and nobody can give it on the page of a browser.
      const agreed = state.agreedTo(query.get('code')) === 'snsapi_privateinfo' && company.seesPerson(app.range, person)
      const ticket = agreed ? { user_ticket: state.give('wecom user', person.user_id, 1_800_000) } : {}
      return ok({ [spelling]: person.user_id, ...ticket, ...(spelling === 'UserId' ? { DeviceId: '' } : {}) })
    })
  const detail = withApp(state, ({ json }, app) => {
    const userid = state.about('wecom user', json.user_ticket)
    const person = userid === null ? undefined : state.companyOf(app).person(userid)
    if (!person)
      return state.wasGiven(json.user_ticket) ? refuse(84014, 'user_ticket expired') : refuse(84015, 'invalid user_ticket')
    return ok({
      userid: person.user_id,
      gender: '0',
      avatar: '',
      qr_code: '',
      mobile: person.mobile ?? '',
      email: person.email ?? '',
      biz_mail: '',
      address: '',
    })
  })
  /** The company's, and one an application. */
  const ticketOf = (kind: 'ticket' | 'agent_ticket') =>
    withApp(state, ({ query }, app) => {
      if (kind === 'agent_ticket' && query.get('type') !== 'agent_config') return refuse(40058, 'invalid parameter: type')
      const [about, count] = kind === 'ticket' ? [app.corp_id, 400] : [`${app.corp_id} ${app.agent_id}`, 100]
      if (state.limits.take(`wecom ${kind} ${about}`, [{ count, per_ms: 3_600_000 }]) !== null)
        return refuse(45009, 'reach max api hour frequence limit')
      const first = state.apps.find((one) => one.provider === 'wecom' && one.corp_id === app.corp_id) ?? app
      const { token, expires_s } = state.token(kind === 'ticket' ? first : app, kind, 0)
      return ok({ ticket: token, expires_in: expires_s })
    })
  return {
    'GET /connect/oauth2/authorize': page,
    'GET /wwlogin/sso/login': page,
    'GET /wwopen/sso/qrConnect': page,
    'GET /cgi-bin/gettoken': ({ query }) => {
      const corp_id = query.get('corpid') ?? ''
      if (!state.apps.some((one) => one.provider === 'wecom' && one.corp_id === corp_id)) return refuse(40013, 'invalid corpid')
      const secret = query.get('corpsecret') ?? ''
      const app = state.app('wecom', { corp_id, secret })
      if (!app && secret !== '' && state.app('wecom', { secret })) return refuse(40091, 'secret of another corp')
      if (!app || app.suite) return refuse(40001, 'invalid credential')
      if (state.limits.take(`wecom gettoken ${app.corp_id} ${app.agent_id}`, [{ count: 600, per_ms: 60_000 }]) !== null)
        return refuse(45009, 'reach max api minute frequence limit')
      const { token, expires_s } = state.token(app, 'at', 0)
      return ok({ access_token: token, expires_in: expires_s })
    },
    'GET /cgi-bin/auth/getuserinfo': who('userid'),
    'GET /cgi-bin/user/getuserinfo': who('UserId'),
    'POST /cgi-bin/auth/getuserdetail': detail,
    'POST /cgi-bin/user/getuserdetail': detail,
    'GET /cgi-bin/get_jsapi_ticket': ticketOf('ticket'),
    'GET /cgi-bin/ticket/get': ticketOf('agent_ticket'),
    'GET /cgi-bin/getcallbackip': withApp(state, () => ok({ ip_list: ['127.0.0.1'] })),
  }
}

export const wecomVendor = (state: State): Vendor => {
  const calls = {
    ...signIn(state),
    ...wecomDirectory(state),
    ...wecomMessages(state),
    ...wecomSuite(state),
    ...wecomHidden(state),
  }
  return { ...vendorOf(state), calls, unknown: unknownOf(calls) }
}
/** Also what does not exist is answered with HTTP 200. */
const unknownOf =
  (calls: SimulatedCalls) =>
  (method: string, path: string): Reply => {
    const other = method === 'GET' ? 'POST' : 'GET'
    if (`${other} ${path}` in calls)
      return other === 'GET' ? refuse(43001, 'require GET method') : refuse(43002, 'require POST method')
    return path.startsWith('/cgi-bin/') ? refuse(40066, 'invalid url') : { status: 404, body: '' }
  }
const vendorOf = (state: State): Omit<Vendor, 'calls'> => ({
  provider: 'wecom',
  warned,
  refuse: (_path, code) => refuse(code, 'refused'),
  tooMany: () => refuse(45009, 'reach max api daily quota limit'),
  receiver: (app) => app.suite?.id ?? app.corp_id,
  event: wecomEvent(state.now),
  check: wecomCheck(state.now),
  isAnswer: (_told, answer, word) => answer.status === 200 && (word === null || said(answer.body) === word),
  retries: [5000, 5000, 5000],
})
