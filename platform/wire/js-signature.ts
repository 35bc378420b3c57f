/** The signature of a page's address for the clients' scripts: the same text on all three platforms. */
import { createHash } from 'node:crypto'

export type Hash = 'sha1' | 'sha256'

export function jsSignature(
  parts: { ticket: string; nonce: string; timestamp: string; url: string },
  hash: Hash = 'sha1',
): string {
  const url = parts.url.split('#')[0] ?? ''
  const signed = `jsapi_ticket=${parts.ticket}&noncestr=${parts.nonce}&timestamp=${parts.timestamp}&url=${url}`
  return createHash(hash).update(signed).digest('hex')
}
