/**
 * Callbacks from WeCom to applications in its envelope; implemented independently of the product's code, so that each
 * verifies the other (wecom.md §6).
 */
import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import type { CallbackMessage, CallbackRecipient, WorldChange } from '../callbacks.ts'
import { toOpenUserId } from './ids.ts'

/** Encrypts a callback of WeCom or DingTalk: a key of 43 characters, a random prefix, a length, padding to 32 bytes. */
export function encryptCallback(
  recipient: CallbackRecipient,
  text: string,
  at: string,
): { cipher: string; signature: string; nonce: string } {
  const key = Buffer.from(`${recipient.target.aes_key}=`, 'base64')
  const body = Buffer.from(text, 'utf8')
  const length = Buffer.from([body.length >>> 24, (body.length >>> 16) & 255, (body.length >>> 8) & 255, body.length & 255])
  const plaintext = Buffer.concat([randomBytes(16), length, body, Buffer.from(recipient.receiver, 'utf8')])
  const missing = 32 - (plaintext.length % 32)
  const cipherStream = createCipheriv('aes-256-cbc', key, key.subarray(0, 16))
  cipherStream.setAutoPadding(false)
  const cipher =
    cipherStream.update(Buffer.concat([plaintext, Buffer.alloc(missing, missing)]), undefined, 'base64') +
    cipherStream.final('base64')
  const nonce = String(randomBytes(4).readUInt32BE())
  const signature = createHash('sha1').update([recipient.target.token, at, nonce, cipher].sort().join('')).digest('hex')
  return { cipher, signature, nonce }
}

const formatCdata = (name: string, value: string | undefined): string =>
  value === undefined ? '' : `<${name}><![CDATA[${value}]]></${name}>`
const verbByAction = { added: 'create', changed: 'update', removed: 'delete' } as const

function createEventXml(recipient: CallbackRecipient, change: WorldChange, seconds: number): string | null {
  const time = `<TimeStamp>${seconds}</TimeStamp>`
  const suite = recipient.suite ? formatCdata('SuiteId', recipient.suite.id) : ''
  const createSuiteXml = (type: string, more: string) => `<xml>${suite}${formatCdata('InfoType', type)}${time}${more}</xml>`
  if (change.kind === 'ticket') return createSuiteXml('suite_ticket', formatCdata('SuiteTicket', change.ticket))
  const corp = formatCdata('AuthCorpId', recipient.corp_id ?? '')
  if (change.kind === 'press') return null
  if (change.kind === 'range') return recipient.suite ? createSuiteXml('change_auth', corp) : null
  if (change.kind === 'app') {
    if (!recipient.suite) return null
    if (change.action === 'enabled') return createSuiteXml('create_auth', formatCdata('AuthCode', change.code ?? ''))
    return change.action === 'removed' ? createSuiteXml('cancel_auth', corp) : null
  }
  const person = change.kind === 'person'
  const type = `${verbByAction[change.action]}_${person ? 'user' : 'party'}`
  const openUserId = recipient.suite && person ? toOpenUserId(recipient.corp_id ?? '', change.id) : null
  if (openUserId)
    return createSuiteXml(
      'change_contact',
      `${corp}${formatCdata('ChangeType', type)}${formatCdata('UserID', openUserId)}${formatCdata('OpenUserID', openUserId)}`,
    )
  const subjectXml = person
    ? `${formatCdata('UserID', change.id)}${formatCdata('NewUserID', change.new_id)}`
    : `<Id>${change.id}</Id>`
  if (recipient.suite) return createSuiteXml('change_contact', `${corp}${formatCdata('ChangeType', type)}${subjectXml}`)
  return `<xml>${formatCdata('ToUserName', recipient.corp_id ?? '')}${formatCdata('FromUserName', 'sys')}<CreateTime>${seconds}</CreateTime>${formatCdata('MsgType', 'event')}${formatCdata('Event', 'change_contact')}${formatCdata('ChangeType', type)}${subjectXml}</xml>`
}

function createCallback(recipient: CallbackRecipient, text: string, seconds: number): CallbackMessage {
  const { cipher, signature, nonce } = encryptCallback(recipient, text, String(seconds))
  const query = new URLSearchParams({ msg_signature: signature, timestamp: String(seconds), nonce })
  const body = `<xml>${formatCdata('ToUserName', recipient.receiver)}${formatCdata('AgentID', recipient.app?.agent_id ?? '')}${formatCdata('Encrypt', cipher)}</xml>`
  return {
    method: 'POST',
    url: `${recipient.target.url}?${query}`,
    headers: { 'content-type': 'text/xml' },
    body,
    plaintext: text,
  }
}

export const createWecomEvent =
  (now: () => number) =>
  (recipient: CallbackRecipient, change: WorldChange): CallbackMessage | null => {
    const seconds = Math.floor(now() / 1000)
    const text = createEventXml(recipient, change, seconds)
    return text === null ? null : createCallback(recipient, text, seconds)
  }
export const createWecomCheck =
  (now: () => number) =>
  (recipient: CallbackRecipient, challenge: string): CallbackMessage => {
    const seconds = String(Math.floor(now() / 1000))
    const { cipher, signature, nonce } = encryptCallback(recipient, challenge, seconds)
    const query = new URLSearchParams({ msg_signature: signature, timestamp: seconds, nonce, echostr: cipher })
    return { method: 'GET', url: `${recipient.target.url}?${query}`, plaintext: challenge }
  }
