/** Lark's side: its paths, shapes and refusals (platform/lark.md §1-3). */
import { signInPage } from './sign-in-page.ts'
import { type Asked, jsonReply, type Person, type State, type Vendor } from './state.ts'

const why = {
  unknown: [20003, 'The authorization code is not found. Please note that an authorization code can only be used once.'],
  used: [20065, 'The authorization code has been used.'],
  expired: [20004, 'The authorization code has expired.'],
  foreign: [20024, 'The provided authorization code does not match the provided app ID.'],
  redirect: [20071, 'The redirect_uri does not match.'],
} as const

export function larkVendor(state: State): Vendor {
  const refused = (code: string | number, error_description: string) =>
    jsonReply(400, { code, error: 'invalid_grant', error_description })
  const refuse = (code: string | number, msg: string) => jsonReply(400, { code, msg })
  const bearer = (asked: Asked): string | null => /^Bearer (\S+)$/.exec(asked.headers.authorization ?? '')?.[1] ?? null
  const noToken = (asked: Asked) =>
    asked.headers.authorization
      ? refuse(99991663, 'Invalid access token for authorization.')
      : refuse(99991661, 'Missing access token for authorization.')
  const profile = (person: Person) => ({
    name: person.name,
    open_id: person.user_id,
    ...(person.union_id ? { union_id: person.union_id } : {}),
    ...(person.mobile ? { mobile: `+86${person.mobile}` } : {}),
    tenant_key: person.corp_id,
  })
  return {
    calls: {
      'GET /open-apis/authen/v1/authorize': (asked) =>
        signInPage(state, state.app('lark', { app_id: asked.query.get('client_id') ?? '' }), asked, 'code'),
      'POST /oauth/v3/token': ({ json }) => {
        const app = state.app('lark', { app_id: String(json.client_id) })
        if (!app) return refused(20048, 'The app does not exist.')
        if (json.client_secret !== app.secret) return refused(20002, 'The client secret is invalid.')
        // Codes of the client's script were given to no address; those of the page must name theirs.
        const given = json.redirect_uri
        const person =
          given === undefined ? state.redeem(json.code, app, 'client') : state.redeem(json.code, app, 'page', String(given))
        if (typeof person === 'string') {
          const [code, text] = why[person]
          return refused(code, text)
        }
        const { token, expires_s } = state.token(app, 'u', 0, person)
        return jsonReply(200, {
          code: 0,
          access_token: token,
          expires_in: expires_s,
          token_type: 'Bearer',
          scope: 'auth:user.id:read',
        })
      },
      'GET /open-apis/authen/v1/user_info': (asked) => {
        const person = state.holder(bearer(asked), 'u')?.person
        return person ? jsonReply(200, { code: 0, msg: 'success', data: profile(person) }) : noToken(asked)
      },
      'POST /open-apis/auth/v3/tenant_access_token/internal': ({ json }) => {
        const app = state.app('lark', { app_id: String(json.app_id) })
        if (!app || json.app_secret !== app.secret) return refuse(10015, 'app secret invalid')
        const { token, expires_s } = state.token(app, 't', 1800)
        return jsonReply(200, { code: 0, msg: 'ok', tenant_access_token: token, expire: expires_s })
      },
      'POST /open-apis/jssdk/ticket/get': (asked) => {
        const holder = state.holder(bearer(asked), 't')
        if (!holder) return noToken(asked)
        const { token, expires_s } = state.token(holder.app, 'ticket', 0)
        return jsonReply(200, { code: 0, msg: 'ok', data: { expire_in: expires_s, ticket: token } })
      },
    },
    refuse: (path, code) => (path === '/oauth/v3/token' ? refused(code, 'refused') : refuse(code, 'refused')),
    tooMany: () =>
      jsonReply(
        429,
        { code: 99991400, msg: 'request trigger frequency limit' },
        { 'x-ogw-ratelimit-limit': '1000', 'x-ogw-ratelimit-reset': '2' },
      ),
  }
}
