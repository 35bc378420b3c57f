/** Tencent Cloud SMS: SendSms and PullSmsSendStatusByPhoneNumber of 2021-01-11, signed with TC3-HMAC-SHA256. */
import { createHash, createHmac } from 'node:crypto'
import { type Carrier, MessageRefused, neverRecalled, oneByOne, SlowDown, type TriedMessage } from '../carrier.ts'
import { inside } from '../wire/ask.ts'
import type { SmsApp } from './index.ts'
import { ask, askEach, type GatewayAnswer, listOf, refusedWords, templateOf } from './wire.ts'

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
  const onePhone = (wait_s: number) => new SlowDown(wait_s, undefined, { one_address: true })
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

const failure = (code: string): Error => tencentRefusal(code) ?? new Error(`the SMS gateway failed: ${code.slice(0, 60)}`)

export function tencentSms(now: () => Date): Carrier<SmsApp> {
  /** Answers the inside of `Response`; an error in it is thrown as what it means. */
  async function call(app: SmsApp, action: string, params: object): Promise<GatewayAnswer['body']> {
    const { endpoint, key_id, key_secret, region } = app
    const body = JSON.stringify(params)
    const timestamp = Math.floor(now().getTime() / 1000)
    const signed = { 'content-type': 'application/json; charset=utf-8', 'x-tc-action': action }
    const host = new URL(endpoint).host
    const authorization = authorizationOf({ host, service: 'sms', headers: signed, body, timestamp, key_id, key_secret })
    const common = { 'x-tc-version': '2021-01-11', 'x-tc-timestamp': String(timestamp), 'x-tc-region': region }
    const answer = await ask(`${endpoint}/`, { headers: { ...signed, ...common, authorization }, body })
    if (!answer.body.Response) throw new Error(`the SMS gateway answered something unreadable (HTTP ${answer.status})`)
    const response = inside(answer.body.Response)
    if (response.Error) throw failure(String(inside(response.Error).Code ?? ''))
    return response
  }

  /** Only messages of which the carrier has reported are listed: what is missing may be on its way, so a no is never certain. */
  async function find(app: SmsApp, { id, to, at }: TriedMessage): Promise<string | null> {
    const answer = await call(app, 'PullSmsSendStatusByPhoneNumber', {
      BeginTime: Math.floor((at.getTime() - hour_ms) / 1000),
      EndTime: Math.ceil((at.getTime() + hour_ms) / 1000),
      Offset: 0,
      Limit: 100,
      PhoneNumber: `+86${to}`,
      SmsSdkAppId: app.app_id,
    })
    const one = listOf(answer.PullSmsSendStatusSet).find((status) => status.SessionContext === id)
    return one ? String(one.SerialNo ?? '') : null
  }

  return {
    describe: ({ signature }) => ({ at_once: 1, pace: null, texts: 'brief', signature, recalls: false }),
    send: (app, messages) =>
      oneByOne(messages, async ({ id, to, kind, variables }) => {
        const answer = await call(app, 'SendSms', {
          PhoneNumberSet: [`+86${to}`],
          SmsSdkAppId: app.app_id,
          SignName: app.signature,
          TemplateId: templateOf(app, kind),
          TemplateParamSet: variables.map(([, value]) => value),
          SessionContext: id,
        })
        const [status] = listOf(answer.SendStatusSet)
        if (status?.Code !== 'Ok') throw failure(String(status?.Code ?? ''))
        return { ref: String(status.SerialNo ?? '') }
      }),
    async lookup(app, messages) {
      const found = await askEach(messages, at_once, (one) => find(app, one))
      return messages.map(({ id }, at) => {
        const ref = found[at]?.said ?? null
        return ref === null ? { id, result: 'unsure' } : { id, result: 'accepted', ref }
      })
    },
    recall: (_, messages) => neverRecalled(messages),
  }
}
