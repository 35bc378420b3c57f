/** Receipts without a database: a company's keys, and receipts signed with them. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { type KeyEntry, kidOf, statementOf } from '../../../server/domain/pay/verifier/keys.ts'
import {
  commitmentOf,
  type ReceiptSays,
  receipt_form,
  receiptFile,
  signedTextOf,
} from '../../../server/domain/pay/verifier/receipt.ts'

export const company_id = '01930000-0000-7000-8000-00000000000c'
type Key = KeyEntry & { readonly secret: KeyObject }

export function nextKey(since: string, before?: Key): Key {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const entry = { kid: kidOf(x), x, since }
  const signature = sign(null, Buffer.from(statementOf(company_id, entry)), before?.secret ?? privateKey)
  return { ...entry, signature: signature.toString('base64url'), secret: privateKey }
}
export const entryOf = ({ kid, x, since, signature }: Key): KeyEntry => ({ kid, x, since, signature })

export const says: ReceiptSays = {
  form: receipt_form,
  kind: 'person',
  company_id,
  company: '示例科技有限公司',
  person: '欧阳娜娜',
  month: '2026-10',
  slip_id: '01930000-0000-7000-8000-000000000001',
  version: 2,
  confirmed_at: '2026-11-06T02:03:04.567Z',
  signed_at: '2026-11-06T02:03:04.567Z',
  slip: commitmentOf('A'.repeat(43), 'A'.repeat(43)),
  handwriting: null,
}

export function signed(key: Key, more: Partial<ReceiptSays> = {}): string {
  const text = signedTextOf(key.kid, { ...says, ...more })
  return `${text}.${sign(null, Buffer.from(text), key.secret).toString('base64url')}`
}
export const fileOf = (key: Key, keys: readonly Key[] = [key], more: Partial<ReceiptSays> = {}): Buffer =>
  Buffer.from(receiptFile(signed(key, more), keys.map(entryOf)))

/** The same bytes with one bit the other way. */
export function flipped(bytes: Buffer, bit: number): Buffer {
  const other = Buffer.from(bytes)
  other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return other
}
