/** WeCom API client. Every response is HTTP 200; `errcode` decides (platform/wecom.md). */
import { type ChatApp, PlatformError, type PlatformErrorKind, type Suite, type TranslatableFile } from '../../types.ts'
import { requestPlatform, requireText, toText } from '../../wire/request.ts'
import { getDeveloperTokenKey, getSuiteTokenKey, getTokenKey, type IssuedToken, type TokenCache } from '../../wire/tokens.ts'
import { createBackoff } from './backoff.ts'
import type { WecomHosts } from './hosts.ts'

const errorKinds: Readonly<Record<string, PlatformErrorKind>> = {
  40014: 'token_invalid',
  42001: 'token_invalid',
  41001: 'token_invalid',
  40082: 'token_invalid',
  42009: 'token_invalid',
  40029: 'code_refused',
  42003: 'code_refused',
  40001: 'not_permitted',
  40013: 'not_permitted',
  40056: 'not_permitted',
  40091: 'not_permitted',
  48002: 'not_permitted',
  50001: 'not_permitted',
  85005: 'not_permitted',
  60011: 'not_permitted',
  301002: 'not_permitted',
  50002: 'not_found',
  60003: 'not_found',
  60111: 'not_found',
  60123: 'not_found',
  46004: 'not_found',
  50003: 'app_disabled',
  40084: 'unauthorised',
  60020: 'ip_not_trusted',
  45009: 'rate_limited',
  45033: 'rate_limited',
  6000: 'temporary',
  // The ticket is missing or expired; a new one is pushed within ten minutes.
  40085: 'temporary',
  [-1]: 'temporary',
}

/**
 * Ids assigned by companies are case-insensitive, so they are compared in lower case. Ids of store applications are
 * encrypted, and two users may differ only in the case of a letter.
 */
export const getUserIdNormalizer = ({ suite }: Pick<ChatApp, 'suite'>): ((id: string) => string) =>
  suite ? (id) => id : (id) => id.toLowerCase()

/** The answer 48002 names no permission; the path tells which group of calls is not open to the application. */
const getPermissionName = (path: string): string | null =>
  /^\/cgi-bin\/(department|user)\//.test(path) ? '通讯录' : path.startsWith('/cgi-bin/message/') ? '发送应用消息' : null

type Query = Readonly<Record<string, string>>
export type WecomApi = {
  readonly hosts: WecomHosts
  readonly tokens: TokenCache
  get(path: string, query: Query): Promise<Record<string, unknown>>
  post(path: string, query: Query, json: object): Promise<Record<string, unknown>>
  /** Uploads a multipart form with the file as `media`. */
  upload(path: string, query: Query, file: TranslatableFile): Promise<Record<string, unknown>>
  withToken<T>(app: ChatApp, work: (access_token: string) => Promise<T>): Promise<T>
  withSuite<T>(suite: Suite, work: (suite_access_token: string) => Promise<T>): Promise<T>
  /** Calls as the vendor of the store application; `unsupported` if the vendor account is not configured. */
  withDeveloper<T>(suite: Suite, work: (provider_access_token: string) => Promise<T>): Promise<T>
}

export function createWecomApi(hosts: WecomHosts, tokens: TokenCache, now: () => number): WecomApi {
  const backoff = createBackoff(now)
  type RequestBody = { readonly json?: object; readonly file?: TranslatableFile & { readonly field: 'media' } }
  async function request(
    method: 'GET' | 'POST',
    path: string,
    query: Query,
    requestBody: RequestBody = {},
  ): Promise<Record<string, unknown>> {
    const url = `${hosts.api}${path}?${new URLSearchParams(query)}`
    const { status, body, retryAfterSeconds } = await requestPlatform('wecom', { method, url, ...requestBody })
    const code = toText(body.errcode)
    // Some responses omit the code on success.
    if (status === 200 && (code ?? '0') === '0') return body
    const kind = (code && errorKinds[code]) || (status === 429 ? 'rate_limited' : status >= 500 ? 'temporary' : 'unknown')
    const callKey = `${path} ${query.access_token ?? query.suite_access_token ?? query.corpid ?? ''}`
    const wait = kind === 'rate_limited' ? (retryAfterSeconds ?? backoff.getWaitSeconds(callKey)) : null
    throw new PlatformError('wecom', kind, code ?? status, {
      message: toText(body.errmsg) ?? '',
      wait_s: wait,
      permission: code === '48002' ? getPermissionName(path) : null,
    })
  }
  const get: WecomApi['get'] = (path, query) => request('GET', path, query)
  const post: WecomApi['post'] = (path, query, json) => request('POST', path, query, { json })

  const toIssuedToken = (body: Record<string, unknown>, name: string): IssuedToken => ({
    token: requireText('wecom', body[name]),
    expiresInSeconds: Number(body.expires_in),
  })
  const withSuite: WecomApi['withSuite'] = (suite, work) =>
    tokens.withToken(
      getSuiteTokenKey('wecom', suite),
      async () => {
        const params = { suite_id: suite.id, suite_secret: suite.secret, suite_ticket: suite.ticket ?? '' }
        return toIssuedToken(await post('/cgi-bin/service/get_suite_token', {}, params), 'suite_access_token')
      },
      work,
    )
  const fetchAppToken = async (app: ChatApp): Promise<IssuedToken> => {
    const { suite } = app
    if (!suite)
      return toIssuedToken(await get('/cgi-bin/gettoken', { corpid: app.corp_id, corpsecret: app.secret }), 'access_token')
    const params = { auth_corpid: app.corp_id, permanent_code: app.secret }
    return withSuite(suite, async (suite_access_token) =>
      toIssuedToken(await post('/cgi-bin/service/get_corp_token', { suite_access_token }, params), 'access_token'),
    )
  }
  return {
    hosts,
    tokens,
    get,
    post,
    upload: (path, query, file) => request('POST', path, query, { file: { field: 'media', ...file } }),
    withSuite,
    withDeveloper: (suite, work) => {
      const { developer } = suite
      if (!developer)
        throw new PlatformError('wecom', 'unsupported', 'no_maker', 'who made the application of the store is not set up')
      const { corp_id: corpid, secret: provider_secret } = developer
      return tokens.withToken(
        getDeveloperTokenKey('wecom', developer),
        async () =>
          toIssuedToken(
            await post('/cgi-bin/service/get_provider_token', {}, { corpid, provider_secret }),
            'provider_access_token',
          ),
        work,
      )
    },
    withToken: (app, work) => tokens.withToken(getTokenKey(app, 'token'), () => fetchAppToken(app), work),
  }
}
