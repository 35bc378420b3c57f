/** Lark / Feishu: a company's own application, or its installation of our store application (platform/lark.md). */
import type { Client } from '@larksuiteoapi/node-sdk'
import {
  type AuthCodeSource,
  type ChatApp,
  type Identity,
  type Installs,
  type Platform,
  PlatformError,
  type Suite,
} from '../../types.ts'
import { computeJsSignature } from '../../wire/js-signature.ts'
import { requireText, toObject, toText } from '../../wire/request.ts'
import { getTokenKey, type IssuedToken, type TokenCache } from '../../wire/tokens.ts'
import type { ChatAdapter } from '../adapter-module.ts'
import { createLarkApi, type LarkApi, toPlatformError, unwrapResponse } from './api.ts'
import { larkCallbacks } from './callbacks.ts'
import { createLarkDirectory } from './directory.ts'
import { getLarkSimulatorHosts, type LarkHosts, larkHosts } from './hosts.ts'
import { createLarkMessages } from './messages.ts'

/** The SDK wraps a lost response in its own error without details; our error is recognized by its name. */
async function exchangeUserToken(client: Client, params: { code: string; redirectUri?: string }): Promise<string> {
  try {
    return requireText('lark', (await client.accessToken.retrieveByAuthorizationCode(params)).accessToken)
  } catch (error) {
    if (error instanceof PlatformError) throw error
    const details = toObject(error)
    const status = Number(details.statusCode ?? 0)
    if (status === 0) throw new PlatformError('lark', 'temporary', 'network', 'no answer from the platform')
    throw toPlatformError(status, { code: details.code, message: details.message })
  }
}

type AuthCodeExchange = { code: string; source: AuthCodeSource; redirect: string }
async function getCompanyIdentity(calls: LarkApi, app: ChatApp, exchange: AuthCodeExchange): Promise<Identity> {
  const identity = await getIdentity(calls, app, exchange)
  if (identity.corp_id !== app.corp_id) throw new PlatformError('lark', 'out_of_scope', 'tenant', 'somebody of another company')
  return identity
}
/** Returns the user's identity, of any company. */
async function getIdentity(
  { getClient }: LarkApi,
  app: ChatApp,
  { code, source, redirect }: AuthCodeExchange,
): Promise<Identity> {
  const [client, { withUserAccessToken }] = [await getClient(app), await import('@larksuiteoapi/node-sdk')]
  // A code from the client's script was issued without a redirect URL, so none may be given.
  const token = await exchangeUserToken(client, source === 'page' ? { code, redirectUri: redirect } : { code })
  const data = toObject(unwrapResponse(await client.authen.v1.userInfo.get({}, withUserAccessToken(token))).data)
  return {
    provider: 'lark',
    corp_id: requireText('lark', data.tenant_key),
    user_id: requireText('lark', data.open_id),
    union_id: toText(data.union_id),
    name: toText(data.name),
    mobile: toText(data.mobile),
  }
}

const createInstalledApp = (suite: Suite, corp_id: string): ChatApp => ({
  provider: 'lark',
  corp_id,
  app_id: suite.id,
  agent_id: suite.id,
  secret: '',
  suite,
})
const createLarkInstalls = (calls: LarkApi): Installs => ({
  // The application can be installed from the store only.
  getInstallUrl: async () => null,
  async completeInstall(suite, { corp_id }) {
    if (corp_id === null) throw new PlatformError('lark', 'unsupported', 'no_tenant', 'a company is known by its key only')
    const app = createInstalledApp(suite, corp_id)
    const provided = await calls.requestData(app, { method: 'GET', path: '/open-apis/tenant/v2/tenant/query' })
    return { app, company_name: toText(toObject(provided.tenant).name), installers: [] }
  },
  getIdentity: (suite, request) => getIdentity(calls, createInstalledApp(suite, ''), { ...request, source: 'page' }),
})

function createLarkPlatform(hosts: LarkHosts, tokens: TokenCache, now: () => number): Platform {
  const calls = createLarkApi(hosts, tokens)
  const fetchTicket = async (app: ChatApp): Promise<IssuedToken> => {
    const data = await calls.requestData(app, { method: 'POST', path: '/open-apis/jssdk/ticket/get', data: {} })
    return { token: requireText('lark', data.ticket), expiresInSeconds: Number(data.expire_in) }
  }
  return {
    ...createLarkMessages(calls, now),
    directory: createLarkDirectory(calls),
    callbacks: larkCallbacks,
    installs: createLarkInstalls(calls),
    hiddenNames: null,
    buildAuthorizeUrl({ app_id }, { redirect, state }) {
      const query = new URLSearchParams({ client_id: app_id, response_type: 'code', redirect_uri: redirect, state })
      return `${hosts.pages}/open-apis/authen/v1/authorize?${query}`
    },
    exchangeCode: (app, request) => getCompanyIdentity(calls, app, request),
    async signPage(app, { url, nonce, now }) {
      const timestamp = String(now.getTime())
      const provided = await tokens.get(getTokenKey(app, 'ticket'), () => fetchTicket(app))
      return { timestamp, nonce, signature: computeJsSignature({ ticket: provided, nonce, timestamp, url }) }
    },
  }
}

export const adapter: ChatAdapter<LarkHosts> = {
  vendorHosts: larkHosts,
  getSimulatorHosts: getLarkSimulatorHosts,
  createPlatform: createLarkPlatform,
}
