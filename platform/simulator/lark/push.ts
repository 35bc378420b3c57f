/**
 * Callbacks from Lark to applications: JSON, encrypted with the hash of a key, signed over the bytes that are sent
 * (lark.md §6).
 */
import { createCipheriv, createHash, randomBytes, randomUUID } from 'node:crypto'
import type { CallbackMessage, CallbackRecipient, WorldChange } from '../callbacks.ts'
import { parseObjectOrEmpty, type Reply } from '../state.ts'

const verbByAction = { added: 'created', changed: 'updated', removed: 'deleted' } as const
const appEventTypes = { enabled: 'app_open', disabled: 'app_status_change', removed: 'app_uninstalled' } as const

function createCallback(recipient: CallbackRecipient, value: object, now: number, isSigned: boolean): CallbackMessage {
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-cbc', createHash('sha256').update(recipient.target.aes_key).digest(), iv)
  const encrypt = Buffer.concat([iv, cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]).toString('base64')
  const body = JSON.stringify({ encrypt })
  const [timestamp, nonce] = [String(Math.floor(now / 1000)), String(randomBytes(4).readUInt32BE())]
  const signature = createHash('sha256')
    .update(timestamp + nonce + recipient.target.aes_key + body)
    .digest('hex')
  const signatureHeaders: Record<string, string> = isSigned
    ? { 'x-lark-request-timestamp': timestamp, 'x-lark-request-nonce': nonce, 'x-lark-signature': signature }
    : {}
  return {
    method: 'POST',
    url: recipient.target.url,
    headers: { 'content-type': 'application/json; charset=utf-8', ...signatureHeaders },
    body,
    plaintext: JSON.stringify(value),
  }
}

const createLegacyEvent = (recipient: CallbackRecipient, event: object, now: number) => ({
  ts: `${now / 1000}`,
  uuid: randomBytes(16).toString('hex'),
  token: recipient.target.token,
  type: 'event_callback',
  event: { app_id: recipient.receiver, tenant_key: recipient.corp_id ?? undefined, ...event },
})
function createEvent(recipient: CallbackRecipient, event_type: string, event: object, now: number) {
  const { token } = recipient.target
  const header = {
    event_id: randomUUID().replaceAll('-', ''),
    token,
    create_time: String(now),
    event_type,
    tenant_key: recipient.corp_id,
    app_id: recipient.receiver,
  }
  return { schema: '2.0', header, event }
}
/** Includes who installed it, if an administrator did. */
function toAppEventContent({ app }: CallbackRecipient, action: 'enabled' | 'disabled' | 'removed'): object {
  if (action === 'disabled') return { status: 'stop_by_tenant' }
  if (action === 'removed' || !app?.installer) return {}
  return { applicants: [{ open_id: app.installer }], installer: { open_id: app.installer } }
}
function createEventPayload(recipient: CallbackRecipient, change: WorldChange, now: number): object | null {
  switch (change.kind) {
    case 'person': {
      const object = { open_id: change.id, ...(change.action === 'removed' ? { status: { is_resigned: true } } : {}) }
      return createEvent(
        recipient,
        `contact.user.${verbByAction[change.action]}_v3`,
        { object, old_object: { open_id: change.id } },
        now,
      )
    }
    case 'department':
      return createEvent(
        recipient,
        `contact.department.${verbByAction[change.action]}_v3`,
        { object: { open_department_id: change.id } },
        now,
      )
    case 'press':
      return createEvent(
        recipient,
        'card.action.trigger',
        {
          operator: { tenant_key: recipient.corp_id, open_id: change.by },
          token: change.token,
          action: { tag: 'button', value: change.value },
          host: 'im_message',
          context: { open_message_id: change.message_id, open_chat_id: `oc_${change.by}` },
        },
        now,
      )
    case 'range':
      return createEvent(recipient, 'contact.scope.updated_v3', { added: {}, removed: {} }, now)
    case 'ticket':
      return createLegacyEvent(recipient, { type: 'app_ticket', app_ticket: change.ticket }, now)
    case 'app':
      // A company's own application gets no event about its removal.
      return recipient.suite
        ? createLegacyEvent(
            recipient,
            { type: appEventTypes[change.action], ...toAppEventContent(recipient, change.action) },
            now,
          )
        : null
  }
}

export const createLarkEvent =
  (now: () => number) =>
  (recipient: CallbackRecipient, change: WorldChange): CallbackMessage | null => {
    const value = createEventPayload(recipient, change, now())
    return value && createCallback(recipient, value, now(), true)
  }
export const createLarkCheck =
  (now: () => number) =>
  (recipient: CallbackRecipient, challenge: string): CallbackMessage =>
    createCallback(recipient, { challenge, token: recipient.target.token, type: 'url_verification' }, now(), false)

export const isLarkResponse = (_recipient: CallbackRecipient, response: Reply, challenge: string | null): boolean =>
  response.status === 200 && (challenge === null || parseObjectOrEmpty(response.body).challenge === challenge)
