/**
 * The SMS gateways of Alibaba Cloud and Tencent Cloud as their documentation describes them, for tests: checks the
 * caller (with its own implementation of the signature rules, on the raw request), time, template, and the length of
 * each variable; records what it accepted, duplicates included; and misbehaves on request before or after it accepts a
 * message.
 */
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = { id: string; mobile: string; template: string; params: string[]; text: string; at: number; ref: string }
/**
 * `rejection` responds with an error code of the gateway. `lose` and `fail` act before the message is accepted, the
 * others after it was accepted.
 */
export type Mischief =
  | { rejection: string; says?: string }
  | 'busy'
  | 'lose'
  | 'fail'
  | 'take and lose'
  | 'take and fail'
  | 'take and babble'
  | 'take and stall'
export type Requested = { action: string; id: string; mobile: string; number: number }

export type SimulatorOptions = {
  key_id: string
  key_secret: string
  signature: string
  app_id?: string
  /** The approved templates as registered. */
  templates: Record<string, string>
  now: () => Date
  /** How far the gateway's sending records are delayed. */
  behind_ms?: number
  /** The retry delay that the gateway requests. */
  busy_s?: number
}
type Answer = { status: number; body: unknown }
type Request = { method: string; url: URL; headers: Record<string, string>; body: string }

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')
const mac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text, 'utf8').digest()

export async function startSmsSimulator(provider: 'aliyun' | 'tencent', options: SimulatorOptions) {
  const accepted: Received[] = []
  const nonces = new Set<string>()
  const requested: Requested[] = []
  const refused: string[] = []
  let behave: (asked: Requested) => Mischief | undefined = () => undefined
  const books = () => accepted.filter((one) => options.now().getTime() - one.at >= (options.behind_ms ?? 0))
  const vendor = (provider === 'aliyun' ? aliyun : tencent)({ options, nonces, books })

  const server = createServer((incoming, reply) => void serve(incoming, reply).catch(() => reply.destroy()))
  async function serve(incoming: IncomingMessage, reply: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const request: Request = {
      method: incoming.method ?? '',
      url: new URL(incoming.url ?? '/', 'http://simulator'),
      headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
      body: Buffer.concat(chunks).toString('utf8'),
    }
    const about = { ...vendor.about(request), number: requested.length + 1 }
    requested.push(about)
    const answer = ({ status, body }: Answer): void =>
      void reply.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
    const no = (code: string, says = ''): void => {
      refused.push(code)
      answer(vendor.no(code, says))
    }
    const wrong = vendor.check(request)
    if (wrong) return no(wrong)
    const mischief = behave(about)
    if (mischief === 'busy') return void reply.writeHead(429, { 'retry-after': String(options.busy_s ?? 7) }).end()
    if (mischief === 'lose') return void reply.destroy()
    if (mischief === 'fail') return void reply.writeHead(503).end('upstream')
    if (typeof mischief === 'object') return no(mischief.rejection, mischief.says)
    const done = vendor.answer(request)
    if (done.no) return no(done.no)
    if (done.take) accepted.push({ ...done.take, at: options.now().getTime() })
    if (mischief === 'take and lose') return void reply.destroy()
    if (mischief === 'take and fail') return void reply.writeHead(502).end('<html>Bad Gateway</html>')
    if (mischief === 'take and babble') return void reply.writeHead(200).end('{"Response": {"SendStatusSet": [{"Co')
    // The gateway never responds; the connection ends with the client's timeout or with the simulator.
    if (mischief === 'take and stall') return
    answer({ status: 200, body: done.yes })
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accepted,
    requested,
    refused,
    behave(how: typeof behave) {
      behave = how
    },
    /**
     * Posts delivery reports of the accepted messages to an address in this vendor's format; `lost`: the error code of
     * failed ones. Returns the responses.
     */
    report(
      post: (body: string) => Promise<string>,
      {
        which = () => true,
        lost = () => undefined,
      }: { which?: (one: Received) => boolean; lost?: (one: Received) => string | undefined } = {},
    ): Promise<string> {
      return post(JSON.stringify(accepted.filter(which).map((one) => vendor.report(one, lost(one), options.now()))))
    },
    /** Ids that were accepted more than once. */
    doubled: () => accepted.map((one) => one.id).filter((id, at, all) => all.indexOf(id) !== at),
    close: () => {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** References are unique and differ from all client ids. */
let refs = 0

type Vendor = {
  about(request: Request): { action: string; id: string; mobile: string }
  /** Returns the error code that rejects the request, or null. */
  check(request: Request): string | null
  answer(request: Request): { yes?: unknown; no?: string; take?: Omit<Received, 'at'> }
  no(code: string, says: string): Answer
  /** Returns one entry of the delivery report that it posts to its customer. */
  report(one: Received, lost: string | undefined, now: Date): object
}
type Inside = { options: SimulatorOptions; nonces: Set<string>; books: () => Received[] }

const isLikelyAddress = (value: string): boolean => /https?:|www\.|[a-z0-9-]+\.(cn|com|net)\b/i.test(value)

function aliyun({ options, nonces, books }: Inside): Vendor {
  const param = (request: Request, name: string): string => request.url.searchParams.get(name) ?? ''
  return {
    about: (request) => ({
      action: request.headers['x-acs-action'] ?? '',
      id: param(request, 'OutId'),
      mobile: param(request, 'PhoneNumbers') || param(request, 'PhoneNumber'),
    }),
    check({ method, url, headers, body }) {
      const credential = /^ACS3-HMAC-SHA256 Credential=([^,]+),SignedHeaders=([^,]+),Signature=([0-9a-f]{64})$/.exec(
        headers.authorization ?? '',
      )
      if (!credential) return 'IncompleteSignature'
      const [, key_id, signed = '', signature] = credential
      if (key_id !== options.key_id) return 'InvalidAccessKeyId.NotFound'
      const named = signed.split(';')
      const must = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-acs-'))]
      if (must.some((name) => !named.includes(name)) || [...named].sort().join() !== named.join()) return 'IncompleteSignature'
      if (headers['x-acs-content-sha256'] !== sha256(body)) return 'SignatureDoesNotMatch'
      const query = [...url.searchParams]
        .map(([name, value]) => `${percent(name)}=${percent(value)}`)
        .sort()
        .join('&')
      const canonical = `${method}\n${url.pathname}\n${query}\n${named.map((name) => `${name}:${(headers[name] ?? '').trim()}\n`).join('')}\n${signed}\n${sha256(body)}`
      if (mac(options.key_secret, `ACS3-HMAC-SHA256\n${sha256(canonical)}`).toString('hex') !== signature)
        return 'SignatureDoesNotMatch'
      if (Math.abs(Date.parse(headers['x-acs-date'] ?? '') - options.now().getTime()) > 15 * 60_000)
        return 'InvalidTimeStamp.Expired'
      const nonce = headers['x-acs-signature-nonce'] ?? ''
      if (!nonce || nonces.has(nonce)) return 'SignatureNonceUsed'
      nonces.add(nonce)
      return headers['x-acs-version'] === '2017-05-25' ? null : 'InvalidVersion'
    },
    answer(request) {
      const action = request.headers['x-acs-action']
      if (action !== 'SendSms' && action !== 'QuerySendDetails') return { no: 'InvalidAction.NotFound' }
      const mobile = param(request, action === 'SendSms' ? 'PhoneNumbers' : 'PhoneNumber')
      if (!/^1\d{10}$/.test(mobile)) return { no: 'isv.MOBILE_NUMBER_ILLEGAL' }
      if (action === 'QuerySendDetails') {
        const [size, page] = [Number(param(request, 'PageSize')), Number(param(request, 'CurrentPage'))]
        if (!/^\d{8}$/.test(param(request, 'SendDate')) || !(size >= 1 && size <= 50) || !(page >= 1))
          return { no: 'isv.INVALID_PARAMETERS' }
        const matches = books().filter((one) => one.mobile === mobile && dayOfShanghai(one.at) === param(request, 'SendDate'))
        const list = matches
          .slice((page - 1) * size, page * size)
          .map((one) => ({ PhoneNum: mobile, OutId: one.id, SendStatus: 1, TemplateCode: one.template, Content: one.text }))
        return {
          yes: { Code: 'OK', Message: 'OK', TotalCount: String(matches.length), SmsSendDetailDTOs: { SmsSendDetailDTO: list } },
        }
      }
      const [template, text] = [param(request, 'TemplateCode'), options.templates[param(request, 'TemplateCode')]]
      if (param(request, 'SignName') !== options.signature) return { no: 'isv.SMS_SIGNATURE_ILLEGAL' }
      if (!text) return { no: 'isv.SMS_TEMPLATE_ILLEGAL' }
      const provided = getJson(param(request, 'TemplateParam'))
      if (!provided || Object.values(provided).some((value) => typeof value !== 'string')) return { no: 'isv.INVALID_JSON_PARAM' }
      const names = [...text.matchAll(/\$\{(\w+)\}/g)].map((match) => match[1] ?? '')
      const values = names.map((name) => String(provided[name] ?? ''))
      if (values.some((value) => value === '')) return { no: 'isv.TEMPLATE_MISSING_PARAMETERS' }
      if (values.some((value) => [...value].length > 35)) return { no: 'isv.PARAM_LENGTH_LIMIT' }
      if (values.some(isLikelyAddress)) return { no: 'isv.PARAM_NOT_SUPPORT_URL' }
      if (names.includes('code') && !/^\d{4,6}$/.test(values[names.indexOf('code')] ?? ''))
        return { no: 'isv.INVALID_PARAMETERS' }
      if (Buffer.byteLength(param(request, 'OutId')) > 256) return { no: 'isv.INVALID_PARAMETERS' }
      const message = names.reduce((so_far, name, at) => so_far.replace(`\${${name}}`, () => values[at] ?? ''), text)
      const ref = `${String((refs += 1)).padStart(12, '9')}^0`
      return {
        yes: { Code: 'OK', Message: 'OK', BizId: ref, RequestId: randomUUID() },
        take: { id: param(request, 'OutId'), mobile, template, params: values, text: `【${options.signature}】${message}`, ref },
      }
    },
    no: (code, says) => ({
      status: code.startsWith('isv.') || code.startsWith('isp.') ? 200 : code.startsWith('Throttling') ? 400 : 403,
      body: { Code: code, Message: says || code, RequestId: randomUUID() },
    }),
    report: ({ mobile, at, ref, id, text }, lost, now) => ({
      phone_number: mobile,
      send_time: getClock(at),
      report_time: getClock(now),
      success: lost === undefined,
      err_code: lost ?? 'DELIVERED',
      err_msg: lost === undefined ? '用户接收成功' : '短信发送失败',
      sms_size: String(Math.ceil([...text].length / 67)),
      biz_id: ref,
      out_id: id,
    }),
  }
}

const getClock = (at: number | Date): string => new Date(Number(at) + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')

function tencent({ options, books }: Inside): Vendor {
  type Message = {
    PhoneNumberSet?: string[]
    PhoneNumber?: string
    SmsSdkAppId?: string
    SignName?: string
    TemplateId?: string
    TemplateParamSet?: unknown[]
    SessionContext?: string
    BeginTime?: number
    EndTime?: number
    Limit?: number
    Offset?: number
  }
  const format = (request: Request): Message => getJson(request.body) ?? {}
  const bare = (phone: string): string => phone.replace(/^\+86/, '')
  return {
    about: (request) => ({
      action: request.headers['x-tc-action'] ?? '',
      id: format(request).SessionContext ?? '',
      mobile: bare(format(request).PhoneNumberSet?.[0] ?? format(request).PhoneNumber ?? ''),
    }),
    check({ method, url, headers, body }) {
      const credential =
        /^TC3-HMAC-SHA256 Credential=([^/]+)\/(\d{4}-\d\d-\d\d)\/(\w+)\/tc3_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
          headers.authorization ?? '',
        )
      if (!credential) return 'AuthFailure.InvalidAuthorization'
      const [, key_id, day = '', service = '', signed = '', signature] = credential
      if (key_id !== options.key_id) return 'AuthFailure.SecretIdNotFound'
      const stamp = Number(headers['x-tc-timestamp'])
      if (!(Math.abs(stamp * 1000 - options.now().getTime()) <= 5 * 60_000)) return 'AuthFailure.SignatureExpire'
      const named = signed.split(';')
      if (!named.includes('host') || !named.includes('content-type') || service !== 'sms')
        return 'AuthFailure.InvalidAuthorization'
      if (new Date(stamp * 1000).toISOString().slice(0, 10) !== day) return 'AuthFailure.SignatureFailure'
      const value = (name: string): string => (headers[name] ?? '').trim().toLowerCase()
      // The vendor's SDK signs the host without the port, of which a real gateway has none.
      const canonical = (host: string): string =>
        `${method}\n${url.pathname}\n${url.search.slice(1)}\n${named.map((name) => `${name}:${name === 'host' ? host : value(name)}\n`).join('')}\n${signed}\n${sha256(body)}`
      const key = ['sms', 'tc3_request'].reduce<Buffer>((so_far, word) => mac(so_far, word), mac(`TC3${options.key_secret}`, day))
      const isSigned = [value('host'), value('host').replace(/:\d+$/, '')].some(
        (host) =>
          mac(key, `TC3-HMAC-SHA256\n${stamp}\n${day}/sms/tc3_request\n${sha256(canonical(host))}`).toString('hex') === signature,
      )
      if (!isSigned) return 'AuthFailure.SignatureFailure'
      if (headers['x-tc-version'] !== '2021-01-11') return 'NoSuchVersion'
      return headers['x-tc-region'] ? null : 'MissingParameter'
    },
    answer(request) {
      const it = format(request)
      if (it.SmsSdkAppId !== options.app_id) return { no: 'InvalidParameterValue.SdkAppIdNotExist' }
      if (request.headers['x-tc-action'] === 'PullSmsSendStatusByPhoneNumber') {
        if (!it.BeginTime || !it.Limit || it.Limit > 100 || it.Offset !== 0) return { no: 'InvalidParameterValue' }
        const [from, to] = [it.BeginTime * 1000, (it.EndTime ?? Number.POSITIVE_INFINITY) * 1000]
        const list = books()
          .filter((one) => `+86${one.mobile}` === it.PhoneNumber && one.at >= from && one.at <= to)
          .slice(0, it.Limit)
          .map((one) => ({
            CountryCode: '86',
            SubscriberNumber: one.mobile,
            PhoneNumber: `+86${one.mobile}`,
            SerialNo: one.ref,
            ReportStatus: 'SUCCESS',
            Description: 'DELIVRD',
            SessionContext: one.id,
          }))
        return { yes: { Response: { PullSmsSendStatusSet: list, RequestId: randomUUID() } } }
      }
      if (request.headers['x-tc-action'] !== 'SendSms') return { no: 'InvalidAction' }
      const [phone = ''] = it.PhoneNumberSet ?? []
      const reject = (code: string) => ({
        yes: {
          Response: { SendStatusSet: [{ SerialNo: '', PhoneNumber: phone, Fee: 0, Code: code, Message: code }], RequestId: '' },
        },
      })
      const text = options.templates[it.TemplateId ?? '']
      const values = it.TemplateParamSet ?? []
      if (!/^\+861\d{10}$/.test(phone)) return reject('InvalidParameterValue.IncorrectPhoneNumber')
      if (it.SignName !== options.signature) return reject('FailedOperation.SignatureIncorrectOrUnapproved')
      if (!text) return reject('FailedOperation.TemplateIncorrectOrUnapproved')
      if (values.some((value) => typeof value !== 'string')) return reject('InvalidParameterValue.TemplateParameterFormatError')
      const strings = values as string[]
      if (strings.length !== (text.match(/\{\d+\}/g)?.length ?? 0))
        return reject('FailedOperation.TemplateParamSetNotMatchApprovedTemplate')
      if (strings.some((value) => [...value].length > 6)) return reject('InvalidParameterValue.TemplateParameterLengthLimit')
      if (strings.some(isLikelyAddress)) return reject('InvalidParameterValue.ProhibitedUseUrlInTemplateParameter')
      if (Buffer.byteLength(it.SessionContext ?? '') >= 512) return reject('InvalidParameterValue')
      const full = strings.reduce((so_far, value, at) => so_far.replace(`{${at + 1}}`, () => value), text)
      const ref = `5000:${String((refs += 1)).padStart(14, '9')}`
      return {
        yes: {
          Response: {
            SendStatusSet: [{ SerialNo: ref, PhoneNumber: phone, Fee: 1, Code: 'Ok', Message: 'send success' }],
            RequestId: '',
          },
        },
        take: {
          id: it.SessionContext ?? '',
          mobile: bare(phone),
          template: it.TemplateId ?? '',
          params: strings,
          text: `【${options.signature}】${full}`,
          ref,
        },
      }
    },
    no: (code, says) => ({
      status: 200,
      body: { Response: { Error: { Code: code, Message: says || code }, RequestId: randomUUID() } },
    }),
    report: ({ mobile, ref, id }, lost, now) => ({
      user_receive_time: getClock(now),
      nationcode: '86',
      mobile,
      report_status: lost === undefined ? 'SUCCESS' : 'FAIL',
      errmsg: lost ?? 'DELIVRD',
      description: lost === undefined ? '用户短信送达成功' : '短信发送失败',
      sid: ref,
      ext: id,
    }),
  }
}

const percent = (text: string): string =>
  [...Buffer.from(text, 'utf8')]
    .map((byte) => {
      const one = String.fromCharCode(byte)
      return /[A-Za-z0-9\-_.~]/.test(one) ? one : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')
const dayOfShanghai = (at: number): string => new Date(at + 8 * 3_600_000).toISOString().slice(0, 10).replaceAll('-', '')
function getJson(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return value && typeof value === 'object' ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
