/** WeCom's store applications: tickets, suite tokens, installation codes, permanent codes (wecom.md §2.2, §3.2). */
import { redirectBack } from '../pages/sign-in.ts'
import type { RegisteredApp, RegisteredSuite } from '../registered-apps.ts'
import {
  type Reply,
  type SimulatedCall,
  type SimulatedCalls,
  type SimulatedRequest,
  type SimulatorState,
  textOrEmpty,
} from '../state.ts'
import { getVisibleUserId, toVisibleUserId } from './ids.ts'
import { replyError, replyOk } from './replies.ts'

const toCorpInfo = (state: SimulatorState, app: RegisteredApp) => ({
  corpid: app.corp_id,
  corp_name: state.getCompany(app).name,
  corp_type: 'verified',
  corp_user_max: 500,
})
const toAuthInfo = (app: RegisteredApp) => ({
  agent: [
    {
      agentid: Number(app.agent_id),
      name: '薪函',
      auth_mode: app.isMemberAuthorized ? 1 : 0,
      is_customized_app: false,
      privilege: {
        level: 1,
        allow_party: (app.range?.department_ids ?? ['1']).map(Number),
        allow_user: (app.range?.user_ids ?? []).map((id) => toVisibleUserId(app, id)),
        allow_tag: [],
        extra_party: [],
        extra_user: [],
        extra_tag: [],
      },
    },
  ],
})

/** Describes the user who installed the application. */
const toInstallerInfo = (app: RegisteredApp) => {
  const openUserId = toVisibleUserId(app, app.installer ?? 'admin')
  return { userid: openUserId, open_userid: openUserId, name: openUserId, avatar: '' }
}

type WithSuite = (work: (request: SimulatedRequest, suite: RegisteredSuite) => Reply) => SimulatedCall

/** Sign-in calls of store applications: the user's identity by code, and the data they consented to share. */
const storeSignInCalls = (state: SimulatorState, withSuite: WithSuite): SimulatedCalls => ({
  'GET /cgi-bin/service/auth/getuserinfo3rd': withSuite(({ query }, suite) => {
    const app = state.findAppByCode(query.get('code'))
    if (!app || app.suite?.id !== suite.id) return replyError(40029, 'invalid code')
    const user = state.redeemCode(query.get('code'), app, 'page')
    if (user === 'expired') return replyError(42003, 'oauth_code expired')
    if (typeof user === 'string') return replyError(40029, 'invalid code')
    const openUserId = getVisibleUserId(app, user)
    const ticket = state.createTicket('wecom user', openUserId, 1_800_000)
    return replyOk({
      corpid: user.corp_id,
      userid: openUserId,
      open_userid: openUserId,
      user_ticket: ticket,
      expires_in: 7200,
    })
  }),
  'POST /cgi-bin/service/auth/getuserdetail3rd': withSuite(({ json }) => {
    const userid = state.getTicketSubject('wecom user', json.user_ticket)
    return userid === null
      ? state.isTicketExpired(json.user_ticket)
        ? replyError(84014, 'user_ticket expired')
        : replyError(84015, 'invalid user_ticket')
      : replyOk({ userid, name: userid, gender: '0', avatar: '', corpid: textOrEmpty(json.corpid) })
  }),
})

export function createWecomSuiteCalls(state: SimulatorState): SimulatedCalls {
  const withSuite: WithSuite = (handle) => (request) => {
    const id = state.getTicketSubject('wecom suite', request.query.get('suite_access_token'))
    const suite = id === null ? undefined : state.findSuite('wecom', id)
    if (suite) return handle(request, suite)
    return state.isTicketExpired(request.query.get('suite_access_token'))
      ? replyError(42009, 'suite_access_token expired')
      : replyError(40082, 'invalid suite_access_token')
  }
  const findGrantedApp = (suite: RegisteredSuite, corp_id: unknown, code: unknown): RegisteredApp | undefined => {
    const app = state.findInstallation(suite, corp_id)
    return app && app.secret === code && !app.isStopped ? app : undefined
  }
  return {
    'POST /cgi-bin/service/get_suite_token': ({ json }) => {
      const suite = state.findSuite('wecom', json.suite_id, json.suite_secret)
      if (!suite) return replyError(40001, 'invalid credential')
      if (state.getTicketSubject('wecom ticket', json.suite_ticket) !== suite.id) return replyError(40085, 'invalid suite ticket')
      return replyOk({ suite_access_token: state.createTicket('wecom suite', suite.id, 7_200_000), expires_in: 7200 })
    },
    'GET /cgi-bin/service/get_pre_auth_code': withSuite((_request, suite) =>
      replyOk({ pre_auth_code: state.createTicket('wecom pre', suite.id, 1_200_000), expires_in: 1200 }),
    ),
    'POST /cgi-bin/service/set_session_info': withSuite(() => replyOk()),
    // The consent page. The installing company is given by `corp`, whereas a real user would press the button.
    'GET /3rdapp/install': ({ query }) => {
      const suite = state.findSuite('wecom', query.get('suite_id'))
      if (!suite || state.getTicketSubject('wecom pre', query.get('pre_auth_code')) !== suite.id)
        return replyError(42007, 'pre_auth_code expired')
      const app = state.findInstallation(
        suite,
        query.get('corp') ?? state.apps.find((one) => one.suite?.id === suite.id)?.corp_id,
      )
      if (!app) return replyError(40013, 'invalid corpid')
      const auth_code = state.createTicket('wecom auth', app.corp_id, 600_000)
      return redirectBack(query.get('redirect_uri') ?? '', { auth_code, expires_in: '600', state: query.get('state') ?? '' })
    },
    'POST /cgi-bin/service/get_permanent_code': withSuite(({ json }, suite) => {
      const corp_id = state.getTicketSubject('wecom auth', json.auth_code, true)
      const app = corp_id === null ? undefined : state.findInstallation(suite, corp_id)
      if (!app) return replyError(40029, 'invalid auth_code')
      const { token, expiresInSeconds } = state.getToken(app, 'at', 0)
      const tokenFields = { access_token: token, expires_in: expiresInSeconds, permanent_code: app.secret }
      return replyOk({
        ...tokenFields,
        auth_corp_info: toCorpInfo(state, app),
        auth_info: toAuthInfo(app),
        auth_user_info: toInstallerInfo(app),
      })
    }),
    'POST /cgi-bin/service/get_auth_info': withSuite(({ json }, suite) => {
      const app = findGrantedApp(suite, json.auth_corpid, json.permanent_code)
      if (!app) return replyError(40084, 'invalid permanent_code')
      return replyOk({ auth_corp_info: toCorpInfo(state, app), auth_info: toAuthInfo(app) })
    }),
    'POST /cgi-bin/service/get_corp_token': withSuite(({ json }, suite) => {
      const app = findGrantedApp(suite, json.auth_corpid, json.permanent_code)
      if (!app) return replyError(40084, 'invalid permanent_code')
      const { token, expiresInSeconds } = state.getToken(app, 'at', 0)
      return replyOk({ access_token: token, expires_in: expiresInSeconds })
    }),
    ...storeSignInCalls(state, withSuite),
  }
}
