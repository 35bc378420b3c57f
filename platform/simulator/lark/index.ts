/** Lark's side: codes and who has them, tokens of companies and of applications of the store; the rest stands beside (platform/lark.md). */
import { createHash } from 'node:crypto'
import type { SimulatedPerson } from '../company.ts'
import { signInPage } from '../pages/sign-in.ts'
import {
  type AskedCall,
  jsonReply,
  type Registered,
  type SimulatedCall,
  type SimulatedCalls,
  type State,
  said,
  type Vendor,
} from '../state.ts'
import { bearer, noToken, ok, refuse, tooMany } from './answers.ts'
import { larkCards } from './cards.ts'
import { larkDirectory, unionOf, userIdOf } from './directory.ts'
import { larkMessages } from './messages.ts'
import { isLarkAnswer, larkCheck, larkEvent } from './push.ts'

const why = {
  unknown: [20003, 'The authorization code is not found. Please note that an authorization code can only be used once.'],
  used: [20065, 'The authorization code has been used.'],
  expired: [20004, 'The authorization code has expired.'],
  foreign: [20024, 'The provided authorization code does not match the provided app ID.'],
  redirect: [20071, 'The redirect_uri does not match.'],
  challenge: [20049, 'PKCE verification failed.'],
} as const
const refused = (code: string | number, error_description: string) =>
  jsonReply(400, { code, error: 'invalid_grant', error_description })

/** By the id of the application, or of the suite that companies installed. */
const appOf = (state: State, id: unknown): Registered | undefined =>
  state.app('lark', { app_id: said(id) }) ?? state.apps.find((one) => one.provider === 'lark' && one.suite?.id === id)

function profile(app: Registered, person: SimulatedPerson) {
  const may = (scope: string) => app.permissions?.includes(scope) ?? true
  return {
    name: person.name,
    en_name: '',
    avatar_url: '',
    open_id: person.user_id,
    union_id: unionOf(person),
    ...(!app.suite && may('contact:user.employee_id:readonly') ? { user_id: userIdOf(person) } : {}),
    ...(person.mobile && may('contact:user.phone:readonly') ? { mobile: `+86${person.mobile}` } : {}),
    ...(person.email && may('contact:user.email:readonly') ? { email: person.email } : {}),
    ...(person.employee_no && may('contact:user.employee:readonly') ? { employee_no: person.employee_no } : {}),
    tenant_key: person.corp_id,
  }
}

/** Which suite shows this token of its own: it begins with `a-`. */
const storeTokenOf = (state: State, token: unknown): string | null =>
  typeof token === 'string' && token.startsWith('a-') ? state.about('lark app', token.slice(2)) : null

/** The present exchange, and the one before it: one shape. */
function exchangeOf(state: State): SimulatedCall {
  const exchange = ({ json }: AskedCall) => {
    const known = appOf(state, json.client_id)
    if (!known) return refused(20048, 'The app does not exist.')
    if (json.client_secret !== (known.suite?.secret ?? known.secret)) return refused(20002, 'The client secret is invalid.')
    if (json.grant_type === 'refresh_token') return renewed(known, json.refresh_token)
    if (json.grant_type !== 'authorization_code') return refused(20036, 'The specified grant_type is not supported.')
    if (said(json.code) === '') return refused(20001, 'The request is missing a required parameter: code.')
    if (!isProven(json.code, json.code_verifier)) return refused(why.challenge[0], why.challenge[1])
    const agreed = state.agreedTo(json.code)
    const app = known.suite ? (state.issuedFor(json.code) ?? known) : known
    // Codes of the client's script were given to no address; those of the page must name theirs.
    const given = json.redirect_uri
    const person =
      given === undefined ? state.redeem(json.code, app, 'client') : state.redeem(json.code, app, 'page', said(given))
    if (typeof person === 'string') return refused(why[person][0], why[person][1])
    return flat(app, person, agreed)
  }
  const isProven = (code: unknown, verifier: unknown): boolean => {
    const challenge = state.challengeOf(code)
    return challenge === ''
      ? verifier === undefined
      : createHash('sha256').update(said(verifier)).digest('base64url') === challenge || verifier === challenge
  }
  const flat = (app: Registered, person: SimulatedPerson, agreed: string) => {
    const { token, expires_s } = state.token(app, 'u', 0, person)
    const offline = /\boffline_access\b/.test(agreed)
      ? {
          refresh_token: state.give('lark refresh', `${person.user_id} ${agreed}`, 604_800_000),
          refresh_token_expires_in: 604_800,
        }
      : {}
    return jsonReply(200, {
      code: 0,
      access_token: token,
      expires_in: expires_s,
      ...offline,
      token_type: 'Bearer',
      scope: agreed || 'auth:user.id:read',
    })
  }
  const renewed = (app: Registered, given: unknown) => {
    const [id = '', ...agreed] = (state.about('lark refresh', given, true) ?? '').split(' ')
    const person = state.companyOf(app).person(id)
    return person ? flat(app, person, agreed.join(' ')) : refused(20037, 'The refresh token has expired or was used.')
  }
  return exchange
}

function signIn(state: State): SimulatedCalls {
  const exchange = exchangeOf(state)
  const userTokens = (app: Registered, person: SimulatedPerson) => {
    const { token, expires_s } = state.token(app, 'u', 0, person)
    const refresh_token = state.give('lark refresh', person.user_id, 604_800_000)
    return {
      access_token: token,
      token_type: 'Bearer',
      expires_in: expires_s,
      refresh_token,
      refresh_expires_in: 604_800,
      scope: '',
      ...profile(app, person),
    }
  }
  /** An application of the store shows its own token, and the code says in which company. */
  const ofStore = (asked: AskedCall): Registered | undefined => {
    const id = storeTokenOf(state, bearer(asked))
    const app = state.issuedFor(asked.json.code)
    return id !== null && app?.suite?.id === id ? app : undefined
  }
  /** With the application's own token, and an answer in `data`. */
  const oldest = (asked: AskedCall) => {
    const app = state.holder(bearer(asked), 't')?.app ?? ofStore(asked)
    if (!app) return noToken(asked)
    if (asked.json.grant_type !== 'authorization_code') return refuse(20036, 'unsupported grant_type')
    const person = state.redeem(asked.json.code, app, 'any')
    return typeof person === 'string' ? refuse(why[person][0], why[person][1]) : ok(userTokens(app, person))
  }
  /** The first generation of all: a form in, OAuth's own shape out. */
  const passport = ({ json }: AskedCall) => {
    const wrong = (error: string, error_description: string) => jsonReply(400, { error, error_description })
    const app = appOf(state, json.client_id)
    if (!app || app.suite || json.client_secret !== app.secret)
      return wrong('invalid_client', 'invalid client_id or client_secret')
    const isRenewed = json.grant_type === 'refresh_token'
    if (!isRenewed && json.grant_type !== 'authorization_code') return wrong('unsupported_grant_type', 'unsupported grant_type')
    const [id = ''] = isRenewed ? (state.about('lark refresh', json.refresh_token, true) ?? '').split(' ') : []
    const person = isRenewed ? state.companyOf(app).person(id) : state.redeem(json.code, app, 'page', said(json.redirect_uri))
    if (person === undefined || typeof person === 'string') return wrong('invalid_grant', why[person ?? 'expired'][1])
    const { access_token, token_type, expires_in, refresh_token, refresh_expires_in } = userTokens(app, person)
    return jsonReply(200, { access_token, token_type, expires_in, refresh_token, refresh_expires_in })
  }
  const passportUser = (asked: AskedCall) => {
    const holder = state.holder(bearer(asked), 'u')
    if (!holder?.person) return jsonReply(401, { error: 'invalid_token', error_description: 'invalid access token' })
    const told = profile(holder.app, holder.person)
    const pictures = { picture: '', avatar_thumb: '', avatar_middle: '', avatar_big: '' }
    return jsonReply(200, { sub: told.open_id, ...pictures, ...told })
  }
  return {
    'GET /suite/passport/oauth/authorize': (asked) =>
      signInPage(state, appOf(state, asked.query.get('client_id')), asked, { code: 'code' }),
    'POST /suite/passport/oauth/token': passport,
    'GET /suite/passport/oauth/userinfo': passportUser,
    'GET /open-apis/authen/v1/authorize': (asked) =>
      signInPage(state, appOf(state, asked.query.get('client_id') ?? asked.query.get('app_id')), asked, { code: 'code' }),
    'GET /open-apis/authen/v1/index': (asked) =>
      signInPage(state, appOf(state, asked.query.get('app_id')), asked, { code: 'code' }),
    'POST /oauth/v3/token': exchange,
    'POST /open-apis/authen/v2/oauth/token': exchange,
    'POST /open-apis/authen/v1/oidc/access_token': oldest,
    'POST /open-apis/authen/v1/access_token': oldest,
    'POST /open-apis/authen/v1/oidc/refresh_access_token': (asked) => {
      const app = state.holder(bearer(asked), 't')?.app
      const [id = null] = (state.about('lark refresh', asked.json.refresh_token, true) ?? '').split(' ')
      const person = app && id !== null ? state.companyOf(app).person(id) : undefined
      if (!app) return noToken(asked)
      return person ? ok(userTokens(app, person)) : refuse(20037, 'refresh token expired')
    },
    'GET /open-apis/authen/v1/user_info': (asked) => {
      const holder = state.holder(bearer(asked), 'u')
      return holder?.person ? ok(profile(holder.app, holder.person)) : noToken(asked)
    },
  }
}

function tokens(state: State): SimulatedCalls {
  /** A company's own application: the same token while it has half an hour to live. */
  const own = (names: readonly string[]) => (asked: AskedCall) => {
    const app = state.app('lark', { app_id: said(asked.json.app_id) })
    if (!app || app.suite) return refuse(10003, 'invalid param')
    if (asked.json.app_secret !== app.secret) return refuse(10015, 'app secret invalid')
    const { token, expires_s } = state.token(app, 't', 1800)
    return jsonReply(200, { code: 0, msg: 'ok', expire: expires_s, ...Object.fromEntries(names.map((name) => [name, token])) })
  }
  return {
    'POST /open-apis/auth/v3/tenant_access_token/internal': own(['tenant_access_token']),
    'POST /open-apis/auth/v3/tenant_access_token/internal/': own(['tenant_access_token']),
    // A company's own application has one token under both names.
    'POST /open-apis/auth/v3/app_access_token/internal': own(['app_access_token', 'tenant_access_token']),
    'POST /open-apis/auth/v3/app_access_token/internal/': own(['app_access_token', 'tenant_access_token']),
    'POST /open-apis/auth/v3/app_access_token': ({ json }) => {
      const suite = state.suite('lark', json.app_id, json.app_secret)
      if (!suite) return refuse(10015, 'app secret invalid')
      if (suite.ticket === null || json.app_ticket !== suite.ticket) return refuse(10012, 'app ticket invalid')
      const app_access_token = `a-${state.give('lark app', suite.id, 7_200_000)}`
      return jsonReply(200, { code: 0, msg: 'ok', app_access_token, expire: 7200 })
    },
    'POST /open-apis/auth/v3/tenant_access_token': ({ json }) => {
      const id = storeTokenOf(state, json.app_access_token)
      const suite = id === null ? undefined : state.suite('lark', id)
      if (!suite) return refuse(99991664, 'invalid app access token')
      const app = state.installed(suite, json.tenant_key)
      if (!app || app.stopped) return refuse(10014, 'app unauthorized by the tenant')
      const { token, expires_s } = state.token(app, 't', 1800)
      return jsonReply(200, { code: 0, msg: 'ok', tenant_access_token: token, expire: expires_s })
    },
    'POST /open-apis/auth/v3/app_ticket/resend': ({ json }) => {
      const suite = state.suite('lark', json.app_id, json.app_secret)
      if (!suite) return refuse(10016, 'not a store app')
      state.resend(suite)
      return jsonReply(200, { code: 0, msg: 'ok' })
    },
    'POST /open-apis/jssdk/ticket/get': (asked) => {
      const holder = state.holder(bearer(asked), 't')
      if (!holder) return noToken(asked)
      const { token, expires_s } = state.token(holder.app, 'ticket', 0)
      return jsonReply(200, { code: 0, msg: 'ok', data: { expire_in: expires_s, ticket: token } })
    },
  }
}

export const larkVendor = (state: State): Vendor => ({
  provider: 'lark',
  calls: { ...signIn(state), ...tokens(state), ...larkDirectory(state), ...larkMessages(state), ...larkCards(state) },
  refuse: (path, code) => (path === '/oauth/v3/token' ? refused(code, 'refused') : refuse(code, 'refused')),
  tooMany: () => tooMany(2000),
  unknown: () => ({ status: 404, headers: { 'content-type': 'text/plain' }, body: '404 page not found' }),
  receiver: (app) => app.suite?.id ?? app.app_id,
  event: larkEvent(state.now),
  check: larkCheck(state.now),
  isAnswer: isLarkAnswer,
  retries: [15_000, 300_000, 3_600_000, 21_600_000],
})
