/** What WeCom tells our address: a GET that checks it, a POST of XML for every event (platform/wecom.md §4.3, §6). */
import { createHash } from 'node:crypto'
import type { CallbackOutcome, CallbackReply, Callbacks, PlatformEvent, PlatformNews } from '../types.ts'
import { envelopeSignature, isFresh, isSame, openEnvelope } from '../wire/envelope.ts'

type Fields = Readonly<Record<string, string>>

const plainReply = (body: string): CallbackReply => ({ status: 200, type: 'text/plain; charset=utf-8', body })
const refused = (why: Extract<CallbackOutcome, { result: 'refused' }>['why']): CallbackOutcome => ({ result: 'refused', why })

/** WeCom's XML is one element of elements with text; nothing else of XML occurs in it, and nothing else is read. */
export const fieldsOf = (xml: string): Fields =>
  Object.fromEntries(
    [...xml.matchAll(/<([A-Za-z]\w{0,40})>(?:<!\[CDATA\[((?:(?!\]\]>)[\s\S]){0,20000})\]\]>|([^<]{0,20000}))<\/\1>/g)].map(
      ([, name = '', cdata, bare = '']) => [name, cdata ?? bare],
    ),
  )

/** The first `Encrypt` of what is not proved yet, found without reading the rest. */
function cipherOf(body: string): string {
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

const changes = { create: 'added', update: 'changed', delete: 'removed' } as const
function contactNews(fields: Fields): PlatformNews {
  const { ChangeType = '', UserID = '', OpenUserID = UserID, NewUserID = '', Id = '', SuiteId } = fields
  const [, did, what] = /^(create|update|delete)_(user|party)$/.exec(ChangeType) ?? []
  const change = did === 'create' || did === 'update' || did === 'delete' ? changes[did] : null
  if (!change) return { kind: 'other', name: `change_contact.${ChangeType}` }
  if (what === 'party') return { kind: 'department', change, ids: [Id] }
  // For applications of the store ids are enciphered: their case counts, and nobody renames them.
  if (SuiteId) return { kind: 'person', change, ids: [OpenUserID] }
  const id = UserID.toLowerCase()
  if (NewUserID && NewUserID.toLowerCase() !== id) return { kind: 'person_renamed', from: id, to: NewUserID.toLowerCase() }
  return { kind: 'person', change, ids: [id] }
}
function newsOf(fields: Fields): PlatformNews {
  const { Event = '', InfoType = Event, AuthCode = '', SuiteTicket = '' } = fields
  switch (InfoType) {
    case 'change_contact':
      return contactNews(fields)
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
function eventOf(plain: string): PlatformEvent {
  const fields = fieldsOf(plain)
  const { CreateTime, TimeStamp = CreateTime, MsgId, AuthCorpId, SuiteId, ToUserName } = fields
  const seconds = Number(TimeStamp)
  return {
    // Sender and second are shared by several events; a repeated one has the same text.
    key: MsgId ? `msg-${MsgId}` : createHash('sha256').update(plain).digest('base64url'),
    at: seconds > 0 ? new Date(seconds * 1000) : null,
    corp_id: AuthCorpId ?? (SuiteId ? null : (ToUserName ?? null)),
    news: newsOf(fields),
    plain,
  }
}

export const wecomCallbacks: Callbacks = {
  receive({ token, aes_key, receivers, corp_id }, { method, query, body }, now) {
    if (!token || aes_key.length !== 43 || receivers.length === 0) return refused('no_keys')
    const { msg_signature = '', timestamp = '', nonce = '', echostr = '' } = query
    const asks = method === 'GET'
    // A plus of the query that arrives as a space.
    const cipher = asks ? echostr.replaceAll(' ', '+') : cipherOf(Buffer.from(body).toString('utf8'))
    if (!cipher || !/^\d{1,12}$/.test(timestamp)) return refused('shape')
    if (!isSame(msg_signature, envelopeSignature({ token, timestamp, nonce, cipher }))) return refused('signature')
    if (!isFresh(Number(timestamp) * 1000, now)) return refused('stale')
    const opened = openEnvelope(aes_key, cipher)
    if (!opened) return refused('cipher')
    // Saving a suite's address is checked in the provider's own name, so a check may carry any receiver; an event may not.
    if (asks) return { result: 'check', reply: plainReply(opened.text) }
    if (!receivers.includes(opened.receiver)) return refused('receiver')
    const event = eventOf(opened.text)
    if (corp_id !== null && event.corp_id !== null && event.corp_id !== corp_id) return refused('receiver')
    return { result: 'event', event, also: [], reply: plainReply('success') }
  },
}
