/**
 * The envelope of WeCom's and DingTalk's callbacks: SHA-1 over four sorted parts, AES-256-CBC with a length and a
 * receiver inside and a padding of up to 32 bytes (platform/wecom.md §6.3, dingtalk.md §6).
 */
import { createCipheriv, createDecipheriv, createHash, timingSafeEqual } from 'node:crypto'

const blockSize = 32
const headerBytes = 20

const decodeKey = (aes_key: string): Buffer => Buffer.from(`${aes_key}=`, 'base64')

/** Compares digests in constant time, so that the duration does not reveal where the values differ. */
export function isEqualConstantTime(actual: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(actual), digest(expected))
}

export function computeEnvelopeSignature(params: { token: string; timestamp: string; nonce: string; cipher: string }): string {
  const { token, timestamp, nonce, cipher } = params
  return createHash('sha1')
    .update([token, timestamp, nonce, cipher].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).join(''))
    .digest('hex')
}

/** Returns null for any kind of invalid envelope, without a reason. */
export function decryptEnvelope(aes_key: string, cipher: string): { text: string; receiver: string } | null {
  try {
    const key = decodeKey(aes_key)
    const decipher = createDecipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false)
    const padded = Buffer.concat([decipher.update(cipher, 'base64'), decipher.final()])
    const pad = padded.at(-1) ?? 0
    const plaintext = padded.subarray(0, padded.length - pad)
    const ending = padded.subarray(plaintext.length)
    if (
      pad < 1 ||
      pad > blockSize ||
      ending.length !== pad ||
      ending.some((byte) => byte !== pad) ||
      plaintext.length < headerBytes
    )
      return null
    const end = headerBytes + plaintext.readUInt32BE(16)
    if (end > plaintext.length) return null
    return { text: plaintext.subarray(headerBytes, end).toString('utf8'), receiver: plaintext.subarray(end).toString('utf8') }
  } catch {
    return null
  }
}

export function encryptEnvelope(aes_key: string, content: { text: string; receiver: string; random: Uint8Array }): string {
  const key = decodeKey(aes_key)
  const message = Buffer.from(content.text)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(message.length)
  const plaintext = Buffer.concat([content.random, length, message, Buffer.from(content.receiver)])
  const pad = blockSize - (plaintext.length % blockSize)
  const cipher = createCipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false)
  return Buffer.concat([cipher.update(plaintext), cipher.update(Buffer.alloc(pad, pad)), cipher.final()]).toString('base64')
}

/** Returns whether a time is within five minutes of now; a missing time is not recent. */
export const isRecent = (at_ms: number, now: Date): boolean => Math.abs(now.getTime() - at_ms) <= 300_000
