/** Lark / Feishu: a company's own application, or its installation of ours from the store (platform/lark.md). */
import type { Client } from '@larksuiteoapi/node-sdk'
import { type App, type Identity, type Installs, type Platform, PlatformError, type Suite, type Way } from '../types.ts'
import { inside, needed, text } from '../wire/ask.ts'
import type { Hosts } from '../wire/hosts.ts'
import { jsSignature } from '../wire/js-signature.ts'
import { type Fresh, type Tokens, tokenKey } from '../wire/tokens.ts'
import { larkCallbacks } from './callbacks.ts'
import { type LarkCalls, larkCalls, opened, refused } from './calls.ts'
import { larkDirectory } from './directory.ts'
import { larkMessages } from './messages.ts'

/** The SDK turns a lost answer into an error of its own that says neither; ours is recognised by its name. */
async function userToken(client: Client, ask: { code: string; redirectUri?: string }): Promise<string> {
  try {
    return needed('lark', (await client.accessToken.retrieveByAuthorizationCode(ask)).accessToken)
  } catch (error) {
    if (error instanceof PlatformError) throw error
    const told = inside(error)
    const status = Number(told.statusCode ?? 0)
    if (status === 0) throw new PlatformError('lark', 'temporary', 'network', 'no answer from the platform')
    throw refused(status, { code: told.code, message: told.message })
  }
}

type Coming = { code: string; way: Way; redirect: string }
async function whoIs(calls: LarkCalls, app: App, ask: Coming): Promise<Identity> {
  const who = await whoCame(calls, app, ask)
  if (who.corp_id !== app.corp_id) throw new PlatformError('lark', 'out_of_scope', 'tenant', 'somebody of another company')
  return who
}
/** Of whatever company. */
async function whoCame({ clientOf }: LarkCalls, app: App, { code, way, redirect }: Coming): Promise<Identity> {
  const [client, { withUserAccessToken }] = [await clientOf(app), await import('@larksuiteoapi/node-sdk')]
  // A code of the client's script was given to no address, so none may be named.
  const token = await userToken(client, way === 'page' ? { code, redirectUri: redirect } : { code })
  const data = inside(opened(await client.authen.v1.userInfo.get({}, withUserAccessToken(token))).data)
  return {
    provider: 'lark',
    corp_id: needed('lark', data.tenant_key),
    user_id: needed('lark', data.open_id),
    union_id: text(data.union_id),
    name: text(data.name),
    mobile: text(data.mobile),
  }
}

const installedIn = (suite: Suite, corp_id: string): App => ({
  provider: 'lark',
  corp_id,
  app_id: suite.id,
  agent_id: suite.id,
  secret: '',
  suite,
})
const larkInstalls = (calls: LarkCalls): Installs => ({
  // Installed from the store only.
  url: async () => null,
  async finish(suite, { corp_id }) {
    if (corp_id === null) throw new PlatformError('lark', 'unsupported', 'no_tenant', 'a company is known by its key only')
    const app = installedIn(suite, corp_id)
    const given = await calls.data(app, { method: 'GET', path: '/open-apis/tenant/v2/tenant/query' })
    return { app, company_name: text(inside(given.tenant).name), installers: [] }
  },
  who: (suite, ask) => whoCame(calls, installedIn(suite, ''), { ...ask, way: 'page' }),
})

export function larkPlatform(hosts: Hosts['lark'], tokens: Tokens, now: () => number): Platform {
  const calls = larkCalls(hosts, tokens)
  const ticket = async (app: App): Promise<Fresh> => {
    const data = await calls.data(app, { method: 'POST', path: '/open-apis/jssdk/ticket/get', data: {} })
    return { token: needed('lark', data.ticket), expires_s: Number(data.expire_in) }
  }
  return {
    ...larkMessages(calls, now),
    directory: larkDirectory(calls),
    callbacks: larkCallbacks,
    installs: larkInstalls(calls),
    hidden: null,
    authorizeUrl({ app_id }, { redirect, state }) {
      const query = new URLSearchParams({ client_id: app_id, response_type: 'code', redirect_uri: redirect, state })
      return `${hosts.pages}/open-apis/authen/v1/authorize?${query}`
    },
    exchange: (app, ask) => whoIs(calls, app, ask),
    async sign(app, { url, nonce, now }) {
      const timestamp = String(now.getTime())
      const given = await tokens.get(tokenKey(app, 'ticket'), () => ticket(app))
      return { timestamp, nonce, signature: jsSignature({ ticket: given, nonce, timestamp, url }) }
    },
  }
}
