/**
 * Alibaba Cloud SMS: SendSms and QuerySendDetails of 2017-05-25, signed with ACS3-HMAC-SHA256 (signature version 3). The calls take their
 * parameters in the query, as their description demands; nothing of it is logged.
 */
import { createHash, createHmac, randomUUID } from 'node:crypto'
import {
  type Carrier,
  type LookupOutcome,
  MessageRefused,
  neverRecalled,
  oneByOne,
  SlowDown,
  type TriedMessage,
} from '../carrier.ts'
import { inside } from '../wire/ask.ts'
import type { SmsApp } from './index.ts'
import { ask, askEach, type GatewayAnswer, listOf, refusedWords, templateOf } from './wire.ts'

/** The delivery records are behind by seconds; what is missing from them before this time may still come. */
const settles_ms = 60_000
const page_size = 50
const at_once = 8

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
/** RFC 3986: what `encodeURIComponent` leaves is encoded too. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
const byCode = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export const queryOf = (params: Readonly<Record<string, string>>): string =>
  Object.keys(params)
    .sort(byCode)
    .map((name) => `${encoded(name)}=${encoded(params[name] ?? '')}`)
    .join('&')

/** The headers of a signed request without a body. */
export function signedHeaders(request: {
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
  const names = Object.keys(headers).sort(byCode)
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

/** What a code that is not OK means for the message. Null: nobody knows whether it was taken. */
export function aliyunRefusal(code: string, said: string): MessageRefused | SlowDown | null {
  const no = (why: keyof typeof refusedWords) => new MessageRefused(code, refusedWords[why])
  // 触发分钟级流控, 触发小时级流控, 触发天级流控: all three are about one phone.
  if (code === 'isv.BUSINESS_LIMIT_CONTROL' || code === 'BUSINESS_LIMIT_CONTROL_PHONE') {
    if (/天级/.test(said)) return no('day')
    return new SlowDown(/分钟级/.test(said) ? 60 : 900, undefined, { one_address: true })
  }
  if (code.startsWith('Throttling')) return new SlowDown(10)
  // The account's own ceiling of a day: lifted by the operator, or by midnight.
  if (code === 'isv.DAY_LIMIT_CONTROL' || code === 'isv.MONTH_LIMIT_CONTROL') return new SlowDown(900)
  if (code === 'isv.MOBILE_NUMBER_ILLEGAL') return no('phone')
  if (code === 'isv.BLACK_KEY_CONTROL_LIMIT' || code === 'isv.PARAM_NOT_SUPPORT_URL' || code === 'isv.PARAM_LENGTH_LIMIT')
    return no('text')
  if (code === 'isv.AMOUNT_NOT_ENOUGH' || code === 'isv.OUT_OF_SERVICE') return no('balance')
  if (/^isv\..*(TEMPLATE|SIGN)/.test(code)) return no('template')
  if (
    /^(isp\.RAM_PERMISSION_DENY|isv\.(ACCOUNT|PRODUCT|RAM)|SignatureDoesNotMatch|IncompleteSignature|InvalidAccessKeyId|InvalidTimeStamp|Forbidden|NoPermission)/.test(
      code,
    )
  )
    return no('setting')
  return code.startsWith('isv.') ? no('other') : null
}

/** The gateway's books go by the day in China, which has kept UTC+8 without summer time since 1991. */
const dayOf = (at: Date): string => new Date(at.getTime() + 8 * 3_600_000).toISOString().slice(0, 10).replaceAll('-', '')

/** Throws what the answer means unless it is OK. */
function mustBeOk({ status, body }: GatewayAnswer): void {
  const code = String(body.Code ?? '')
  if (code === 'OK') return
  throw (
    aliyunRefusal(code, String(body.Message ?? '')) ?? new Error(`the SMS gateway failed: HTTP ${status} ${code.slice(0, 60)}`)
  )
}

function callAs({ endpoint, key_id, key_secret }: SmsApp, now: () => Date) {
  return (action: string, params: Record<string, string>): Promise<GatewayAnswer> => {
    const query = queryOf(params)
    const host = new URL(endpoint).host
    const { host: _, ...headers } = signedHeaders({
      host,
      query,
      action,
      version: '2017-05-25',
      nonce: randomUUID(),
      at: now(),
      key_id,
      key_secret,
    })
    return ask(`${endpoint}/?${query}`, { headers: { accept: 'application/json', ...headers }, body: '' })
  }
}

export function aliyunSms(now: () => Date): Carrier<SmsApp> {
  async function find(app: SmsApp, { id, to, at }: TriedMessage): Promise<LookupOutcome> {
    const call = callAs(app, now)
    // Around midnight it may stand under the day before.
    for (const day of new Set([dayOf(at), dayOf(new Date(at.getTime() - 3_600_000))])) {
      for (let page = 1, pages = 1; page <= pages; page += 1) {
        const answer = await call('QuerySendDetails', {
          PhoneNumber: to,
          SendDate: day,
          PageSize: String(page_size),
          CurrentPage: String(page),
        })
        mustBeOk(answer)
        const list = listOf(inside(answer.body.SmsSendDetailDTOs).SmsSendDetailDTO)
        if (list.some((one) => one.OutId === id)) return { id, result: 'accepted', ref: id }
        pages = Math.ceil(Number(answer.body.TotalCount ?? 0) / page_size)
      }
    }
    const tells_in_ms = at.getTime() + settles_ms - now().getTime()
    return tells_in_ms > 0 ? { id, result: 'unsure', tells_in_ms } : { id, result: 'not_accepted' }
  }

  return {
    describe: ({ signature }) => ({ at_once: 1, pace: null, texts: 'named', signature, recalls: false }),
    send: (app, messages) =>
      oneByOne(messages, async ({ id, to, kind, variables }) => {
        const answer = await callAs(app, now)('SendSms', {
          PhoneNumbers: to,
          SignName: app.signature,
          TemplateCode: templateOf(app, kind),
          TemplateParam: JSON.stringify(Object.fromEntries(variables)),
          OutId: id,
        })
        mustBeOk(answer)
        return { ref: String(answer.body.BizId ?? '') }
      }),
    async lookup(app, messages) {
      const found = await askEach(messages, at_once, (one) => find(app, one))
      return messages.map(({ id }, at) => found[at]?.said ?? { id, result: 'unsure' })
    },
    recall: (_, messages) => neverRecalled(messages),
  }
}
