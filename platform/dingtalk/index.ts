/** DingTalk: a company's internal application. Two generations of calls with two shapes of failure (platform/dingtalk.md). */

import { type App, type ErrorKind, type Platform, PlatformError } from '../types.ts'
import { ask, inside, needed, text } from '../wire/ask.ts'
import type { Hosts } from '../wire/hosts.ts'
import { jsSignature } from '../wire/js-signature.ts'
import type { Fresh, Tokens } from '../wire/tokens.ts'
import { dingtalkCallbacks } from './callbacks.ts'

const kinds: Readonly<Record<string, ErrorKind>> = {
  40014: 'token_invalid',
  42001: 'token_invalid',
  InvalidAuthentication: 'token_invalid',
  40078: 'code_refused',
  42008: 'code_refused',
  invalidParameter: 'code_refused',
  'invalidParameter.authCode.notFound': 'code_refused',
  invalidClientIdOrSecret: 'not_permitted',
  60011: 'not_permitted',
  50002: 'out_of_scope',
  50004: 'out_of_scope',
  60121: 'out_of_scope',
  88: 'rate_limited',
  90002: 'rate_limited',
  90005: 'rate_limited',
  '-1': 'temporary',
}

export function dingtalkPlatform(hosts: Hosts['dingtalk'], tokens: Tokens): Platform {
  function refused(status: number, code: string | null, message: unknown): PlatformError {
    const kind = (code && kinds[code]) || (status === 429 ? 'rate_limited' : status >= 500 ? 'temporary' : 'unknown')
    return new PlatformError('dingtalk', kind, code ?? status, text(message) ?? '')
  }
  /** The older calls: token in the address, HTTP 200 whatever comes. */
  async function old(path: string, access_token: string, json: object): Promise<Record<string, unknown>> {
    const url = `${hosts.oapi}${path}?${new URLSearchParams({ access_token })}`
    const { status, body } = await ask('dingtalk', { method: 'POST', url, json })
    const code = text(body.errcode)
    if (status !== 200 || code !== '0') throw refused(status, code, body.errmsg)
    return inside(body.result)
  }
  /** The newer ones: token in a header, a real status. */
  async function asked(method: 'GET' | 'POST', path: string, token: string | null, json?: object) {
    const headers: Record<string, string> = token ? { 'x-acs-dingtalk-access-token': token } : {}
    const { status, body } = await ask('dingtalk', { method, url: `${hosts.api}${path}`, headers, ...(json ? { json } : {}) })
    if (status !== 200) throw refused(status, text(body.code), body.message)
    return body
  }

  async function appToken(app: App): Promise<Fresh> {
    const body = await asked('POST', '/v1.0/oauth2/accessToken', null, { appKey: app.app_id, appSecret: app.secret })
    return { token: needed('dingtalk', body.accessToken), expires_s: Number(body.expireIn) }
  }
  const withToken = <T>(app: App, work: (token: string) => Promise<T>): Promise<T> =>
    tokens.with(app, 'token', () => appToken(app), work)

  const ticket = (app: App): Promise<Fresh> =>
    withToken(app, async (token) => {
      const body = await asked('POST', '/v1.0/oauth2/jsapiTickets', token, {})
      return { token: needed('dingtalk', body.jsapiTicket), expires_s: Number(body.expireIn) }
    })

  async function fromClient(app: App, code: string) {
    const who = await withToken(app, (token) => old('/topapi/v2/user/getuserinfo', token, { code }))
    return { user_id: needed('dingtalk', who.userid), union_id: text(who.unionid), name: text(who.name), mobile: null }
  }

  /** The page's code is a person's, not a company's: which company he chose, and who he is there, is asked for. */
  async function fromPage(app: App, code: string) {
    const credentials = { clientId: app.app_id, clientSecret: app.secret, code, grantType: 'authorization_code' }
    const given = await asked('POST', '/v1.0/oauth2/userAccessToken', null, credentials)
    if (given.corpId !== app.corp_id) throw new PlatformError('dingtalk', 'out_of_scope', 'corp', 'somebody of another company')
    const me = await asked('GET', '/v1.0/contact/users/me', needed('dingtalk', given.accessToken))
    const unionid = needed('dingtalk', me.unionId)
    const there = await withToken(app, (token) => old('/topapi/user/getbyunionid', token, { unionid }))
    if (text(there.contact_type) !== '0')
      throw new PlatformError('dingtalk', 'out_of_scope', 'external', 'an external contact of this company')
    return { user_id: needed('dingtalk', there.userid), union_id: unionid, name: text(me.nick), mobile: text(me.mobile) }
  }

  return {
    callbacks: dingtalkCallbacks,
    authorizeUrl({ app_id, corp_id }, { redirect, state }) {
      const query = new URLSearchParams({
        redirect_uri: redirect,
        response_type: 'code',
        client_id: app_id,
        scope: 'openid corpid',
        state,
        prompt: 'consent',
        corpId: corp_id,
      })
      return `${hosts.login}/oauth2/auth?${query}`
    },
    async exchange(app, { code, way }) {
      const who = await (way === 'page' ? fromPage(app, code) : fromClient(app, code))
      return { provider: 'dingtalk', corp_id: app.corp_id, ...who }
    },
    async sign(app, { url, nonce, now }) {
      const timestamp = String(now.getTime())
      const given = await tokens.get(app, 'ticket', () => ticket(app))
      // The vendor's present sample hashes with SHA-256, older ones with SHA-1; which one clients take could not be confirmed.
      return { timestamp, nonce, signature: jsSignature({ ticket: given, nonce, timestamp, url }, 'sha256') }
    },
  }
}
