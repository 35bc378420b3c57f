/** DingTalk API client: two generations of calls with two error formats (platform/dingtalk.md). */
import { type ChatApp, PlatformError, type PlatformErrorKind, type Suite } from '../../types.ts'
import { requestPlatform, requireText, toObject, toText } from '../../wire/request.ts'
import { getSuiteTokenKey, getTokenKey, type IssuedToken, type TokenCache } from '../../wire/tokens.ts'
import type { DingtalkHosts } from './hosts.ts'

const errorKinds: Readonly<Record<string, PlatformErrorKind>> = {
  40001: 'token_invalid',
  40014: 'token_invalid',
  42001: 'token_invalid',
  InvalidAuthentication: 'token_invalid',
  40078: 'code_refused',
  42008: 'code_refused',
  invalidParameter: 'code_refused',
  'invalidParameter.authCode.notFound': 'code_refused',
  invalidClientIdOrSecret: 'not_permitted',
  40089: 'not_permitted',
  invalidSuiteKey: 'not_permitted',
  60011: 'not_permitted',
  60020: 'ip_not_trusted',
  50002: 'not_found',
  50004: 'not_found',
  60003: 'not_found',
  60121: 'not_found',
  33012: 'not_found',
  48004: 'unauthorised',
  40079: 'unauthorised',
  invalidAuthInfo: 'unauthorised',
  orgNotAuthApp: 'unauthorised',
  orgNotExist: 'unauthorised',
  // A new ticket is pushed within five hours, and only the latest one is valid.
  invalidSuiteTicket: 'temporary',
  42009: 'temporary',
  48003: 'temporary',
  853003: 'temporary',
  88: 'rate_limited',
  90002: 'rate_limited',
  90005: 'rate_limited',
  1111: 'rate_limited',
  'Throttling.Api': 'rate_limited',
  'request.overlimit': 'rate_limited',
  'qps.exceed.limit': 'rate_limited',
  '-1': 'temporary',
}
/** A public IP address that exceeds the rate limit is blocked for this long; other limits last seconds. */
const retrySecondsByCode: Readonly<Record<string, number>> = { 1111: 300 }

function toPlatformError(status: number, body: Record<string, unknown>): PlatformError {
  // The gateway in front of the older calls reports its own code together with the original one.
  const code = toText(body.sub_code) ?? toText(body.errcode) ?? toText(body.code) ?? toText(body.status)
  const message = toText(body.sub_msg) ?? toText(body.errmsg) ?? toText(body.message) ?? ''
  const kind = (code && errorKinds[code]) || (status === 429 ? 'rate_limited' : status >= 500 ? 'temporary' : 'unknown')
  const wait_s = kind === 'rate_limited' ? (retrySecondsByCode[code ?? ''] ?? 2) : null
  const permission = code === '60011' ? (/\[([\w.-]{3,80})\]/.exec(message)?.[1] ?? null) : null
  return new PlatformError('dingtalk', kind, code ?? status, { message, wait_s, permission })
}

export type DingtalkApi = {
  readonly hosts: DingtalkHosts
  readonly tokens: TokenCache
  /** Calls the older API: token (or signature) in the URL, always HTTP 200. Returns the entire body. */
  requestLegacy(
    path: string,
    proof: string | Readonly<Record<string, string>>,
    json: object | null,
  ): Promise<Record<string, unknown>>
  /** Calls the newer API: token in a header, a meaningful HTTP status. */
  request(method: 'GET' | 'POST', path: string, token: string | null, json?: object): Promise<Record<string, unknown>>
  withToken<T>(app: ChatApp, work: (token: string) => Promise<T>): Promise<T>
  withSuite<T>(suite: Suite, work: (token: string) => Promise<T>): Promise<T>
  /**
   * Returns whether DingTalk issues this application a token for the company: its own, or one that installed it. Null:
   * there was no readable answer, which proves nothing.
   */
  isOfCompany(app: ChatApp): Promise<boolean | null>
}

export function createDingtalkApi(hosts: DingtalkHosts, tokens: TokenCache): DingtalkApi {
  const requestLegacy: DingtalkApi['requestLegacy'] = async (path, proof, json) => {
    const query = new URLSearchParams(typeof proof === 'string' ? { access_token: proof } : proof)
    const url = `${hosts.oapi}${path}?${query}`
    const { status, body } = await requestPlatform('dingtalk', { method: json ? 'POST' : 'GET', url, ...(json ? { json } : {}) })
    if (status !== 200 || toText(body.errcode) !== '0') throw toPlatformError(status, body)
    return body
  }
  const request: DingtalkApi['request'] = async (method, path, token, json) => {
    const headers: Record<string, string> = token ? { 'x-acs-dingtalk-access-token': token } : {}
    const { status, body } = await requestPlatform('dingtalk', {
      method,
      url: `${hosts.api}${path}`,
      headers,
      ...(json ? { json } : {}),
    })
    // The status alone is not reliable: a gateway in between answers 200 with an error code in the older format.
    if (status !== 200 || body.status === 1111 || toText(body.code) || (toText(body.errcode) ?? '0') !== '0')
      throw toPlatformError(status, body)
    return body
  }
  const toIssuedToken = (body: Record<string, unknown>): IssuedToken => ({
    token: requireText('dingtalk', body.accessToken),
    expiresInSeconds: Number(body.expireIn),
  })
  const getSuiteKeys = (suite: Suite) => ({ suiteKey: suite.id, suiteSecret: suite.secret, suiteTicket: suite.ticket ?? '' })
  const fetchAppToken = async (app: ChatApp): Promise<IssuedToken> =>
    toIssuedToken(
      app.suite
        ? await request('POST', '/v1.0/oauth2/corpAccessToken', null, { ...getSuiteKeys(app.suite), authCorpId: app.corp_id })
        : await request('POST', '/v1.0/oauth2/accessToken', null, { appKey: app.app_id, appSecret: app.secret }),
    )
  return {
    hosts,
    tokens,
    requestLegacy,
    request,
    withToken: (app, work) => tokens.withToken(getTokenKey(app, 'token'), () => fetchAppToken(app), work),
    withSuite: (suite, work) =>
      tokens.withToken(
        getSuiteTokenKey('dingtalk', suite),
        async () => toIssuedToken(await request('POST', '/v1.0/oauth2/suiteAccessToken', null, getSuiteKeys(suite))),
        work,
      ),
    async isOfCompany(app) {
      const own = { client_id: app.app_id, client_secret: app.secret, grant_type: 'client_credentials' }
      try {
        const body = await request('POST', `/v1.0/oauth2/${encodeURIComponent(app.corp_id)}/token`, null, own)
        return toText(body.access_token) !== null
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error
        // A company that does not exist is answered with 500 and a code; without a code the platform was unavailable.
        const isUnanswered = error.kind === 'rate_limited' || /^(network|timeout|unreachable|5\d\d)$/.test(error.code)
        return isUnanswered ? null : false
      }
    },
  }
}

export const getResult = (body: Record<string, unknown>): Record<string, unknown> => toObject(body.result)
