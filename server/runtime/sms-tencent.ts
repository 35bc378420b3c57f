/** Tencent Cloud SMS: SendSms and PullSmsSendStatusByPhoneNumber of 2021-01-11, signed with TC3-HMAC-SHA256. */
import { createHash, createHmac } from 'node:crypto'
import { briefMessages, variablesOf } from '../contract/messages.ts'
import type { Clock } from './clock.ts'
import { type Asked, MessageRefused, SlowDown, type Sms } from './sms.ts'
import type { SmsSettings } from './sms-gateway.ts'
import { type Answered, ask, askEach, refusedWords } from './sms-wire.ts'

const hour_ms = 3_600_000
/** The status call takes 20 questions a second. */
const at_once = 4

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const mac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** The Authorization of a POST to `/` with a JSON body. `signs` are the names of the signed headers, in order. */
export function authorizationOf(request: {
  host: string
  service: string
  headers: Readonly<Record<string, string>>
  body: string
  timestamp: number
  key_id: string
  key_secret: string
}): string {
  const headers: Record<string, string> = { ...request.headers, host: request.host }
  const names = Object.keys(headers).sort()
  const lines = names.map((name) => `${name}:${(headers[name] ?? '').toLowerCase()}`)
  const canonical = ['POST', '/', '', ...lines, '', names.join(';'), sha256(request.body)].join('\n')
  const day = new Date(request.timestamp * 1000).toISOString().slice(0, 10)
  const scope = `${day}/${request.service}/tc3_request`
  const key = mac(mac(mac(`TC3${request.key_secret}`, day), request.service), 'tc3_request')
  const signature = mac(key, ['TC3-HMAC-SHA256', String(request.timestamp), scope, sha256(canonical)].join('\n')).toString('hex')
  return `TC3-HMAC-SHA256 Credential=${request.key_id}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`
}

/** What a code that is not Ok means for the message. Null: nobody knows whether it was taken. */
export function tencentRefusal(code: string): MessageRefused | SlowDown | null {
  const no = (why: keyof typeof refusedWords) => new MessageRefused(code, refusedWords[why])
  const onePhone = (wait_s: number) => new SlowDown(wait_s, undefined, { one_phone: true })
  if (code.startsWith('RequestLimitExceeded')) return new SlowDown(10)
  if (code === 'LimitExceeded.PhoneNumberThirtySecondLimit') return onePhone(30)
  if (code === 'LimitExceeded.DeliveryFrequencyLimit') return onePhone(60)
  if (code === 'LimitExceeded.PhoneNumberOneHourLimit') return onePhone(900)
  if (code === 'LimitExceeded.PhoneNumberDailyLimit' || code === 'LimitExceeded.PhoneNumberSameContentDailyLimit')
    return no('day')
  // The application's own ceiling of a day: lifted by the operator, or by midnight.
  if (/^LimitExceeded\..*DailyLimit$/.test(code)) return new SlowDown(900)
  if (code === 'InvalidParameterValue.IncorrectPhoneNumber') return no('phone')
  if (code === 'FailedOperation.PhoneNumberInBlacklist') return no('blocked')
  if (code === 'FailedOperation.InsufficientBalanceInSmsPackage') return no('balance')
  if (
    /^(FailedOperation\.(Template|Signature)|InvalidParameterValue\.(Template|ProhibitedUseUrl)|MissingParameter|UnsupportedOperation)/.test(
      code,
    )
  )
    return no('template')
  if (/^(FailedOperation\.ContainSensitiveWord|InvalidParameterValue\.ContentLengthLimit)/.test(code)) return no('text')
  if (
    /^(AuthFailure|UnauthorizedOperation|InvalidParameterValue\.SdkAppId|IpIn|IpNotIn|UnsupportedRegion|NoSuch|InvalidAction)/.test(
      code,
    )
  )
    return no('setting')
  return /^(InvalidParameter|LimitExceeded|FailedOperation\.(FailResolvePacket|JsonParseFail|PhoneNumber))/.test(code)
    ? no('other')
    : null
}

type Status = { readonly SerialNo?: string; readonly SessionContext?: string; readonly Code?: string }

export function openTencent(settings: SmsSettings, clock: Clock): Sms {
  const { endpoint, key_id, key_secret, signature, templates, app_id, region } = settings

  /** Answers the inside of `Response`; an error in it is thrown as what it means. */
  async function call(action: string, params: object): Promise<Answered['body']> {
    const body = JSON.stringify(params)
    const timestamp = Math.floor(clock.now().getTime() / 1000)
    const signed = { 'content-type': 'application/json; charset=utf-8', 'x-tc-action': action }
    const host = new URL(endpoint).host
    const authorization = authorizationOf({ host, service: 'sms', headers: signed, body, timestamp, key_id, key_secret })
    const common = { 'x-tc-version': '2021-01-11', 'x-tc-timestamp': String(timestamp), 'x-tc-region': region }
    const answer = await ask(`${endpoint}/`, { headers: { ...signed, ...common, authorization }, body })
    const inside = answer.body.Response as Answered['body'] | undefined
    if (!inside) throw new Error(`the SMS gateway answered something unreadable (HTTP ${answer.status})`)
    const error = inside.Error as { Code?: string } | undefined
    if (error) throw failure(String(error.Code ?? ''))
    return inside
  }
  const failure = (code: string): Error => tencentRefusal(code) ?? new Error(`the SMS gateway failed: ${code.slice(0, 60)}`)

  /** Only messages of which the carrier has reported are listed: what is missing may be on its way, so a no is never certain. */
  async function find({ id, mobile, at }: Asked): Promise<{ ref: string } | null> {
    const answer = await call('PullSmsSendStatusByPhoneNumber', {
      BeginTime: Math.floor((at.getTime() - hour_ms) / 1000),
      EndTime: Math.ceil((at.getTime() + hour_ms) / 1000),
      Offset: 0,
      Limit: 100,
      PhoneNumber: `+86${mobile}`,
      SmsSdkAppId: app_id,
    })
    const list = (answer.PullSmsSendStatusSet as Status[] | undefined) ?? []
    const one = list.find((status) => status.SessionContext === id)
    return one ? { ref: String(one.SerialNo ?? '') } : null
  }

  return {
    form: { signature, brief: true },
    async send(message) {
      const answer = await call('SendSms', {
        PhoneNumberSet: [`+86${message.mobile}`],
        SmsSdkAppId: app_id,
        SignName: signature,
        TemplateId: templates[message.kind],
        TemplateParamSet: variablesOf(message, briefMessages).map(([, value]) => value),
        SessionContext: message.id,
      })
      const [status] = (answer.SendStatusSet as Status[] | undefined) ?? []
      if (status?.Code !== 'Ok') throw failure(String(status?.Code ?? ''))
      return { ref: String(status.SerialNo ?? '') }
    },
    async lookup(asked) {
      const found = await askEach(asked, at_once, find)
      return new Map(asked.map(({ id }, at) => [id, found[at]?.said ?? null]))
    },
  }
}
