/**
 * Lark / Feishu, through its own SDK. The SDK is 42 MB and is loaded when the first person comes from Lark; it speaks through our own
 * `ask`, because its transport follows redirects, has no time limit, and puts secrets into the errors it logs (platform/lark.md §0).
 */
import type { Client, HttpInstance } from '@larksuiteoapi/node-sdk'
import { type App, type ErrorKind, type Platform, PlatformError } from '../types.ts'
import { ask, inside, needed, text } from '../wire/ask.ts'
import type { Hosts } from '../wire/hosts.ts'
import { jsSignature } from '../wire/js-signature.ts'
import type { Fresh, Tokens } from '../wire/tokens.ts'
import { larkCallbacks } from './callbacks.ts'

const kinds: Readonly<Record<string, ErrorKind>> = {
  99991661: 'token_invalid',
  99991663: 'token_invalid',
  99991664: 'token_invalid',
  99991671: 'token_invalid',
  99991677: 'token_invalid',
  99991400: 'rate_limited',
  20003: 'code_refused',
  20004: 'code_refused',
  20024: 'code_refused',
  20065: 'code_refused',
  20071: 'code_refused',
  20002: 'not_permitted',
  10015: 'not_permitted',
  99991543: 'not_permitted',
  20008: 'out_of_scope',
  20010: 'out_of_scope',
  20066: 'out_of_scope',
  20009: 'app_disabled',
  20048: 'app_disabled',
  20069: 'app_disabled',
  10014: 'app_disabled',
  99991662: 'app_disabled',
  99991673: 'app_disabled',
  20050: 'temporary',
  20072: 'temporary',
}
const refused = (code: unknown, message: unknown, status = 0): PlatformError => {
  const kind = kinds[String(code)] ?? (status === 429 ? 'rate_limited' : status >= 500 ? 'temporary' : 'unknown')
  return new PlatformError('lark', kind, text(code) ?? status, text(message) ?? '')
}

const silent = { error() {}, warn() {}, info() {}, debug() {}, trace() {} }

/** What the SDK asks of an HTTP client: the parsed body, or an error that carries the response. */
const transport = {
  async request(question: { method?: string; url?: string; headers?: Record<string, string>; data?: unknown }) {
    const { method = 'GET', url = '', headers = {}, data } = question
    const post = method.toUpperCase() === 'POST'
    const { authorization, Authorization = authorization } = headers
    const { status, body } = await ask('lark', {
      method: post ? 'POST' : 'GET',
      url,
      headers: Authorization ? { Authorization } : {},
      ...(post ? { json: data ?? {} } : {}),
    })
    if (status === 200) return body
    throw Object.assign(refused(body.code, body.msg ?? body.error_description, status), { response: { status, data: body } })
  },
}

type Asked<T> = { code?: number | string | undefined; msg?: string | undefined; data?: T }
function opened<T>(answer: Asked<T>): Record<string, unknown> {
  if (Number(answer.code ?? 0) !== 0) throw refused(answer.code, answer.msg)
  return answer
}

export function larkPlatform(hosts: Hosts['lark'], tokens: Tokens): Platform {
  const sdk = () => import('@larksuiteoapi/node-sdk')

  async function clientOf(app: App): Promise<Client> {
    const { Client } = await sdk()
    return new Client({
      appId: app.app_id,
      appSecret: app.secret,
      domain: hosts.api,
      oauthBaseUrl: hosts.accounts,
      // Tokens are ours: the SDK's cache asks three times when three people come at once.
      disableTokenCache: true,
      httpInstance: transport as unknown as HttpInstance,
      logger: silent,
    })
  }

  async function tenantToken(client: Client, app: App): Promise<Fresh> {
    const data = { app_id: app.app_id, app_secret: app.secret }
    const answer = opened(await client.auth.v3.tenantAccessToken.internal({ data }))
    return { token: needed('lark', answer.tenant_access_token), expires_s: Number(answer.expire) }
  }

  async function ticket(app: App): Promise<Fresh> {
    const [client, { withTenantToken }] = [await clientOf(app), await sdk()]
    return tokens.with(
      app,
      'token',
      () => tenantToken(client, app),
      async (token) => {
        const question = { method: 'POST', url: '/open-apis/jssdk/ticket/get', data: {} }
        const data = inside(opened(await client.request<Asked<unknown>>(question, withTenantToken(token))).data)
        return { token: needed('lark', data.ticket), expires_s: Number(data.expire_in) }
      },
    )
  }

  /** The SDK turns a lost answer into an error of its own that says neither; ours is recognised by its name. */
  async function userToken(client: Client, ask: { code: string; redirectUri?: string }): Promise<string> {
    try {
      return needed('lark', (await client.accessToken.retrieveByAuthorizationCode(ask)).accessToken)
    } catch (error) {
      if (error instanceof PlatformError) throw error
      const { statusCode = 0, code, message } = error as { statusCode?: number; code?: unknown; message?: string }
      if (statusCode === 0) throw new PlatformError('lark', 'temporary', 'network', 'no answer from the platform')
      throw refused(code, message, statusCode)
    }
  }

  return {
    callbacks: larkCallbacks,
    authorizeUrl({ app_id }, { redirect, state }) {
      const query = new URLSearchParams({ client_id: app_id, response_type: 'code', redirect_uri: redirect, state })
      return `${hosts.pages}/open-apis/authen/v1/authorize?${query}`
    },
    async exchange(app, { code, way, redirect }) {
      const [client, { withUserAccessToken }] = [await clientOf(app), await sdk()]
      // A code of the client's script was given to no address, so none may be named.
      const token = await userToken(client, way === 'page' ? { code, redirectUri: redirect } : { code })
      const data = inside(opened(await client.authen.v1.userInfo.get({}, withUserAccessToken(token))).data)
      if (data.tenant_key !== app.corp_id)
        throw new PlatformError('lark', 'out_of_scope', 'tenant', 'somebody of another company')
      return {
        provider: 'lark',
        corp_id: app.corp_id,
        user_id: needed('lark', data.open_id),
        union_id: text(data.union_id),
        name: text(data.name),
        mobile: text(data.mobile),
      }
    },
    async sign(app, { url, nonce, now }) {
      const timestamp = String(now.getTime())
      const given = await tokens.get(app, 'ticket', () => ticket(app))
      return { timestamp, nonce, signature: jsSignature({ ticket: given, nonce, timestamp, url }) }
    },
  }
}
