/**
 * Evidence files (docs/evidence.md): lines of canonical JSON. The first line names the company and lists its keys, one
 * line per payslip follows, and the last line seals all lines before it: each line is chained to its predecessors, and
 * the end of the chain is signed. If an authority has time-stamped the seal, one more line holds the stamp. The file is
 * written and checked line by line.
 */
import {
  canonicalizeJson,
  decodeBase64Url,
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
import { computeCommitment, hashHandwriting, parseReceipt, verifyReceiptSignature } from './receipt.ts'
import { type TimeStamp, verifyTimeStamp } from './time-stamp.ts'

export const evidenceFormat = 'xinhan-evidence/1'
export const evidencePayslipFormat = 'xinhan-evidence-slip/1'
const sealFormat = 'xinhan-evidence-seal/1'
const timeStampFormat = 'xinhan-evidence-stamp/1'

/** Computes the hash of each line combined with all lines before it. */
export class HashChain {
  #hash = ''
  #lines = 0
  add(line: string): void {
    this.#hash = sha256Base64Url(this.#hash, line)
    this.#lines += 1
  }
  /** The current end of the chain; `slips` does not count the first line. */
  get end(): { readonly chain: string; readonly slips: number } {
    return { chain: this.#hash, slips: this.#lines - 1 }
  }
}

type EvidenceSeal = {
  readonly chain: string
  readonly slips: number
  readonly company_id: string
  readonly kid: string
  readonly signed_at: string
}
/** The text that the company signs. */
export const formatSealText = (seal: EvidenceSeal): string => canonicalizeJson({ ...seal, form: sealFormat })
export const formatSealLine = (seal: EvidenceSeal, signature: string): string =>
  canonicalizeJson({ ...seal, form: sealFormat, signature })

/** An RFC 3161 time stamp on the seal line, in base64url; the company signs it too, so that it cannot be altered. */
type EvidenceTimeStamp = { readonly company_id: string; readonly kid: string; readonly token: string }
export const formatTimeStampText = (stamp: EvidenceTimeStamp): string => canonicalizeJson({ ...stamp, form: timeStampFormat })
export const formatTimeStampLine = (stamp: EvidenceTimeStamp, signature: string): string =>
  canonicalizeJson({ ...stamp, form: timeStampFormat, signature })

/** A receipt with what is needed to check it against a payslip: the confirmed form and the salt of its commitment. */
export type OpenedReceipt = {
  readonly receipt: string
  readonly form: string | null
  readonly hash: string
  readonly salt: string
  readonly handwriting: string | null
}
type EvidenceHeader = {
  readonly company_id: string
  readonly company: string
  readonly title: string
  readonly month: string | null
  readonly made_at: string
}
type EvidenceLine = { readonly slip_id: string; readonly person: string; readonly receipts: readonly unknown[] }

const headerShape = {
  form: (value: unknown) => value === evidenceFormat,
  company_id: isString,
  company: isString,
  title: isString,
  month: nullable(isString),
  made_at: isIsoTimestamp,
  keys: Array.isArray,
}
const payslipShape = {
  form: (value: unknown) => value === evidencePayslipFormat,
  slip_id: isString,
  person: isString,
  version: isPositiveInteger,
  status: isString,
  department: isString,
  sent_at: nullable(isIsoTimestamp),
  slip: isString,
  moments: Array.isArray,
  messages: Array.isArray,
  changes: Array.isArray,
  questions: Array.isArray,
  receipts: Array.isArray,
}
const openedReceiptShape = {
  receipt: isString,
  form: nullable(isString),
  hash: isSha256Hash,
  salt: isSha256Hash,
  handwriting: nullable(isString),
}
const sealShape = {
  form: (value: unknown) => value === sealFormat,
  chain: isSha256Hash,
  slips: (value: unknown) => value === 0 || isPositiveInteger(value),
  company_id: isString,
  kid: isSha256Hash,
  signed_at: isIsoTimestamp,
  signature: isString,
}

const timeStampShape = {
  form: (value: unknown) => value === timeStampFormat,
  company_id: isString,
  kid: isSha256Hash,
  token: isString,
  signature: isString,
}

function verifyEvidenceTimeStamp(end: string, seal: string, keys: readonly KeyEntry[], company_id: string): TimeStamp {
  const entry = parseCanonicalJson(end)
  if (!matchesShape<EvidenceTimeStamp & { signature: string }>(entry, timeStampShape))
    throw new VerificationError('damaged', '证据的时间戳不完整')
  const { kid, token, signature } = entry
  const stamp = verifyTimeStamp(decodeBase64Url(token), Buffer.from(sha256Base64Url(seal), 'base64url'))
  const key = getKeyAt(keys, kid, stamp.at)
  if (entry.company_id !== company_id || !isSignedBy(key.x, formatTimeStampText({ company_id, kid, token }), signature))
    throw new VerificationError('forged', '时间戳被改动过，或不是这份证据的')
  return stamp
}

/** Checks that the receipt belongs to this payslip, that the company signed it, and that it is of exactly this form. */
function verifyOpenedReceipt(
  value: unknown,
  entry: EvidenceLine,
  { company_id }: EvidenceHeader,
  keys: readonly KeyEntry[],
): void {
  if (!matchesShape<OpenedReceipt>(value, openedReceiptShape)) throw new VerificationError('damaged', '证据里的回执不完整')
  const { receipt, form, hash, salt, handwriting } = value
  const claims = verifyReceiptSignature(parseReceipt(receipt), keys)
  if (claims.slip_id !== entry.slip_id || claims.company_id !== company_id)
    throw new VerificationError('forged', '证据里的回执属于另一张工资条')
  if (computeCommitment(salt, hash) !== claims.slip) throw new VerificationError('forged', '证据里的工资条不是回执确认的那一张')
  if ((handwriting && hashHandwriting(handwriting)) !== claims.handwriting)
    throw new VerificationError('forged', '手写签名不是确认时写下的')
  if (form === null) return
  const { slip_id, version } = parseCanonicalJson(form)
  if (sha256Base64Url(form) !== hash || slip_id !== claims.slip_id || version !== claims.version)
    throw new VerificationError('forged', '证据里的工资条内容不是回执确认的那一份')
}

export type VerifiedEvidence = EvidenceHeader & {
  readonly keys: readonly KeyEntry[]
  readonly kid: string
  readonly slips: number
  readonly receipts: number
  readonly signed_at: string
  /** Time stamp of the seal by an authority; null where none was requested. */
  readonly stamp: TimeStamp | null
}

/**
 * Throws `VerificationError` unless every line is unaltered, every receipt is genuine and matches its adjacent form,
 * and the company has sealed the file.
 */
export function verifyEvidence(lines: readonly string[]): VerifiedEvidence {
  const [first = '', ...rest] = lines
  const end = rest.pop() ?? ''
  const isStamped = end.includes(`"form":"${timeStampFormat}"`)
  const last = isStamped ? (rest.pop() ?? '') : end
  const header = parseCanonicalJson(first)
  if (!matchesShape<EvidenceHeader>(header, headerShape)) throw new VerificationError('damaged', '证据的抬头不完整')
  const keys = verifyKeyHistory(header.company_id, header)
  const chain = new HashChain()
  chain.add(first)
  let receipts = 0
  for (const text of rest) {
    const entry = parseCanonicalJson(text)
    if (!matchesShape<EvidenceLine>(entry, payslipShape)) throw new VerificationError('damaged', '证据里有一行不完整')
    chain.add(text)
    for (const one of entry.receipts) verifyOpenedReceipt(one, entry, header, keys)
    receipts += entry.receipts.length
  }
  const seal = parseCanonicalJson(last)
  if (!matchesShape<EvidenceSeal & { signature: string }>(seal, sealShape))
    throw new VerificationError('damaged', '证据没有封签，或没有保存完整')
  const { signature, chain: sealedHash, slips, company_id, kid, signed_at } = seal
  if (sealedHash !== chain.end.chain || slips !== chain.end.slips || company_id !== header.company_id)
    throw new VerificationError('forged', '证据的内容和封签不符：有的行被改动、增加或删去过')
  const key = getKeyAt(keys, kid, signed_at)
  if (!isSignedBy(key.x, formatSealText({ chain: sealedHash, slips, company_id, kid, signed_at }), signature))
    throw new VerificationError('forged', '封签和内容不符：内容被改动过，或不是这家公司封签的')
  return {
    ...header,
    keys,
    kid,
    slips,
    receipts,
    signed_at,
    stamp: isStamped ? verifyEvidenceTimeStamp(end, last, keys, company_id) : null,
  }
}
