/** What DingTalk tells an application's address: JSON in the envelope that WeCom uses, and an answer in the same (dingtalk.md §6). */
import { createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { objectIn, type Reply, said } from '../state.ts'
import type { Audience, Pushed, WorldChange } from '../told.ts'
import { enveloped } from '../wecom/push.ts'

const people = { added: 'user_add_org', changed: 'user_modify_org', removed: 'user_leave_org' } as const
const departments = { added: 'org_dept_create', changed: 'org_dept_modify', removed: 'org_dept_remove' } as const
const apps = { enabled: 'org_suite_auth', disabled: 'org_micro_app_stop', removed: 'org_suite_relieve' } as const

function about(change: WorldChange): { type: string; more: object } | null {
  switch (change.what) {
    case 'person':
      return { type: people[change.did], more: { userId: [change.id] } }
    case 'department':
      return { type: departments[change.did], more: { deptId: [Number(change.id)] } }
    case 'range':
    case 'ticket':
    case 'press':
    case 'app':
      return null
  }
}

type Row = { readonly biz_type: number; readonly biz_id: string; readonly data: object }
/** What applications of the store are told: the state a thing is in now, as a row of its kind. */
function rowOf({ app, suite }: Audience, change: WorldChange): Row | null {
  switch (change.what) {
    case 'press':
      return null
    case 'person':
      return { biz_type: 13, biz_id: change.id, data: { syncAction: people[change.did], userid: change.id } }
    case 'department':
      return { biz_type: 14, biz_id: change.id, data: { syncAction: departments[change.did], id: Number(change.id) } }
    case 'range':
      return { biz_type: 4, biz_id: suite?.id ?? '', data: { syncAction: 'org_suite_change' } }
    case 'ticket':
      return { biz_type: 2, biz_id: suite?.id ?? '', data: { syncAction: 'suite_ticket', suiteTicket: change.ticket } }
    case 'app': {
      if (change.did === 'disabled')
        return { biz_type: 7, biz_id: app?.agent_id ?? '', data: { syncAction: 'org_micro_app_stop' } }
      const { installer = 'manager975', awaits } = app ?? {}
      const installed = {
        permanent_code: change.code ?? awaits ?? `permanent-${app?.corp_id}`,
        auth_user_info: { userId: installer },
        auth_corp_info: { corpid: app?.corp_id },
        auth_info: { agent: [{ agentid: Number(app?.agent_id), admin_list: [installer] }] },
        auth_scope: { errcode: 0, auth_org_scopes: { authed_user: [], authed_dept: [1] } },
      }
      const data = change.did === 'enabled' ? installed : {}
      return { biz_type: 4, biz_id: suite?.id ?? '', data: { syncAction: apps[change.did], ...data } }
    }
  }
}
/** Whoever sells the application is told of its tickets in its own company's name. */
const seller = 'dingseller0000000000'
let rows = 0
function pushedRow(told: Audience, { biz_type, biz_id, data }: Row, now: number): Pushed {
  rows += 1
  const row = {
    gmt_create: now,
    biz_type,
    open_cursor: 0,
    subscribe_id: '16807001_0',
    id: rows,
    gmt_modified: now,
    biz_id,
    biz_data: JSON.stringify(data),
    corp_id: told.corp_id ?? seller,
    status: 0,
  }
  const EventType = biz_type < 10 ? 'SYNC_HTTP_PUSH_HIGH' : 'SYNC_HTTP_PUSH_MEDIUM'
  return pushed(told, { EventType, bizData: [row] }, now)
}

function pushed(told: Audience, value: object, now: number): Pushed {
  const { cipher, signature, nonce } = enveloped(told, JSON.stringify(value), String(now))
  const query = new URLSearchParams({ msg_signature: signature, signature, timestamp: String(now), nonce })
  const body = JSON.stringify({ encrypt: cipher })
  return {
    method: 'POST',
    url: `${told.target.url}?${query}`,
    headers: { 'content-type': 'application/json' },
    body,
    plain: JSON.stringify(value),
  }
}

export const dingtalkEvent =
  (now: () => number) =>
  (told: Audience, change: WorldChange): Pushed | null => {
    const at = now()
    if (told.suite) {
      const row = rowOf(told, change)
      return row && pushedRow(told, row, at)
    }
    const found = about(change)
    if (!found) return null
    const common = {
      EventTime: at,
      CorpId: told.corp_id ?? undefined,
      BizId: String(at),
      eventId: randomBytes(16).toString('hex'),
      timeStamp: String(at),
    }
    return pushed(told, { EventType: found.type, ...common, ...found.more }, at)
  }
export const dingtalkCheck =
  (now: () => number) =>
  (told: Audience, word: string): Pushed =>
    pushed(told, told.suite ? { EventType: 'check_update_suite_url', Random: word } : { EventType: 'check_url' }, now())

/** A plain `success` is no answer: it must be enciphered, signed and for the right receiver. */
export function isDingtalkAnswer(told: Audience, answer: Reply, word: string | null): boolean {
  const { msg_signature, timeStamp, nonce, encrypt } = objectIn(answer.body)
  const signed = createHash('sha1')
    .update([told.target.token, said(timeStamp), said(nonce), said(encrypt)].sort().join(''))
    .digest('hex')
  if (answer.status !== 200 || signed !== msg_signature) return false
  try {
    const key = Buffer.from(`${told.target.aes_key}=`, 'base64')
    const opening = createDecipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false)
    const text = Buffer.concat([opening.update(said(encrypt), 'base64'), opening.final()])
    const end = 20 + text.readUInt32BE(16)
    const expected = word !== null && told.suite ? word : 'success'
    return (
      text.subarray(20, end).toString() === expected &&
      text.subarray(end, end + told.receiver.length).toString() === told.receiver
    )
  } catch {
    return false
  }
}
