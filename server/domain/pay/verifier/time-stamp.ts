/** A time stamp after RFC 3161: that an authority had these 32 bytes before it at that time. Checked by what stands in it (RFC 5652, RFC 5035), without a network. */
import { constants, createHash, verify, X509Certificate } from 'node:crypto'
import { Wrong } from './canonical.ts'
import { type Der, derOf, must, oidOf, partsOf, sequence, timeOf } from './der.ts'

const signed_data = '1.2.840.113549.1.7.2'
const stamp_content = '1.2.840.113549.1.9.16.1.4'
const content_type = '1.2.840.113549.1.9.3'
const message_digest = '1.2.840.113549.1.9.4'
const signing_certificate = '1.2.840.113549.1.9.16.2.12'
const signing_certificate_v2 = '1.2.840.113549.1.9.16.2.47'
const rsa_pss = '1.2.840.113549.1.1.10'
/** The only thing that a key of an authority may be used for (RFC 3161, 2.3). */
const for_time_stamps = '1.3.6.1.5.5.7.3.8'
const sha256 = '2.16.840.1.101.3.4.2.1'
const digests: Readonly<Record<string, string>> = {
  [sha256]: 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}

const forged = (why: string) => new Wrong('forged', `时间戳不成立：${why}`)
function digestOf(algorithm: Der | undefined): string {
  const name = digests[oidOf(sequence(algorithm)[0])]
  if (!name) throw forged('使用了不支持的摘要算法')
  return name
}

export type TimeStamp = {
  /** When, by the authority's clock: UTC in ISO 8601. */
  readonly at: string
  /** What its certificate calls it, and the certificate's SHA-256 in hex: who knows this knows the authority. */
  readonly authority: string
  readonly print: string
  /** As it was asked with; null where there was none. */
  readonly nonce: string | null
}

type Signer = {
  readonly certificate: X509Certificate
  readonly digest: string
  readonly attributes: Der
  readonly parts: readonly Der[]
}

/** The values of a signed attribute that must be there once. */
function attribute(attributes: Der, oid: string): Der | undefined {
  const found = partsOf(attributes).filter((one) => oidOf(sequence(one)[0]) === oid)
  if (found.length > 1) throw forged('签名属性重复')
  return found[0] && partsOf(must(sequence(found[0])[1], 0x31))[0]
}

/** Which certificate has signed: the one that the signed attributes name by its hash. */
function certificateOf(attributes: Der, certificates: readonly Der[]): X509Certificate {
  const v2 = attribute(attributes, signing_certificate_v2)
  const named = v2 ?? attribute(attributes, signing_certificate)
  const [id] = sequence(sequence(named)[0])
  const fields = sequence(id)
  const hasAlgorithm = fields[0]?.tag === 0x30
  const digest = v2 ? (hasAlgorithm ? digestOf(fields[0]) : 'sha256') : 'sha1'
  const hash = must(fields[hasAlgorithm ? 1 : 0], 0x04).body
  const raw = certificates.find(({ bytes }) => createHash(digest).update(bytes).digest().equals(hash))
  if (!raw) throw forged('里面没有签发者的证书，或证书被改动过')
  return new X509Certificate(raw.bytes)
}

/** The one signer, after everything that his signature covers was held against it. */
function signerOf(info: Der | undefined, certificates: readonly Der[]): Signer {
  const parts = sequence(info)
  const attributes = must(parts[3], 0xa0)
  const certificate = certificateOf(attributes, certificates)
  const serial = must(sequence(parts[1])[1], 0x02)
    .body.toString('hex')
    .replace(/^(?:00)+/, '')
  if (serial.toUpperCase() !== certificate.serialNumber.toUpperCase().replace(/^(?:00)+/, '')) throw forged('签发者和证书不符')
  const digest = digestOf(parts[2])
  // What is signed is the set of attributes, under the tag of a set.
  const text = Buffer.concat([Buffer.from([0x31]), attributes.bytes.subarray(1)])
  const isPss = oidOf(sequence(parts[4])[0]) === rsa_pss
  const padding = isPss ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO } : {}
  if (!verify(digest, text, { key: certificate.publicKey, ...padding }, must(parts[5], 0x04).body)) throw forged('签名和内容不符')
  return { certificate, digest, attributes, parts }
}

/** What it says: TSTInfo (RFC 3161, 2.4.2). */
function saidIn(content: Buffer, hash: Buffer) {
  const [version, , imprint, , time, ...more] = sequence(derOf(content))
  if (must(version, 0x02).body.toString('hex') !== '01') throw forged('版本不符')
  const [algorithm, hashed] = sequence(imprint)
  if (oidOf(sequence(algorithm)[0]) !== sha256 || !must(hashed, 0x04).body.equals(hash)) throw forged('不是给这份内容的')
  return { at: timeOf(time), nonce: more.find(({ tag }) => tag === 0x02)?.body.toString('hex') ?? null }
}

function check(token: Buffer, hash: Buffer): TimeStamp {
  const [type, wrapped] = sequence(derOf(token))
  if (oidOf(type) !== signed_data) throw forged('不是签名数据')
  const [, , encapsulated, ...rest] = sequence(partsOf(must(wrapped, 0xa0))[0])
  const [kind, boxed] = sequence(encapsulated)
  if (oidOf(kind) !== stamp_content) throw forged('不是时间戳')
  const content = must(partsOf(must(boxed, 0xa0))[0], 0x04).body
  const certificates = partsOf(must(rest[0], 0xa0))
  const [info, ...others] = partsOf(must(rest.at(-1), 0x31))
  if (others.length > 0) throw forged('签发者不止一个')
  const { certificate, digest, attributes } = signerOf(info, certificates)
  const is = oidOf(attribute(attributes, content_type))
  const said = must(attribute(attributes, message_digest), 0x04).body
  if (is !== stamp_content || !said.equals(createHash(digest).update(content).digest())) throw forged('内容被改动过')
  const { at, nonce } = saidIn(content, hash)
  if (certificate.keyUsage?.join() !== for_time_stamps) throw forged('签发者的证书不是用来签时间戳的')
  const time = Date.parse(at)
  if (time < Date.parse(certificate.validFrom) || time > Date.parse(certificate.validTo)) throw forged('签发时证书不在有效期内')
  const [, called] = /^CN=(.*)$/m.exec(certificate.subject) ?? []
  return {
    at,
    authority: called ?? certificate.subject.replaceAll('\n', ' '),
    print: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    nonce,
  }
}

/** Throws `Wrong` unless the token is a time stamp of this hash (SHA-256) by the authority whose certificate it brings along; whose that is, its print tells. */
export function checkTimeStamp(token: Buffer, hash: Buffer): TimeStamp {
  try {
    return check(token, hash)
  } catch (error) {
    // What Node says of a certificate or key that it cannot read.
    throw error instanceof Wrong ? error : forged('证书或签名无法读取')
  }
}
