/**
 * Alibaba Cloud SMS: SendSms and QuerySendDetails of 2017-05-25, signed with ACS3-HMAC-SHA256 (signature version 3). The calls take their
 * parameters in the query, as their description demands; nothing of it is logged.
 */
import { createHash, createHmac } from 'node:crypto'
import { ownParts, variablesOf } from '../contract/messages.ts'
import { type Clock, dayOf } from './clock.ts'
import { newId } from './ids.ts'
import { type Asked, MessageRefused, SlowDown, type Sms } from './sms.ts'
import type { SmsSettings } from './sms-gateway.ts'
import { type Answered, ask, askEach, refusedWords } from './sms-wire.ts'

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
    return new SlowDown(/分钟级/.test(said) ? 60 : 900, undefined, { one_phone: true })
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

export function openAliyun(settings: SmsSettings, clock: Clock): Sms {
  const { endpoint, key_id, key_secret, signature, templates } = settings

  const call = (action: string, params: Record<string, string>): Promise<Answered> => {
    const query = queryOf(params)
    const host = new URL(endpoint).host
    const { host: _, ...headers } = signedHeaders({
      host,
      query,
      action,
      version: '2017-05-25',
      nonce: newId(),
      at: clock.now(),
      key_id,
      key_secret,
    })
    return ask(`${endpoint}/?${query}`, { headers: { accept: 'application/json', ...headers }, body: '' })
  }

  /** Throws what the answer means unless it is OK. */
  const mustBeOk = ({ status, body }: Answered): void => {
    const code = String(body.Code ?? '')
    if (code === 'OK') return
    throw (
      aliyunRefusal(code, String(body.Message ?? '')) ?? new Error(`the SMS gateway failed: HTTP ${status} ${code.slice(0, 60)}`)
    )
  }

  async function find({ id, mobile, at }: Asked): Promise<'taken' | 'none' | 'unsure'> {
    // Around midnight it may stand under the day before.
    for (const day of new Set([dayOf(at), dayOf(new Date(at.getTime() - 3_600_000))])) {
      for (let page = 1, pages = 1; page <= pages; page += 1) {
        const answer = await call('QuerySendDetails', {
          PhoneNumber: mobile,
          SendDate: day.replaceAll('-', ''),
          PageSize: String(page_size),
          CurrentPage: String(page),
        })
        mustBeOk(answer)
        const list =
          (answer.body.SmsSendDetailDTOs as { SmsSendDetailDTO?: { OutId?: string }[] } | undefined)?.SmsSendDetailDTO ?? []
        if (list.some((one) => one.OutId === id)) return 'taken'
        pages = Math.ceil(Number(answer.body.TotalCount ?? 0) / page_size)
      }
    }
    return clock.now().getTime() - at.getTime() < settles_ms ? 'unsure' : 'none'
  }

  return {
    form: { signature, brief: false },
    async send(message) {
      const params: Record<string, string> = {}
      for (const [name, value] of variablesOf(message)) {
        const own = name === 'link' ? ownParts(message.kind, value) : { [name]: value }
        if (own === null) throw new MessageRefused('bad_link', refusedWords.other)
        Object.assign(params, own)
      }
      const answer = await call('SendSms', {
        PhoneNumbers: message.mobile,
        SignName: signature,
        TemplateCode: templates[message.kind],
        TemplateParam: JSON.stringify(params),
        OutId: message.id,
      })
      mustBeOk(answer)
      return { ref: String(answer.body.BizId ?? '') }
    },
    async lookup(asked) {
      const found = await askEach(asked, at_once, find)
      return new Map(
        asked.flatMap(({ id }, at) => {
          const verdict = found[at]?.said ?? 'unsure'
          return verdict === 'none' ? [] : [[id, verdict === 'taken' ? { ref: id } : null] as const]
        }),
      )
    },
  }
}
