/** The signing keys of a company in sequence: each is identified by its thumbprint and signed by the key before it. */
import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import {
  canonicalizeJson,
  decodeBase64Url,
  isIsoTimestamp,
  isSha256Hash,
  isString,
  matchesShape,
  sha256Base64Url,
  VerificationError,
} from './canonical.ts'

export const keyFormat = 'xinhan-key/1'

export type KeyEntry = {
  /** The thumbprint of the JWK (RFC 7638, RFC 8037), which identifies the key. */
  readonly kid: string
  /** The public key, 32 bytes in base64url. */
  readonly x: string
  readonly since: string
  /** Signature over the statement by the previous key, or by the key itself if it is the first. */
  readonly signature: string
}

const toJwk = (x: string) => ({ crv: 'Ed25519', kty: 'OKP', x })
export const computeKeyId = (x: string): string => sha256Base64Url(canonicalizeJson(toJwk(x)))
export const toPublicKey = (x: string): KeyObject => createPublicKey({ key: toJwk(x), format: 'jwk' })

/** Returns the statement about a key that the previous key signs. */
export const formatKeyStatement = (company_id: string, { kid, x, since }: Omit<KeyEntry, 'signature'>): string =>
  canonicalizeJson({ form: keyFormat, company_id, kid, x, since })

/** Checks whether `signature` is a signature of this key over `text`. Never throws. */
export function isSignedBy(x: string, text: string, signature: string): boolean {
  try {
    return verify(null, Buffer.from(text), toPublicKey(x), decodeBase64Url(signature))
  } catch {
    return false
  }
}

const keyEntryShape = { kid: isSha256Hash, x: isString, since: isIsoTimestamp, signature: isString }
const isKeyEntry = (value: unknown): value is KeyEntry => matchesShape<KeyEntry>(value, keyEntryShape)

/** Verifies the key history of a company: every key after the first must be signed by the one before it. */
export function verifyKeyHistory(company_id: string, { keys }: Readonly<Record<string, unknown>>): readonly KeyEntry[] {
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every(isKeyEntry))
    throw new VerificationError('damaged', '签名钥匙的记录不完整')
  let previousKey: KeyEntry | undefined
  for (const key of keys) {
    const signer = previousKey ?? key
    if (computeKeyId(key.x) !== key.kid) throw new VerificationError('forged', '签名钥匙和它的指纹不符')
    if (previousKey && previousKey.since >= key.since) throw new VerificationError('forged', '签名钥匙的先后不对')
    if (!isSignedBy(signer.x, formatKeyStatement(company_id, key), key.signature))
      throw new VerificationError('forged', '签名钥匙没有得到上一把钥匙的认可')
    previousKey = key
  }
  return keys
}

/** Requests in progress when the next key was created have signed with the previous one. */
const keyOverlapMs = 10 * 60_000

/** Returns the key with this id; throws unless it was in use at that time. */
export function getKeyAt(keys: readonly KeyEntry[], kid: string, at: string): KeyEntry {
  const index = keys.findIndex((key) => key.kid === kid)
  const key = keys[index]
  if (!key) throw new VerificationError('unknown_key', '签名钥匙不在这家公司的钥匙记录里')
  const next = keys[index + 1]
  const time = Date.parse(at)
  if (time < Date.parse(key.since) || (next && time > Date.parse(next.since) + keyOverlapMs))
    throw new VerificationError('forged', '签发时间不在这把签名钥匙的使用期内')
  return key
}
