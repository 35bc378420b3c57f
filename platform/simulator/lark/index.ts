/**
 * Simulated Lark: codes and their users, tokens of companies and store applications; the rest is in neighbouring files
 * (platform/lark.md).
 */
import { createHash } from 'node:crypto'
import type { SimulatedUser } from '../company.ts'
import { renderSignInPage } from '../pages/sign-in.ts'
import type { RegisteredApp } from '../registered-apps.ts'
import {
  createJsonReply,
  type SimulatedCall,
  type SimulatedCalls,
  type SimulatedRequest,
  type SimulatedVendor,
  type SimulatorState,
  textOrEmpty,
} from '../state.ts'
import { createLarkCardCalls } from './cards.ts'
import { createLarkDirectoryCalls, getUnionId, getUserId } from './directory.ts'
import { createLarkMessageCalls } from './messages.ts'
import { createLarkCheck, createLarkEvent, isLarkResponse } from './push.ts'
import { getBearerToken, replyError, replyInvalidToken, replyOk, replyRateLimited } from './replies.ts'

const codeErrors = {
  unknown: [20003, 'The authorization code is not found. Please note that an authorization code can only be used once.'],
  used: [20065, 'The authorization code has been used.'],
  expired: [20004, 'The authorization code has expired.'],
  foreign: [20024, 'The provided authorization code does not match the provided app ID.'],
  redirect: [20071, 'The redirect_uri does not match.'],
  challenge: [20049, 'PKCE verification failed.'],
} as const
const replyOauthError = (code: string | number, error_description: string) =>
  createJsonReply(400, { code, error: 'invalid_grant', error_description })

/** Finds an application by its own id, or by the id of the suite that the company installed. */
const findApp = (state: SimulatorState, id: unknown): RegisteredApp | undefined =>
  state.findApp('lark', { app_id: textOrEmpty(id) }) ?? state.apps.find((one) => one.provider === 'lark' && one.suite?.id === id)

function toProfile(app: RegisteredApp, user: SimulatedUser) {
  const may = (scope: string) => app.permissions?.includes(scope) ?? true
  return {
    name: user.name,
    en_name: '',
    avatar_url: '',
    open_id: user.user_id,
    union_id: getUnionId(user),
    ...(!app.suite && may('contact:user.employee_id:readonly') ? { user_id: getUserId(user) } : {}),
    ...(user.mobile && may('contact:user.phone:readonly') ? { mobile: `+86${user.mobile}` } : {}),
    ...(user.email && may('contact:user.email:readonly') ? { email: user.email } : {}),
    ...(user.employee_no && may('contact:user.employee:readonly') ? { employee_no: user.employee_no } : {}),
    tenant_key: user.corp_id,
  }
}

/** Returns the suite of a store application's own token, which begins with `a-`. */
const findStoreToken = (state: SimulatorState, token: unknown): string | null =>
  typeof token === 'string' && token.startsWith('a-') ? state.getTicketSubject('lark app', token.slice(2)) : null

/** The current code exchange and its predecessor, which have the same format. */
function createExchange(state: SimulatorState): SimulatedCall {
  const exchange = ({ json }: SimulatedRequest) => {
    const client = findApp(state, json.client_id)
    if (!client) return replyOauthError(20048, 'The app does not exist.')
    if (json.client_secret !== (client.suite?.secret ?? client.secret))
      return replyOauthError(20002, 'The client secret is invalid.')
    if (json.grant_type === 'refresh_token') return renewTokens(client, json.refresh_token)
    if (json.grant_type !== 'authorization_code') return replyOauthError(20036, 'The specified grant_type is not supported.')
    if (textOrEmpty(json.code) === '') return replyOauthError(20001, 'The request is missing a required parameter: code.')
    if (!isProven(json.code, json.code_verifier)) return replyOauthError(codeErrors.challenge[0], codeErrors.challenge[1])
    const grantedScope = state.getGrantedScope(json.code)
    const app = client.suite ? (state.findAppByCode(json.code) ?? client) : client
    // Codes of the client's script have no redirect URI; those of the sign-in page must repeat theirs.
    const redirectUri = json.redirect_uri
    const user =
      redirectUri === undefined
        ? state.redeemCode(json.code, app, 'client')
        : state.redeemCode(json.code, app, 'page', textOrEmpty(redirectUri))
    if (typeof user === 'string') return replyOauthError(codeErrors[user][0], codeErrors[user][1])
    return replyTokens(app, user, grantedScope)
  }
  const isProven = (code: unknown, verifier: unknown): boolean => {
    const challenge = state.getCodeChallenge(code)
    return challenge === ''
      ? verifier === undefined
      : createHash('sha256').update(textOrEmpty(verifier)).digest('base64url') === challenge || verifier === challenge
  }
  const replyTokens = (app: RegisteredApp, user: SimulatedUser, grantedScope: string) => {
    const { token, expiresInSeconds } = state.getToken(app, 'u', 0, user)
    const offline = /\boffline_access\b/.test(grantedScope)
      ? {
          refresh_token: state.createTicket('lark refresh', `${user.user_id} ${grantedScope}`, 604_800_000),
          refresh_token_expires_in: 604_800,
        }
      : {}
    return createJsonReply(200, {
      code: 0,
      access_token: token,
      expires_in: expiresInSeconds,
      ...offline,
      token_type: 'Bearer',
      scope: grantedScope || 'auth:user.id:read',
    })
  }
  const renewTokens = (app: RegisteredApp, refreshToken: unknown) => {
    const [id = '', ...grantedScope] = (state.getTicketSubject('lark refresh', refreshToken, true) ?? '').split(' ')
    const user = state.getCompany(app).findUser(id)
    return user
      ? replyTokens(app, user, grantedScope.join(' '))
      : replyOauthError(20037, 'The refresh token has expired or was used.')
  }
  return exchange
}

function signInCalls(state: SimulatorState): SimulatedCalls {
  const exchange = createExchange(state)
  const userTokens = (app: RegisteredApp, user: SimulatedUser) => {
    const { token, expiresInSeconds } = state.getToken(app, 'u', 0, user)
    const refresh_token = state.createTicket('lark refresh', user.user_id, 604_800_000)
    return {
      access_token: token,
      token_type: 'Bearer',
      expires_in: expiresInSeconds,
      refresh_token,
      refresh_expires_in: 604_800,
      scope: '',
      ...toProfile(app, user),
    }
  }
  /** A store application presents its own token, and the code determines the company. */
  const findStoreApp = (request: SimulatedRequest): RegisteredApp | undefined => {
    const id = findStoreToken(state, getBearerToken(request))
    const app = state.findAppByCode(request.json.code)
    return id !== null && app?.suite?.id === id ? app : undefined
  }
  /** The exchange uses the application's own token and responds in `data`. */
  const exchangeLegacyCode = (request: SimulatedRequest) => {
    const app = state.findTokenEntry(getBearerToken(request), 't')?.app ?? findStoreApp(request)
    if (!app) return replyInvalidToken(request)
    if (request.json.grant_type !== 'authorization_code') return replyError(20036, 'unsupported grant_type')
    const user = state.redeemCode(request.json.code, app, 'any')
    return typeof user === 'string' ? replyError(codeErrors[user][0], codeErrors[user][1]) : replyOk(userTokens(app, user))
  }
  /** The first generation: form request, standard OAuth response. */
  const exchangePassportCode = ({ json }: SimulatedRequest) => {
    const replyPassportError = (error: string, error_description: string) => createJsonReply(400, { error, error_description })
    const app = findApp(state, json.client_id)
    if (!app || app.suite || json.client_secret !== app.secret)
      return replyPassportError('invalid_client', 'invalid client_id or client_secret')
    const isRenewed = json.grant_type === 'refresh_token'
    if (!isRenewed && json.grant_type !== 'authorization_code')
      return replyPassportError('unsupported_grant_type', 'unsupported grant_type')
    const [id = ''] = isRenewed ? (state.getTicketSubject('lark refresh', json.refresh_token, true) ?? '').split(' ') : []
    const user = isRenewed
      ? state.getCompany(app).findUser(id)
      : state.redeemCode(json.code, app, 'page', textOrEmpty(json.redirect_uri))
    if (user === undefined || typeof user === 'string')
      return replyPassportError('invalid_grant', codeErrors[user ?? 'expired'][1])
    const { access_token, token_type, expires_in, refresh_token, refresh_expires_in } = userTokens(app, user)
    return createJsonReply(200, { access_token, token_type, expires_in, refresh_token, refresh_expires_in })
  }
  const getPassportUser = (request: SimulatedRequest) => {
    const tokenEntry = state.findTokenEntry(getBearerToken(request), 'u')
    if (!tokenEntry?.user) return createJsonReply(401, { error: 'invalid_token', error_description: 'invalid access token' })
    const userProfile = toProfile(tokenEntry.app, tokenEntry.user)
    const pictures = { picture: '', avatar_thumb: '', avatar_middle: '', avatar_big: '' }
    return createJsonReply(200, { sub: userProfile.open_id, ...pictures, ...userProfile })
  }
  return {
    'GET /suite/passport/oauth/authorize': (requested) =>
      renderSignInPage(state, findApp(state, requested.query.get('client_id')), requested, { codeParam: 'code' }),
    'POST /suite/passport/oauth/token': exchangePassportCode,
    'GET /suite/passport/oauth/userinfo': getPassportUser,
    'GET /open-apis/authen/v1/authorize': (requested) =>
      renderSignInPage(state, findApp(state, requested.query.get('client_id') ?? requested.query.get('app_id')), requested, {
        codeParam: 'code',
      }),
    'GET /open-apis/authen/v1/index': (requested) =>
      renderSignInPage(state, findApp(state, requested.query.get('app_id')), requested, { codeParam: 'code' }),
    'POST /oauth/v3/token': exchange,
    'POST /open-apis/authen/v2/oauth/token': exchange,
    'POST /open-apis/authen/v1/oidc/access_token': exchangeLegacyCode,
    'POST /open-apis/authen/v1/access_token': exchangeLegacyCode,
    'POST /open-apis/authen/v1/oidc/refresh_access_token': (requested) => {
      const app = state.findTokenEntry(getBearerToken(requested), 't')?.app
      const [id = null] = (state.getTicketSubject('lark refresh', requested.json.refresh_token, true) ?? '').split(' ')
      const person = app && id !== null ? state.getCompany(app).findUser(id) : undefined
      if (!app) return replyInvalidToken(requested)
      return person ? replyOk(userTokens(app, person)) : replyError(20037, 'refresh token expired')
    },
    'GET /open-apis/authen/v1/user_info': (requested) => {
      const holder = state.findTokenEntry(getBearerToken(requested), 'u')
      return holder?.user ? replyOk(toProfile(holder.app, holder.user)) : replyInvalidToken(requested)
    },
  }
}

function tokenCalls(state: SimulatorState): SimulatedCalls {
  /** Token of a company's own application: the same token while it is valid for at least half an hour. */
  const createInternalTokenCall = (names: readonly string[]) => (request: SimulatedRequest) => {
    const app = state.findApp('lark', { app_id: textOrEmpty(request.json.app_id) })
    if (!app || app.suite) return replyError(10003, 'invalid param')
    if (request.json.app_secret !== app.secret) return replyError(10015, 'app secret invalid')
    const { token, expiresInSeconds } = state.getToken(app, 't', 1800)
    return createJsonReply(200, {
      code: 0,
      msg: 'ok',
      expire: expiresInSeconds,
      ...Object.fromEntries(names.map((name) => [name, token])),
    })
  }
  return {
    'POST /open-apis/auth/v3/tenant_access_token/internal': createInternalTokenCall(['tenant_access_token']),
    'POST /open-apis/auth/v3/tenant_access_token/internal/': createInternalTokenCall(['tenant_access_token']),
    // A company's own application has the same token under both names.
    'POST /open-apis/auth/v3/app_access_token/internal': createInternalTokenCall(['app_access_token', 'tenant_access_token']),
    'POST /open-apis/auth/v3/app_access_token/internal/': createInternalTokenCall(['app_access_token', 'tenant_access_token']),
    'POST /open-apis/auth/v3/app_access_token': ({ json }) => {
      const suite = state.findSuite('lark', json.app_id, json.app_secret)
      if (!suite) return replyError(10015, 'app secret invalid')
      if (suite.ticket === null || json.app_ticket !== suite.ticket) return replyError(10012, 'app ticket invalid')
      const app_access_token = `a-${state.createTicket('lark app', suite.id, 7_200_000)}`
      return createJsonReply(200, { code: 0, msg: 'ok', app_access_token, expire: 7200 })
    },
    'POST /open-apis/auth/v3/tenant_access_token': ({ json }) => {
      const id = findStoreToken(state, json.app_access_token)
      const suite = id === null ? undefined : state.findSuite('lark', id)
      if (!suite) return replyError(99991664, 'invalid app access token')
      const app = state.findInstallation(suite, json.tenant_key)
      if (!app || app.isStopped) return replyError(10014, 'app unauthorized by the tenant')
      const { token, expiresInSeconds } = state.getToken(app, 't', 1800)
      return createJsonReply(200, { code: 0, msg: 'ok', tenant_access_token: token, expire: expiresInSeconds })
    },
    'POST /open-apis/auth/v3/app_ticket/resend': ({ json }) => {
      const suite = state.findSuite('lark', json.app_id, json.app_secret)
      if (!suite) return replyError(10016, 'not a store app')
      state.resendTicket(suite)
      return createJsonReply(200, { code: 0, msg: 'ok' })
    },
    'POST /open-apis/jssdk/ticket/get': (requested) => {
      const holder = state.findTokenEntry(getBearerToken(requested), 't')
      if (!holder) return replyInvalidToken(requested)
      const { token, expiresInSeconds } = state.getToken(holder.app, 'ticket', 0)
      return createJsonReply(200, { code: 0, msg: 'ok', data: { expire_in: expiresInSeconds, ticket: token } })
    },
  }
}

export const createLarkVendor = (state: SimulatorState): SimulatedVendor => ({
  provider: 'lark',
  calls: {
    ...signInCalls(state),
    ...tokenCalls(state),
    ...createLarkDirectoryCalls(state),
    ...createLarkMessageCalls(state),
    ...createLarkCardCalls(state),
  },
  replyError: (path, code) => (path === '/oauth/v3/token' ? replyOauthError(code, 'refused') : replyError(code, 'refused')),
  replyRateLimited: () => replyRateLimited(2000),
  replyUnknownCall: () => ({ status: 404, headers: { 'content-type': 'text/plain' }, body: '404 page not found' }),
  getReceiver: (app) => app.suite?.id ?? app.app_id,
  createEvent: createLarkEvent(state.now),
  createUrlCheck: createLarkCheck(state.now),
  isValidResponse: isLarkResponse,
  retryDelaysMs: [15_000, 300_000, 3_600_000, 21_600_000],
})
