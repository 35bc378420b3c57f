/**
 * What Lark tells our address. Its SDK's dispatcher is not used: without a key it believes everything, it never compares the verification
 * token, and it signs what it has parsed instead of what came (platform/lark.md §0, §6).
 */
import { createDecipheriv, createHash } from 'node:crypto'
import type { CallbackKeys, CallbackOutcome, CallbackReply, Callbacks, PlatformEvent, PlatformNews } from '../types.ts'
import { inside, objectOf, text } from '../wire/ask.ts'
import { isFresh, isSame } from '../wire/envelope.ts'

type Fields = Readonly<Record<string, unknown>>

const jsonReply = (value: object): CallbackReply => ({
  status: 200,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(value),
})
const refused = (why: Extract<CallbackOutcome, { result: 'refused' }>['why']): CallbackOutcome => ({ result: 'refused', why })

/** Null, without a reason, for whatever is wrong with it. */
export function decipher(encrypt_key: string, cipher: string): string | null {
  try {
    const bytes = Buffer.from(cipher, 'base64')
    const key = createHash('sha256').update(encrypt_key).digest()
    const opening = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, 16))
    return Buffer.concat([opening.update(bytes.subarray(16)), opening.final()]).toString('utf8')
  } catch {
    return null
  }
}
/** Over the bytes as they came. */
export const signatureOf = (parts: { timestamp: string; nonce: string; key: string; body: Uint8Array }): string =>
  createHash('sha256').update(`${parts.timestamp}${parts.nonce}${parts.key}`).update(parts.body).digest('hex')

const changes = { created: 'added', updated: 'changed', deleted: 'removed' } as const
function contactNews(type: string, event: Fields): PlatformNews | null {
  const [, what, did] = /^contact\.(user|department)\.(created|updated|deleted)_v3$/.exec(type) ?? []
  if (did !== 'created' && did !== 'updated' && did !== 'deleted') return null
  const object = inside(event.object)
  const id = text(what === 'user' ? object.open_id : object.open_department_id)
  return { kind: what === 'user' ? 'person' : 'department', change: changes[did], ids: id ? [id] : [] }
}
function readNews(event: Fields): PlatformNews {
  const refs = Array.isArray(event.message_id_list) ? event.message_id_list.flatMap((id) => text(id) ?? []) : []
  const reader = inside(inside(event.reader).reader_id)
  return { kind: 'read', user_id: text(reader.open_id) ?? '', refs }
}
function newsOf(type: string, event: Fields): PlatformNews {
  const contact = contactNews(type, event)
  if (contact) return contact
  if (type === 'contact.scope.updated_v3') return { kind: 'range' }
  if (type === 'im.message.message_read_v1') return readNews(event)
  if (type === 'app_ticket') return { kind: 'ticket', ticket: text(event.app_ticket) ?? '' }
  if (type === 'app_open') {
    // `installer_employee` in its place is no administrator.
    const by = text(inside(event.installer).open_id)
    return { kind: 'app', change: 'enabled', code: null, ...(by ? { by } : {}) }
  }
  if (type === 'app_uninstalled') return { kind: 'app', change: 'removed', code: null }
  if (type === 'app_status_change')
    return { kind: 'app', change: text(event.status)?.startsWith('start') ? 'enabled' : 'disabled', code: null }
  return { kind: 'other', name: type.slice(0, 60) }
}
/** Seconds with or without a fraction, milliseconds, microseconds: told by their length. */
function timeOf(value: unknown): Date | null {
  const [whole = ''] = (text(value) ?? '').split('.')
  if (!/^\d{9,16}$/.test(whole)) return null
  return new Date(whole.length > 13 ? Number(whole) / 1000 : whole.length > 11 ? Number(whole) : Number(whole) * 1000)
}

/** Both forms of envelope: 2.0 with a header, and the older one of the store's events. */
function eventOf(said: Fields, plain: string): { token: string; app_id: string; event: PlatformEvent } {
  const [header, event] = [inside(said.header), inside(said.event)]
  const key = text(header.event_id) ?? text(said.uuid) ?? createHash('sha256').update(plain).digest('base64url')
  return {
    token: text(header.token) ?? text(said.token) ?? '',
    app_id: text(header.app_id) ?? text(event.app_id) ?? '',
    event: {
      key,
      at: timeOf(header.create_time ?? said.ts),
      corp_id: text(header.tenant_key) ?? text(event.tenant_key),
      news: newsOf(text(header.event_type) ?? text(event.type) ?? '', event),
      plain,
    },
  }
}

function believed({ token, receivers, corp_id }: CallbackKeys, plain: string, signed: boolean): CallbackOutcome {
  const said = inside(objectOf(plain))
  if (said.type === 'url_verification')
    return isSame(text(said.token) ?? '', token)
      ? { result: 'check', reply: jsonReply({ challenge: text(said.challenge) ?? '' }) }
      : refused('signature')
  // Only the check of an address comes without a signature.
  if (!signed) return refused('signature')
  const { token: told, app_id, event } = eventOf(said, plain)
  if (!isSame(told, token)) return refused('signature')
  if (!receivers.includes(app_id) || (corp_id !== null && event.corp_id !== null && event.corp_id !== corp_id))
    return refused('receiver')
  return { result: 'event', event, also: [], reply: jsonReply({}) }
}

export const larkCallbacks: Callbacks = {
  receive(keys, { headers, body }, now) {
    if (!keys.token || !keys.aes_key || keys.receivers.length === 0) return refused('no_keys')
    const cipher = text(inside(objectOf(Buffer.from(body).toString('utf8'))).encrypt)
    if (!cipher) return refused('shape')
    const {
      'x-lark-signature': signature,
      'x-lark-request-timestamp': timestamp = '',
      'x-lark-request-nonce': nonce = '',
    } = headers
    if (signature !== undefined) {
      if (!isSame(signature, signatureOf({ timestamp, nonce, key: keys.aes_key, body }))) return refused('signature')
      const at = timeOf(timestamp)
      if (!at || !isFresh(at.getTime(), now)) return refused('stale')
    }
    const plain = decipher(keys.aes_key, cipher)
    return plain === null ? refused('cipher') : believed(keys, plain, signature !== undefined)
  },
}
