/** WeCom: a company's own application (corp id, agent id, secret). Every answer is HTTP 200; `errcode` decides (platform/wecom.md). */

import { type App, type ErrorKind, type Platform, PlatformError } from '../types.ts'
import { ask, needed, text } from '../wire/ask.ts'
import type { Hosts } from '../wire/hosts.ts'
import { jsSignature } from '../wire/js-signature.ts'
import type { Fresh, Tokens } from '../wire/tokens.ts'
import { wecomCallbacks } from './callbacks.ts'

const kinds: Readonly<Record<string, ErrorKind>> = {
  40014: 'token_invalid',
  42001: 'token_invalid',
  41001: 'token_invalid',
  40029: 'code_refused',
  42003: 'code_refused',
  40001: 'not_permitted',
  40013: 'not_permitted',
  40091: 'not_permitted',
  50001: 'not_permitted',
  60020: 'ip_not_trusted',
  45009: 'rate_limited',
  [-1]: 'temporary',
}

export function wecomPlatform(hosts: Hosts['wecom'], tokens: Tokens): Platform {
  async function get(path: string, query: Record<string, string>): Promise<Record<string, unknown>> {
    const { status, body } = await ask('wecom', { method: 'GET', url: `${hosts.api}${path}?${new URLSearchParams(query)}` })
    const code = text(body.errcode)
    if (status === 200 && code === '0') return body
    const kind = (code && kinds[code]) || (status === 429 ? 'rate_limited' : status >= 500 ? 'temporary' : 'unknown')
    throw new PlatformError('wecom', kind, code ?? status, text(body.errmsg) ?? '')
  }

  async function appToken(app: App): Promise<Fresh> {
    const body = await get('/cgi-bin/gettoken', { corpid: app.corp_id, corpsecret: app.secret })
    return { token: needed('wecom', body.access_token), expires_s: Number(body.expires_in) }
  }
  const withToken = <T>(app: App, work: (token: string) => Promise<T>): Promise<T> =>
    tokens.with(app, 'token', () => appToken(app), work)

  const ticket = (app: App): Promise<Fresh> =>
    withToken(app, async (access_token) => {
      const body = await get('/cgi-bin/get_jsapi_ticket', { access_token })
      return { token: needed('wecom', body.ticket), expires_s: Number(body.expires_in) }
    })

  return {
    callbacks: wecomCallbacks,
    authorizeUrl({ corp_id, agent_id }, { redirect, state, inside }) {
      const common = { appid: corp_id, agentid: agent_id, redirect_uri: redirect, state }
      if (!inside) return `${hosts.login}/wwlogin/sso/login?${new URLSearchParams({ login_type: 'CorpApp', ...common })}`
      const query = new URLSearchParams({ ...common, response_type: 'code', scope: 'snsapi_base' })
      return `${hosts.open}/connect/oauth2/authorize?${query}#wechat_redirect`
    },
    async exchange(app, { code }) {
      const body = await withToken(app, (access_token) => get('/cgi-bin/auth/getuserinfo', { access_token, code }))
      const userid = text(body.userid)
      // An external contact has an open id only; a linked company's person is written `CorpId/userid`.
      if (!userid || userid.includes('/'))
        throw new PlatformError('wecom', 'out_of_scope', 'not_a_member', 'somebody of another company')
      return {
        provider: 'wecom',
        corp_id: app.corp_id,
        // Case does not count there, so it must not count here.
        user_id: userid.toLowerCase(),
        union_id: null,
        name: null,
        mobile: null,
      }
    },
    async sign(app, { url, nonce, now }) {
      const timestamp = String(Math.floor(now.getTime() / 1000))
      const given = await tokens.get(app, 'ticket', () => ticket(app))
      return { timestamp, nonce, signature: jsSignature({ ticket: given, nonce, timestamp, url }) }
    },
  }
}
