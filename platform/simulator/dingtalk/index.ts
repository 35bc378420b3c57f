/** DingTalk's side: codes, tokens of both generations, applications of the store; the rest stands beside (platform/dingtalk.md). */
import { createHmac } from 'node:crypto'
import { signInPage } from '../pages/sign-in.ts'
import {
  jsonReply,
  listed,
  type Registered,
  type RegisteredSuite,
  type Reply,
  type SimulatedCalls,
  type State,
  said,
  type Vendor,
} from '../state.ts'
import { gate, gated, ok, old, refused, result, withApp, withHeader } from './answers.ts'
import { dingtalkDirectory, unionOf } from './directory.ts'
import { dingtalkMessages } from './messages.ts'
import { dingtalkOldest } from './oldest.ts'
import { dingtalkCheck, dingtalkEvent, isDingtalkAnswer } from './push.ts'

const isNew = (path: string): boolean => path.startsWith('/v1.0/')

/** The same token again, and it lives longer for it. */
function renewed(state: State, app: Registered) {
  const { token } = state.token(app, 'at', 0)
  state.renew(token)
  return { token, expires_s: 7200 }
}

function signIn(state: State): SimulatedCalls {
  return {
    'GET /oauth2/auth': (asked) => {
      const id = asked.query.get('client_id') ?? ''
      const app =
        state.app('dingtalk', { app_id: id }) ?? state.apps.find((one) => one.provider === 'dingtalk' && one.suite?.id === id)
      // Whoever is in several companies chooses one of them, whatever application asks.
      const own = app ? [...state.companyOf(app).people.values()].flatMap(({ union_id }) => union_id ?? []) : []
      const same = new Set(asked.query.get('scope')?.split(' ').includes('corpid') ? own : [])
      const elsewhere = state
        .companies()
        .filter(({ provider, corp_id }) => provider === 'dingtalk' && corp_id !== app?.corp_id)
        .flatMap(({ people }) => [...people.values()].filter(({ union_id }) => union_id !== undefined && same.has(union_id)))
      return signInPage(state, app, asked, { code: 'authCode', elsewhere })
    },
    'POST /topapi/v2/user/getuserinfo': withApp(state, ({ json }, app) => {
      const person = state.redeem(json.code, app, 'client')
      if (person === 'expired') return old(42008, 'code已失效')
      if (typeof person === 'string') return old(40078, '不存在的临时授权码')
      const [unionid, device_id] = [unionOf(person), `device-${person.user_id}`]
      const known = { userid: person.user_id, name: person.name, unionid, associated_unionid: '', device_id }
      return result({ ...known, sys: false, sys_level: 0 })
    }),
    'POST /v1.0/oauth2/userAccessToken': ({ json }) => {
      const suite = state.suite('dingtalk', json.clientId, json.clientSecret)
      const app = suite
        ? state.issuedFor(json.code)
        : state.app('dingtalk', { app_id: said(json.clientId), secret: said(json.clientSecret) })
      if (!app || (suite && app.suite?.id !== suite.id))
        return suite
          ? refused(400, 'invalidParameter.authCode.notFound', 'authCode not found')
          : refused(400, 'invalidClientIdOrSecret', 'invalid clientId or clientSecret')
      const again = json.grantType === 'refresh_token' ? state.about('dingtalk refresh', json.refreshToken, true) : null
      const person = again === null ? state.redeem(json.code, app, 'page') : (state.companyOf(app).person(again) ?? 'unknown')
      if (typeof person === 'string') return refused(400, 'invalidParameter.authCode.notFound', 'authCode not found')
      const { token, expires_s } = state.token(app, 'u', 0, person)
      const refreshToken = state.give('dingtalk refresh', person.user_id, 30 * 86_400_000)
      return jsonReply(200, { accessToken: token, refreshToken, expireIn: expires_s, corpId: person.corp_id })
    },
    'GET /v1.0/contact/users/me': withHeader(state, 'u', ({ headers }, app) => {
      const person = state.holder(headers['x-acs-dingtalk-access-token'], 'u')?.person
      if (!person) return refused(400, 'InvalidAuthentication', 'access token is invalid')
      const shown = app.suite ? person.mobile?.replace(/(?<=^\d{3})\d{4}/, '****') : person.mobile
      const mobile = shown ? { mobile: shown, stateCode: '86' } : {}
      return jsonReply(200, { nick: person.name, unionId: unionOf(person), openId: `o-${person.user_id}`, ...mobile })
    }),
  }
}

function tokens(state: State): SimulatedCalls {
  const ticket = (app: Registered) => {
    // Asked for again it lives longer, though never longer than a day.
    const { token } = state.token(app, 'ticket', 0)
    return { token, expires_s: state.renew(token, 86_400_000) }
  }
  return {
    'POST /v1.0/oauth2/accessToken': gated(state, ({ json }) => {
      const app = state.app('dingtalk', { app_id: said(json.appKey), secret: said(json.appSecret) })
      if (!app || app.suite) return refused(400, 'invalidClientIdOrSecret', 'invalid clientId or clientSecret')
      const { token, expires_s } = renewed(state, app)
      return jsonReply(200, { accessToken: token, expireIn: expires_s })
    }),
    // One for both kinds of applications, asked for by the company in which it is to be used (developerpedia, new_get_app_token).
    'POST /v1.0/oauth2/:corp_id/token': gated(state, ({ json, params: { corp_id = '' } }) => {
      if (json.grant_type !== 'client_credentials') return refused(400, 'unsupported.grant.type', 'unsupported grant_type')
      // As it was heard to answer to a company that there is not, whatever its page says.
      if (!state.apps.some((one) => one.provider === 'dingtalk' && one.corp_id === corp_id))
        return refused(500, 'unknownError', '未知错误')
      const suite = state.suite('dingtalk', json.client_id, json.client_secret)
      const own = state.app('dingtalk', { app_id: said(json.client_id), secret: said(json.client_secret) })
      if (!suite && (!own || own.suite)) return refused(400, 'invalid.client', 'invalid client_id or client_secret')
      const app = suite ? state.installed(suite, corp_id) : own
      if (!app || app.corp_id !== corp_id || app.stopped || app.awaits)
        return refused(401, 'unauthorized.client', 'the client is not authorized for this organization')
      const { token, expires_s } = suite ? state.freshToken(app, 'at') : renewed(state, app)
      return jsonReply(200, { access_token: token, expires_in: expires_s })
    }),
    'GET /gettoken': gated(state, ({ query }) => {
      // The first generation named the company where the second names the application.
      const secret = query.get('appsecret') ?? query.get('corpsecret') ?? ''
      const app = state.app(
        'dingtalk',
        query.has('corpid') ? { corp_id: query.get('corpid') ?? '', secret } : { app_id: query.get('appkey') ?? '', secret },
      )
      if (!app || app.suite) return old(40089, '不合法的appKey或appSecret')
      const { token, expires_s } = renewed(state, app)
      return ok({ access_token: token, expires_in: expires_s })
    }),
    'POST /v1.0/oauth2/jsapiTickets': withHeader(state, 'at', (_asked, app) => {
      const { token, expires_s } = ticket(app)
      return jsonReply(200, { jsapiTicket: token, expireIn: expires_s })
    }),
    'GET /get_jsapi_ticket': withApp(state, (_asked, app) => {
      const { token, expires_s } = ticket(app)
      return ok({ ticket: token, expires_in: expires_s })
    }),
  }
}

function suites(state: State): SimulatedCalls {
  /** Who asks with the signature of the older calls; otherwise what is wrong with it. */
  const signedBy = (query: URLSearchParams): RegisteredSuite | Reply => {
    const suite = state.suite('dingtalk', query.get('accessKey'))
    const [timestamp, ticket] = [query.get('timestamp') ?? '', query.get('suiteTicket') ?? '']
    const wanted = createHmac('sha256', suite?.secret ?? '')
      .update(`${timestamp}\n${ticket}`)
      .digest('base64')
    if (!suite || query.get('signature')?.replaceAll(' ', '+') !== wanted) return old(853004, '签名不匹配')
    return newest(suite.id, ticket) ? suite : old(853003, 'suiteTicket无效')
  }
  const newest = (suite_id: string, ticket: unknown): boolean =>
    said(ticket) !== '' && ticket === state.suite('dingtalk', suite_id)?.ticket
  return {
    'POST /v1.0/oauth2/suiteAccessToken': ({ json }) => {
      const suite = state.suite('dingtalk', json.suiteKey, json.suiteSecret)
      if (!suite) return refused(400, 'invalidClientIdOrSecret', 'invalid suiteKey or suiteSecret')
      if (!newest(suite.id, json.suiteTicket)) return refused(400, 'invalidSuiteTicket', 'invalid suiteTicket')
      return jsonReply(200, { accessToken: state.give('dingtalk suite', suite.id, 7_200_000), expireIn: 7200 })
    },
    'POST /v1.0/oauth2/corpAccessToken': ({ json }) => {
      const suite = state.suite('dingtalk', json.suiteKey, json.suiteSecret)
      if (!suite) return refused(400, 'invalidSuiteKey', 'invalid suiteKey')
      if (!newest(suite.id, json.suiteTicket)) return refused(400, 'invalidSuiteTicket', 'invalid suiteTicket')
      const app = state.installed(suite, json.authCorpId)
      if (!app || app.stopped || app.awaits) return refused(400, 'invalidAuthInfo', 'the company has not activated this app')
      const { token, expires_s } = state.freshToken(app, 'at')
      return jsonReply(200, { accessToken: token, expireIn: expires_s })
    },
    'POST /service/get_corp_token': ({ query, json }) => {
      const suite = signedBy(query)
      if ('status' in suite) return suite
      const app = state.installed(suite, json.auth_corpid)
      if (!app || app.stopped || app.awaits) return old(40079, '该企业未授权该套件')
      const { token, expires_s } = state.freshToken(app, 'at')
      return ok({ access_token: token, expires_in: expires_s })
    },
    'POST /service/reauth_corp': ({ query, json }) => {
      const suite = signedBy(query)
      if ('status' in suite) return suite
      const asked = listed(json.corpid_list).map((corp_id) => state.installed(suite, corp_id))
      return asked.length > 0 && asked.every((app) => app && !app.stopped) ? ok({}) : old(40079, '该企业未授权该套件')
    },
    'POST /service/activate_suite': ({ query, json }) => {
      const suite = signedBy(query)
      if ('status' in suite) return suite
      const app = state.installed(suite, json.auth_corpid)
      if (!app || json.suite_key !== suite.id) return old(40079, '该企业未授权该套件')
      if (app.awaits && json.permanent_code !== app.awaits) return old(40084, '不合法的永久授权码')
      Object.assign(app, { awaits: '' })
      return ok({})
    },
    'GET /v1.0/oauth2/apps/authInfo': ({ query, headers }) => {
      const id = state.about('dingtalk suite', headers['x-acs-dingtalk-access-token'])
      const suite = id === null ? undefined : state.suite('dingtalk', id)
      if (!suite) return refused(400, 'InvalidAuthentication', '不合法的access_token')
      const app = state.installed(suite, query.get('authCorpId'))
      if (!app || app.stopped) return refused(400, 'orgNotAuthApp', 'the company has not activated this app')
      return jsonReply(200, {
        authAppInfo: {
          agentList: [
            { agentId: Number(app.agent_id), agentName: '薪函', appId: 111, adminList: [app.installer ?? 'manager975'] },
          ],
        },
        authCorpInfo: { corpName: state.companyOf(app).name, industry: '', authLevel: 1, licenseCode: '', inviteCode: '' },
        authUserInfo: { userId: app.installer ?? 'manager975' },
      })
    },
  }
}

export const dingtalkVendor = (state: State): Vendor => ({
  provider: 'dingtalk',
  calls: {
    ...signIn(state),
    ...tokens(state),
    ...suites(state),
    ...dingtalkDirectory(state),
    ...dingtalkMessages(state),
    ...dingtalkOldest(state),
  },
  refuse: (path, code) => (isNew(path) ? refused(400, code, 'refused') : old(code, 'refused')),
  tooMany: (path) =>
    isNew(path)
      ? refused(400, 'qps.exceed.limit', 'too many requests')
      : gate('90002', '您的服务器调用钉钉开放平台所有接口的请求都被暂时禁用了'),
  unknown: (_method, path) =>
    isNew(path) ? refused(404, 'InvalidAction.NotFound', 'Specified api is not found') : old(404, '请求的URI地址不存在'),
  receiver: (app) => app.suite?.id ?? app.app_id,
  event: dingtalkEvent(state.now),
  check: dingtalkCheck(state.now),
  isAnswer: isDingtalkAnswer,
  retries: [10_000, 30_000],
})
