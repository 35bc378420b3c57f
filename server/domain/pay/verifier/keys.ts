/** The keys of a company, one after the other: each is named by its thumbprint and vouched for by the one before it. */
import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { bytesOf, canonicalOf, hashOf, hasShape, isHash, isText, isTime, Wrong } from './canonical.ts'

export const key_form = 'xinhan-key/1'

export type KeyEntry = {
  /** The thumbprint of its JWK (RFC 7638, RFC 8037): who knows this knows the key. */
  readonly kid: string
  /** The public key, 32 bytes in base64url. */
  readonly x: string
  readonly since: string
  /** Of the key before it, of the first its own, over the statement. */
  readonly signature: string
}

const jwkOf = (x: string) => ({ crv: 'Ed25519', kty: 'OKP', x })
export const kidOf = (x: string): string => hashOf(canonicalOf(jwkOf(x)))
export const publicKeyOf = (x: string): KeyObject => createPublicKey({ key: jwkOf(x), format: 'jwk' })

/** What the key before says of a key. */
export const statementOf = (company_id: string, { kid, x, since }: Omit<KeyEntry, 'signature'>): string =>
  canonicalOf({ form: key_form, company_id, kid, x, since })

/** Whether `signature` is this key's over `text`. Never throws. */
export function isSignedBy(x: string, text: string, signature: string): boolean {
  try {
    return verify(null, Buffer.from(text), publicKeyOf(x), bytesOf(signature))
  } catch {
    return false
  }
}

const shape = { kid: isHash, x: isText, since: isTime, signature: isText }
const isEntry = (value: unknown): value is KeyEntry => hasShape<KeyEntry>(value, shape)

/** The whole history of a company's keys: every one after the first was there because the one before says so. */
export function readKeys(company_id: string, { keys }: Readonly<Record<string, unknown>>): readonly KeyEntry[] {
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every(isEntry)) throw new Wrong('damaged', '签名钥匙的记录不完整')
  let before: KeyEntry | undefined
  for (const key of keys) {
    const signer = before ?? key
    if (kidOf(key.x) !== key.kid) throw new Wrong('forged', '签名钥匙和它的指纹不符')
    if (before && before.since >= key.since) throw new Wrong('forged', '签名钥匙的先后不对')
    if (!isSignedBy(signer.x, statementOf(company_id, key), key.signature))
      throw new Wrong('forged', '签名钥匙没有得到上一把钥匙的认可')
    before = key
  }
  return keys
}

/** Requests that were under way when the next key came have signed with the one before. */
const overlap_ms = 10 * 60_000

/** The key of this name, as it was in use at that time. */
export function keyAt(keys: readonly KeyEntry[], kid: string, at: string): KeyEntry {
  const place = keys.findIndex((key) => key.kid === kid)
  const key = keys[place]
  if (!key) throw new Wrong('unknown_key', '签名钥匙不在这家公司的钥匙记录里')
  const next = keys[place + 1]
  const time = Date.parse(at)
  if (time < Date.parse(key.since) || (next && time > Date.parse(next.since) + overlap_ms))
    throw new Wrong('forged', '签发时间不在这把签名钥匙的使用期内')
  return key
}
