/** Receipts without a database: a company's keys, and receipts signed with them. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { computeKeyId, formatKeyStatement, type KeyEntry } from '../../../../server/modules/payslip-records/verifier/keys.ts'
import {
  buildSigningInput,
  computeCommitment,
  formatReceiptFile,
  type ReceiptClaims,
  receiptFormat,
} from '../../../../server/modules/payslip-records/verifier/receipt.ts'

export const company_id = '01930000-0000-7000-8000-00000000000c'
type Key = KeyEntry & { readonly secret: KeyObject }

export function nextKey(since: string, before?: Key): Key {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const entry = { kid: computeKeyId(x), x, since }
  const signature = sign(null, Buffer.from(formatKeyStatement(company_id, entry)), before?.secret ?? privateKey)
  return { ...entry, signature: signature.toString('base64url'), secret: privateKey }
}
export const getEntry = ({ kid, x, since, signature }: Key): KeyEntry => ({ kid, x, since, signature })

export const says: ReceiptClaims = {
  form: receiptFormat,
  kind: 'person',
  company_id,
  company: '示例科技有限公司',
  person: '欧阳娜娜',
  month: '2026-10',
  slip_id: '01930000-0000-7000-8000-000000000001',
  version: 2,
  confirmed_at: '2026-11-06T02:03:04.567Z',
  signed_at: '2026-11-06T02:03:04.567Z',
  slip: computeCommitment('A'.repeat(43), 'A'.repeat(43)),
  handwriting: null,
}

export function signed(key: Key, more: Partial<ReceiptClaims> = {}): string {
  const text = buildSigningInput(key.kid, { ...says, ...more })
  return `${text}.${sign(null, Buffer.from(text), key.secret).toString('base64url')}`
}
export const getFile = (key: Key, keys: readonly Key[] = [key], more: Partial<ReceiptClaims> = {}): Buffer =>
  Buffer.from(formatReceiptFile(signed(key, more), keys.map(getEntry)))

/** Returns the same bytes with one bit flipped. */
export function flipped(bytes: Buffer, bit: number): Buffer {
  const other = Buffer.from(bytes)
  other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return other
}
