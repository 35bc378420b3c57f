/**
 * Callbacks from DingTalk to applications: JSON in WeCom's envelope, with a response in the same format (dingtalk.md
 * §6).
 */
import { createDecipheriv, createHash, randomBytes } from 'node:crypto'
import type { CallbackMessage, CallbackRecipient, WorldChange } from '../callbacks.ts'
import { parseObjectOrEmpty, type Reply, textOrEmpty } from '../state.ts'
import { encryptCallback } from '../wecom/push.ts'

const userEventTypes = { added: 'user_add_org', changed: 'user_modify_org', removed: 'user_leave_org' } as const
const departmentEventTypes = { added: 'org_dept_create', changed: 'org_dept_modify', removed: 'org_dept_remove' } as const
const appEventTypes = { enabled: 'org_suite_auth', disabled: 'org_micro_app_stop', removed: 'org_suite_relieve' } as const

function toEventContent(change: WorldChange): { type: string; more: object } | null {
  switch (change.kind) {
    case 'person':
      return { type: userEventTypes[change.action], more: { userId: [change.id] } }
    case 'department':
      return { type: departmentEventTypes[change.action], more: { deptId: [Number(change.id)] } }
    case 'range':
    case 'ticket':
    case 'press':
    case 'app':
      return null
  }
}

type SyncRow = { readonly biz_type: number; readonly biz_id: string; readonly data: object }
/** Builds the row for store applications: the current state of an object, by its type. */
function toSyncRow({ app, suite }: CallbackRecipient, change: WorldChange): SyncRow | null {
  switch (change.kind) {
    case 'press':
      return null
    case 'person':
      return { biz_type: 13, biz_id: change.id, data: { syncAction: userEventTypes[change.action], userid: change.id } }
    case 'department':
      return { biz_type: 14, biz_id: change.id, data: { syncAction: departmentEventTypes[change.action], id: Number(change.id) } }
    case 'range':
      return { biz_type: 4, biz_id: suite?.id ?? '', data: { syncAction: 'org_suite_change' } }
    case 'ticket':
      return { biz_type: 2, biz_id: suite?.id ?? '', data: { syncAction: 'suite_ticket', suiteTicket: change.ticket } }
    case 'app': {
      if (change.action === 'disabled')
        return { biz_type: 7, biz_id: app?.agent_id ?? '', data: { syncAction: 'org_micro_app_stop' } }
      const { installer = 'manager975', activationCode } = app ?? {}
      const installed = {
        permanent_code: change.code ?? activationCode ?? `permanent-${app?.corp_id}`,
        auth_user_info: { userId: installer },
        auth_corp_info: { corpid: app?.corp_id },
        auth_info: { agent: [{ agentid: Number(app?.agent_id), admin_list: [installer] }] },
        auth_scope: { errcode: 0, auth_org_scopes: { authed_user: [], authed_dept: [1] } },
      }
      const data = change.action === 'enabled' ? installed : {}
      return { biz_type: 4, biz_id: suite?.id ?? '', data: { syncAction: appEventTypes[change.action], ...data } }
    }
  }
}
/** Tickets are sent to the vendor of the application in the name of its own company. */
const vendorCorpId = 'dingseller0000000000'
let rowCount = 0
function createRowMessage(recipient: CallbackRecipient, { biz_type, biz_id, data }: SyncRow, now: number): CallbackMessage {
  rowCount += 1
  const row = {
    gmt_create: now,
    biz_type,
    open_cursor: 0,
    subscribe_id: '16807001_0',
    id: rowCount,
    gmt_modified: now,
    biz_id,
    biz_data: JSON.stringify(data),
    corp_id: recipient.corp_id ?? vendorCorpId,
    status: 0,
  }
  const EventType = biz_type < 10 ? 'SYNC_HTTP_PUSH_HIGH' : 'SYNC_HTTP_PUSH_MEDIUM'
  return createCallback(recipient, { EventType, bizData: [row] }, now)
}

function createCallback(recipient: CallbackRecipient, value: object, now: number): CallbackMessage {
  const { cipher, signature, nonce } = encryptCallback(recipient, JSON.stringify(value), String(now))
  const query = new URLSearchParams({ msg_signature: signature, signature, timestamp: String(now), nonce })
  const body = JSON.stringify({ encrypt: cipher })
  return {
    method: 'POST',
    url: `${recipient.target.url}?${query}`,
    headers: { 'content-type': 'application/json' },
    body,
    plaintext: JSON.stringify(value),
  }
}

export const createDingtalkEvent =
  (now: () => number) =>
  (recipient: CallbackRecipient, change: WorldChange): CallbackMessage | null => {
    const at = now()
    if (recipient.suite) {
      const row = toSyncRow(recipient, change)
      return row && createRowMessage(recipient, row, at)
    }
    const content = toEventContent(change)
    if (!content) return null
    const common = {
      EventTime: at,
      CorpId: recipient.corp_id ?? undefined,
      BizId: String(at),
      eventId: randomBytes(16).toString('hex'),
      timeStamp: String(at),
    }
    return createCallback(recipient, { EventType: content.type, ...common, ...content.more }, at)
  }
export const createDingtalkCheck =
  (now: () => number) =>
  (recipient: CallbackRecipient, challenge: string): CallbackMessage =>
    createCallback(
      recipient,
      recipient.suite ? { EventType: 'check_update_suite_url', Random: challenge } : { EventType: 'check_url' },
      now(),
    )

/** A plain `success` is not a valid response: it must be encrypted, signed and for the right receiver. */
export function isDingtalkResponse(recipient: CallbackRecipient, response: Reply, challenge: string | null): boolean {
  const { msg_signature, timeStamp, nonce, encrypt } = parseObjectOrEmpty(response.body)
  const signed = createHash('sha1')
    .update([recipient.target.token, textOrEmpty(timeStamp), textOrEmpty(nonce), textOrEmpty(encrypt)].sort().join(''))
    .digest('hex')
  if (response.status !== 200 || signed !== msg_signature) return false
  try {
    const key = Buffer.from(`${recipient.target.aes_key}=`, 'base64')
    const opening = createDecipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false)
    const text = Buffer.concat([opening.update(textOrEmpty(encrypt), 'base64'), opening.final()])
    const end = 20 + text.readUInt32BE(16)
    const expected = challenge !== null && recipient.suite ? challenge : 'success'
    return (
      text.subarray(20, end).toString() === expected &&
      text.subarray(end, end + recipient.receiver.length).toString() === recipient.receiver
    )
  } catch {
    return false
  }
}
