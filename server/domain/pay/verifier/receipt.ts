/** A receipt: what it says, how it is written (docs/receipt.md), and whether it is genuine. */
import {
  bytesOf,
  canonicalOf,
  hashOf,
  hasShape,
  isCount,
  isHash,
  isText,
  isTime,
  orNull,
  readCanonical,
  textOf,
  Wrong,
} from './canonical.ts'
import { isSignedBy, type KeyEntry, keyAt, readKeys } from './keys.ts'

export const receipt_form = 'xinhan-receipt/1'
export const receipt_file_form = 'xinhan-receipt-file/1'

/** Everything that a receipt tells: no amount, and no hash by which one could be guessed. */
export type ReceiptSays = {
  readonly form: typeof receipt_form
  /** `person` confirmed it himself; `auto` the company's rule after so many days. */
  readonly kind: 'person' | 'auto'
  readonly company_id: string
  readonly company: string
  readonly person: string
  readonly month: string | null
  readonly slip_id: string
  readonly version: number
  readonly confirmed_at: string
  readonly signed_at: string
  /** SHA-256 of a secret salt and the hash of the slip (docs/slip-form.md): evidence opens it, nobody guesses it. */
  readonly slip: string
  /** SHA-256 of the handwriting's path; null where it was confirmed by a button. */
  readonly handwriting: string | null
}

const isId = (value: unknown): boolean => isText(value) && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(value)
const shape = {
  form: (value: unknown) => value === receipt_form,
  kind: (value: unknown) => value === 'person' || value === 'auto',
  company_id: isId,
  company: isText,
  person: isText,
  month: orNull(isText),
  slip_id: isId,
  version: isCount,
  confirmed_at: isTime,
  signed_at: isTime,
  slip: isHash,
  handwriting: orNull(isHash),
}

const headOf = (kid: string): string => Buffer.from(canonicalOf({ alg: 'EdDSA', kid })).toString('base64url')
/** What is signed: the two first parts of a JWS (RFC 7515). */
export const signedTextOf = (kid: string, says: ReceiptSays): string =>
  `${headOf(kid)}.${Buffer.from(canonicalOf(says)).toString('base64url')}`

export type ReadReceipt = { readonly kid: string; readonly says: ReceiptSays; readonly text: string; readonly signature: string }

/** What is written in a receipt; not yet whether it is genuine. */
export function readReceipt(receipt: string): ReadReceipt {
  const [head = '', body = '', signature = '', ...more] = receipt.split('.')
  if (more.length > 0 || signature === '') throw new Wrong('unreadable', '这不是薪函的回执，或没有复制完整')
  const { kid } = readCanonical(textOf(bytesOf(head)))
  if (!isHash(kid) || headOf(kid) !== head) throw new Wrong('damaged', '回执的抬头被改动过')
  const says = readCanonical(textOf(bytesOf(body)))
  if (!hasShape<ReceiptSays>(says, shape)) throw new Wrong('damaged', '回执的内容不完整')
  return { kid, says, text: `${head}.${body}`, signature }
}

/** Throws `Wrong` unless one of these keys has signed it, at a time when it was in use. */
export function checkReceipt({ kid, says, text, signature }: ReadReceipt, keys: readonly KeyEntry[]): ReceiptSays {
  const key = keyAt(keys, kid, says.signed_at)
  if (!isSignedBy(key.x, text, signature)) throw new Wrong('forged', '签名和内容不符：内容被改动过，或不是这家公司签发的')
  if (says.confirmed_at > says.signed_at) throw new Wrong('forged', '确认时间晚于签发时间')
  return says
}

/** The file that people keep: a receipt with the keys by which it is checked. */
export const receiptFile = (receipt: string, keys: readonly KeyEntry[]): string =>
  canonicalOf({ form: receipt_file_form, receipt, keys })

export type ReceiptFile = { readonly receipt: ReadReceipt; readonly keys: readonly KeyEntry[] }

/** Reads a file and checks it by the keys that it brings along; whose these are, their thumbprints tell. */
export function checkReceiptFile(text: string): ReceiptFile {
  const file = readCanonical(text)
  const fields = { form: (value: unknown) => value === receipt_file_form, receipt: isText, keys: Array.isArray }
  if (!hasShape<{ receipt: string }>(file, fields)) throw new Wrong('damaged', '回执文件不完整')
  const receipt = readReceipt(file.receipt)
  const keys = readKeys(receipt.says.company_id, file)
  checkReceipt(receipt, keys)
  return { receipt, keys }
}

/** What a receipt has in the place of the slip's hash, and of the handwriting. */
export const commitmentOf = (salt: string, hash: string): string => hashOf(bytesOf(salt), bytesOf(hash))
export const handwritingHash = (path: string): string => hashOf(path)

/** In a text that people paste or scan: the receipt itself, whatever address it stands behind. */
export const receiptIn = (text: string): string => text.trim().replace(/^[^#]*#/, '')
