/** Callbacks from WeCom: a GET that checks the URL, a POST of XML for every event (platform/wecom.md §4.3, §6). */
import { createHash } from 'node:crypto'
import type { CallbackOutcome, CallbackReply, Callbacks, PlatformEvent, PlatformUpdate } from '../../types.ts'
import { computeEnvelopeSignature, decryptEnvelope, isEqualConstantTime, isRecent } from '../../wire/envelope.ts'

type XmlFields = Readonly<Record<string, string>>

const createTextReply = (body: string): CallbackReply => ({ status: 200, type: 'text/plain; charset=utf-8', body })
const reject = (reason: Extract<CallbackOutcome, { result: 'refused' }>['reason']): CallbackOutcome => ({
  result: 'refused',
  reason,
})

/** WeCom's XML is one element that contains elements with text; other XML does not occur and is not parsed. */
export const parseXmlFields = (xml: string): XmlFields =>
  Object.fromEntries(
    [...xml.matchAll(/<([A-Za-z]\w{0,40})>(?:<!\[CDATA\[((?:(?!\]\]>)[\s\S]){0,20000})\]\]>|([^<]{0,20000}))<\/\1>/g)].map(
      ([, name = '', cdata, bare = '']) => [name, cdata ?? bare],
    ),
  )

/** Returns the first `Encrypt` of an unverified body without parsing the rest. */
function extractCiphertext(body: string): string {
  const [, after = ''] = body.split('<Encrypt>', 2)
  const end = after.indexOf('</Encrypt>')
  return end < 0
    ? ''
    : after
        .slice(0, end)
        .replace(/^<!\[CDATA\[/, '')
        .replace(/\]\]>$/, '')
        .trim()
}

const changeByVerb = { create: 'added', update: 'changed', delete: 'removed' } as const
function parseContactUpdate(fields: XmlFields): PlatformUpdate {
  const { ChangeType = '', UserID = '', OpenUserID = UserID, NewUserID = '', Id = '', SuiteId } = fields
  const [, verb, objectType] = /^(create|update|delete)_(user|party)$/.exec(ChangeType) ?? []
  const change = verb === 'create' || verb === 'update' || verb === 'delete' ? changeByVerb[verb] : null
  if (!change) return { kind: 'other', name: `change_contact.${ChangeType}` }
  if (objectType === 'party') return { kind: 'department', change, ids: [Id] }
  // Ids of store applications are encrypted: they are case-sensitive and never renamed.
  if (SuiteId) return { kind: 'person', change, ids: [OpenUserID] }
  const id = UserID.toLowerCase()
  if (NewUserID && NewUserID.toLowerCase() !== id) return { kind: 'person_renamed', from: id, to: NewUserID.toLowerCase() }
  return { kind: 'person', change, ids: [id] }
}
function parseUpdate(fields: XmlFields): PlatformUpdate {
  const { Event = '', InfoType = Event, AuthCode = '', SuiteTicket = '' } = fields
  switch (InfoType) {
    case 'change_contact':
      return parseContactUpdate(fields)
    case 'suite_ticket':
      return { kind: 'ticket', ticket: SuiteTicket }
    case 'create_auth':
    case 'reset_permanent_code':
      return { kind: 'app', change: 'enabled', code: AuthCode }
    case 'cancel_auth':
      return { kind: 'app', change: 'removed', code: null }
    case 'change_auth':
      return { kind: 'range' }
    default:
      return { kind: 'other', name: InfoType || fields.MsgType || '' }
  }
}
function parseEvent(plaintext: string): PlatformEvent {
  const fields = parseXmlFields(plaintext)
  const { CreateTime, TimeStamp = CreateTime, MsgId, AuthCorpId, SuiteId, ToUserName } = fields
  const seconds = Number(TimeStamp)
  return {
    // Several events can share sender and second; a repeated one has the same text.
    key: MsgId ? `msg-${MsgId}` : createHash('sha256').update(plaintext).digest('base64url'),
    at: seconds > 0 ? new Date(seconds * 1000) : null,
    corp_id: AuthCorpId ?? (SuiteId ? null : (ToUserName ?? null)),
    update: parseUpdate(fields),
    plaintext,
  }
}

export const wecomCallbacks: Callbacks = {
  receive({ token, aes_key, receivers, corp_id }, { method, query, body }, now) {
    if (!token || aes_key.length !== 43 || receivers.length === 0) return reject('no_keys')
    const { msg_signature = '', timestamp = '', nonce = '', echostr = '' } = query
    const asks = method === 'GET'
    // A plus in the query arrives as a space.
    const cipher = asks ? echostr.replaceAll(' ', '+') : extractCiphertext(Buffer.from(body).toString('utf8'))
    if (!cipher || !/^\d{1,12}$/.test(timestamp)) return reject('shape')
    if (!isEqualConstantTime(msg_signature, computeEnvelopeSignature({ token, timestamp, nonce, cipher })))
      return reject('signature')
    if (!isRecent(Number(timestamp) * 1000, now)) return reject('stale')
    const opened = decryptEnvelope(aes_key, cipher)
    if (!opened) return reject('cipher')
    // The check when a suite's URL is saved is made in the vendor's own name, so it may carry any receiver; an event
    // may not.
    if (asks) return { result: 'check', reply: createTextReply(opened.text) }
    if (!receivers.includes(opened.receiver)) return reject('receiver')
    const event = parseEvent(opened.text)
    if (corp_id !== null && event.corp_id !== null && event.corp_id !== corp_id) return reject('receiver')
    return { result: 'event', event, moreEvents: [], reply: createTextReply('success') }
  },
}
