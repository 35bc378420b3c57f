/**
 * Alibaba Cloud SMS: SendSms and QuerySendDetails of 2017-05-25, signed with ACS3-HMAC-SHA256 (signature version 3).
 * The calls take their parameters in the query, as documented; nothing of it is logged.
 */
import { createHash, createHmac, randomUUID } from 'node:crypto'
import {
  type AttemptedMessage,
  type Carrier,
  type LookupOutcome,
  MessageRejectedError,
  RateLimitedError,
  rejectRecalls,
  sendOneByOne,
} from '../carrier.ts'
import { toObject } from '../wire/request.ts'
import type { SmsGatewayConfig } from './config.ts'
import { findEach, type GatewayResponse, getTemplateId, postToGateway, smsFailureMessages, toObjectList } from './gateway.ts'

/** The delivery records lag by seconds; a record missing before this time may still appear. */
const recordDelayMs = 60_000
const pageSize = 50
const lookupConcurrency = 8

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
/** Encodes by RFC 3986, including the characters that `encodeURIComponent` leaves unencoded. */
const encodeRfc3986 = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
const compareCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export const buildQuery = (params: Readonly<Record<string, string>>): string =>
  Object.keys(params)
    .sort(compareCodeUnits)
    .map((name) => `${encodeRfc3986(name)}=${encodeRfc3986(params[name] ?? '')}`)
    .join('&')

/** Returns the headers of a signed request without a body. */
export function signHeaders(request: {
  host: string
  query: string
  action: string
  version: string
  nonce: string
  at: Date
  key_id: string
  key_secret: string
}): Record<string, string> {
  const headers: Record<string, string> = {
    host: request.host,
    'x-acs-action': request.action,
    'x-acs-content-sha256': sha256(''),
    'x-acs-date': request.at.toISOString().replace(/\.\d+Z$/, 'Z'),
    'x-acs-signature-nonce': request.nonce,
    'x-acs-version': request.version,
  }
  const names = Object.keys(headers).sort(compareCodeUnits)
  const canonical = [
    'POST',
    '/',
    request.query,
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    names.join(';'),
    headers['x-acs-content-sha256'],
  ].join('\n')
  const signature = createHmac('sha256', request.key_secret)
    .update(`ACS3-HMAC-SHA256\n${sha256(canonical)}`)
    .digest('hex')
  return {
    ...headers,
    authorization: `ACS3-HMAC-SHA256 Credential=${request.key_id},SignedHeaders=${names.join(';')},Signature=${signature}`,
  }
}

/** Converts a code other than OK to an error. Null: it is unknown whether the message was accepted. */
export function toAliyunError(code: string, message: string): MessageRejectedError | RateLimitedError | null {
  const toRejected = (reason: keyof typeof smsFailureMessages) => new MessageRejectedError(code, smsFailureMessages[reason])
  // 触发分钟级流控, 触发小时级流控, 触发天级流控: all three limits apply to one phone number.
  if (code === 'isv.BUSINESS_LIMIT_CONTROL' || code === 'BUSINESS_LIMIT_CONTROL_PHONE') {
    if (/天级/.test(message)) return toRejected('day')
    return new RateLimitedError(/分钟级/.test(message) ? 60 : 900, undefined, { one_address: true })
  }
  if (code.startsWith('Throttling')) return new RateLimitedError(10)
  // The account's own daily limit: raised by the operator, or reset at midnight.
  if (code === 'isv.DAY_LIMIT_CONTROL' || code === 'isv.MONTH_LIMIT_CONTROL') return new RateLimitedError(900)
  if (code === 'isv.MOBILE_NUMBER_ILLEGAL') return toRejected('phone')
  if (code === 'isv.BLACK_KEY_CONTROL_LIMIT' || code === 'isv.PARAM_NOT_SUPPORT_URL' || code === 'isv.PARAM_LENGTH_LIMIT')
    return toRejected('text')
  if (code === 'isv.AMOUNT_NOT_ENOUGH' || code === 'isv.OUT_OF_SERVICE') return toRejected('balance')
  if (/^isv\..*(TEMPLATE|SIGN)/.test(code)) return toRejected('template')
  if (
    /^(isp\.RAM_PERMISSION_DENY|isv\.(ACCOUNT|PRODUCT|RAM)|SignatureDoesNotMatch|IncompleteSignature|InvalidAccessKeyId|InvalidTimeStamp|Forbidden|NoPermission)/.test(
      code,
    )
  )
    return toRejected('setting')
  return code.startsWith('isv.') ? toRejected('other') : null
}

/** The gateway's records are organized by the day in China, which has used UTC+8 without daylight saving time since 1991. */
const toShanghaiDay = (at: Date): string => new Date(at.getTime() + 8 * 3_600_000).toISOString().slice(0, 10).replaceAll('-', '')

/** Throws the corresponding error unless the response is OK. */
function assertOk({ status, body }: GatewayResponse): void {
  const code = String(body.Code ?? '')
  if (code === 'OK') return
  throw (
    toAliyunError(code, String(body.Message ?? '')) ?? new Error(`the SMS gateway failed: HTTP ${status} ${code.slice(0, 60)}`)
  )
}

function createApiCaller({ endpoint, key_id, key_secret }: SmsGatewayConfig, now: () => Date) {
  return (action: string, params: Record<string, string>): Promise<GatewayResponse> => {
    const query = buildQuery(params)
    const host = new URL(endpoint).host
    const { host: _, ...headers } = signHeaders({
      host,
      query,
      action,
      version: '2017-05-25',
      nonce: randomUUID(),
      at: now(),
      key_id,
      key_secret,
    })
    return postToGateway(`${endpoint}/?${query}`, { headers: { accept: 'application/json', ...headers }, body: '' })
  }
}

export function createAliyunCarrier(now: () => Date): Carrier<SmsGatewayConfig> {
  async function findDelivery(app: SmsGatewayConfig, { id, to, attemptedAt }: AttemptedMessage): Promise<LookupOutcome> {
    const call = createApiCaller(app, now)
    // Around midnight the record may be filed under the previous day.
    for (const day of new Set([toShanghaiDay(attemptedAt), toShanghaiDay(new Date(attemptedAt.getTime() - 3_600_000))])) {
      for (let page = 1, pages = 1; page <= pages; page += 1) {
        const response = await call('QuerySendDetails', {
          PhoneNumber: to,
          SendDate: day,
          PageSize: String(pageSize),
          CurrentPage: String(page),
        })
        assertOk(response)
        const list = toObjectList(toObject(response.body.SmsSendDetailDTOs).SmsSendDetailDTO)
        if (list.some((one) => one.OutId === id)) return { id, result: 'accepted', ref: id }
        pages = Math.ceil(Number(response.body.TotalCount ?? 0) / pageSize)
      }
    }
    const retryInMs = attemptedAt.getTime() + recordDelayMs - now().getTime()
    return retryInMs > 0 ? { id, result: 'unsure', retryInMs } : { id, result: 'not_accepted' }
  }

  return {
    describe: ({ signature }) => ({ maxPerCall: 1, rateLimit: null, style: 'named', signature, canRecall: false }),
    send: (app, messages) =>
      sendOneByOne(messages, async ({ id, to, kind, variables }) => {
        const answer = await createApiCaller(app, now)('SendSms', {
          PhoneNumbers: to,
          SignName: app.signature,
          TemplateCode: getTemplateId(app, kind),
          TemplateParam: JSON.stringify(Object.fromEntries(variables)),
          OutId: id,
        })
        assertOk(answer)
        return { ref: String(answer.body.BizId ?? '') }
      }),
    async find(app, messages) {
      const matches = await findEach(messages, lookupConcurrency, (one) => findDelivery(app, one))
      return messages.map(({ id }, at) => matches[at]?.message ?? { id, result: 'unsure' })
    },
    recall: (_, messages) => rejectRecalls(messages),
  }
}
