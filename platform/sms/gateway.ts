/** What both SMS gateways have in common on the wire: one question, one JSON answer, and what a failure in between means. */

import { MessageRejectedError, RateLimitedError } from '../carrier.ts'
import { toObject } from '../wire/request.ts'

export type GatewayResponse = { readonly status: number; readonly body: Readonly<Record<string, unknown>> }

const requestTimeoutMs = 10_000
const unreachableRetrySeconds = 30

/** The connection never came to be, so nothing of ours has arrived. */
const connectErrorCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/**
 * Throws `RateLimitedError` where the gateway surely has nothing of it, and a plain error where that is not known. No error says what was
 * asked: phones and codes stand in it.
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
    // Not JSON: told below.
  }
  throw new Error(`the SMS gateway answered something unreadable (HTTP ${status})`)
}

/** A list of objects in an answer; what is none is empty. */
export const toObjectList = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.map(toObject) : [])

/**
 * Asks for each of these, a few at a time. Where one could not be asked nothing is certain of it; where none could, the error is thrown.
 */
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

/** What an administrator reads beside a message that failed. */
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

/** The approved template of this kind of message; refused here where the gateway has none. */
export function getTemplateId({ templates }: { readonly templates: Readonly<Record<string, string>> }, kind: string): string {
  const template = templates[kind]
  if (!template) throw new MessageRejectedError('no_template', smsFailureMessages.no_template)
  return template
}
