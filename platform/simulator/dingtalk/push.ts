/** What DingTalk tells an application's address: JSON in the envelope that WeCom uses, and an answer in the same (dingtalk.md §6). */
import { createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { type Audience, objectIn, type Pushed, type Reply, said, type WorldChange } from '../state.ts'
import { enveloped } from '../wecom/push.ts'

const people = { added: 'user_add_org', changed: 'user_modify_org', removed: 'user_leave_org' } as const
const departments = { added: 'org_dept_create', changed: 'org_dept_modify', removed: 'org_dept_remove' } as const
const apps = { enabled: 'org_suite_auth', disabled: 'org_micro_app_stop', removed: 'org_suite_relieve' } as const

function about(told: Audience, change: WorldChange): { type: string; more: object } | null {
  switch (change.what) {
    case 'person':
      return { type: people[change.did], more: { userId: [change.id] } }
    case 'department':
      return { type: departments[change.did], more: { deptId: [Number(change.id)] } }
    case 'range':
      return told.suite ? { type: 'org_suite_change', more: {} } : null
    case 'ticket':
      return { type: 'suite_ticket', more: { suiteTicket: change.ticket, SuiteKey: told.suite?.id } }
    case 'app':
      return told.suite ? { type: apps[change.did], more: {} } : null
  }
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
    const found = about(told, change)
    if (!found) return null
    const at = now()
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
