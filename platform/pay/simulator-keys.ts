/** Keys, signatures and request bodies of the simulated providers. */
import { createSign, createVerify, generateKeyPairSync } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export const generateKeyPair = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
export const signText = (text: string, key: string): string => createSign('RSA-SHA256').update(text).sign(key, 'base64')
export const verifySignature = (text: string, signature: string, key: string): boolean =>
  createVerify('RSA-SHA256').update(text).verify(key, signature, 'base64')
export const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}
export const formatShanghaiTime = (at: Date): string =>
  new Date(at.getTime() + 8 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
/** Formats what Alipay's signature covers: all fields except the signature, sorted. */
export const formatSortedFields = (fields: Record<string, string>): string =>
  Object.keys(fields)
    .toSorted()
    .map((name) => `${name}=${fields[name]}`)
    .join('&')
