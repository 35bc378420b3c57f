/** The signature of a page's URL for the clients' scripts: the same text on all three platforms. */
import { createHash } from 'node:crypto'

export type HashAlgorithm = 'sha1' | 'sha256'

export function computeJsSignature(
  params: { ticket: string; nonce: string; timestamp: string; url: string },
  hash: HashAlgorithm = 'sha1',
): string {
  const url = params.url.split('#')[0] ?? ''
  const signedText = `jsapi_ticket=${params.ticket}&noncestr=${params.nonce}&timestamp=${params.timestamp}&url=${url}`
  return createHash(hash).update(signedText).digest('hex')
}
