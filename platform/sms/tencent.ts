/** Tencent Cloud SMS: SendSms and PullSmsSendStatusByPhoneNumber of 2021-01-11, signed with TC3-HMAC-SHA256. */
import { createHash, createHmac } from 'node:crypto'
import {
  type AttemptedMessage,
  type Carrier,
  MessageRejectedError,
  RateLimitedError,
  rejectRecalls,
  sendOneByOne,
} from '../carrier.ts'
import { toObject } from '../wire/request.ts'
import type { SmsGatewayConfig } from './config.ts'
import { findEach, type GatewayResponse, getTemplateId, postToGateway, smsFailureMessages, toObjectList } from './gateway.ts'

const hourMs = 3_600_000
/** The status call allows 20 requests per second. */
const lookupConcurrency = 4

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmacSha256 = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Builds the Authorization header of a POST to `/` with a JSON body. `signs` are the names of the signed headers in order. */
export function buildAuthorization(request: {
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
  const key = hmacSha256(hmacSha256(hmacSha256(`TC3${request.key_secret}`, day), request.service), 'tc3_request')
  const signature = hmacSha256(key, ['TC3-HMAC-SHA256', String(request.timestamp), scope, sha256(canonical)].join('\n')).toString(
    'hex',
  )
  return `TC3-HMAC-SHA256 Credential=${request.key_id}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`
}

/** Converts a code other than Ok to an error. Null: it is unknown whether the message was accepted. */
export function toTencentError(code: string): MessageRejectedError | RateLimitedError | null {
  const toRejected = (reason: keyof typeof smsFailureMessages) => new MessageRejectedError(code, smsFailureMessages[reason])
  const toPhoneRateLimit = (retryAfterSeconds: number) =>
    new RateLimitedError(retryAfterSeconds, undefined, { one_address: true })
  if (code.startsWith('RequestLimitExceeded')) return new RateLimitedError(10)
  if (code === 'LimitExceeded.PhoneNumberThirtySecondLimit') return toPhoneRateLimit(30)
  if (code === 'LimitExceeded.DeliveryFrequencyLimit') return toPhoneRateLimit(60)
  if (code === 'LimitExceeded.PhoneNumberOneHourLimit') return toPhoneRateLimit(900)
  if (code === 'LimitExceeded.PhoneNumberDailyLimit' || code === 'LimitExceeded.PhoneNumberSameContentDailyLimit')
    return toRejected('day')
  // The application's own daily limit: raised by the operator, or reset at midnight.
  if (/^LimitExceeded\..*DailyLimit$/.test(code)) return new RateLimitedError(900)
  if (code === 'InvalidParameterValue.IncorrectPhoneNumber') return toRejected('phone')
  if (code === 'FailedOperation.PhoneNumberInBlacklist') return toRejected('blocked')
  if (code === 'FailedOperation.InsufficientBalanceInSmsPackage') return toRejected('balance')
  if (
    /^(FailedOperation\.(Template|Signature)|InvalidParameterValue\.(Template|ProhibitedUseUrl)|MissingParameter|UnsupportedOperation)/.test(
      code,
    )
  )
    return toRejected('template')
  if (/^(FailedOperation\.ContainSensitiveWord|InvalidParameterValue\.ContentLengthLimit)/.test(code)) return toRejected('text')
  if (
    /^(AuthFailure|UnauthorizedOperation|InvalidParameterValue\.SdkAppId|IpIn|IpNotIn|UnsupportedRegion|NoSuch|InvalidAction)/.test(
      code,
    )
  )
    return toRejected('setting')
  return /^(InvalidParameter|LimitExceeded|FailedOperation\.(FailResolvePacket|JsonParseFail|PhoneNumber))/.test(code)
    ? toRejected('other')
    : null
}

const toGatewayError = (code: string): Error => toTencentError(code) ?? new Error(`the SMS gateway failed: ${code.slice(0, 60)}`)

export function createTencentCarrier(now: () => Date): Carrier<SmsGatewayConfig> {
  /** Returns the content of `Response`; an error in it is thrown as the corresponding class. */
  async function call(app: SmsGatewayConfig, action: string, params: object): Promise<GatewayResponse['body']> {
    const { endpoint, key_id, key_secret, region } = app
    const body = JSON.stringify(params)
    const timestamp = Math.floor(now().getTime() / 1000)
    const signedHeaders = { 'content-type': 'application/json; charset=utf-8', 'x-tc-action': action }
    const host = new URL(endpoint).host
    const authorization = buildAuthorization({
      host,
      service: 'sms',
      headers: signedHeaders,
      body,
      timestamp,
      key_id,
      key_secret,
    })
    const common = { 'x-tc-version': '2021-01-11', 'x-tc-timestamp': String(timestamp), 'x-tc-region': region }
    const gatewayResponse = await postToGateway(`${endpoint}/`, { headers: { ...signedHeaders, ...common, authorization }, body })
    if (!gatewayResponse.body.Response)
      throw new Error(`the SMS gateway answered something unreadable (HTTP ${gatewayResponse.status})`)
    const response = toObject(gatewayResponse.body.Response)
    if (response.Error) throw toGatewayError(String(toObject(response.Error).Code ?? ''))
    return response
  }

  /** Only messages with a report from the mobile network are listed: a missing one may be on its way. */
  async function findDeliveryRef(app: SmsGatewayConfig, { id, to, attemptedAt }: AttemptedMessage): Promise<string | null> {
    const response = await call(app, 'PullSmsSendStatusByPhoneNumber', {
      BeginTime: Math.floor((attemptedAt.getTime() - hourMs) / 1000),
      EndTime: Math.ceil((attemptedAt.getTime() + hourMs) / 1000),
      Offset: 0,
      Limit: 100,
      PhoneNumber: `+86${to}`,
      SmsSdkAppId: app.app_id,
    })
    const one = toObjectList(response.PullSmsSendStatusSet).find((status) => status.SessionContext === id)
    return one ? String(one.SerialNo ?? '') : null
  }

  return {
    describe: ({ signature }) => ({ maxPerCall: 1, rateLimit: null, style: 'brief', signature, canRecall: false }),
    send: (app, messages) =>
      sendOneByOne(messages, async ({ id, to, kind, variables }) => {
        const answer = await call(app, 'SendSms', {
          PhoneNumberSet: [`+86${to}`],
          SmsSdkAppId: app.app_id,
          SignName: app.signature,
          TemplateId: getTemplateId(app, kind),
          TemplateParamSet: variables.map(([, value]) => value),
          SessionContext: id,
        })
        const [status] = toObjectList(answer.SendStatusSet)
        if (status?.Code !== 'Ok') throw toGatewayError(String(status?.Code ?? ''))
        return { ref: String(status.SerialNo ?? '') }
      }),
    async find(app, messages) {
      const matches = await findEach(messages, lookupConcurrency, (one) => findDeliveryRef(app, one))
      return messages.map(({ id }, at) => {
        const ref = matches[at]?.message ?? null
        return ref === null ? { id, result: 'unsure' } : { id, result: 'accepted', ref }
      })
    },
    recall: (_, messages) => rejectRecalls(messages),
  }
}
