/** Builds requests for time stamps (RFC 3161) and checks the responses. Sends nothing itself. */
import { createHash, randomBytes } from 'node:crypto'
import { VerificationError } from './verifier/canonical.ts'
import { expectTag, parseDer, readSequence } from './verifier/der.ts'
import { verifyTimeStamp } from './verifier/time-stamp.ts'

/** Sends a query (application/timestamp-query) and returns the reply; throws on failure. */
export type TimeStampClient = (query: Buffer) => Promise<Buffer>
/** `token` is verified base64url; `error` is a readable reason. */
export type TimeStampResult = { readonly token: string; readonly at: string } | { readonly error: string }

const encodeDer = (tag: number, ...values: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(values)
  return Buffer.concat([Buffer.from(body.length < 0x80 ? [tag, body.length] : [tag, 0x81, body.length]), body])
}
const sha256AlgorithmDer = Buffer.from('300d06096086480165030402010500', 'hex')

/** Builds a TimeStampReq for this hash that asks for the certificate. `nonce` has 16 hex digits, the first between 1 and 7. */
export const buildTimeStampQuery = (hash: Buffer, nonce: string): Buffer =>
  encodeDer(
    0x30,
    encodeDer(0x02, Buffer.from([1])),
    encodeDer(0x30, sha256AlgorithmDer, encodeDer(0x04, hash)),
    encodeDer(0x02, Buffer.from(nonce, 'hex')),
    encodeDer(0x01, Buffer.from([0xff])),
  )

export function readTimeStampToken(reply: Buffer): Buffer {
  const [status, token] = readSequence(parseDer(reply))
  const granted = ['00', '01'].includes(expectTag(readSequence(status)[0], 0x02).body.toString('hex'))
  if (!granted || !token) throw new VerificationError('unreadable', '时间戳服务拒绝了请求')
  return token.bytes
}

/** Returns a time stamp for a text, or why there is none. Never throws, because the file is stored without it then. */
export async function requestTimeStamp(text: string, client: TimeStampClient): Promise<TimeStampResult> {
  const hash = createHash('sha256').update(text).digest()
  // A positive integer with a single DER encoding: neither leading zeros nor the sign bit.
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
