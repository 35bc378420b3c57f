/**
 * Platform callbacks: every published test vector, messages encrypted by third-party libraries, and forgeries that must
 * be rejected.
 */
import { createCipheriv, createHash } from 'node:crypto'
import { AESCipher } from '@larksuiteoapi/node-sdk'
import { decrypt, encrypt, getSignature } from '@wecom/crypto'
import DingTalkEncryptor from 'dingtalk-encrypt'
import { describe, expect, it } from 'vitest'
import { computeSignature, decryptPayload } from '../../platform/chat/lark/callbacks.ts'
import { createPlatforms } from '../../platform/index.ts'
import { type SimulatedProvider, simulatedProviders } from '../../platform/simulator/profiles.ts'
import type { CallbackKeys, CallbackOutcome, CallbackRequest } from '../../platform/types.ts'
import { computeEnvelopeSignature, decryptEnvelope, encryptEnvelope } from '../../platform/wire/envelope.ts'
import type { Random } from '../support/random.ts'
import { trial } from '../support/run/trial.ts'
import vectors from './vectors.json' with { type: 'json' }

const platforms = createPlatforms()
const random = Buffer.from('0123456789abcdef')
const now = new Date(1767225601000)
const { lark: l, wecom: w, dingtalk: d } = vectors

const keys: Record<SimulatedProvider, CallbackKeys> = {
  lark: {
    token: 'rvaYgkND1GOiu5MM0E1rncYC6PLtF7JV',
    aes_key: l.key,
    receivers: ['cli_a1b2c3d4e5f60001'],
    corp_id: '2ca1d211f64f6438',
  },
  wecom: { token: w.token, aes_key: w.aes_key, receivers: ['ww1a2b3c4d5e6f7081'], corp_id: 'ww1a2b3c4d5e6f7081' },
  dingtalk: { token: d.token, aes_key: d.aes_key, receivers: [d.receiver], corp_id: 'ding0a1b2c3d4e5f6071' },
}
const larkRequest = (body: string, provided: Record<string, string> = {}): CallbackRequest => ({
  method: 'POST',
  query: {},
  headers: provided,
  body: Buffer.from(body),
})
const signedLark = (body: string, { timestamp = l.L1.timestamp, nonce = l.L1.nonce, key = l.key } = {}): CallbackRequest =>
  larkRequest(body, {
    'x-lark-request-timestamp': timestamp,
    'x-lark-request-nonce': nonce,
    'x-lark-signature': computeSignature({ timestamp, nonce, key, body: Buffer.from(body) }),
  })
const wecomXml = (cipher: string) =>
  `<xml><ToUserName><![CDATA[ww1a2b3c4d5e6f7081]]></ToUserName><AgentID><![CDATA[1000007]]></AgentID><Encrypt><![CDATA[${cipher}]]></Encrypt></xml>`
const wecomRequest = (cipher: string, msg_signature: string): CallbackRequest => ({
  method: 'POST',
  query: { msg_signature, timestamp: w.timestamp, nonce: w.nonce },
  headers: {},
  body: Buffer.from(wecomXml(cipher)),
})
const dingRequest = (cipher: string, signature: string): CallbackRequest => ({
  method: 'POST',
  query: { signature, timestamp: d.timestamp, nonce: d.nonce },
  headers: {},
  body: Buffer.from(JSON.stringify({ encrypt: cipher })),
})
const genuine: Record<SimulatedProvider, CallbackRequest> = {
  lark: signedLark(l.L1.body),
  wecom: wecomRequest(w.W1.cipher, w.W1.signature),
  dingtalk: dingRequest(d.V3.cipher, d.V3.signature),
}
const receive = (
  provider: SimulatedProvider,
  request: CallbackRequest,
  more: Partial<CallbackKeys> = {},
  at = now,
): CallbackOutcome => platforms[provider].callbacks.receive({ ...keys[provider], ...more }, request, at)
const why = (outcome: CallbackOutcome): string => (outcome.result === 'refused' ? outcome.reason : outcome.result)

describe('the published test vectors', () => {
  it('Lark: the official cipher, the event, the challenge', () => {
    expect(decryptPayload(l.official.key, l.official.cipher)).toBe(l.official.plain)
    expect(createHash('sha256').update(l.key).digest('hex')).toBe(l.aes_hex)
    const { body, timestamp, nonce, signature, plain } = l.L1
    expect(computeSignature({ timestamp, nonce, key: l.key, body: Buffer.from(body) })).toBe(signature)
    expect(receive('lark', genuine.lark)).toMatchObject({
      result: 'event',
      event: {
        key: '5e3702a84e847582be8db7fb73283c02',
        at: new Date(1767225600000),
        corp_id: '2ca1d211f64f6438',
        update: { kind: 'person', change: 'removed', ids: ['ou_7d8a6e6df7621556ce0d21922b676706'] },
        plaintext: plain,
      },
    })
    expect(decryptPayload(l.key, JSON.parse(l.L2.body).encrypt)).toBe(l.L2.plain)
    expect(receive('lark', larkRequest(l.L2.body))).toMatchObject({ result: 'check', reply: { status: 200, body: l.L2.reply } })
  })
  it.each(['W1', 'W2', 'W3'] as const)('WeCom %s: decrypts, encrypts again and signs', (name) => {
    const { receiver, plain, cipher, signature } = w[name]
    expect(decryptEnvelope(w.aes_key, cipher)).toEqual({ text: plain, receiver })
    expect(encryptEnvelope(w.aes_key, { text: plain, receiver, random })).toBe(cipher)
    expect(computeEnvelopeSignature({ token: w.token, timestamp: w.timestamp, nonce: w.nonce, cipher })).toBe(signature)
  })
  it('WeCom: reads an event, an address check with lost plus signs, and a suite ticket', () => {
    expect(receive('wecom', genuine.wecom)).toMatchObject({
      result: 'event',
      event: { corp_id: 'ww1a2b3c4d5e6f7081', update: { kind: 'person', change: 'removed', ids: ['zhangsan'] } },
      reply: { status: 200, body: 'success' },
    })
    const query = {
      msg_signature: w.W2.signature,
      timestamp: w.timestamp,
      nonce: w.nonce,
      echostr: w.W2.cipher.replaceAll('+', ' '),
    }
    const check: CallbackRequest = { method: 'GET', query, headers: {}, body: Buffer.alloc(0) }
    expect(receive('wecom', check)).toMatchObject({ result: 'check', reply: { status: 200, body: w.W2.plain } })
    const suite = { receivers: [w.W3.receiver], corp_id: null }
    expect(receive('wecom', wecomRequest(w.W3.cipher, w.W3.signature), suite)).toMatchObject({
      result: 'event',
      event: { corp_id: null, update: { kind: 'ticket', ticket: 'sTick-0001' } },
    })
  })
  it.each(['V1', 'V2', 'V3'] as const)('DingTalk %s: decrypts, encrypts again and signs', (name) => {
    const { plain, cipher, signature } = d[name]
    expect(decryptEnvelope(d.aes_key, cipher)).toEqual({ text: plain, receiver: d.receiver })
    expect(encryptEnvelope(d.aes_key, { text: plain, receiver: d.receiver, random })).toBe(cipher)
    expect(computeEnvelopeSignature({ token: d.token, timestamp: d.timestamp, nonce: d.nonce, cipher })).toBe(signature)
  })
  it('DingTalk: reads a termination and an address check, and responds to both in the envelope', () => {
    const left = receive('dingtalk', genuine.dingtalk)
    expect(left).toMatchObject({
      result: 'event',
      event: {
        key: 'e1c7c7120f2c07419ebdba0318c80001',
        corp_id: 'ding0a1b2c3d4e5f6071',
        update: { kind: 'person', change: 'removed', ids: ['manager4220'] },
      },
    })
    const check = receive('dingtalk', dingRequest(d.V1.cipher, d.V1.signature))
    expect(check.result).toBe('check')
    const theirs = new DingTalkEncryptor(d.token, d.aes_key, d.receiver)
    for (const outcome of [left, check]) {
      const messages = outcome.result === 'refused' ? {} : JSON.parse(outcome.reply.body)
      expect(theirs.getDecryptMsg(messages.msg_signature, messages.timeStamp, messages.nonce, messages.encrypt)).toBe('success')
    }
  })
})

it('DingTalk store: reads rows of one envelope with their own company and time, and recognizes a repeated row', () => {
  const row = (id: number, biz_type: number, biz_id: string, data: object) => ({
    gmt_modified: 1_767_225_600_000 + id,
    biz_type,
    subscribe_id: '16807001_0',
    id,
    biz_id,
    biz_data: JSON.stringify(data),
    corp_id: biz_type === 2 ? 'dingseller' : 'ding0a1b2c3d4e5f6071',
  })
  const all = [
    row(1, 2, '16807001', { syncAction: 'suite_ticket', suiteTicket: 'ticket-1' }),
    row(2, 4, '16807001', { syncAction: 'org_suite_auth', permanent_code: 'perm', auth_user_info: { userId: 'manager975' } }),
    row(3, 13, 'manager4220', { syncAction: 'user_leave_org' }),
    row(4, 14, '37000095', { syncAction: 'org_dept_modify' }),
    row(5, 4, '16807001', { syncAction: 'org_suite_relieve' }),
    row(6, 17, '1', { syncAction: 'market_order' }),
  ]
  const notify = (rows: readonly object[]) => {
    const text = JSON.stringify({ EventType: 'SYNC_HTTP_PUSH_HIGH', bizData: rows })
    const cipher = encryptEnvelope(d.aes_key, { text, receiver: d.receiver, random })
    const signature = computeEnvelopeSignature({ token: d.token, timestamp: d.timestamp, nonce: d.nonce, cipher })
    const outcome = receive('dingtalk', dingRequest(cipher, signature), { receivers: [d.receiver], corp_id: null })
    return outcome.result === 'event' ? [outcome.event, ...outcome.moreEvents] : []
  }
  const events = notify(all)
  expect(events.map(({ corp_id, update }) => [corp_id, update])).toEqual([
    ['dingseller', { kind: 'ticket', ticket: 'ticket-1' }],
    ['ding0a1b2c3d4e5f6071', { kind: 'app', change: 'enabled', code: 'perm', by: 'manager975' }],
    ['ding0a1b2c3d4e5f6071', { kind: 'person', change: 'removed', ids: ['manager4220'] }],
    ['ding0a1b2c3d4e5f6071', { kind: 'department', change: 'changed', ids: ['37000095'] }],
    ['ding0a1b2c3d4e5f6071', { kind: 'app', change: 'removed', code: null }],
    ['ding0a1b2c3d4e5f6071', { kind: 'other', name: 'market_order' }],
  ])
  expect(events[2]?.at).toEqual(new Date(1_767_225_600_003))
  const keys = events.map(({ key }) => key)
  expect(new Set(keys).size).toBe(6)
  expect(notify(all.toReversed()).map(({ key }) => key)).toEqual(keys.toReversed())
  expect(notify([{ ...all[2], gmt_modified: 1 }]).map(({ key }) => key)).not.toContain(keys[2])
})

describe('interoperability with third-party libraries in both directions', () => {
  // Paddings of 1 to 32 bytes, which Node's own padding does not support.
  const texts = Array.from({ length: 64 }, (_, at) =>
    JSON.stringify({ EventType: 'org_change', pad: '汉'.repeat(at % 9) + 'x'.repeat(at) }),
  )
  it('@wecom/crypto', () => {
    for (const text of texts) {
      const cipher = encrypt(w.aes_key, text, 'corp')
      expect(decryptEnvelope(w.aes_key, cipher)).toEqual({ text, receiver: 'corp' })
      expect(computeEnvelopeSignature({ token: 't', timestamp: '1', nonce: 'n', cipher })).toBe(
        getSignature('t', '1', 'n', cipher),
      )
      expect(decrypt(w.aes_key, encryptEnvelope(w.aes_key, { text, receiver: 'corp', random }))).toMatchObject({
        message: text,
        id: 'corp',
      })
    }
  })
  it('dingtalk-encrypt', () => {
    const theirs = new DingTalkEncryptor(d.token, d.aes_key, d.receiver)
    for (const text of texts) {
      const cipher = encryptEnvelope(d.aes_key, { text, receiver: d.receiver, random })
      const signature = computeEnvelopeSignature({ token: d.token, timestamp: d.timestamp, nonce: d.nonce, cipher })
      if (!text.includes('汉')) expect(theirs.getDecryptMsg(signature, d.timestamp, d.nonce, cipher)).toBe(text)
      // The library encrypts its own text URL-encoded first, so the text has letters only.
      const plain = `success${'x'.repeat(text.length)}`
      const { encrypt: sealed, msg_signature } = theirs.getEncryptedMap(plain, d.timestamp, d.nonce)
      expect(receive('dingtalk', dingRequest(sealed, msg_signature))).toMatchObject({
        result: 'event',
        event: { plaintext: plain },
      })
    }
  })
  it("the Lark SDK's cipher", () => {
    for (const { plain, body } of [l.L1, l.L2]) expect(new AESCipher(l.key).decrypt(JSON.parse(body).encrypt)).toBe(plain)
  })
})

describe.each(simulatedProviders)('%s: rejected callbacks', (provider) => {
  it('every callback when no keys are set', () => {
    for (const lacking of [{ token: '' }, { aes_key: '' }, { receivers: [] }])
      expect(why(receive(provider, genuine[provider], lacking))).toBe('no_keys')
  })
  it('callbacks that are more than five minutes old or early', () => {
    for (const off of [-301_000, 301_000])
      expect(why(receive(provider, genuine[provider], {}, new Date(now.getTime() + off)))).toBe('stale')
    for (const off of [-299_000, 299_000])
      expect(why(receive(provider, genuine[provider], {}, new Date(now.getTime() + off)))).toBe('event')
  })
  it('correctly signed callbacks of another application or company', () => {
    expect(why(receive(provider, genuine[provider], { receivers: ['another'] }))).toBe('receiver')
    expect(why(receive(provider, genuine[provider], { corp_id: 'another' }))).toBe('receiver')
  })
  it('an empty body, a text, a number, an array, another shape', () => {
    for (const body of ['', 'null', '1', '[]', '{"encrypt":1}', '<xml/>', '<xml><Encrypt></xml>', '\u{feff}{}'])
      expect(why(receive(provider, { ...genuine[provider], body: Buffer.from(body) }))).toMatch(/^(shape|signature|cipher)$/)
  })
})

describe('Lark specifics', () => {
  const sealed = (value: object): string => JSON.stringify({ encrypt: larkSealed(l.key, JSON.stringify(value)) })
  it('rejects an encrypted event without a signature or with a wrong verification token', () => {
    expect(why(receive('lark', larkRequest(l.L1.body)))).toBe('signature')
    expect(why(receive('lark', genuine.lark, { token: 'another' }))).toBe('signature')
    expect(why(receive('lark', larkRequest(l.L2.body), { token: 'another' }))).toBe('signature')
  })
  it('rejects an unencrypted event', () => {
    expect(why(receive('lark', larkRequest(l.L2.plain)))).toBe('shape')
    expect(why(receive('lark', signedLark(l.L1.plain)))).toBe('shape')
  })
  it.each([
    ['app_ticket', { app_ticket: 'tick' }, { kind: 'ticket', ticket: 'tick' }],
    ['app_open', { tenant_key: '2ca1d211f64f6438' }, { kind: 'app', change: 'enabled', code: null }],
    ['app_status_change', { status: 'stop_by_tenant' }, { kind: 'app', change: 'disabled', code: null }],
    ['app_status_change', { status: 'start_by_tenant' }, { kind: 'app', change: 'enabled', code: null }],
    ['app_uninstalled', {}, { kind: 'app', change: 'removed', code: null }],
  ])('reads the older format: %s %o', (type, more, events) => {
    const event = { type, app_id: 'cli_a1b2c3d4e5f60001', ...more }
    const body = sealed({ ts: '1502199207.7171419', uuid: 'bc44', token: keys.lark.token, type: 'event_callback', event })
    expect(receive('lark', signedLark(body))).toMatchObject({
      result: 'event',
      event: { key: 'bc44', at: new Date(1502199207000), update: events },
    })
  })
  it.each([
    ['contact.user.created_v3', { object: { open_id: 'ou_1' } }, { kind: 'person', change: 'added', ids: ['ou_1'] }],
    [
      'contact.department.updated_v3',
      { object: { open_department_id: 'od-1' } },
      { kind: 'department', change: 'changed', ids: ['od-1'] },
    ],
    ['contact.scope.updated_v3', { added: {} }, { kind: 'range' }],
    [
      'im.message.message_read_v1',
      { reader: { reader_id: { open_id: 'ou_1' } }, message_id_list: ['om_1'] },
      { kind: 'read', user_id: 'ou_1', refs: ['om_1'] },
    ],
    ['contact.employee_type_enum.created_v3', {}, { kind: 'other', name: 'contact.employee_type_enum.created_v3' }],
  ])('reads the current format: %s', (event_type, event, events) => {
    const header = {
      event_id: 'e1',
      token: keys.lark.token,
      create_time: '1767225600000',
      event_type,
      app_id: 'cli_a1b2c3d4e5f60001',
    }
    expect(receive('lark', signedLark(sealed({ schema: '2.0', header, event })))).toMatchObject({
      event: { key: 'e1', update: events },
    })
  })
})

describe('WeCom specifics', () => {
  const notify = (inner: string) => {
    const cipher = encrypt(w.aes_key, `<xml>${inner}</xml>`, 'ww1a2b3c4d5e6f7081')
    return receive('wecom', wecomRequest(cipher, getSignature(w.token, w.timestamp, w.nonce, cipher)))
  }
  const contact = (inner: string) =>
    `<ToUserName><![CDATA[ww1a2b3c4d5e6f7081]]></ToUserName><CreateTime>1767225600</CreateTime><Event><![CDATA[change_contact]]></Event>${inner}`
  it.each([
    ['create_user', '<UserID><![CDATA[LiSi]]></UserID>', { kind: 'person', change: 'added', ids: ['lisi'] }],
    ['update_user', '<UserID>lisi</UserID><Name><![CDATA[<b>]]></Name>', { kind: 'person', change: 'changed', ids: ['lisi'] }],
    ['update_user', '<UserID>lisi</UserID><NewUserID>LiSi2</NewUserID>', { kind: 'person_renamed', from: 'lisi', to: 'lisi2' }],
    ['delete_party', '<Id>7</Id>', { kind: 'department', change: 'removed', ids: ['7'] }],
    ['update_tag', '<TagId>1</TagId>', { kind: 'other', name: 'change_contact.update_tag' }],
  ])('reads %s %s', (type, inner, events) => {
    expect(notify(contact(`<ChangeType><![CDATA[${type}]]></ChangeType>${inner}`))).toMatchObject({ event: { update: events } })
  })
  it('tells two events of one sender in one second apart', () => {
    const key = (id: string) => {
      const one = notify(contact(`<ChangeType>delete_user</ChangeType><UserID>${id}</UserID>`))
      return one.result === 'event' ? one.event.key : null
    }
    expect(key('a')).not.toBe(key('b'))
    expect(key('a')).toBe(key('a'))
  })
})

/** Encrypts as Lark does; the SDK only decrypts. */
function larkSealed(key: string, plain: string): string {
  const iv = createHash('md5').update(plain).digest()
  const cipher = createCipheriv('aes-256-cbc', createHash('sha256').update(key).digest(), iv)
  return Buffer.concat([iv, cipher.update(plain), cipher.final()]).toString('base64')
}

const forgeries: Record<string, (real: CallbackRequest, random: Random, provider: SimulatedProvider) => CallbackRequest> = {
  'a bit of the body': (real, random) => {
    const body = Buffer.from(real.body)
    const at = random.below(body.length)
    body[at] = (body[at] ?? 0) ^ (1 << random.below(8))
    return { ...real, body }
  },
  'a sign of the signature': (real, random, provider) => {
    const spoil = (text = '') => {
      const at = random.below(text.length)
      return `${text.slice(0, at)}${text[at] === '0' ? '1' : '0'}${text.slice(at + 1)}`
    }
    return provider === 'lark'
      ? { ...real, headers: { ...real.headers, 'x-lark-signature': spoil(real.headers['x-lark-signature']) } }
      : { ...real, query: { ...real.query, msg_signature: spoil(real.query.msg_signature ?? real.query.signature) } }
  },
  'no signature': (real) => ({
    ...real,
    headers: {},
    query: { ...real.query, msg_signature: undefined, signature: undefined },
  }),
  'another time': (real, random, provider) => {
    const off = String(1 + random.below(100_000))
    const moved = (text = '') => String(Number(text) + Number(off))
    return provider === 'lark'
      ? { ...real, headers: { ...real.headers, 'x-lark-request-timestamp': moved(real.headers['x-lark-request-timestamp']) } }
      : { ...real, query: { ...real.query, timestamp: moved(real.query.timestamp) } }
  },
  'a replay under another nonce': (real, random, provider) => {
    const nonce = String(random.below(1_000_000_000))
    return provider === 'lark'
      ? { ...real, headers: { ...real.headers, 'x-lark-request-nonce': nonce } }
      : { ...real, query: { ...real.query, nonce } }
  },
  'half of it': (real, random) => ({ ...real, body: real.body.subarray(0, random.below(real.body.length)) }),
}

trial(
  'platform-callbacks',
  'forged, stale and replayed callbacks: none is believed, and a repeated one is told by its key',
  { full: 10_000, sample: 1_000, of: 'callbacks', goal: 'G19' },
  ({ size, random, says }) => {
    const believed: string[] = []
    const keysViewed = new Set<string>()
    const kinds = Object.entries(forgeries)
    for (let at = 0; at < size; at += 1) {
      const provider = simulatedProviders[at % simulatedProviders.length] ?? 'lark'
      const [name, forge] = kinds[Math.floor(at / 3) % (kinds.length + 1)] ?? ['replayed', null]
      const request = forge ? forge(genuine[provider], random, provider) : genuine[provider]
      const late = name === 'replayed' && at % 2 === 0
      const outcome = receive(provider, request, {}, new Date(now.getTime() + (late ? 600_000 : 0)))
      // A changed bit outside of what is read (XML around the cipher) leaves the genuine event with its genuine key.
      if (outcome.result === 'event') keysViewed.add(`${provider} ${outcome.event.key}`)
      if (outcome.result === 'check' || (outcome.result === 'event' && late)) believed.push(`${provider}: ${name}`)
    }
    expect(believed).toEqual([])
    expect(keysViewed.size).toBeLessThanOrEqual(simulatedProviders.length)
    says(`${keysViewed.size} different events in all of them`)
  },
)
