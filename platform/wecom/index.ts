/** WeCom: a company's own application (corp id, agent id, secret), or its installation of ours from the store (platform/wecom.md). */
import { type App, type Identity, type Installs, type Platform, PlatformError, type SignedFor, type Suite } from '../types.ts'
import { inside, listOf, needed, text, textsOf } from '../wire/ask.ts'
import type { Hosts } from '../wire/hosts.ts'
import { jsSignature } from '../wire/js-signature.ts'
import { type Fresh, type Tokens, tokenKey } from '../wire/tokens.ts'
import { wecomCallbacks } from './callbacks.ts'
import { userIdOf, type WecomCalls, wecomCalls } from './calls.ts'
import { wecomDirectory } from './directory.ts'
import { wecomHidden } from './hidden.ts'
import { wecomMessages } from './messages.ts'

const stranger = () => new PlatformError('wecom', 'out_of_scope', 'not_a_member', 'somebody of another company')

async function whoIs(calls: WecomCalls, app: App, code: string): Promise<Identity> {
  const { get, withToken } = calls
  if (app.suite) {
    const who = await whoCame(calls, app.suite, code)
    if (who.corp_id !== app.corp_id) throw stranger()
    return who
  }
  const body = await withToken(app, (access_token) => get('/cgi-bin/auth/getuserinfo', { access_token, code }))
  return identityOf(app.corp_id, userIdOf(app)(memberOf(body)))
}
/** Of whatever company installed it. */
async function whoCame({ get, withSuite }: WecomCalls, suite: Suite, code: string): Promise<Identity> {
  const body = await withSuite(suite, (suite_access_token) =>
    get('/cgi-bin/service/auth/getuserinfo3rd', { suite_access_token, code }),
  )
  return identityOf(needed('wecom', body.corpid), memberOf(body))
}
/** An external contact has an open id only; a linked company's person is written `CorpId/userid`. */
function memberOf(body: Record<string, unknown>): string {
  const userid = text(body.userid)
  if (!userid || userid.includes('/')) throw stranger()
  return userid
}
const identityOf = (corp_id: string, user_id: string): Identity => ({
  provider: 'wecom',
  corp_id,
  user_id,
  union_id: null,
  name: null,
  mobile: null,
})

const wecomInstalls = (calls: WecomCalls): Installs => ({
  who: (suite, { code }) => whoCame(calls, suite, code),
  ...wecomInstalling(calls),
})
const wecomInstalling = ({ hosts, get, post, withSuite }: WecomCalls): Omit<Installs, 'who'> => ({
  async url(suite, { redirect, state }) {
    const given = await withSuite(suite, (suite_access_token) =>
      get('/cgi-bin/service/get_pre_auth_code', { suite_access_token }),
    )
    const pre_auth_code = needed('wecom', given.pre_auth_code)
    const query = new URLSearchParams({ suite_id: suite.id, pre_auth_code, redirect_uri: redirect, state })
    return `${hosts.install}/3rdapp/install?${query}`
  },
  async finish(suite, { code }) {
    if (code === null) throw new PlatformError('wecom', 'unsupported', 'no_code', 'a company is known by its code only')
    const body = await withSuite(suite, (suite_access_token) =>
      post('/cgi-bin/service/get_permanent_code', { suite_access_token }, { auth_code: code }),
    )
    const corp = inside(body.auth_corp_info)
    const [agent = {}] = listOf(inside(body.auth_info).agent)
    const app: App = {
      provider: 'wecom',
      corp_id: needed('wecom', corp.corpid),
      app_id: suite.id,
      agent_id: needed('wecom', agent.agentid),
      secret: needed('wecom', body.permanent_code),
      suite,
    }
    return { app, company_name: text(corp.corp_name), installers: textsOf([inside(body.auth_user_info).userid]) }
  },
})

export function wecomPlatform(hosts: Hosts['wecom'], tokens: Tokens, now: () => number): Platform {
  const calls = wecomCalls(hosts, tokens)
  const { get, withToken } = calls
  /** The company has one, and each of its applications. */
  const ticket = (app: App, of: SignedFor): Promise<Fresh> =>
    withToken(app, async (access_token) => {
      const body = await (of === 'company'
        ? get('/cgi-bin/get_jsapi_ticket', { access_token })
        : get('/cgi-bin/ticket/get', { access_token, type: 'agent_config' }))
      return { token: needed('wecom', body.ticket), expires_s: Number(body.expires_in) }
    })
  return {
    ...wecomMessages(calls, now),
    directory: wecomDirectory(calls),
    callbacks: wecomCallbacks,
    installs: wecomInstalls(calls),
    hidden: wecomHidden(calls),
    authorizeUrl({ corp_id, app_id, agent_id }, { redirect, state, inside }) {
      // An application of the store is named by its suite.
      const store = app_id !== agent_id
      const common = { appid: store ? app_id : corp_id, ...(store ? {} : { agentid: agent_id }), redirect_uri: redirect, state }
      const login_type = store ? 'ServiceApp' : 'CorpApp'
      if (!inside) return `${hosts.login}/wwlogin/sso/login?${new URLSearchParams({ login_type, ...common })}`
      const query = new URLSearchParams({ ...common, response_type: 'code', scope: 'snsapi_base' })
      return `${hosts.open}/connect/oauth2/authorize?${query}#wechat_redirect`
    },
    exchange: (app, { code }) => whoIs(calls, app, code),
    async sign(app, { url, nonce, now, of = 'company' }) {
      const timestamp = String(Math.floor(now.getTime() / 1000))
      const given = await tokens.get(tokenKey(app, of === 'company' ? 'ticket' : 'agent_ticket'), () => ticket(app, of))
      return { timestamp, nonce, signature: jsSignature({ ticket: given, nonce, timestamp, url }) }
    },
  }
}
