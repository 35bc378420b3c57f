/** DingTalk: a company's internal application, or its installation of our store application (platform/dingtalk.md). */
import { createHmac } from 'node:crypto'
import { type ChatApp, type Installs, type Platform, PlatformError, type Suite } from '../../types.ts'
import { computeJsSignature } from '../../wire/js-signature.ts'
import { requireText, toObject, toObjectList, toText, toTextList } from '../../wire/request.ts'
import { getTokenKey, type IssuedToken, type TokenCache } from '../../wire/tokens.ts'
import type { ChatAdapter } from '../adapter-module.ts'
import { createDingtalkApi, type DingtalkApi, getResult } from './api.ts'
import { dingtalkCallbacks } from './callbacks.ts'
import { createDingtalkDirectory } from './directory.ts'
import { type DingtalkHosts, dingtalkHosts, getDingtalkSimulatorHosts } from './hosts.ts'
import { createDingtalkMessages } from './messages.ts'

const createOutOfScopeError = (code: string, message: string) => new PlatformError('dingtalk', 'out_of_scope', code, message)

async function exchangeClientCode({ requestLegacy, withToken }: DingtalkApi, app: ChatApp, code: string) {
  const user = getResult(await withToken(app, (token) => requestLegacy('/topapi/v2/user/getuserinfo', token, { code })))
  return {
    corp_id: app.corp_id,
    user_id: requireText('dingtalk', user.userid),
    union_id: toText(user.unionid),
    name: toText(user.name),
    mobile: null,
  }
}

/**
 * The page's code identifies a user, not a company: the company the user chose and their id there are requested
 * separately. For store applications, `corp_id` '' means any company.
 */
async function exchangePageCode({ request, requestLegacy, withToken }: DingtalkApi, requestedApp: ChatApp, code: string) {
  const { suite } = requestedApp
  const credentials = suite
    ? { clientId: suite.id, clientSecret: suite.secret }
    : { clientId: requestedApp.app_id, clientSecret: requestedApp.secret }
  const response = await request('POST', '/v1.0/oauth2/userAccessToken', null, {
    ...credentials,
    code,
    grantType: 'authorization_code',
  })
  const corp_id = requireText('dingtalk', response.corpId)
  if (corp_id !== requestedApp.corp_id && !(suite && requestedApp.corp_id === ''))
    throw createOutOfScopeError('corp', 'somebody of another company')
  const app = { ...requestedApp, corp_id }
  const profile = await request('GET', '/v1.0/contact/users/me', requireText('dingtalk', response.accessToken))
  const unionid = requireText('dingtalk', profile.unionId)
  try {
    const member = getResult(await withToken(app, (token) => requestLegacy('/topapi/user/getbyunionid', token, { unionid })))
    if (toText(member.contact_type) !== '0') throw createOutOfScopeError('external', 'an external contact of this company')
    return {
      corp_id,
      user_id: requireText('dingtalk', member.userid),
      union_id: unionid,
      name: toText(profile.nick),
      mobile: toText(profile.mobile),
    }
  } catch (error) {
    if (error instanceof PlatformError && error.kind === 'not_found') throw createOutOfScopeError(error.code, error.message)
    throw error
  }
}

type Activation = { readonly corp_id: string; readonly permanent_code: string; readonly activatedAtMs: number }
/**
 * Activates an installation. Until the vendor has done so, the company does not see the application and no token is
 * issued. Signed like the older store calls. Activating twice has no effect.
 */
async function activateSuite(
  { requestLegacy }: DingtalkApi,
  suite: Suite,
  { corp_id, permanent_code, activatedAtMs }: Activation,
): Promise<void> {
  const [timestamp, suiteTicket] = [String(activatedAtMs), suite.ticket ?? '']
  const signature = createHmac('sha256', suite.secret).update(`${timestamp}\n${suiteTicket}`).digest('base64')
  const query = { accessKey: suite.id, timestamp, suiteTicket, signature }
  await requestLegacy('/service/activate_suite', query, { suite_key: suite.id, auth_corpid: corp_id, permanent_code }).catch(
    (error) => {
      // The next call shows whether it is active; temporary errors are retried.
      if (!(error instanceof PlatformError) || error.kind === 'temporary' || error.kind === 'rate_limited') throw error
    },
  )
}

const createDingtalkInstalls = (calls: DingtalkApi, now: () => number): Installs => ({
  // The application was installed from the store, or by a link generated in its console.
  getInstallUrl: async () => null,
  async completeInstall(suite, { code, corp_id }) {
    if (corp_id === null) throw new PlatformError('dingtalk', 'unsupported', 'no_corp', 'a company is known by its id only')
    if (code !== null) await activateSuite(calls, suite, { corp_id, permanent_code: code, activatedAtMs: now() })
    const query = new URLSearchParams({ authCorpId: corp_id })
    const body = await calls.withSuite(suite, (token) => calls.request('GET', `/v1.0/oauth2/apps/authInfo?${query}`, token))
    const [agent = {}] = toObjectList(toObject(body.authAppInfo).agentList)
    const agent_id = requireText('dingtalk', agent.agentId)
    const app: ChatApp = { provider: 'dingtalk', corp_id, app_id: suite.id, agent_id, secret: '', suite }
    const installers = [...toTextList(agent.adminList), ...toTextList([toObject(body.authUserInfo).userId])]
    return { app, company_name: toText(toObject(body.authCorpInfo).corpName), installers: [...new Set(installers)] }
  },
  async getIdentity(suite, { code }) {
    const app: ChatApp = { provider: 'dingtalk', corp_id: '', app_id: suite.id, agent_id: '', secret: '', suite }
    return { provider: 'dingtalk', ...(await exchangePageCode(calls, app, code)) }
  },
})

function createDingtalkPlatform(hosts: DingtalkHosts, tokens: TokenCache, now: () => number): Platform {
  const calls = createDingtalkApi(hosts, tokens)
  const { request, withToken } = calls
  const fetchTicket = (app: ChatApp): Promise<IssuedToken> =>
    withToken(app, async (token) => {
      const body = await request('POST', '/v1.0/oauth2/jsapiTickets', token, {})
      return { token: requireText('dingtalk', body.jsapiTicket), expiresInSeconds: Number(body.expireIn) }
    })
  return {
    ...createDingtalkMessages(calls, now),
    directory: createDingtalkDirectory(calls),
    callbacks: dingtalkCallbacks,
    installs: createDingtalkInstalls(calls, now),
    hiddenNames: null,
    buildAuthorizeUrl({ app_id, corp_id }, { redirect, state }) {
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
    async exchangeCode(app, { code, source }) {
      const who = await (source === 'page' ? exchangePageCode(calls, app, code) : exchangeClientCode(calls, app, code))
      return { provider: 'dingtalk', ...who }
    },
    async signPage(app, { url, nonce, now }) {
      const timestamp = String(now.getTime())
      const provided = await tokens.get(getTokenKey(app, 'ticket'), () => fetchTicket(app))
      // The vendor's current sample hashes with SHA-256, older ones with SHA-1; which one clients accept could not be
      // confirmed.
      return { timestamp, nonce, signature: computeJsSignature({ ticket: provided, nonce, timestamp, url }, 'sha256') }
    },
  }
}

export const adapter: ChatAdapter<DingtalkHosts> = {
  vendorHosts: dingtalkHosts,
  getSimulatorHosts: getDingtalkSimulatorHosts,
  createPlatform: createDingtalkPlatform,
}
