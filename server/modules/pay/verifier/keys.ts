/** The keys of a company, one after the other: each is named by its thumbprint and vouched for by the one before it. */
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
  /** The thumbprint of its JWK (RFC 7638, RFC 8037): who knows this knows the key. */
  readonly kid: string
  /** The public key, 32 bytes in base64url. */
  readonly x: string
  readonly since: string
  /** Of the key before it, of the first its own, over the statement. */
  readonly signature: string
}

const toJwk = (x: string) => ({ crv: 'Ed25519', kty: 'OKP', x })
export const computeKeyId = (x: string): string => sha256Base64Url(canonicalizeJson(toJwk(x)))
export const toPublicKey = (x: string): KeyObject => createPublicKey({ key: toJwk(x), format: 'jwk' })

/** What the key before says of a key. */
export const formatKeyStatement = (company_id: string, { kid, x, since }: Omit<KeyEntry, 'signature'>): string =>
  canonicalizeJson({ form: keyFormat, company_id, kid, x, since })

/** Whether `signature` is this key's over `text`. Never throws. */
export function isSignedBy(x: string, text: string, signature: string): boolean {
  try {
    return verify(null, Buffer.from(text), toPublicKey(x), decodeBase64Url(signature))
  } catch {
    return false
  }
}

const keyEntryShape = { kid: isSha256Hash, x: isString, since: isIsoTimestamp, signature: isString }
const isKeyEntry = (value: unknown): value is KeyEntry => matchesShape<KeyEntry>(value, keyEntryShape)

/** The whole history of a company's keys: every one after the first was there because the one before says so. */
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

/** Requests that were under way when the next key came have signed with the one before. */
const keyOverlapMs = 10 * 60_000

/** The key of this name, as it was in use at that time. */
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
