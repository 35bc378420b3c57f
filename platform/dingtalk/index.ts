/** DingTalk: a company's internal application, or its installation of ours from the store (platform/dingtalk.md). */
import { createHmac } from 'node:crypto'
import { type App, type Installs, type Platform, PlatformError, type Suite } from '../types.ts'
import { inside, listOf, needed, text, textsOf } from '../wire/ask.ts'
import type { Hosts } from '../wire/hosts.ts'
import { jsSignature } from '../wire/js-signature.ts'
import { type Fresh, type Tokens, tokenKey } from '../wire/tokens.ts'
import { dingtalkCallbacks } from './callbacks.ts'
import { type DingtalkCalls, dingtalkCalls, resultOf } from './calls.ts'
import { dingtalkDirectory } from './directory.ts'
import { dingtalkMessages } from './messages.ts'

const outside = (code: string, message: string) => new PlatformError('dingtalk', 'out_of_scope', code, message)

async function fromClient({ old, withToken }: DingtalkCalls, app: App, code: string) {
  const who = resultOf(await withToken(app, (token) => old('/topapi/v2/user/getuserinfo', token, { code })))
  return {
    corp_id: app.corp_id,
    user_id: needed('dingtalk', who.userid),
    union_id: text(who.unionid),
    name: text(who.name),
    mobile: null,
  }
}

/** The page's code is a person's, not a company's: which company he chose, and who he is there, is asked for. Of the store: `corp_id` '' is any. */
async function fromPage({ asked, old, withToken }: DingtalkCalls, asking: App, code: string) {
  const { suite } = asking
  const own = suite
    ? { clientId: suite.id, clientSecret: suite.secret }
    : { clientId: asking.app_id, clientSecret: asking.secret }
  const given = await asked('POST', '/v1.0/oauth2/userAccessToken', null, { ...own, code, grantType: 'authorization_code' })
  const corp_id = needed('dingtalk', given.corpId)
  if (corp_id !== asking.corp_id && !(suite && asking.corp_id === '')) throw outside('corp', 'somebody of another company')
  const app = { ...asking, corp_id }
  const me = await asked('GET', '/v1.0/contact/users/me', needed('dingtalk', given.accessToken))
  const unionid = needed('dingtalk', me.unionId)
  try {
    const there = resultOf(await withToken(app, (token) => old('/topapi/user/getbyunionid', token, { unionid })))
    if (text(there.contact_type) !== '0') throw outside('external', 'an external contact of this company')
    return { corp_id, user_id: needed('dingtalk', there.userid), union_id: unionid, name: text(me.nick), mobile: text(me.mobile) }
  } catch (error) {
    if (error instanceof PlatformError && error.kind === 'not_found') throw outside(error.code, error.message)
    throw error
  }
}

type Activation = { readonly corp_id: string; readonly permanent_code: string; readonly at_ms: number }
/**
 * Until whoever made it has answered an installation so, the company does not see it and no token is given. Signed as the older calls of the store are.
 * Once it is activated it is so: a second time changes nothing.
 */
async function activate({ old }: DingtalkCalls, suite: Suite, { corp_id, permanent_code, at_ms }: Activation): Promise<void> {
  const [timestamp, suiteTicket] = [String(at_ms), suite.ticket ?? '']
  const signature = createHmac('sha256', suite.secret).update(`${timestamp}\n${suiteTicket}`).digest('base64')
  const query = { accessKey: suite.id, timestamp, suiteTicket, signature }
  await old('/service/activate_suite', query, { suite_key: suite.id, auth_corpid: corp_id, permanent_code }).catch((error) => {
    // Whether it is open is told by what is asked next; what has to wait is tried again.
    if (!(error instanceof PlatformError) || error.kind === 'temporary' || error.kind === 'rate_limited') throw error
  })
}

const dingtalkInstalls = (calls: DingtalkCalls, now: () => number): Installs => ({
  // Installed from the store, or by a link that its console makes.
  url: async () => null,
  async finish(suite, { code, corp_id }) {
    if (corp_id === null) throw new PlatformError('dingtalk', 'unsupported', 'no_corp', 'a company is known by its id only')
    if (code !== null) await activate(calls, suite, { corp_id, permanent_code: code, at_ms: now() })
    const query = new URLSearchParams({ authCorpId: corp_id })
    const body = await calls.withSuite(suite, (token) => calls.asked('GET', `/v1.0/oauth2/apps/authInfo?${query}`, token))
    const [agent = {}] = listOf(inside(body.authAppInfo).agentList)
    const agent_id = needed('dingtalk', agent.agentId)
    const app: App = { provider: 'dingtalk', corp_id, app_id: suite.id, agent_id, secret: '', suite }
    const installers = [...textsOf(agent.adminList), ...textsOf([inside(body.authUserInfo).userId])]
    return { app, company_name: text(inside(body.authCorpInfo).corpName), installers: [...new Set(installers)] }
  },
  async who(suite, { code }) {
    const app: App = { provider: 'dingtalk', corp_id: '', app_id: suite.id, agent_id: '', secret: '', suite }
    return { provider: 'dingtalk', ...(await fromPage(calls, app, code)) }
  },
})

export function dingtalkPlatform(hosts: Hosts['dingtalk'], tokens: Tokens, now: () => number): Platform {
  const calls = dingtalkCalls(hosts, tokens)
  const { asked, withToken } = calls
  const ticket = (app: App): Promise<Fresh> =>
    withToken(app, async (token) => {
      const body = await asked('POST', '/v1.0/oauth2/jsapiTickets', token, {})
      return { token: needed('dingtalk', body.jsapiTicket), expires_s: Number(body.expireIn) }
    })
  return {
    ...dingtalkMessages(calls, now),
    directory: dingtalkDirectory(calls),
    callbacks: dingtalkCallbacks,
    installs: dingtalkInstalls(calls, now),
    hidden: null,
    authorizeUrl({ app_id, corp_id }, { redirect, state }) {
      const query = new URLSearchParams({
        redirect_uri: redirect,
        response_type: 'code',
        client_id: app_id,
        scope: 'openid corpid',
        state,
        prompt: 'consent',
        ...(corp_id ? { corpId: corp_id } : {}),
      })
      return `${hosts.login}/oauth2/auth?${query}`
    },
    async exchange(app, { code, way }) {
      const who = await (way === 'page' ? fromPage(calls, app, code) : fromClient(calls, app, code))
      return { provider: 'dingtalk', ...who }
    },
    async sign(app, { url, nonce, now }) {
      const timestamp = String(now.getTime())
      const given = await tokens.get(tokenKey(app, 'ticket'), () => ticket(app))
      // The vendor's present sample hashes with SHA-256, older ones with SHA-1; which one clients take could not be confirmed.
      return { timestamp, nonce, signature: jsSignature({ ticket: given, nonce, timestamp, url }, 'sha256') }
    },
  }
}
