/** RFC 3161 time stamps: proof that an authority had these 32 bytes then. Verified offline by the token (RFC 5652, 5035). */
import { constants, createHash, verify, X509Certificate } from 'node:crypto'
import { VerificationError } from './canonical.ts'
import { type DerValue, expectTag, getDerChildren, parseDer, readGeneralizedTime, readOid, readSequence } from './der.ts'

const signedDataOid = '1.2.840.113549.1.7.2'
const tstInfoOid = '1.2.840.113549.1.9.16.1.4'
const contentTypeOid = '1.2.840.113549.1.9.3'
const messageDigestOid = '1.2.840.113549.1.9.4'
const signingCertificateOid = '1.2.840.113549.1.9.16.2.12'
const signingCertificateV2Oid = '1.2.840.113549.1.9.16.2.47'
const rsaPssOid = '1.2.840.113549.1.1.10'
/** The only usage that the key of a time-stamping authority may have (RFC 3161, 2.3). */
const timeStampingUsageOid = '1.3.6.1.5.5.7.3.8'
const sha256Oid = '2.16.840.1.101.3.4.2.1'
const digestNames: Readonly<Record<string, string>> = {
  [sha256Oid]: 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}

const createForgedError = (reason: string) => new VerificationError('forged', `时间戳不成立：${reason}`)
function getDigestName(algorithm: DerValue | undefined): string {
  const name = digestNames[readOid(readSequence(algorithm)[0])]
  if (!name) throw createForgedError('使用了不支持的摘要算法')
  return name
}

export type TimeStamp = {
  /** Time of the authority's clock, in UTC and ISO 8601. */
  readonly at: string
  /** Subject of the authority's certificate, and the SHA-256 of the certificate in hex, which identifies the authority. */
  readonly authority: string
  readonly fingerprint: string
  /** The nonce of the request; null where there was none. */
  readonly nonce: string | null
}

type Signer = {
  readonly certificate: X509Certificate
  readonly digest: string
  readonly attributes: DerValue
  readonly fields: readonly DerValue[]
}

/** Returns the values of a signed attribute that must occur exactly once. */
function findAttribute(attributes: DerValue, oid: string): DerValue | undefined {
  const matches = getDerChildren(attributes).filter((one) => readOid(readSequence(one)[0]) === oid)
  if (matches.length > 1) throw createForgedError('签名属性重复')
  return matches[0] && getDerChildren(expectTag(readSequence(matches[0])[1], 0x31))[0]
}

/** Finds the signing certificate: the one that the signed attributes name by its hash. */
function findCertificate(attributes: DerValue, certificates: readonly DerValue[]): X509Certificate {
  const v2 = findAttribute(attributes, signingCertificateV2Oid)
  const named = v2 ?? findAttribute(attributes, signingCertificateOid)
  const [id] = readSequence(readSequence(named)[0])
  const fields = readSequence(id)
  const hasAlgorithm = fields[0]?.tag === 0x30
  const digest = v2 ? (hasAlgorithm ? getDigestName(fields[0]) : 'sha256') : 'sha1'
  const hash = expectTag(fields[hasAlgorithm ? 1 : 0], 0x04).body
  const raw = certificates.find(({ bytes }) => createHash(digest).update(bytes).digest().equals(hash))
  if (!raw) throw createForgedError('里面没有签发者的证书，或证书被改动过')
  return new X509Certificate(raw.bytes)
}

/** Returns the signer after checking everything that the signature covers. */
function verifySigner(info: DerValue | undefined, certificates: readonly DerValue[]): Signer {
  const fields = readSequence(info)
  const attributes = expectTag(fields[3], 0xa0)
  const certificate = findCertificate(attributes, certificates)
  const serial = expectTag(readSequence(fields[1])[1], 0x02)
    .body.toString('hex')
    .replace(/^(?:00)+/, '')
  if (serial.toUpperCase() !== certificate.serialNumber.toUpperCase().replace(/^(?:00)+/, ''))
    throw createForgedError('签发者和证书不符')
  const digest = getDigestName(fields[2])
  // The signature covers the attributes encoded with the tag of a SET.
  const signedAttributes = Buffer.concat([Buffer.from([0x31]), attributes.bytes.subarray(1)])
  const isPss = readOid(readSequence(fields[4])[0]) === rsaPssOid
  const padding = isPss ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO } : {}
  if (!verify(digest, signedAttributes, { key: certificate.publicKey, ...padding }, expectTag(fields[5], 0x04).body))
    throw createForgedError('签名和内容不符')
  return { certificate, digest, attributes, fields }
}

/** Reads TSTInfo (RFC 3161, 2.4.2). */
function readTstInfo(content: Buffer, hash: Buffer) {
  const [version, , imprint, , time, ...more] = readSequence(parseDer(content))
  if (expectTag(version, 0x02).body.toString('hex') !== '01') throw createForgedError('版本不符')
  const [algorithm, hashed] = readSequence(imprint)
  if (readOid(readSequence(algorithm)[0]) !== sha256Oid || !expectTag(hashed, 0x04).body.equals(hash))
    throw createForgedError('不是给这份内容的')
  return { at: readGeneralizedTime(time), nonce: more.find(({ tag }) => tag === 0x02)?.body.toString('hex') ?? null }
}

function verifyToken(token: Buffer, hash: Buffer): TimeStamp {
  const [type, wrapped] = readSequence(parseDer(token))
  if (readOid(type) !== signedDataOid) throw createForgedError('不是签名数据')
  const [, , encapsulated, ...rest] = readSequence(getDerChildren(expectTag(wrapped, 0xa0))[0])
  const [kind, wrappedContent] = readSequence(encapsulated)
  if (readOid(kind) !== tstInfoOid) throw createForgedError('不是时间戳')
  const content = expectTag(getDerChildren(expectTag(wrappedContent, 0xa0))[0], 0x04).body
  const certificates = getDerChildren(expectTag(rest[0], 0xa0))
  const [info, ...others] = getDerChildren(expectTag(rest.at(-1), 0x31))
  if (others.length > 0) throw createForgedError('签发者不止一个')
  const { certificate, digest, attributes } = verifySigner(info, certificates)
  const contentType = readOid(findAttribute(attributes, contentTypeOid))
  const signedDigest = expectTag(findAttribute(attributes, messageDigestOid), 0x04).body
  if (contentType !== tstInfoOid || !signedDigest.equals(createHash(digest).update(content).digest()))
    throw createForgedError('内容被改动过')
  const { at, nonce } = readTstInfo(content, hash)
  if (certificate.keyUsage?.join() !== timeStampingUsageOid) throw createForgedError('签发者的证书不是用来签时间戳的')
  const time = Date.parse(at)
  if (time < Date.parse(certificate.validFrom) || time > Date.parse(certificate.validTo))
    throw createForgedError('签发时证书不在有效期内')
  const [, commonName] = /^CN=(.*)$/m.exec(certificate.subject) ?? []
  return {
    at,
    authority: commonName ?? certificate.subject.replaceAll('\n', ' '),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    nonce,
  }
}

/**
 * Throws `VerificationError` unless the token is a time stamp of this SHA-256 hash by the authority whose certificate
 * it contains; the fingerprint shows which authority that is.
 */
export function verifyTimeStamp(token: Buffer, hash: Buffer): TimeStamp {
  try {
    return verifyToken(token, hash)
  } catch (error) {
    // Node throws other errors for certificates and keys that it cannot read.
    throw error instanceof VerificationError ? error : createForgedError('证书或签名无法读取')
  }
}
