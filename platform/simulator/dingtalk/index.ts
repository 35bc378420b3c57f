/**
 * Simulated DingTalk: codes, tokens of both API generations, store applications; the rest is in neighbouring files
 * (platform/dingtalk.md).
 */
import { createHmac } from 'node:crypto'
import { renderSignInPage } from '../pages/sign-in.ts'
import type { RegisteredApp, RegisteredSuite } from '../registered-apps.ts'
import {
  createJsonReply,
  listOrEmpty,
  type Reply,
  type SimulatedCalls,
  type SimulatedVendor,
  type SimulatorState,
  textOrEmpty,
} from '../state.ts'
import { createDingtalkDirectoryCalls, getUnionId } from './directory.ts'
import { createDingtalkLegacyCalls } from './legacy-directory.ts'
import { createDingtalkMessageCalls } from './messages.ts'
import { createDingtalkCheck, createDingtalkEvent, isDingtalkResponse } from './push.ts'
import {
  replyError,
  replyGatewayError,
  replyLegacyError,
  replyOk,
  replyResult,
  withAddressLimit,
  withAppToken,
  withTokenHeader,
} from './replies.ts'

const isNewApi = (path: string): boolean => path.startsWith('/v1.0/')

/** Returns the same token and extends its lifetime. */
function renewToken(state: SimulatorState, app: RegisteredApp) {
  const { token } = state.getToken(app, 'at', 0)
  state.renewToken(token)
  return { token, expiresInSeconds: 7200 }
}

function signInCalls(state: SimulatorState): SimulatedCalls {
  return {
    'GET /oauth2/auth': (requested) => {
      const id = requested.query.get('client_id') ?? ''
      const app =
        state.findApp('dingtalk', { app_id: id }) ?? state.apps.find((one) => one.provider === 'dingtalk' && one.suite?.id === id)
      // A user of several companies chooses one of them, whichever application asks.
      const own = app ? [...state.getCompany(app).users.values()].flatMap(({ union_id }) => union_id ?? []) : []
      const same = new Set(requested.query.get('scope')?.split(' ').includes('corpid') ? own : [])
      const elsewhere = state
        .listCompanies()
        .filter(({ provider, corp_id }) => provider === 'dingtalk' && corp_id !== app?.corp_id)
        .flatMap(({ users }) => [...users.values()].filter(({ union_id }) => union_id !== undefined && same.has(union_id)))
      return renderSignInPage(state, app, requested, { codeParam: 'authCode', otherCompanyUsers: elsewhere })
    },
    'POST /topapi/v2/user/getuserinfo': withAppToken(state, ({ json }, app) => {
      const user = state.redeemCode(json.code, app, 'client')
      if (user === 'expired') return replyLegacyError(42008, 'code已失效')
      if (typeof user === 'string') return replyLegacyError(40078, '不存在的临时授权码')
      const [unionid, device_id] = [getUnionId(user), `device-${user.user_id}`]
      const record = { userid: user.user_id, name: user.name, unionid, associated_unionid: '', device_id }
      return replyResult({ ...record, sys: false, sys_level: 0 })
    }),
    'POST /v1.0/oauth2/userAccessToken': ({ json }) => {
      const suite = state.findSuite('dingtalk', json.clientId, json.clientSecret)
      const app = suite
        ? state.findAppByCode(json.code)
        : state.findApp('dingtalk', { app_id: textOrEmpty(json.clientId), secret: textOrEmpty(json.clientSecret) })
      if (!app || (suite && app.suite?.id !== suite.id))
        return suite
          ? replyError(400, 'invalidParameter.authCode.notFound', 'authCode not found')
          : replyError(400, 'invalidClientIdOrSecret', 'invalid clientId or clientSecret')
      const again =
        json.grantType === 'refresh_token' ? state.getTicketSubject('dingtalk refresh', json.refreshToken, true) : null
      const person =
        again === null ? state.redeemCode(json.code, app, 'page') : (state.getCompany(app).findUser(again) ?? 'unknown')
      if (typeof person === 'string') return replyError(400, 'invalidParameter.authCode.notFound', 'authCode not found')
      const { token, expiresInSeconds } = state.getToken(app, 'u', 0, person)
      const refreshToken = state.createTicket('dingtalk refresh', person.user_id, 30 * 86_400_000)
      return createJsonReply(200, { accessToken: token, refreshToken, expireIn: expiresInSeconds, corpId: person.corp_id })
    },
    'GET /v1.0/contact/users/me': withTokenHeader(state, 'u', ({ headers }, app) => {
      const user = state.findTokenEntry(headers['x-acs-dingtalk-access-token'], 'u')?.user
      if (!user) return replyError(400, 'InvalidAuthentication', 'access token is invalid')
      const visibleMobile = app.suite ? user.mobile?.replace(/(?<=^\d{3})\d{4}/, '****') : user.mobile
      const mobile = visibleMobile ? { mobile: visibleMobile, stateCode: '86' } : {}
      return createJsonReply(200, { nick: user.name, unionId: getUnionId(user), openId: `o-${user.user_id}`, ...mobile })
    }),
  }
}

function tokenCalls(state: SimulatorState): SimulatedCalls {
  const renewTicket = (app: RegisteredApp) => {
    // A repeated request extends the lifetime, up to one day in total.
    const { token } = state.getToken(app, 'ticket', 0)
    return { token, expires_s: state.renewToken(token, 86_400_000) }
  }
  return {
    'POST /v1.0/oauth2/accessToken': withAddressLimit(state, ({ json }) => {
      const app = state.findApp('dingtalk', { app_id: textOrEmpty(json.appKey), secret: textOrEmpty(json.appSecret) })
      if (!app || app.suite) return replyError(400, 'invalidClientIdOrSecret', 'invalid clientId or clientSecret')
      const { token, expiresInSeconds } = renewToken(state, app)
      return createJsonReply(200, { accessToken: token, expireIn: expiresInSeconds })
    }),
    // One call for both kinds of applications, in the name of the company in which it is to be used (developerpedia,
    // new_get_app_token).
    'POST /v1.0/oauth2/:corp_id/token': withAddressLimit(state, ({ json, params: { corp_id = '' } }) => {
      if (json.grant_type !== 'client_credentials') return replyError(400, 'unsupported.grant.type', 'unsupported grant_type')
      // This is the response observed for a company that does not exist, contrary to the documentation.
      if (!state.apps.some((one) => one.provider === 'dingtalk' && one.corp_id === corp_id))
        return replyError(500, 'unknownError', '未知错误')
      const suite = state.findSuite('dingtalk', json.client_id, json.client_secret)
      const ownUnionIds = state.findApp('dingtalk', {
        app_id: textOrEmpty(json.client_id),
        secret: textOrEmpty(json.client_secret),
      })
      if (!suite && (!ownUnionIds || ownUnionIds.suite))
        return replyError(400, 'invalid.client', 'invalid client_id or client_secret')
      const app = suite ? state.findInstallation(suite, corp_id) : ownUnionIds
      if (!app || app.corp_id !== corp_id || app.isStopped || app.activationCode)
        return replyError(401, 'unauthorized.client', 'the client is not authorized for this organization')
      const { token, expiresInSeconds } = suite ? state.createToken(app, 'at') : renewToken(state, app)
      return createJsonReply(200, { access_token: token, expires_in: expiresInSeconds })
    }),
    'GET /gettoken': withAddressLimit(state, ({ query }) => {
      // The first generation names the company where the second names the application.
      const secret = query.get('appsecret') ?? query.get('corpsecret') ?? ''
      const app = state.findApp(
        'dingtalk',
        query.has('corpid') ? { corp_id: query.get('corpid') ?? '', secret } : { app_id: query.get('appkey') ?? '', secret },
      )
      if (!app || app.suite) return replyLegacyError(40089, '不合法的appKey或appSecret')
      const { token, expiresInSeconds } = renewToken(state, app)
      return replyOk({ access_token: token, expires_in: expiresInSeconds })
    }),
    'POST /v1.0/oauth2/jsapiTickets': withTokenHeader(state, 'at', (_request, app) => {
      const { token, expires_s } = renewTicket(app)
      return createJsonReply(200, { jsapiTicket: token, expireIn: expires_s })
    }),
    'GET /get_jsapi_ticket': withAppToken(state, (_request, app) => {
      const { token, expires_s } = renewTicket(app)
      return replyOk({ ticket: token, expires_in: expires_s })
    }),
  }
}

function suiteCalls(state: SimulatorState): SimulatedCalls {
  /** Returns the suite that signed the request like the older calls; otherwise the error. */
  const verifySuiteSignature = (query: URLSearchParams): RegisteredSuite | Reply => {
    const suite = state.findSuite('dingtalk', query.get('accessKey'))
    const [timestamp, ticket] = [query.get('timestamp') ?? '', query.get('suiteTicket') ?? '']
    const expectedSignature = createHmac('sha256', suite?.secret ?? '')
      .update(`${timestamp}\n${ticket}`)
      .digest('base64')
    if (!suite || query.get('signature')?.replaceAll(' ', '+') !== expectedSignature)
      return replyLegacyError(853004, '签名不匹配')
    return isNewestTicket(suite.id, ticket) ? suite : replyLegacyError(853003, 'suiteTicket无效')
  }
  const isNewestTicket = (suite_id: string, ticket: unknown): boolean =>
    textOrEmpty(ticket) !== '' && ticket === state.findSuite('dingtalk', suite_id)?.ticket
  return {
    'POST /v1.0/oauth2/suiteAccessToken': ({ json }) => {
      const suite = state.findSuite('dingtalk', json.suiteKey, json.suiteSecret)
      if (!suite) return replyError(400, 'invalidClientIdOrSecret', 'invalid suiteKey or suiteSecret')
      if (!isNewestTicket(suite.id, json.suiteTicket)) return replyError(400, 'invalidSuiteTicket', 'invalid suiteTicket')
      return createJsonReply(200, { accessToken: state.createTicket('dingtalk suite', suite.id, 7_200_000), expireIn: 7200 })
    },
    'POST /v1.0/oauth2/corpAccessToken': ({ json }) => {
      const suite = state.findSuite('dingtalk', json.suiteKey, json.suiteSecret)
      if (!suite) return replyError(400, 'invalidSuiteKey', 'invalid suiteKey')
      if (!isNewestTicket(suite.id, json.suiteTicket)) return replyError(400, 'invalidSuiteTicket', 'invalid suiteTicket')
      const app = state.findInstallation(suite, json.authCorpId)
      if (!app || app.isStopped || app.activationCode)
        return replyError(400, 'invalidAuthInfo', 'the company has not activated this app')
      const { token, expiresInSeconds } = state.createToken(app, 'at')
      return createJsonReply(200, { accessToken: token, expireIn: expiresInSeconds })
    },
    'POST /service/get_corp_token': ({ query, json }) => {
      const suite = verifySuiteSignature(query)
      if ('status' in suite) return suite
      const app = state.findInstallation(suite, json.auth_corpid)
      if (!app || app.isStopped || app.activationCode) return replyLegacyError(40079, '该企业未授权该套件')
      const { token, expiresInSeconds } = state.createToken(app, 'at')
      return replyOk({ access_token: token, expires_in: expiresInSeconds })
    },
    'POST /service/reauth_corp': ({ query, json }) => {
      const suite = verifySuiteSignature(query)
      if ('status' in suite) return suite
      const requested = listOrEmpty(json.corpid_list).map((corp_id) => state.findInstallation(suite, corp_id))
      return requested.length > 0 && requested.every((app) => app && !app.isStopped)
        ? replyOk({})
        : replyLegacyError(40079, '该企业未授权该套件')
    },
    'POST /service/activate_suite': ({ query, json }) => {
      const suite = verifySuiteSignature(query)
      if ('status' in suite) return suite
      const app = state.findInstallation(suite, json.auth_corpid)
      if (!app || json.suite_key !== suite.id) return replyLegacyError(40079, '该企业未授权该套件')
      if (app.activationCode && json.permanent_code !== app.activationCode) return replyLegacyError(40084, '不合法的永久授权码')
      Object.assign(app, { activationCode: '' })
      return replyOk({})
    },
    'GET /v1.0/oauth2/apps/authInfo': ({ query, headers }) => {
      const id = state.getTicketSubject('dingtalk suite', headers['x-acs-dingtalk-access-token'])
      const suite = id === null ? undefined : state.findSuite('dingtalk', id)
      if (!suite) return replyError(400, 'InvalidAuthentication', '不合法的access_token')
      const app = state.findInstallation(suite, query.get('authCorpId'))
      if (!app || app.isStopped) return replyError(400, 'orgNotAuthApp', 'the company has not activated this app')
      return createJsonReply(200, {
        authAppInfo: {
          agentList: [
            { agentId: Number(app.agent_id), agentName: '薪函', appId: 111, adminList: [app.installer ?? 'manager975'] },
          ],
        },
        authCorpInfo: { corpName: state.getCompany(app).name, industry: '', authLevel: 1, licenseCode: '', inviteCode: '' },
        authUserInfo: { userId: app.installer ?? 'manager975' },
      })
    },
  }
}

export const createDingtalkVendor = (state: SimulatorState): SimulatedVendor => ({
  provider: 'dingtalk',
  calls: {
    ...signInCalls(state),
    ...tokenCalls(state),
    ...suiteCalls(state),
    ...createDingtalkDirectoryCalls(state),
    ...createDingtalkMessageCalls(state),
    ...createDingtalkLegacyCalls(state),
  },
  replyError: (path, code) => (isNewApi(path) ? replyError(400, code, 'refused') : replyLegacyError(code, 'refused')),
  replyRateLimited: (path) =>
    isNewApi(path)
      ? replyError(400, 'qps.exceed.limit', 'too many requests')
      : replyGatewayError('90002', '您的服务器调用钉钉开放平台所有接口的请求都被暂时禁用了'),
  replyUnknownCall: (_method, path) =>
    isNewApi(path)
      ? replyError(404, 'InvalidAction.NotFound', 'Specified api is not found')
      : replyLegacyError(404, '请求的URI地址不存在'),
  getReceiver: (app) => app.suite?.id ?? app.app_id,
  createEvent: createDingtalkEvent(state.now),
  createUrlCheck: createDingtalkCheck(state.now),
  isValidResponse: isDingtalkResponse,
  retryDelaysMs: [10_000, 30_000],
})
