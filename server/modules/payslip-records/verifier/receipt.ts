/** Receipts: their claims, their format (docs/receipt.md) and their verification. */
import {
  canonicalizeJson,
  decodeBase64Url,
  decodeUtf8,
  isIsoTimestamp,
  isPositiveInteger,
  isSha256Hash,
  isString,
  matchesShape,
  nullable,
  parseCanonicalJson,
  sha256Base64Url,
  VerificationError,
} from './canonical.ts'
import { getKeyAt, isSignedBy, type KeyEntry, verifyKeyHistory } from './keys.ts'

export const receiptFormat = 'xinhan-receipt/1'
export const receiptFileFormat = 'xinhan-receipt-file/1'

/** The claims of a receipt. They contain no amount, and no hash from which an amount could be guessed. */
export type ReceiptClaims = {
  readonly form: typeof receiptFormat
  /**
   * `person` means that the employee confirmed the payslip; `auto` means that the company's rule confirmed it after a
   * number of days.
   */
  readonly kind: 'person' | 'auto'
  readonly company_id: string
  readonly company: string
  readonly person: string
  readonly month: string | null
  readonly slip_id: string
  readonly version: number
  readonly confirmed_at: string
  readonly signed_at: string
  /** SHA-256 of a secret salt and the payslip's hash (docs/slip-form.md): without the salt nothing can be guessed. */
  readonly slip: string
  /** SHA-256 of the path of the handwriting; null where it was confirmed with a button. */
  readonly handwriting: string | null
}

const isUuid = (value: unknown): boolean => isString(value) && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(value)
const claimsShape = {
  form: (value: unknown) => value === receiptFormat,
  kind: (value: unknown) => value === 'person' || value === 'auto',
  company_id: isUuid,
  company: isString,
  person: isString,
  month: nullable(isString),
  slip_id: isUuid,
  version: isPositiveInteger,
  confirmed_at: isIsoTimestamp,
  signed_at: isIsoTimestamp,
  slip: isSha256Hash,
  handwriting: nullable(isSha256Hash),
}

const encodeJwsHeader = (kid: string): string => Buffer.from(canonicalizeJson({ alg: 'EdDSA', kid })).toString('base64url')
/** Builds the signed text: the first two parts of a JWS (RFC 7515). */
export const buildSigningInput = (kid: string, claims: ReceiptClaims): string =>
  `${encodeJwsHeader(kid)}.${Buffer.from(canonicalizeJson(claims)).toString('base64url')}`

export type ParsedReceipt = {
  readonly kid: string
  readonly claims: ReceiptClaims
  readonly signingInput: string
  readonly signature: string
}

/** Parses a receipt without verifying its signature. */
export function parseReceipt(receipt: string): ParsedReceipt {
  const [header = '', body = '', signature = '', ...extraSegments] = receipt.split('.')
  if (extraSegments.length > 0 || signature === '') throw new VerificationError('unreadable', '这不是薪函的回执，或没有复制完整')
  const { kid } = parseCanonicalJson(decodeUtf8(decodeBase64Url(header)))
  if (!isSha256Hash(kid) || encodeJwsHeader(kid) !== header) throw new VerificationError('damaged', '回执的抬头被改动过')
  const claims = parseCanonicalJson(decodeUtf8(decodeBase64Url(body)))
  if (!matchesShape<ReceiptClaims>(claims, claimsShape)) throw new VerificationError('damaged', '回执的内容不完整')
  return { kid, claims, signingInput: `${header}.${body}`, signature }
}

/** Throws `VerificationError` unless one of these keys signed the receipt while it was in use. */
export function verifyReceiptSignature(
  { kid, claims, signingInput, signature }: ParsedReceipt,
  keys: readonly KeyEntry[],
): ReceiptClaims {
  const key = getKeyAt(keys, kid, claims.signed_at)
  if (!isSignedBy(key.x, signingInput, signature))
    throw new VerificationError('forged', '签名和内容不符：内容被改动过，或不是这家公司签发的')
  if (claims.confirmed_at > claims.signed_at) throw new VerificationError('forged', '确认时间晚于签发时间')
  return claims
}

/** Formats the downloadable file: a receipt with the keys that verify it. */
export const formatReceiptFile = (receipt: string, keys: readonly KeyEntry[]): string =>
  canonicalizeJson({ form: receiptFileFormat, receipt, keys })

export type ReceiptFile = { readonly receipt: ParsedReceipt; readonly keys: readonly KeyEntry[] }

/** Reads a file and verifies it with the keys it contains; the thumbprints show whose keys they are. */
export function verifyReceiptFile(text: string): ReceiptFile {
  const file = parseCanonicalJson(text)
  const fileShape = { form: (value: unknown) => value === receiptFileFormat, receipt: isString, keys: Array.isArray }
  if (!matchesShape<{ receipt: string }>(file, fileShape)) throw new VerificationError('damaged', '回执文件不完整')
  const receipt = parseReceipt(file.receipt)
  const keys = verifyKeyHistory(receipt.claims.company_id, file)
  verifyReceiptSignature(receipt, keys)
  return { receipt, keys }
}

/** Computes the value that a receipt holds instead of the hash of the payslip or the handwriting. */
export const computeCommitment = (salt: string, hash: string): string =>
  sha256Base64Url(decodeBase64Url(salt), decodeBase64Url(hash))
export const hashHandwriting = (path: string): string => sha256Base64Url(path)

/** Extracts the receipt from a pasted or scanned text; it may follow a URL and `#`. */
export const extractReceipt = (text: string): string => text.trim().replace(/^[^#]*#/, '')
