/**
 * A test time-stamping authority (RFC 3161 over HTTP) with real signatures: a certificate for time stamps only, and
 * tokens that any other program can verify. It can be slow, reject, hang up, and respond wrongly in each way that a
 * client must detect.
 */
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const length = (size: number): Buffer => {
  if (size < 0x80) return Buffer.from([size])
  const bytes = Buffer.from(size.toString(16).padStart(size > 0xffff ? 6 : size > 0xff ? 4 : 2, '0'), 'hex')
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes])
}
export const der = (tag: number, ...sections: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(sections)
  return Buffer.concat([Buffer.from([tag]), length(body.length), body])
}
const sequence = (...sections: readonly Buffer[]) => der(0x30, ...sections)
const set = (...sections: readonly Buffer[]) => der(0x31, ...[...sections].sort(Buffer.compare))
const octets = (bytes: Buffer) => der(0x04, bytes)
const number = (value: number | Buffer) => der(0x02, typeof value === 'number' ? Buffer.from([value]) : value)
const oid = (text: string): Buffer => {
  const [a = 0, b = 0, ...rest] = text.split('.').map(Number)
  const bytes = [a * 40 + b, ...rest].flatMap((value) => {
    const septets = [value & 0x7f]
    for (let left = value >> 7; left > 0; left >>= 7) septets.unshift(0x80 | (left & 0x7f))
    return septets
  })
  return der(0x06, Buffer.from(bytes))
}
const generalized = (at: Date) => der(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]|\.\d+/g, '')}`))
const utc = (at: Date) => der(0x17, Buffer.from(at.toISOString().slice(2, 19).replace(/[-:T]/g, '').concat('Z')))
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest()
const sha256_id = sequence(oid('2.16.840.1.101.3.4.2.1'), der(0x05))
const ecdsa = sequence(oid('1.2.840.10045.4.3.2'))
const rsa = sequence(oid('1.2.840.113549.1.1.11'), der(0x05))

type Authority = { readonly key: KeyObject; readonly certificate: Buffer; readonly kind: 'ec' | 'rsa'; readonly name: Buffer }
/** Creates a key with its own certificate. `usage`: the purpose of the key; `until`: its last day. */
export function getAuthority({
  kind = 'ec' as 'ec' | 'rsa',
  usage = '1.3.6.1.5.5.7.3.8',
  since = new Date('2026-01-01T00:00:00Z'),
  until = new Date('2036-01-01T00:00:00Z'),
} = {}): Authority {
  const { privateKey } =
    kind === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('rsa', { modulusLength: 2048 })
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  const name = sequence(der(0x31, sequence(oid('2.5.4.3'), der(0x0c, Buffer.from('试用时间戳机构')))))
  const algorithm = kind === 'ec' ? ecdsa : rsa
  const extensions = der(0xa3, sequence(sequence(oid('2.5.29.37'), der(0x01, Buffer.from([0xff])), octets(sequence(oid(usage))))))
  const body = sequence(
    der(0xa0, number(2)),
    number(7),
    algorithm,
    name,
    sequence(utc(since), utc(until)),
    name,
    spki,
    extensions,
  )
  const certificate = sequence(body, algorithm, der(0x03, Buffer.from([0]), sign('sha256', body, privateKey)))
  return { key: privateKey, certificate, kind, name }
}

export type Wishes = {
  readonly hash: Buffer
  readonly nonce: Buffer | null
  readonly at: Date
}
const attribute = (type: string, value: Buffer) => sequence(oid(type), set(value))

/** Returns a token signed by the authority. */
export function getToken({ key, certificate, kind, name }: Authority, { hash, nonce, at }: Wishes): Buffer {
  const info = sequence(
    number(1),
    oid('1.3.6.1.4.1.13762.3'),
    sequence(sha256_id, octets(hash)),
    number(42),
    generalized(at),
    ...(nonce ? [number(nonce)] : []),
  )
  const attributes = set(
    attribute('1.2.840.113549.1.9.3', oid('1.2.840.113549.1.9.16.1.4')),
    attribute('1.2.840.113549.1.9.4', octets(sha256(info))),
    attribute('1.2.840.113549.1.9.16.2.47', sequence(sequence(sequence(octets(sha256(certificate)))))),
  )
  const signer = sequence(
    number(1),
    sequence(name, number(7)),
    sha256_id,
    Buffer.concat([Buffer.from([0xa0]), attributes.subarray(1)]),
    kind === 'ec' ? ecdsa : rsa,
    octets(sign('sha256', attributes, key)),
  )
  const content = sequence(oid('1.2.840.113549.1.9.16.1.4'), der(0xa0, octets(info)))
  const signed = sequence(number(3), der(0x31, sha256_id), content, der(0xa0, certificate), der(0x31, signer))
  return sequence(oid('1.2.840.113549.1.7.2'), der(0xa0, signed))
}
export const granted = (token: Buffer): Buffer => sequence(sequence(number(0)), token)
const rejected = sequence(sequence(number(2), sequence(der(0x0c, Buffer.from('busy')))))

export type Mood = 'well' | 'slow' | 'refuses' | 'hangs up' | 'a page' | 'other hash' | 'other nonce' | 'garbage' | 'endless'

/** Starts the authority as a server. `mood` may change at any time. */
export async function openAuthority(authority: Authority = getAuthority(), now: () => Date = () => new Date()) {
  const state = { mood: 'well' as Mood, requested: 0 }
  const reply = async (request: IncomingMessage, response: ServerResponse) => {
    const query = Buffer.concat((await request.toArray()) as Buffer[])
    state.requested += 1
    // The hash is in the only octet string of 32 bytes; the nonce is the integer after it.
    const position = query.indexOf(Buffer.from('0420', 'hex')) + 2
    const [hash, size] = [query.subarray(position, position + 32), query[position + 33] ?? 0]
    const nonce = query.subarray(position + 34, position + 34 + size)
    const token = getToken(authority, {
      hash: state.mood === 'other hash' ? sha256(hash) : hash,
      nonce: state.mood === 'other nonce' ? Buffer.from([1]) : nonce,
      at: now(),
    })
    if (state.mood === 'slow') return
    if (state.mood === 'hangs up') return void response.socket?.destroy()
    if (state.mood === 'a page') return void response.setHeader('content-type', 'text/html').end('<h1>Bad gateway</h1>')
    response.setHeader('content-type', 'application/timestamp-reply')
    const answers: Partial<Record<Mood, Buffer>> = {
      refuses: rejected,
      garbage: Buffer.from('3080', 'hex'),
      endless: Buffer.alloc(200_000),
    }
    response.end(answers[state.mood] ?? granted(token))
  }
  const server = createServer((request, response) => void reply(request, response))
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsa`,
    state,
    authority,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
