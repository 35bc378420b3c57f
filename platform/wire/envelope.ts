/**
 * The envelope of WeCom's and DingTalk's callbacks: SHA-1 over four sorted parts, AES-256-CBC with a length and a receiver inside and a padding of up
 * to 32 bytes (platform/wecom.md §6.3, dingtalk.md §6).
 */
import { createCipheriv, createDecipheriv, createHash, timingSafeEqual } from 'node:crypto'

const block = 32
const head = 20

const keyOf = (aes_key: string): Buffer => Buffer.from(`${aes_key}=`, 'base64')

/** Bytes are compared as a whole: the time says nothing about where they differ. */
export function isSame(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(wanted))
}

export function envelopeSignature(parts: { token: string; timestamp: string; nonce: string; cipher: string }): string {
  const { token, timestamp, nonce, cipher } = parts
  return createHash('sha1')
    .update([token, timestamp, nonce, cipher].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).join(''))
    .digest('hex')
}

/** Null, without a reason, for whatever is wrong with it. */
export function openEnvelope(aes_key: string, cipher: string): { text: string; receiver: string } | null {
  try {
    const key = keyOf(aes_key)
    const decipher = createDecipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false)
    const padded = Buffer.concat([decipher.update(cipher, 'base64'), decipher.final()])
    const pad = padded.at(-1) ?? 0
    const plain = padded.subarray(0, padded.length - pad)
    const ending = padded.subarray(plain.length)
    if (pad < 1 || pad > block || ending.length !== pad || ending.some((byte) => byte !== pad) || plain.length < head) return null
    const end = head + plain.readUInt32BE(16)
    if (end > plain.length) return null
    return { text: plain.subarray(head, end).toString('utf8'), receiver: plain.subarray(end).toString('utf8') }
  } catch {
    return null
  }
}

export function sealEnvelope(aes_key: string, given: { text: string; receiver: string; random: Uint8Array }): string {
  const key = keyOf(aes_key)
  const message = Buffer.from(given.text)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(message.length)
  const plain = Buffer.concat([given.random, length, message, Buffer.from(given.receiver)])
  const pad = block - (plain.length % block)
  const cipher = createCipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false)
  return Buffer.concat([cipher.update(plain), cipher.update(Buffer.alloc(pad, pad)), cipher.final()]).toString('base64')
}

/** Five minutes to either side; what names no time is old. */
export const isFresh = (at_ms: number, now: Date): boolean => Math.abs(now.getTime() - at_ms) <= 300_000
