/** Callbacks from DingTalk: JSON in WeCom's envelope, with a response in the same format (platform/dingtalk.md §4, §6). */
import { createHash, randomBytes } from 'node:crypto'
import type { CallbackKeys, CallbackOutcome, CallbackReply, Callbacks, PlatformEvent, PlatformUpdate } from '../../types.ts'
import { computeEnvelopeSignature, decryptEnvelope, encryptEnvelope, isEqualConstantTime, isRecent } from '../../wire/envelope.ts'
import { toObject, toObjectList, toText, tryParseObject } from '../../wire/request.ts'

type JsonObject = Readonly<Record<string, unknown>>

const reject = (reason: Extract<CallbackOutcome, { result: 'refused' }>['reason']): CallbackOutcome => ({
  result: 'refused',
  reason,
})

function createEncryptedReply({ token, aes_key }: CallbackKeys, receiver: string, now: Date, content: string): CallbackReply {
  const [timestamp, nonce] = [String(now.getTime()), randomBytes(8).toString('hex')]
  const cipher = encryptEnvelope(aes_key, { text: content, receiver, random: randomBytes(16) })
  const msg_signature = computeEnvelopeSignature({ token, timestamp, nonce, cipher })
  return {
    status: 200,
    type: 'application/json; charset=utf-8',
    body: JSON.stringify({ msg_signature, timeStamp: timestamp, nonce, encrypt: cipher }),
  }
}

/** Accepts one id or several, in either spelling. */
const toIdList = (value: unknown): string[] => [value].flat().flatMap((id) => toText(id) ?? [])
const updateParsers: Readonly<Record<string, (fields: JsonObject) => PlatformUpdate>> = {
  user_add_org: ({ userId, UserId = userId }) => ({ kind: 'person', change: 'added', ids: toIdList(UserId) }),
  user_modify_org: ({ userId, UserId = userId }) => ({ kind: 'person', change: 'changed', ids: toIdList(UserId) }),
  user_active_org: ({ userId, UserId = userId }) => ({ kind: 'person', change: 'changed', ids: toIdList(UserId) }),
  user_leave_org: ({ userId, UserId = userId }) => ({ kind: 'person', change: 'removed', ids: toIdList(UserId) }),
  org_dept_create: ({ deptId, DeptId = deptId }) => ({ kind: 'department', change: 'added', ids: toIdList(DeptId) }),
  org_dept_modify: ({ deptId, DeptId = deptId }) => ({ kind: 'department', change: 'changed', ids: toIdList(DeptId) }),
  org_dept_remove: ({ deptId, DeptId = deptId }) => ({ kind: 'department', change: 'removed', ids: toIdList(DeptId) }),
  suite_ticket: ({ suiteTicket, SuiteTicket = suiteTicket }) => ({ kind: 'ticket', ticket: toText(SuiteTicket) ?? '' }),
  tmp_auth_code: ({ AuthCode }) => ({ kind: 'app', change: 'enabled', code: toText(AuthCode) }),
  org_suite_auth: ({ permanent_code, permanentCode = permanent_code, auth_user_info, authUserInfo = auth_user_info }) => {
    const by = toText(toObject(authUserInfo).userId)
    return { kind: 'app', change: 'enabled', code: toText(permanentCode), ...(by ? { by } : {}) }
  },
  org_micro_app_restore: () => ({ kind: 'app', change: 'enabled', code: null }),
  org_micro_app_stop: () => ({ kind: 'app', change: 'disabled', code: null }),
  org_micro_app_remove: () => ({ kind: 'app', change: 'removed', code: null }),
  org_suite_relieve: () => ({ kind: 'app', change: 'removed', code: null }),
  suite_relieve: () => ({ kind: 'app', change: 'removed', code: null }),
  org_remove: () => ({ kind: 'app', change: 'removed', code: null }),
  org_suite_change: () => ({ kind: 'range' }),
  change_auth: () => ({ kind: 'range' }),
}

const parseUpdate = (type: string, fields: JsonObject): PlatformUpdate =>
  (Object.hasOwn(updateParsers, type) && updateParsers[type]?.(fields)) || { kind: 'other', name: type.slice(0, 60) }
const hashText = (plain: string): string => createHash('sha256').update(plain).digest('base64url')
const parseTimestamp = (value: unknown): Date | null => (Number(value) > 0 ? new Date(Number(value)) : null)

const syncEventTypes = ['SYNC_HTTP_PUSH_HIGH', 'SYNC_HTTP_PUSH_MEDIUM']
/** Parses a SyncHTTP row, the format of callbacks to store applications: each has its company and its data as JSON text. */
function parseSyncRow(row: Record<string, unknown>): PlatformEvent {
  const data = toObject(tryParseObject(toText(row.biz_data) ?? ''))
  const [type, subjectId, plaintext] = [toText(data.syncAction) ?? '', toText(row.biz_id) ?? '', JSON.stringify(row)]
  const id = toText(row.id)
  return {
    // A changed row is a new event; a repeated row is identical including its time.
    key: id
      ? ['sync', row.subscribe_id, row.corp_id, row.biz_type, id, row.gmt_modified].map(toText).join(' ')
      : hashText(plaintext),
    at: parseTimestamp(row.gmt_modified),
    corp_id: toText(row.corp_id),
    update: parseUpdate(type, { ...data, UserId: subjectId, DeptId: subjectId }),
    plaintext,
  }
}

function handleEvent(keys: CallbackKeys, plaintext: string, receiver: string, now: Date): CallbackOutcome {
  const fields = toObject(tryParseObject(plaintext))
  const type = toText(fields.EventType) ?? toText(fields.syncAction) ?? ''
  const createReply = (content: string) => createEncryptedReply(keys, receiver, now, content)
  if (type === 'check_url') return { result: 'check', reply: createReply('success') }
  if (/^check_(create|update)_suite_url$/.test(type))
    return { result: 'check', reply: createReply(toText(fields.Random) ?? 'success') }
  if (!keys.receivers.includes(receiver)) return reject('receiver')
  if (syncEventTypes.includes(type)) {
    const [event, ...moreEvents] = toObjectList(fields.bizData).map(parseSyncRow)
    return event
      ? { result: 'event', event, moreEvents, reply: createReply('success') }
      : { result: 'check', reply: createReply('success') }
  }
  const corp = toText(fields.CorpId) ?? toText(fields.AuthCorpId) ?? toText(fields.corpId)
  if (keys.corp_id !== null && corp !== null && corp !== keys.corp_id) return reject('receiver')
  const event = {
    key: toText(fields.eventId) ?? toText(fields.EventId) ?? hashText(plaintext),
    at: parseTimestamp(fields.EventTime ?? fields.TimeStamp ?? fields.timeStamp),
    corp_id: corp,
    update: parseUpdate(type, fields),
    plaintext,
  }
  return { result: 'event', event, moreEvents: [], reply: createReply('success') }
}

export const dingtalkCallbacks: Callbacks = {
  receive(keys, { query, body }, now) {
    const { token, aes_key, receivers } = keys
    if (!token || aes_key.length !== 43 || receivers.length === 0) return reject('no_keys')
    const { timestamp = '', nonce = '', signature = '', msg_signature = signature } = query
    const cipher = toText(toObject(tryParseObject(Buffer.from(body).toString('utf8'))).encrypt) ?? ''
    if (!cipher || !/^\d{1,16}$/.test(timestamp)) return reject('shape')
    if (!isEqualConstantTime(msg_signature, computeEnvelopeSignature({ token, timestamp, nonce, cipher })))
      return reject('signature')
    if (!isRecent(Number(timestamp), now)) return reject('stale')
    const opened = decryptEnvelope(aes_key, cipher)
    return opened ? handleEvent(keys, opened.text, opened.receiver, now) : reject('cipher')
  },
}
