/** Asking an authority for a time stamp (RFC 3161): what is asked, and whether the answer is one. Nothing is sent here. */
import { createHash, randomBytes } from 'node:crypto'
import { VerificationError } from './verifier/canonical.ts'
import { expectTag, parseDer, readSequence } from './verifier/der.ts'
import { verifyTimeStamp } from './verifier/time-stamp.ts'

/** Sends a query (application/timestamp-query) and answers the reply; throws where there is none. */
export type TimeStampClient = (query: Buffer) => Promise<Buffer>
/** `token`: base64url, checked. `fault`: why there is none, for people. */
export type TimeStampResult = { readonly token: string; readonly at: string } | { readonly error: string }

const encodeDer = (tag: number, ...values: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(values)
  return Buffer.concat([Buffer.from(body.length < 0x80 ? [tag, body.length] : [tag, 0x81, body.length]), body])
}
const sha256AlgorithmDer = Buffer.from('300d06096086480165030402010500', 'hex')

/** TimeStampReq of this hash, with the certificate wished for. `nonce`: 16 hex signs, the first of them 1 to 7. */
export const buildTimeStampQuery = (hash: Buffer, nonce: string): Buffer =>
  encodeDer(
    0x30,
    encodeDer(0x02, Buffer.from([1])),
    encodeDer(0x30, sha256AlgorithmDer, encodeDer(0x04, hash)),
    encodeDer(0x02, Buffer.from(nonce, 'hex')),
    encodeDer(0x01, Buffer.from([0xff])),
  )

/** The token in a reply that grants one. */
export function readTimeStampToken(reply: Buffer): Buffer {
  const [status, token] = readSequence(parseDer(reply))
  const granted = ['00', '01'].includes(expectTag(readSequence(status)[0], 0x02).body.toString('hex'))
  if (!granted || !token) throw new VerificationError('unreadable', '时间戳服务拒绝了请求')
  return token.bytes
}

/** A stamp on a text, or why there is none; never throws, for whatever was made is kept without it. */
export async function requestTimeStamp(text: string, client: TimeStampClient): Promise<TimeStampResult> {
  const hash = createHash('sha256').update(text).digest()
  // Positive and of one spelling: neither a leading zero nor the sign's bit.
  const random = randomBytes(8)
  random[0] = ((random[0] ?? 0) & 0x7f) | 0x10
  const nonce = random.toString('hex')
  let reply: Buffer
  try {
    reply = await client(buildTimeStampQuery(hash, nonce))
  } catch {
    return { error: '时间戳服务没有回应' }
  }
  try {
    const token = readTimeStampToken(reply)
    const { at, nonce: returnedNonce } = verifyTimeStamp(token, hash)
    return returnedNonce === nonce ? { token: token.toString('base64url'), at } : { error: '时间戳服务答非所问' }
  } catch (error) {
    return { error: error instanceof VerificationError ? error.message : '时间戳服务的回答无法识别' }
  }
}
