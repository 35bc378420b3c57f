/** What Lark tells an application's address: JSON, enciphered with the hash of a key, signed over the bytes that are sent (lark.md §6). */
import { createCipheriv, createHash, randomBytes, randomUUID } from 'node:crypto'
import { objectIn, type Reply } from '../state.ts'
import type { Audience, Pushed, WorldChange } from '../told.ts'

const verbs = { added: 'created', changed: 'updated', removed: 'deleted' } as const
const apps = { enabled: 'app_open', disabled: 'app_status_change', removed: 'app_uninstalled' } as const

function pushed(told: Audience, value: object, now: number, signed: boolean): Pushed {
  const iv = randomBytes(16)
  const sealing = createCipheriv('aes-256-cbc', createHash('sha256').update(told.target.aes_key).digest(), iv)
  const encrypt = Buffer.concat([iv, sealing.update(JSON.stringify(value), 'utf8'), sealing.final()]).toString('base64')
  const body = JSON.stringify({ encrypt })
  const [timestamp, nonce] = [String(Math.floor(now / 1000)), String(randomBytes(4).readUInt32BE())]
  const signature = createHash('sha256')
    .update(timestamp + nonce + told.target.aes_key + body)
    .digest('hex')
  const proof: Record<string, string> = signed
    ? { 'x-lark-request-timestamp': timestamp, 'x-lark-request-nonce': nonce, 'x-lark-signature': signature }
    : {}
  return {
    method: 'POST',
    url: told.target.url,
    headers: { 'content-type': 'application/json; charset=utf-8', ...proof },
    body,
    plain: JSON.stringify(value),
  }
}

const old = (told: Audience, event: object, now: number) => ({
  ts: `${now / 1000}`,
  uuid: randomBytes(16).toString('hex'),
  token: told.target.token,
  type: 'event_callback',
  event: { app_id: told.receiver, tenant_key: told.corp_id ?? undefined, ...event },
})
function present(told: Audience, event_type: string, event: object, now: number) {
  const { token } = told.target
  const header = {
    event_id: randomUUID().replaceAll('-', ''),
    token,
    create_time: String(now),
    event_type,
    tenant_key: told.corp_id,
    app_id: told.receiver,
  }
  return { schema: '2.0', header, event }
}
/** Who installed it, where an administrator did. */
function aboutApp({ app }: Audience, did: 'enabled' | 'disabled' | 'removed'): object {
  if (did === 'disabled') return { status: 'stop_by_tenant' }
  if (did === 'removed' || !app?.installer) return {}
  return { applicants: [{ open_id: app.installer }], installer: { open_id: app.installer } }
}
function saying(told: Audience, change: WorldChange, now: number): object | null {
  switch (change.what) {
    case 'person': {
      const object = { open_id: change.id, ...(change.did === 'removed' ? { status: { is_resigned: true } } : {}) }
      return present(told, `contact.user.${verbs[change.did]}_v3`, { object, old_object: { open_id: change.id } }, now)
    }
    case 'department':
      return present(told, `contact.department.${verbs[change.did]}_v3`, { object: { open_department_id: change.id } }, now)
    case 'press':
      return present(
        told,
        'card.action.trigger',
        {
          operator: { tenant_key: told.corp_id, open_id: change.by },
          token: change.token,
          action: { tag: 'button', value: change.value },
          host: 'im_message',
          context: { open_message_id: change.message_id, open_chat_id: `oc_${change.by}` },
        },
        now,
      )
    case 'range':
      return present(told, 'contact.scope.updated_v3', { added: {}, removed: {} }, now)
    case 'ticket':
      return old(told, { type: 'app_ticket', app_ticket: change.ticket }, now)
    case 'app':
      // A company's own application is told nothing of its own end.
      return told.suite ? old(told, { type: apps[change.did], ...aboutApp(told, change.did) }, now) : null
  }
}

export const larkEvent =
  (now: () => number) =>
  (told: Audience, change: WorldChange): Pushed | null => {
    const value = saying(told, change, now())
    return value && pushed(told, value, now(), true)
  }
export const larkCheck =
  (now: () => number) =>
  (told: Audience, word: string): Pushed =>
    pushed(told, { challenge: word, token: told.target.token, type: 'url_verification' }, now(), false)

export const isLarkAnswer = (_told: Audience, answer: Reply, word: string | null): boolean =>
  answer.status === 200 && (word === null || objectIn(answer.body).challenge === word)
