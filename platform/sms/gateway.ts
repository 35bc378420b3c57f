/** HTTP code shared by both SMS gateways: one request, one JSON response, and the meaning of failures in between. */

import { MessageRejectedError, RateLimitedError } from '../carrier.ts'
import { toObject } from '../wire/request.ts'

export type GatewayResponse = { readonly status: number; readonly body: Readonly<Record<string, unknown>> }

const requestTimeoutMs = 10_000
const unreachableRetrySeconds = 30

/** The connection was never established, so nothing has arrived. */
const connectErrorCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/**
 * Posts a request. Throws `RateLimitedError` if the gateway has definitely not accepted it, and a plain error if that
 * is unknown. No error contains the request, which holds phone numbers and codes.
 */
export async function postToGateway(
  url: string,
  init: { headers: Record<string, string>; body: string },
): Promise<GatewayResponse> {
  let status = 0
  let text = ''
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: init.headers,
      ...(init.body ? { body: init.body } : {}),
      redirect: 'error',
      signal: AbortSignal.timeout(requestTimeoutMs),
    })
    status = response.status
    if (status === 429) throw new RateLimitedError(Number(response.headers.get('retry-after')) || unreachableRetrySeconds)
    text = await response.text()
  } catch (error) {
    if (error instanceof RateLimitedError) throw error
    const cause = toObject(toObject(error).cause).code
    if (connectErrorCodes.has(String(cause)))
      throw new RateLimitedError(unreachableRetrySeconds, 'the SMS gateway cannot be reached')
    // oxlint-disable-next-line preserve-caught-error -- the cause may name the address that was asked, and a phone stands in it
    throw new Error('the SMS gateway did not answer')
  }
  try {
    const body: unknown = JSON.parse(text)
    if (body && typeof body === 'object') return { status, body: toObject(body) }
  } catch {
    // A response that is not JSON is reported below.
  }
  throw new Error(`the SMS gateway answered something unreadable (HTTP ${status})`)
}

/** Returns a list of objects from a response; an empty list if it is none. */
export const toObjectList = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.map(toObject) : [])

/** Looks up each item, a few at a time. A failed lookup leaves that item unsure; if all lookups fail, the error is thrown. */
export async function findEach<A, T>(
  all: readonly A[],
  concurrency: number,
  one: (item: A) => Promise<T>,
): Promise<({ message: T } | null)[]> {
  const results: ({ message: T } | null)[] = []
  let failure: unknown = null
  for (let from = 0; from < all.length; from += concurrency) {
    const settled = await Promise.allSettled(all.slice(from, from + concurrency).map(one))
    for (const each of settled) {
      if (each.status === 'rejected') failure = each.reason
      results.push(each.status === 'fulfilled' ? { message: each.value } : null)
    }
    if (failure && results.every((answer) => answer === null)) throw failure
  }
  return results
}

/** Messages for the administrator about a failed message. */
export const smsFailureMessages = {
  phone: '这个手机号不能接收短信，请核对号码',
  blocked: '这个手机号已退订短信或在运营商的免打扰名单中，请改用其他渠道',
  day: '这个手机号今天收到的短信已达上限，请明天重发或改用其他渠道',
  balance: '短信服务的余额不足，请联系系统管理员充值后重发',
  template: '短信模板或签名没有通过审核，请联系系统管理员检查短信设置',
  no_template: '这种短信还没有登记模板，请改用其他渠道，或联系系统管理员补上',
  text: '短信内容被运营商拒绝，请修改标题后重发',
  setting: '短信服务的密钥或权限不正确，请联系系统管理员检查短信设置',
  other: '短信服务拒绝了这条消息，请改用其他渠道或联系系统管理员',
} as const

/** Returns the approved template for this kind of message; throws if the gateway has none. */
export function getTemplateId({ templates }: { readonly templates: Readonly<Record<string, string>> }, kind: string): string {
  const template = templates[kind]
  if (!template) throw new MessageRejectedError('no_template', smsFailureMessages.no_template)
  return template
}
