/** WeCom: a company's own application (corp id, agent id, secret), or its installation of ours (platform/wecom.md). */
import {
  type ChatApp,
  type Identity,
  type Installs,
  type Platform,
  PlatformError,
  type SignatureScope,
  type Suite,
} from '../../types.ts'
import { computeJsSignature } from '../../wire/js-signature.ts'
import { requireText, toObject, toObjectList, toText, toTextList } from '../../wire/request.ts'
import { getTokenKey, type IssuedToken, type TokenCache } from '../../wire/tokens.ts'
import type { ChatAdapter } from '../adapter-module.ts'
import { createWecomApi, getUserIdNormalizer, type WecomApi } from './api.ts'
import { wecomCallbacks } from './callbacks.ts'
import { createWecomDirectory } from './directory.ts'
import { createWecomHiddenNames } from './hidden-names.ts'
import { getWecomSimulatorHosts, type WecomHosts, wecomHosts } from './hosts.ts'
import { createWecomMessages } from './messages.ts'

const createOutOfScopeError = () => new PlatformError('wecom', 'out_of_scope', 'not_a_member', 'somebody of another company')

async function getCompanyIdentity(calls: WecomApi, app: ChatApp, code: string): Promise<Identity> {
  const { get, withToken } = calls
  if (app.suite) {
    const identity = await getIdentity(calls, app.suite, code)
    if (identity.corp_id !== app.corp_id) throw createOutOfScopeError()
    return identity
  }
  const body = await withToken(app, (access_token) => get('/cgi-bin/auth/getuserinfo', { access_token, code }))
  return createIdentity(app.corp_id, getUserIdNormalizer(app)(getMemberId(body)))
}
/** Returns the user's identity, of any company that installed the suite. */
async function getIdentity({ get, withSuite }: WecomApi, suite: Suite, code: string): Promise<Identity> {
  const body = await withSuite(suite, (suite_access_token) =>
    get('/cgi-bin/service/auth/getuserinfo3rd', { suite_access_token, code }),
  )
  return createIdentity(requireText('wecom', body.corpid), getMemberId(body))
}
/** An external contact has an open id only; a user of a linked company is written `CorpId/userid`. */
function getMemberId(body: Record<string, unknown>): string {
  const userid = toText(body.userid)
  if (!userid || userid.includes('/')) throw createOutOfScopeError()
  return userid
}
const createIdentity = (corp_id: string, user_id: string): Identity => ({
  provider: 'wecom',
  corp_id,
  user_id,
  union_id: null,
  name: null,
  mobile: null,
})

const createWecomInstalls = (calls: WecomApi): Installs => ({
  getIdentity: (suite, { code }) => getIdentity(calls, suite, code),
  ...createInstallSteps(calls),
})
const createInstallSteps = ({ hosts, get, post, withSuite }: WecomApi): Omit<Installs, 'getIdentity'> => ({
  async getInstallUrl(suite, { redirect, state }) {
    const provided = await withSuite(suite, (suite_access_token) =>
      get('/cgi-bin/service/get_pre_auth_code', { suite_access_token }),
    )
    const pre_auth_code = requireText('wecom', provided.pre_auth_code)
    const query = new URLSearchParams({ suite_id: suite.id, pre_auth_code, redirect_uri: redirect, state })
    return `${hosts.install}/3rdapp/install?${query}`
  },
  async completeInstall(suite, { code }) {
    if (code === null) throw new PlatformError('wecom', 'unsupported', 'no_code', 'a company is known by its code only')
    const body = await withSuite(suite, (suite_access_token) =>
      post('/cgi-bin/service/get_permanent_code', { suite_access_token }, { auth_code: code }),
    )
    const corp = toObject(body.auth_corp_info)
    const [agent = {}] = toObjectList(toObject(body.auth_info).agent)
    const app: ChatApp = {
      provider: 'wecom',
      corp_id: requireText('wecom', corp.corpid),
      app_id: suite.id,
      agent_id: requireText('wecom', agent.agentid),
      secret: requireText('wecom', body.permanent_code),
      suite,
    }
    return { app, company_name: toText(corp.corp_name), installers: toTextList([toObject(body.auth_user_info).userid]) }
  },
})

function createWecomPlatform(hosts: WecomHosts, tokens: TokenCache, now: () => number): Platform {
  const calls = createWecomApi(hosts, tokens, now)
  const { get, withToken } = calls
  /** The company and each of its applications have separate tickets. */
  const fetchTicket = (app: ChatApp, scope: SignatureScope): Promise<IssuedToken> =>
    withToken(app, async (access_token) => {
      const body = await (scope === 'company'
        ? get('/cgi-bin/get_jsapi_ticket', { access_token })
        : get('/cgi-bin/ticket/get', { access_token, type: 'agent_config' }))
      return { token: requireText('wecom', body.ticket), expiresInSeconds: Number(body.expires_in) }
    })
  return {
    ...createWecomMessages(calls, now),
    directory: createWecomDirectory(calls),
    callbacks: wecomCallbacks,
    installs: createWecomInstalls(calls),
    hiddenNames: createWecomHiddenNames(calls),
    buildAuthorizeUrl({ corp_id, app_id, agent_id }, { redirect, state, inside }) {
      // A store application is identified by its suite.
      const store = app_id !== agent_id
      const common = { appid: store ? app_id : corp_id, ...(store ? {} : { agentid: agent_id }), redirect_uri: redirect, state }
      const login_type = store ? 'ServiceApp' : 'CorpApp'
      if (!inside) return `${hosts.login}/wwlogin/sso/login?${new URLSearchParams({ login_type, ...common })}`
      const query = new URLSearchParams({ ...common, response_type: 'code', scope: 'snsapi_base' })
      return `${hosts.open}/connect/oauth2/authorize?${query}#wechat_redirect`
    },
    exchangeCode: (app, { code }) => getCompanyIdentity(calls, app, code),
    async signPage(app, { url, nonce, now, of = 'company' }) {
      const timestamp = String(Math.floor(now.getTime() / 1000))
      const provided = await tokens.get(getTokenKey(app, of === 'company' ? 'ticket' : 'agent_ticket'), () =>
        fetchTicket(app, of),
      )
      return { timestamp, nonce, signature: computeJsSignature({ ticket: provided, nonce, timestamp, url }) }
    },
  }
}

export const adapter: ChatAdapter<WecomHosts> = {
  vendorHosts: wecomHosts,
  getSimulatorHosts: getWecomSimulatorHosts,
  createPlatform: createWecomPlatform,
}
