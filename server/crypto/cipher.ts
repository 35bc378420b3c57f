/**
 * Authenticated encryption of one value: AES-256-GCM with additional data.
 *
 * Sealed form: 1 byte format · 4 bytes key id · 12 bytes nonce · ciphertext · 16 bytes tag.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { takeRandomBytes } from './random.ts'

const format = 1
/** Length of the format and the key id. */
export const headerBytes = 5
/**
 * Length of the header of an encrypted value: format, key id and nonce. Encrypting the same value again yields another
 * header.
 */
export const sealedHeaderBytes = headerBytes + 12

/** Encrypts; the value opens only with the same key and additional data. */
export function sealWith(key: Buffer, key_id: number, aad: string, plain: Buffer): Buffer {
  const nonce = takeRandomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.from(aad))
  const start = Buffer.alloc(headerBytes)
  start[0] = format
  start.writeUInt32BE(key_id, 1)
  return Buffer.concat([start, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Decrypts; throws with another key, other additional data or a changed value. */
export function openWith(key: Buffer, aad: string, sealed: Buffer): Buffer {
  if (sealed.length < headerBytes + 28 || sealed[0] !== format) throw new Error('not a sealed value')
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(headerBytes, headerBytes + 12))
  decipher.setAAD(Buffer.from(aad))
  decipher.setAuthTag(sealed.subarray(-16))
  const plain = decipher.update(sealed.subarray(headerBytes + 12, -16))
  // Throws if the tag does not match; in GCM mode it returns no remaining bytes.
  decipher.final()
  return plain
}
