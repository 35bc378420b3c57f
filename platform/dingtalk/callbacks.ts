/** What DingTalk tells our address: JSON in WeCom's envelope, answered in the same (platform/dingtalk.md §4, §6). */
import { createHash, randomBytes } from 'node:crypto'
import type { CallbackKeys, CallbackOutcome, CallbackReply, Callbacks, PlatformEvent, PlatformNews } from '../types.ts'
import { inside, listOf, objectOf, text } from '../wire/ask.ts'
import { envelopeSignature, isFresh, isSame, openEnvelope, sealEnvelope } from '../wire/envelope.ts'

type Fields = Readonly<Record<string, unknown>>

const refused = (why: Extract<CallbackOutcome, { result: 'refused' }>['why']): CallbackOutcome => ({ result: 'refused', why })

function sealedReply({ token, aes_key }: CallbackKeys, receiver: string, now: Date, said: string): CallbackReply {
  const [timestamp, nonce] = [String(now.getTime()), randomBytes(8).toString('hex')]
  const cipher = sealEnvelope(aes_key, { text: said, receiver, random: randomBytes(16) })
  const msg_signature = envelopeSignature({ token, timestamp, nonce, cipher })
  return {
    status: 200,
    type: 'application/json; charset=utf-8',
    body: JSON.stringify({ msg_signature, timeStamp: timestamp, nonce, encrypt: cipher }),
  }
}

/** One id or many, in either spelling. */
const idsOf = (value: unknown): string[] => [value].flat().flatMap((id) => text(id) ?? [])
const news: Readonly<Record<string, (fields: Fields) => PlatformNews>> = {
  user_add_org: ({ userId, UserId = userId }) => ({ kind: 'person', change: 'added', ids: idsOf(UserId) }),
  user_modify_org: ({ userId, UserId = userId }) => ({ kind: 'person', change: 'changed', ids: idsOf(UserId) }),
  user_active_org: ({ userId, UserId = userId }) => ({ kind: 'person', change: 'changed', ids: idsOf(UserId) }),
  user_leave_org: ({ userId, UserId = userId }) => ({ kind: 'person', change: 'removed', ids: idsOf(UserId) }),
  org_dept_create: ({ deptId, DeptId = deptId }) => ({ kind: 'department', change: 'added', ids: idsOf(DeptId) }),
  org_dept_modify: ({ deptId, DeptId = deptId }) => ({ kind: 'department', change: 'changed', ids: idsOf(DeptId) }),
  org_dept_remove: ({ deptId, DeptId = deptId }) => ({ kind: 'department', change: 'removed', ids: idsOf(DeptId) }),
  suite_ticket: ({ suiteTicket, SuiteTicket = suiteTicket }) => ({ kind: 'ticket', ticket: text(SuiteTicket) ?? '' }),
  tmp_auth_code: ({ AuthCode }) => ({ kind: 'app', change: 'enabled', code: text(AuthCode) }),
  org_suite_auth: ({ permanent_code, permanentCode = permanent_code, auth_user_info, authUserInfo = auth_user_info }) => {
    const by = text(inside(authUserInfo).userId)
    return { kind: 'app', change: 'enabled', code: text(permanentCode), ...(by ? { by } : {}) }
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

const newsOf = (type: string, fields: Fields): PlatformNews =>
  (Object.hasOwn(news, type) && news[type]?.(fields)) || { kind: 'other', name: type.slice(0, 60) }
const digest = (plain: string): string => createHash('sha256').update(plain).digest('base64url')
const dateOf = (value: unknown): Date | null => (Number(value) > 0 ? new Date(Number(value)) : null)

const pushes = ['SYNC_HTTP_PUSH_HIGH', 'SYNC_HTTP_PUSH_MEDIUM']
/** SyncHTTP, which is how applications of the store are told: rows, each with its own company and its data as text. */
function pushedOf(row: Record<string, unknown>): PlatformEvent {
  const data = inside(objectOf(text(row.biz_data) ?? ''))
  const [type, about, plain] = [text(data.syncAction) ?? '', text(row.biz_id) ?? '', JSON.stringify(row)]
  const id = text(row.id)
  return {
    // A row that changes is another one; one that is sent again is the same to its time.
    key: id ? ['sync', row.subscribe_id, row.corp_id, row.biz_type, id, row.gmt_modified].map(text).join(' ') : digest(plain),
    at: dateOf(row.gmt_modified),
    corp_id: text(row.corp_id),
    news: newsOf(type, { ...data, UserId: about, DeptId: about }),
    plain,
  }
}

function answered(keys: CallbackKeys, plain: string, receiver: string, now: Date): CallbackOutcome {
  const fields = inside(objectOf(plain))
  const type = text(fields.EventType) ?? text(fields.syncAction) ?? ''
  const reply = (said: string) => sealedReply(keys, receiver, now, said)
  if (type === 'check_url') return { result: 'check', reply: reply('success') }
  if (/^check_(create|update)_suite_url$/.test(type)) return { result: 'check', reply: reply(text(fields.Random) ?? 'success') }
  if (!keys.receivers.includes(receiver)) return refused('receiver')
  if (pushes.includes(type)) {
    const [event, ...also] = listOf(fields.bizData).map(pushedOf)
    return event ? { result: 'event', event, also, reply: reply('success') } : { result: 'check', reply: reply('success') }
  }
  const corp = text(fields.CorpId) ?? text(fields.AuthCorpId) ?? text(fields.corpId)
  if (keys.corp_id !== null && corp !== null && corp !== keys.corp_id) return refused('receiver')
  const event = {
    key: text(fields.eventId) ?? text(fields.EventId) ?? digest(plain),
    at: dateOf(fields.EventTime ?? fields.TimeStamp ?? fields.timeStamp),
    corp_id: corp,
    news: newsOf(type, fields),
    plain,
  }
  return { result: 'event', event, also: [], reply: reply('success') }
}

export const dingtalkCallbacks: Callbacks = {
  receive(keys, { query, body }, now) {
    const { token, aes_key, receivers } = keys
    if (!token || aes_key.length !== 43 || receivers.length === 0) return refused('no_keys')
    const { timestamp = '', nonce = '', signature = '', msg_signature = signature } = query
    const cipher = text(inside(objectOf(Buffer.from(body).toString('utf8'))).encrypt) ?? ''
    if (!cipher || !/^\d{1,16}$/.test(timestamp)) return refused('shape')
    if (!isSame(msg_signature, envelopeSignature({ token, timestamp, nonce, cipher }))) return refused('signature')
    if (!isFresh(Number(timestamp), now)) return refused('stale')
    const opened = openEnvelope(aes_key, cipher)
    return opened ? answered(keys, opened.text, opened.receiver, now) : refused('cipher')
  },
}
