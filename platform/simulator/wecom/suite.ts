/** WeCom's applications of the store: tickets, suite tokens, codes of installation, permanent codes (wecom.md §2.2, §3.2). */
import { back } from '../pages/sign-in.ts'
import {
  type AskedCall,
  type Registered,
  type RegisteredSuite,
  type Reply,
  type SimulatedCall,
  type SimulatedCalls,
  type State,
  said,
} from '../state.ts'
import { ok, refuse } from './answers.ts'
import { shownId, shownIdOf } from './ids.ts'

const corpInfo = (state: State, app: Registered) => ({
  corpid: app.corp_id,
  corp_name: state.companyOf(app).name,
  corp_type: 'verified',
  corp_user_max: 500,
})
const authInfo = (app: Registered) => ({
  agent: [
    {
      agentid: Number(app.agent_id),
      name: '薪函',
      auth_mode: app.by_member ? 1 : 0,
      is_customized_app: false,
      privilege: {
        level: 1,
        allow_party: (app.range?.department_ids ?? ['1']).map(Number),
        allow_user: (app.range?.user_ids ?? []).map((id) => shownIdOf(app, id)),
        allow_tag: [],
        extra_party: [],
        extra_user: [],
        extra_tag: [],
      },
    },
  ],
})

/** Whoever pressed the button. */
const administrator = (app: Registered) => {
  const open = shownIdOf(app, app.installer ?? 'admin')
  return { userid: open, open_userid: open, name: open, avatar: '' }
}

type WithSuite = (work: (asked: AskedCall, suite: RegisteredSuite) => Reply) => SimulatedCall

/** Who came by a code of the store, and what he agreed to tell. */
const signIn = (state: State, withSuite: WithSuite): SimulatedCalls => ({
  'GET /cgi-bin/service/auth/getuserinfo3rd': withSuite(({ query }, suite) => {
    const app = state.issuedFor(query.get('code'))
    if (!app || app.suite?.id !== suite.id) return refuse(40029, 'invalid code')
    const person = state.redeem(query.get('code'), app, 'page')
    if (person === 'expired') return refuse(42003, 'oauth_code expired')
    if (typeof person === 'string') return refuse(40029, 'invalid code')
    const open = shownId(app, person)
    const ticket = state.give('wecom user', open, 1_800_000)
    return ok({
      corpid: person.corp_id,
      userid: open,
      open_userid: open,
      user_ticket: ticket,
      expires_in: 7200,
    })
  }),
  'POST /cgi-bin/service/auth/getuserdetail3rd': withSuite(({ json }) => {
    const userid = state.about('wecom user', json.user_ticket)
    return userid === null
      ? state.wasGiven(json.user_ticket)
        ? refuse(84014, 'user_ticket expired')
        : refuse(84015, 'invalid user_ticket')
      : ok({ userid, name: userid, gender: '0', avatar: '', corpid: said(json.corpid) })
  }),
})

export function wecomSuite(state: State): SimulatedCalls {
  const withSuite: WithSuite = (work) => (asked) => {
    const id = state.about('wecom suite', asked.query.get('suite_access_token'))
    const suite = id === null ? undefined : state.suite('wecom', id)
    if (suite) return work(asked, suite)
    return state.wasGiven(asked.query.get('suite_access_token'))
      ? refuse(42009, 'suite_access_token expired')
      : refuse(40082, 'invalid suite_access_token')
  }
  const granted = (suite: RegisteredSuite, corp_id: unknown, code: unknown): Registered | undefined => {
    const app = state.installed(suite, corp_id)
    return app && app.secret === code && !app.stopped ? app : undefined
  }
  return {
    'POST /cgi-bin/service/get_suite_token': ({ json }) => {
      const suite = state.suite('wecom', json.suite_id, json.suite_secret)
      if (!suite) return refuse(40001, 'invalid credential')
      if (state.about('wecom ticket', json.suite_ticket) !== suite.id) return refuse(40085, 'invalid suite ticket')
      return ok({ suite_access_token: state.give('wecom suite', suite.id, 7_200_000), expires_in: 7200 })
    },
    'GET /cgi-bin/service/get_pre_auth_code': withSuite((_asked, suite) =>
      ok({ pre_auth_code: state.give('wecom pre', suite.id, 1_200_000), expires_in: 1200 }),
    ),
    'POST /cgi-bin/service/set_session_info': withSuite(() => ok()),
    // The consent page: whoever installs says so by `corp`, where a person would press the button.
    'GET /3rdapp/install': ({ query }) => {
      const suite = state.suite('wecom', query.get('suite_id'))
      if (!suite || state.about('wecom pre', query.get('pre_auth_code')) !== suite.id)
        return refuse(42007, 'pre_auth_code expired')
      const app = state.installed(suite, query.get('corp') ?? state.apps.find((one) => one.suite?.id === suite.id)?.corp_id)
      if (!app) return refuse(40013, 'invalid corpid')
      const auth_code = state.give('wecom auth', app.corp_id, 600_000)
      return back(query.get('redirect_uri') ?? '', { auth_code, expires_in: '600', state: query.get('state') ?? '' })
    },
    'POST /cgi-bin/service/get_permanent_code': withSuite(({ json }, suite) => {
      const corp_id = state.about('wecom auth', json.auth_code, true)
      const app = corp_id === null ? undefined : state.installed(suite, corp_id)
      if (!app) return refuse(40029, 'invalid auth_code')
      const { token, expires_s } = state.token(app, 'at', 0)
      const given = { access_token: token, expires_in: expires_s, permanent_code: app.secret }
      return ok({
        ...given,
        auth_corp_info: corpInfo(state, app),
        auth_info: authInfo(app),
        auth_user_info: administrator(app),
      })
    }),
    'POST /cgi-bin/service/get_auth_info': withSuite(({ json }, suite) => {
      const app = granted(suite, json.auth_corpid, json.permanent_code)
      if (!app) return refuse(40084, 'invalid permanent_code')
      return ok({ auth_corp_info: corpInfo(state, app), auth_info: authInfo(app) })
    }),
    'POST /cgi-bin/service/get_corp_token': withSuite(({ json }, suite) => {
      const app = granted(suite, json.auth_corpid, json.permanent_code)
      if (!app) return refuse(40084, 'invalid permanent_code')
      const { token, expires_s } = state.token(app, 'at', 0)
      return ok({ access_token: token, expires_in: expires_s })
    }),
    ...signIn(state, withSuite),
  }
}
