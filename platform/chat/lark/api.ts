/**
 * Lark API client: uses Lark's SDK, which is 42 MB and is loaded with the first request. It sends through our own
 * `requestPlatform`, because the SDK's transport follows redirects, has no timeout, and puts secrets into the errors it
 * logs. The SDK's iterators are not used: a page that fails would look like an empty last page (platform/lark.md §0).
 */
import type { Client, HttpInstance } from '@larksuiteoapi/node-sdk'
import { type ChatApp, PlatformError, type PlatformErrorKind, type Suite } from '../../types.ts'
import { requestPlatform, requireText, toObject, toObjectList, toText } from '../../wire/request.ts'
import { getSuiteTokenKey, getTokenKey, type IssuedToken, type TokenCache } from '../../wire/tokens.ts'
import type { LarkHosts } from './hosts.ts'

const errorKinds: Readonly<Record<string, PlatformErrorKind>> = {
  99991661: 'token_invalid',
  99991663: 'token_invalid',
  99991664: 'token_invalid',
  99991665: 'token_invalid',
  99991671: 'token_invalid',
  99991677: 'token_invalid',
  99991400: 'rate_limited',
  230020: 'rate_limited',
  20003: 'code_refused',
  20004: 'code_refused',
  20024: 'code_refused',
  20065: 'code_refused',
  20071: 'code_refused',
  // A wrong secret: observed as 10014 with 200 and as 10015 with 400; both are distinguished from a disabled
  // application by the calling function (`fetchToken`).
  20002: 'not_permitted',
  10003: 'not_permitted',
  10013: 'not_permitted',
  10015: 'not_permitted',
  99991543: 'not_permitted',
  99991672: 'not_permitted',
  99991676: 'not_permitted',
  230006: 'not_permitted',
  230027: 'not_permitted',
  99991401: 'ip_not_trusted',
  20008: 'out_of_scope',
  20010: 'out_of_scope',
  20066: 'out_of_scope',
  40004: 'not_found',
  40008: 'not_found',
  40014: 'not_found',
  41050: 'not_found',
  99992351: 'not_found',
  99992361: 'not_found',
  20009: 'app_disabled',
  20048: 'app_disabled',
  20069: 'app_disabled',
  10014: 'app_disabled',
  11207: 'app_disabled',
  11210: 'app_disabled',
  99991662: 'app_disabled',
  99991673: 'app_disabled',
  // The ticket is missing or expired; a new one is pushed within the hour.
  10012: 'temporary',
  20050: 'temporary',
  20072: 'temporary',
  1500: 'temporary',
  5000: 'temporary',
  230049: 'temporary',
}
export function toPlatformError(status: number, body: Record<string, unknown>, wait_s: number | null = null): PlatformError {
  const kind = errorKinds[String(body.code)] ?? (status === 429 ? 'rate_limited' : status >= 500 ? 'temporary' : 'unknown')
  const message = toText(body.msg) ?? toText(body.error_description) ?? toText(body.message) ?? ''
  const [violation = {}] = toObjectList(toObject(body.error).permission_violations)
  const permission = toText(violation.subject) ?? /\[([\w:.-]{3,80})/.exec(message)?.[1] ?? null
  return new PlatformError('lark', kind, toText(body.code) ?? status, {
    message,
    wait_s: kind === 'rate_limited' ? (wait_s ?? 1) : null,
    permission: kind === 'not_permitted' ? permission : null,
  })
}

const silentLogger = { error() {}, warn() {}, info() {}, debug() {}, trace() {} }

type SdkRequest = {
  method?: string
  url?: string
  headers?: Record<string, string>
  data?: unknown
  params?: Record<string, unknown>
}
/** Array parameters are written as repeated names. */
function buildUrl(url: string, params: Record<string, unknown> = {}): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params))
    for (const one of [value].flat()) if (one !== undefined && one !== null) query.append(name, String(one))
  return query.size > 0 ? `${url}?${query}` : url
}
/** The HTTP client interface that the SDK expects: the parsed body, or an error that carries the response. */
const httpTransport = {
  async request({ method = 'GET', url = '', headers = {}, data, params }: SdkRequest) {
    const requested = method.toUpperCase()
    const verb = requested === 'POST' || requested === 'PATCH' || requested === 'DELETE' ? requested : 'GET'
    const { authorization, Authorization = authorization } = headers
    const { status, body, retryAfterSeconds } = await requestPlatform('lark', {
      method: verb,
      url: buildUrl(url, params),
      headers: Authorization ? { Authorization } : {},
      ...(verb === 'POST' || verb === 'PATCH' ? { json: data ?? {} } : {}),
    })
    if (status === 200) return body
    throw Object.assign(toPlatformError(status, body, retryAfterSeconds), { response: { status, data: body } })
  },
}

type LarkResponse<T> = { code?: number | string | undefined; msg?: string | undefined; data?: T }
export function unwrapResponse<T>(response: LarkResponse<T>): Record<string, unknown> {
  if (Number(response.code ?? 0) !== 0) throw toPlatformError(200, toObject(response))
  return toObject(response)
}

export type LarkRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly params?: object
  readonly data?: object
}
export type LarkApi = {
  readonly tokens: TokenCache
  /** Returns the client of an application: a company's own, or our store application. */
  getClient(app: ChatApp): Promise<Client>
  /** Makes one call as the application in its company; returns the entire body. */
  request(app: ChatApp, asking: LarkRequest): Promise<Record<string, unknown>>
  /** Like `request`, but returns the `data` of the body. */
  requestData(app: ChatApp, asking: LarkRequest): Promise<Record<string, unknown>>
}

export function createLarkApi(hosts: LarkHosts, tokens: TokenCache): LarkApi {
  const loadSdk = () => import('@larksuiteoapi/node-sdk')
  async function createClient(appId: string, appSecret: string): Promise<Client> {
    const { Client } = await loadSdk()
    return new Client({
      appId,
      appSecret,
      domain: hosts.api,
      oauthBaseUrl: hosts.accounts,
      // Tokens are managed here: the SDK's cache requests three tokens for three simultaneous users.
      disableTokenCache: true,
      httpInstance: httpTransport as unknown as HttpInstance,
      logger: silentLogger,
    })
  }
  const getClient = (app: ChatApp) => createClient(app.suite?.id ?? app.app_id, app.suite?.secret ?? app.secret)

  /** Whether a token is issued tells about the credentials: 10014 is the secret, or an application disabled elsewhere. */
  async function fetchToken(client: Client, app: ChatApp): Promise<IssuedToken> {
    const { suite } = app
    if (suite) return fetchStoreToken(client, app.corp_id, suite)
    try {
      const response = unwrapResponse(
        await client.auth.v3.tenantAccessToken.internal({ data: { app_id: app.app_id, app_secret: app.secret } }),
      )
      return { token: requireText('lark', response.tenant_access_token), expiresInSeconds: Number(response.expire) }
    } catch (error) {
      if (error instanceof PlatformError && error.code === '10014')
        throw new PlatformError('lark', 'not_permitted', error.code, error.message)
      throw error
    }
  }
  async function fetchStoreToken(client: Client, tenant_key: string, suite: Suite): Promise<IssuedToken> {
    const fetchAppToken = async (): Promise<IssuedToken> => {
      if (suite.ticket === null) throw new PlatformError('lark', 'temporary', '10012', 'no app ticket yet')
      const data = { app_id: suite.id, app_secret: suite.secret, app_ticket: suite.ticket }
      const response = unwrapResponse(await client.auth.v3.appAccessToken.create({ data }))
      return { token: requireText('lark', response.app_access_token), expiresInSeconds: Number(response.expire) }
    }
    return tokens.withToken(getSuiteTokenKey('lark', suite), fetchAppToken, async (app_access_token) => {
      const response = unwrapResponse(await client.auth.v3.tenantAccessToken.create({ data: { app_access_token, tenant_key } }))
      return { token: requireText('lark', response.tenant_access_token), expiresInSeconds: Number(response.expire) }
    })
  }
  async function request(app: ChatApp, { method, path, params, data }: LarkRequest): Promise<Record<string, unknown>> {
    const [client, { withTenantToken }] = [await getClient(app), await loadSdk()]
    const sdkRequest = { method, url: path, ...(params ? { params } : {}), ...(data ? { data } : {}) }
    return tokens.withToken(
      getTokenKey(app, 'token'),
      () => fetchToken(client, app),
      async (token) => unwrapResponse(await client.request<LarkResponse<unknown>>(sdkRequest, withTenantToken(token))),
    )
  }
  return {
    tokens,
    getClient,
    request,
    requestData: async (app, asking) => toObject((await request(app, asking)).data),
  }
}
