/** WeCom's side: HTTP 200 whatever comes, `errcode` decides, and a trace in every refusal (platform/wecom.md §1-3). */
import { signInPage } from './sign-in-page.ts'
import { type Asked, jsonReply, type State, type Vendor } from './state.ts'

const trace =
  ', hint: [1635043469_160_1ea1b1d99cd2c82ebf782c0c06a61af4], from ip: 203.0.113.7, more info at https://open.work.weixin.qq.com/devtool/query?e='

export function wecomVendor(state: State): Vendor {
  const refuse = (errcode: string | number, errmsg: string) => jsonReply(200, { errcode, errmsg: `${errmsg}${trace}${errcode}` })
  const page = (asked: Asked) => {
    const wanted = { corp_id: asked.query.get('appid') ?? '', agent_id: asked.query.get('agentid') ?? '' }
    return signInPage(state, state.app('wecom', wanted), asked, 'code')
  }
  const ticketOf = (asked: Asked) => {
    const holder = state.holder(asked.query.get('access_token'), 'at')
    if (!holder) return refuse(40014, 'invalid access_token')
    const { token, expires_s } = state.token(holder.app, 'ticket', 0)
    return jsonReply(200, { errcode: 0, errmsg: 'ok', ticket: token, expires_in: expires_s })
  }
  return {
    calls: {
      'GET /connect/oauth2/authorize': page,
      'GET /wwlogin/sso/login': page,
      'GET /cgi-bin/gettoken': ({ query }) => {
        const app = state.app('wecom', { corp_id: query.get('corpid') ?? '', secret: query.get('corpsecret') ?? '' })
        if (!app) return refuse(40001, 'invalid credential')
        const { token, expires_s } = state.token(app, 'at', 0)
        return jsonReply(200, { errcode: 0, errmsg: 'ok', access_token: token, expires_in: expires_s })
      },
      'GET /cgi-bin/auth/getuserinfo': ({ query }) => {
        const holder = state.holder(query.get('access_token'), 'at')
        if (!holder) return refuse(40014, 'invalid access_token')
        const person = state.redeem(query.get('code'), holder.app, 'page')
        if (person === 'expired') return refuse(42003, 'oauth_code expired')
        if (typeof person === 'string') return refuse(40029, 'invalid code')
        // Somebody of another company has an open id only.
        return jsonReply(
          200,
          person.corp_id === holder.app.corp_id
            ? { errcode: 0, errmsg: 'ok', userid: person.user_id }
            : { errcode: 0, errmsg: 'ok', openid: `o-${person.user_id}` },
        )
      },
      'GET /cgi-bin/get_jsapi_ticket': ticketOf,
    },
    refuse: (_path, code) => refuse(code, 'refused'),
    tooMany: () => refuse(45009, 'reach max api daily quota limit'),
  }
}
