/** DingTalk's side: older calls with `errcode` in HTTP 200, newer ones with a status and a word (platform/dingtalk.md §1-3). */
import { signInPage } from './sign-in-page.ts'
import { type Asked, jsonReply, type Person, type State, type Vendor } from './state.ts'

const unionOf = (person: Person): string => person.union_id ?? `union-${person.user_id}`

export function dingtalkVendor(state: State): Vendor {
  const old = (errcode: string | number, errmsg: string) => jsonReply(200, { errcode, errmsg, request_id: 'e8krly4vyi01' })
  const refused = (status: number, code: string | number, message: string) =>
    jsonReply(status, { code, message, requestid: '8A1D5A4E' })
  const headerToken = (asked: Asked) => asked.headers['x-acs-dingtalk-access-token']
  const isNew = (path: string): boolean => path.startsWith('/v1.0/')
  return {
    calls: {
      'GET /oauth2/auth': (asked) =>
        signInPage(state, state.app('dingtalk', { app_id: asked.query.get('client_id') ?? '' }), asked, 'authCode'),
      'POST /v1.0/oauth2/accessToken': ({ json }) => {
        const app = state.app('dingtalk', { app_id: String(json.appKey), secret: String(json.appSecret) })
        if (!app) return refused(400, 'invalidClientIdOrSecret', 'invalid clientId or clientSecret')
        const { token, expires_s } = state.token(app, 'at', 0)
        return jsonReply(200, { accessToken: token, expireIn: expires_s })
      },
      'POST /v1.0/oauth2/jsapiTickets': (asked) => {
        const holder = state.holder(headerToken(asked), 'at')
        if (!holder) return refused(400, 'InvalidAuthentication', 'access token is invalid')
        const { token, expires_s } = state.token(holder.app, 'ticket', 0)
        return jsonReply(200, { jsapiTicket: token, expireIn: expires_s })
      },
      'POST /topapi/v2/user/getuserinfo': ({ query, json }) => {
        const holder = state.holder(query.get('access_token'), 'at')
        if (!holder) return old(40014, '不合法的access_token')
        const person = state.redeem(json.code, holder.app, 'client')
        if (person === 'expired') return old(42008, 'code已失效')
        if (typeof person === 'string') return old(40078, '不存在的临时授权码')
        const result = { userid: person.user_id, name: person.name, unionid: unionOf(person), sys: false, sys_level: 0 }
        return jsonReply(200, { errcode: 0, errmsg: 'ok', result })
      },
      'POST /v1.0/oauth2/userAccessToken': ({ json }) => {
        const app = state.app('dingtalk', { app_id: String(json.clientId), secret: String(json.clientSecret) })
        if (!app) return refused(400, 'invalidClientIdOrSecret', 'invalid clientId or clientSecret')
        const person = state.redeem(json.code, app, 'page')
        if (typeof person === 'string') return refused(400, 'invalidParameter.authCode.notFound', 'authCode not found')
        const { token, expires_s } = state.token(app, 'u', 0, person)
        return jsonReply(200, { accessToken: token, refreshToken: `r-${token}`, expireIn: expires_s, corpId: person.corp_id })
      },
      'GET /v1.0/contact/users/me': (asked) => {
        const person = state.holder(headerToken(asked), 'u')?.person
        if (!person) return refused(400, 'InvalidAuthentication', 'access token is invalid')
        const mobile = person.mobile ? { mobile: person.mobile, stateCode: '86' } : {}
        return jsonReply(200, { nick: person.name, unionId: unionOf(person), openId: `o-${person.user_id}`, ...mobile })
      },
      'POST /topapi/user/getbyunionid': ({ query, json }) => {
        const holder = state.holder(query.get('access_token'), 'at')
        if (!holder) return old(40014, '不合法的access_token')
        const person = state.people.find(
          (one) => one.provider === 'dingtalk' && one.corp_id === holder.app.corp_id && unionOf(one) === json.unionid,
        )
        if (!person) return old(60121, '找不到该用户')
        return jsonReply(200, { errcode: 0, errmsg: 'ok', result: { contact_type: 0, userid: person.user_id } })
      },
    },
    refuse: (path, code) => (isNew(path) ? refused(400, code, 'refused') : old(code, 'refused')),
    tooMany: (path) =>
      isNew(path) ? refused(429, 'Throttling.Api', 'too many requests') : old(88, 'ding talk error[subcode=90002]'),
  }
}
