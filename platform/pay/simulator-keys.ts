/** Keys, signatures and texts of the simulated providers. */
import { createSign, createVerify, generateKeyPairSync } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export const pair = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
export const signed = (text: string, key: string): string => createSign('RSA-SHA256').update(text).sign(key, 'base64')
export const isSigned = (text: string, signature: string, key: string): boolean =>
  createVerify('RSA-SHA256').update(text).verify(key, signature, 'base64')
export const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces).toString('utf8')
}
export const wallClock = (at: Date): string => new Date(at.getTime() + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
/** What Alipay's signature covers: the fields but for it, sorted. */
export const inOrder = (fields: Record<string, string>): string =>
  Object.keys(fields)
    .toSorted()
    .map((name) => `${name}=${fields[name]}`)
    .join('&')
