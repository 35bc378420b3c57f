/**
 * Callbacks from Lark. The SDK's dispatcher is not used: without a key it trusts everything, it never compares the
 * verification token, and it verifies the signature of the re-serialized body instead of the received bytes
 * (platform/lark.md §0, §6).
 */
import { createDecipheriv, createHash } from 'node:crypto'
import type { CallbackKeys, CallbackOutcome, CallbackReply, Callbacks, PlatformEvent, PlatformUpdate } from '../../types.ts'
import { isEqualConstantTime, isRecent } from '../../wire/envelope.ts'
import { toObject, toText, tryParseObject } from '../../wire/request.ts'

type JsonObject = Readonly<Record<string, unknown>>

const createJsonReply = (value: object): CallbackReply => ({
  status: 200,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(value),
})
const reject = (reason: Extract<CallbackOutcome, { result: 'refused' }>['reason']): CallbackOutcome => ({
  result: 'refused',
  reason,
})

/** Returns null for any kind of invalid payload, without a reason. */
export function decryptPayload(encrypt_key: string, cipher: string): string | null {
  try {
    const bytes = Buffer.from(cipher, 'base64')
    const key = createHash('sha256').update(encrypt_key).digest()
    const decipher = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, 16))
    return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
/** Computes the signature over the bytes as received. */
export const computeSignature = (params: { timestamp: string; nonce: string; key: string; body: Uint8Array }): string =>
  createHash('sha256').update(`${params.timestamp}${params.nonce}${params.key}`).update(params.body).digest('hex')

const changeByVerb = { created: 'added', updated: 'changed', deleted: 'removed' } as const
function parseContactUpdate(type: string, event: JsonObject): PlatformUpdate | null {
  const [, objectType, verb] = /^contact\.(user|department)\.(created|updated|deleted)_v3$/.exec(type) ?? []
  if (verb !== 'created' && verb !== 'updated' && verb !== 'deleted') return null
  const object = toObject(event.object)
  const id = toText(objectType === 'user' ? object.open_id : object.open_department_id)
  return { kind: objectType === 'user' ? 'person' : 'department', change: changeByVerb[verb], ids: id ? [id] : [] }
}
function parseReadUpdate(event: JsonObject): PlatformUpdate {
  const refs = Array.isArray(event.message_id_list) ? event.message_id_list.flatMap((id) => toText(id) ?? []) : []
  const reader = toObject(toObject(event.reader).reader_id)
  return { kind: 'read', user_id: toText(reader.open_id) ?? '', refs }
}
function parseUpdate(type: string, event: JsonObject): PlatformUpdate {
  const contact = parseContactUpdate(type, event)
  if (contact) return contact
  if (type === 'contact.scope.updated_v3') return { kind: 'range' }
  if (type === 'im.message.message_read_v1') return parseReadUpdate(event)
  if (type === 'app_ticket') return { kind: 'ticket', ticket: toText(event.app_ticket) ?? '' }
  if (type === 'app_open') {
    // `installer_employee` in this position is not an administrator.
    const installer = toText(toObject(event.installer).open_id)
    return { kind: 'app', change: 'enabled', code: null, ...(installer ? { by: installer } : {}) }
  }
  if (type === 'app_uninstalled') return { kind: 'app', change: 'removed', code: null }
  if (type === 'app_status_change')
    return { kind: 'app', change: toText(event.status)?.startsWith('start') ? 'enabled' : 'disabled', code: null }
  return { kind: 'other', name: type.slice(0, 60) }
}
/** Parses a timestamp in seconds with or without a fraction, milliseconds or microseconds, distinguished by its length. */
function parseTimestamp(value: unknown): Date | null {
  const [digits = ''] = (toText(value) ?? '').split('.')
  if (!/^\d{9,16}$/.test(digits)) return null
  return new Date(digits.length > 13 ? Number(digits) / 1000 : digits.length > 11 ? Number(digits) : Number(digits) * 1000)
}

/** Parses both envelope formats: 2.0 with a header, and the older one of store events. */
function parseEvent(payload: JsonObject, plaintext: string): { token: string; app_id: string; event: PlatformEvent } {
  const [header, event] = [toObject(payload.header), toObject(payload.event)]
  const key = toText(header.event_id) ?? toText(payload.uuid) ?? createHash('sha256').update(plaintext).digest('base64url')
  return {
    token: toText(header.token) ?? toText(payload.token) ?? '',
    app_id: toText(header.app_id) ?? toText(event.app_id) ?? '',
    event: {
      key,
      at: parseTimestamp(header.create_time ?? payload.ts),
      corp_id: toText(header.tenant_key) ?? toText(event.tenant_key),
      update: parseUpdate(toText(header.event_type) ?? toText(event.type) ?? '', event),
      plaintext,
    },
  }
}

function verifyEvent({ token, receivers, corp_id }: CallbackKeys, plaintext: string, isSigned: boolean): CallbackOutcome {
  const payload = toObject(tryParseObject(plaintext))
  if (payload.type === 'url_verification')
    return isEqualConstantTime(toText(payload.token) ?? '', token)
      ? { result: 'check', reply: createJsonReply({ challenge: toText(payload.challenge) ?? '' }) }
      : reject('signature')
  // Only the URL verification comes without a signature.
  if (!isSigned) return reject('signature')
  const { token: eventToken, app_id, event } = parseEvent(payload, plaintext)
  if (!isEqualConstantTime(eventToken, token)) return reject('signature')
  if (!receivers.includes(app_id) || (corp_id !== null && event.corp_id !== null && event.corp_id !== corp_id))
    return reject('receiver')
  return { result: 'event', event, moreEvents: [], reply: createJsonReply({}) }
}

export const larkCallbacks: Callbacks = {
  receive(keys, { headers, body }, now) {
    if (!keys.token || !keys.aes_key || keys.receivers.length === 0) return reject('no_keys')
    const cipher = toText(toObject(tryParseObject(Buffer.from(body).toString('utf8'))).encrypt)
    if (!cipher) return reject('shape')
    const {
      'x-lark-signature': signature,
      'x-lark-request-timestamp': timestamp = '',
      'x-lark-request-nonce': nonce = '',
    } = headers
    if (signature !== undefined) {
      if (!isEqualConstantTime(signature, computeSignature({ timestamp, nonce, key: keys.aes_key, body })))
        return reject('signature')
      const at = parseTimestamp(timestamp)
      if (!at || !isRecent(at.getTime(), now)) return reject('stale')
    }
    const plain = decryptPayload(keys.aes_key, cipher)
    return plain === null ? reject('cipher') : verifyEvent(keys, plain, signature !== undefined)
  },
}
