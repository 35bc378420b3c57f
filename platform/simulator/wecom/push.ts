/** What WeCom tells an application's address, in its envelope; written apart from the product's own, so that each proves the other (wecom.md §6). */
import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import type { Audience, Pushed, WorldChange } from '../told.ts'
import { openIdOf } from './ids.ts'

/** 43 characters of a key, a random head, a length, a padding to 32: WeCom's and DingTalk's. */
export function enveloped(told: Audience, text: string, at: string): { cipher: string; signature: string; nonce: string } {
  const key = Buffer.from(`${told.target.aes_key}=`, 'base64')
  const body = Buffer.from(text, 'utf8')
  const length = Buffer.from([body.length >>> 24, (body.length >>> 16) & 255, (body.length >>> 8) & 255, body.length & 255])
  const whole = Buffer.concat([randomBytes(16), length, body, Buffer.from(told.receiver, 'utf8')])
  const missing = 32 - (whole.length % 32)
  const sealing = createCipheriv('aes-256-cbc', key, key.subarray(0, 16))
  sealing.setAutoPadding(false)
  const cipher =
    sealing.update(Buffer.concat([whole, Buffer.alloc(missing, missing)]), undefined, 'base64') + sealing.final('base64')
  const nonce = String(randomBytes(4).readUInt32BE())
  const signature = createHash('sha1').update([told.target.token, at, nonce, cipher].sort().join('')).digest('hex')
  return { cipher, signature, nonce }
}

const cdata = (name: string, value: string | undefined): string =>
  value === undefined ? '' : `<${name}><![CDATA[${value}]]></${name}>`
const verbs = { added: 'create', changed: 'update', removed: 'delete' } as const

function inner(told: Audience, change: WorldChange, seconds: number): string | null {
  const time = `<TimeStamp>${seconds}</TimeStamp>`
  const suite = told.suite ? cdata('SuiteId', told.suite.id) : ''
  const ofSuite = (type: string, more: string) => `<xml>${suite}${cdata('InfoType', type)}${time}${more}</xml>`
  if (change.what === 'ticket') return ofSuite('suite_ticket', cdata('SuiteTicket', change.ticket))
  const corp = cdata('AuthCorpId', told.corp_id ?? '')
  if (change.what === 'press') return null
  if (change.what === 'range') return told.suite ? ofSuite('change_auth', corp) : null
  if (change.what === 'app') {
    if (!told.suite) return null
    if (change.did === 'enabled') return ofSuite('create_auth', cdata('AuthCode', change.code ?? ''))
    return change.did === 'removed' ? ofSuite('cancel_auth', corp) : null
  }
  const person = change.what === 'person'
  const type = `${verbs[change.did]}_${person ? 'user' : 'party'}`
  const open = told.suite && person ? openIdOf(told.corp_id ?? '', change.id) : null
  if (open)
    return ofSuite('change_contact', `${corp}${cdata('ChangeType', type)}${cdata('UserID', open)}${cdata('OpenUserID', open)}`)
  const about = person ? `${cdata('UserID', change.id)}${cdata('NewUserID', change.new_id)}` : `<Id>${change.id}</Id>`
  if (told.suite) return ofSuite('change_contact', `${corp}${cdata('ChangeType', type)}${about}`)
  return `<xml>${cdata('ToUserName', told.corp_id ?? '')}${cdata('FromUserName', 'sys')}<CreateTime>${seconds}</CreateTime>${cdata('MsgType', 'event')}${cdata('Event', 'change_contact')}${cdata('ChangeType', type)}${about}</xml>`
}

function pushed(told: Audience, text: string, seconds: number): Pushed {
  const { cipher, signature, nonce } = enveloped(told, text, String(seconds))
  const query = new URLSearchParams({ msg_signature: signature, timestamp: String(seconds), nonce })
  const body = `<xml>${cdata('ToUserName', told.receiver)}${cdata('AgentID', told.app?.agent_id ?? '')}${cdata('Encrypt', cipher)}</xml>`
  return { method: 'POST', url: `${told.target.url}?${query}`, headers: { 'content-type': 'text/xml' }, body, plain: text }
}

export const wecomEvent =
  (now: () => number) =>
  (told: Audience, change: WorldChange): Pushed | null => {
    const seconds = Math.floor(now() / 1000)
    const text = inner(told, change, seconds)
    return text === null ? null : pushed(told, text, seconds)
  }
export const wecomCheck =
  (now: () => number) =>
  (told: Audience, word: string): Pushed => {
    const seconds = String(Math.floor(now() / 1000))
    const { cipher, signature, nonce } = enveloped(told, word, seconds)
    const query = new URLSearchParams({ msg_signature: signature, timestamp: seconds, nonce, echostr: cipher })
    return { method: 'GET', url: `${told.target.url}?${query}`, plain: word }
  }
