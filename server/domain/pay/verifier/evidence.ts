/**
 * Evidence (docs/evidence.md): a file of lines, each canonical JSON. The first says whose it is and brings the keys, then a line a slip, the last one
 * seals all before it: each line is chained to those before, and the end of the chain is signed. Where an authority has stamped the seal, one line more
 * says so. It is written and checked line by line.
 */
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
  Wrong,
} from './canonical.ts'
import { isSignedBy, type KeyEntry, keyAt, readKeys } from './keys.ts'
import { checkReceipt, commitmentOf, handwritingHash, readReceipt } from './receipt.ts'
import { checkTimeStamp, type TimeStamp } from './time-stamp.ts'

export const evidence_form = 'xinhan-evidence/1'
export const evidence_slip_form = 'xinhan-evidence-slip/1'
const seal_form = 'xinhan-evidence-seal/1'
const stamp_form = 'xinhan-evidence-stamp/1'

/** The hash of a line and of all before it. */
export class Chain {
  #hash = ''
  #lines = 0
  add(line: string): void {
    this.#hash = hashOf(this.#hash, line)
    this.#lines += 1
  }
  /** So far; `slips`: without the first line. */
  get end(): { readonly chain: string; readonly slips: number } {
    return { chain: this.#hash, slips: this.#lines - 1 }
  }
}

type Seal = {
  readonly chain: string
  readonly slips: number
  readonly company_id: string
  readonly kid: string
  readonly signed_at: string
}
/** What the company signs. */
export const sealText = (seal: Seal): string => canonicalOf({ ...seal, form: seal_form })
export const sealLine = (seal: Seal, signature: string): string => canonicalOf({ ...seal, form: seal_form, signature })

/** A time stamp (RFC 3161) on the line of the seal, in base64url; signed by the company too, so that no bit of it is anybody's to change. */
type Stamp = { readonly company_id: string; readonly kid: string; readonly token: string }
export const stampText = (stamp: Stamp): string => canonicalOf({ ...stamp, form: stamp_form })
export const stampLine = (stamp: Stamp, signature: string): string => canonicalOf({ ...stamp, form: stamp_form, signature })

/** What opens a receipt: what was confirmed, and the salt with which the receipt names it. */
export type OpenedReceipt = {
  readonly receipt: string
  readonly form: string | null
  readonly hash: string
  readonly salt: string
  readonly handwriting: string | null
}
type Head = {
  readonly company_id: string
  readonly company: string
  readonly title: string
  readonly month: string | null
  readonly made_at: string
}
type SlipLine = { readonly slip_id: string; readonly person: string; readonly receipts: readonly unknown[] }

const headShape = {
  form: (value: unknown) => value === evidence_form,
  company_id: isText,
  company: isText,
  title: isText,
  month: orNull(isText),
  made_at: isTime,
  keys: Array.isArray,
}
const slipShape = {
  form: (value: unknown) => value === evidence_slip_form,
  slip_id: isText,
  person: isText,
  version: isCount,
  status: isText,
  department: isText,
  sent_at: orNull(isTime),
  slip: isText,
  moments: Array.isArray,
  messages: Array.isArray,
  changes: Array.isArray,
  questions: Array.isArray,
  receipts: Array.isArray,
}
const openedShape = { receipt: isText, form: orNull(isText), hash: isHash, salt: isHash, handwriting: orNull(isText) }
const sealShape = {
  form: (value: unknown) => value === seal_form,
  chain: isHash,
  slips: (value: unknown) => value === 0 || isCount(value),
  company_id: isText,
  kid: isHash,
  signed_at: isTime,
  signature: isText,
}

const stampShape = {
  form: (value: unknown) => value === stamp_form,
  company_id: isText,
  kid: isHash,
  token: isText,
  signature: isText,
}

/** The stamp of this seal, by an authority, and by the company of these keys. */
function stampOf(end: string, seal: string, keys: readonly KeyEntry[], company_id: string): TimeStamp {
  const line = readCanonical(end)
  if (!hasShape<Stamp & { signature: string }>(line, stampShape)) throw new Wrong('damaged', '证据的时间戳不完整')
  const { kid, token, signature } = line
  const stamp = checkTimeStamp(bytesOf(token), Buffer.from(hashOf(seal), 'base64url'))
  const key = keyAt(keys, kid, stamp.at)
  if (line.company_id !== company_id || !isSignedBy(key.x, stampText({ company_id, kid, token }), signature))
    throw new Wrong('forged', '时间戳被改动过，或不是这份证据的')
  return stamp
}

/** That this is the receipt of this slip, signed by the company, and of exactly the form beside it. */
function checkOpened(value: unknown, line: SlipLine, { company_id }: Head, keys: readonly KeyEntry[]): void {
  if (!hasShape<OpenedReceipt>(value, openedShape)) throw new Wrong('damaged', '证据里的回执不完整')
  const { receipt, form, hash, salt, handwriting } = value
  const says = checkReceipt(readReceipt(receipt), keys)
  if (says.slip_id !== line.slip_id || says.company_id !== company_id) throw new Wrong('forged', '证据里的回执属于另一张工资条')
  if (commitmentOf(salt, hash) !== says.slip) throw new Wrong('forged', '证据里的工资条不是回执确认的那一张')
  if ((handwriting && handwritingHash(handwriting)) !== says.handwriting) throw new Wrong('forged', '手写签名不是确认时写下的')
  if (form === null) return
  const { slip_id, version } = readCanonical(form)
  if (hashOf(form) !== hash || slip_id !== says.slip_id || version !== says.version)
    throw new Wrong('forged', '证据里的工资条内容不是回执确认的那一份')
}

export type CheckedEvidence = Head & {
  readonly keys: readonly KeyEntry[]
  readonly kid: string
  readonly slips: number
  readonly receipts: number
  readonly signed_at: string
  /** By an authority that has seen the seal; null where none was asked. */
  readonly stamp: TimeStamp | null
}

/** Throws `Wrong` unless every line is as it was written, every receipt is genuine and of what stands beside it, and the company has sealed it. */
export function checkEvidence(lines: readonly string[]): CheckedEvidence {
  const [first = '', ...rest] = lines
  const end = rest.pop() ?? ''
  const isStamped = end.includes(`"form":"${stamp_form}"`)
  const last = isStamped ? (rest.pop() ?? '') : end
  const head = readCanonical(first)
  if (!hasShape<Head>(head, headShape)) throw new Wrong('damaged', '证据的抬头不完整')
  const keys = readKeys(head.company_id, head)
  const chain = new Chain()
  chain.add(first)
  let receipts = 0
  for (const text of rest) {
    const line = readCanonical(text)
    if (!hasShape<SlipLine>(line, slipShape)) throw new Wrong('damaged', '证据里有一行不完整')
    chain.add(text)
    for (const one of line.receipts) checkOpened(one, line, head, keys)
    receipts += line.receipts.length
  }
  const seal = readCanonical(last)
  if (!hasShape<Seal & { signature: string }>(seal, sealShape)) throw new Wrong('damaged', '证据没有封签，或没有保存完整')
  const { signature, chain: said, slips, company_id, kid, signed_at } = seal
  if (said !== chain.end.chain || slips !== chain.end.slips || company_id !== head.company_id)
    throw new Wrong('forged', '证据的内容和封签不符：有的行被改动、增加或删去过')
  const key = keyAt(keys, kid, signed_at)
  if (!isSignedBy(key.x, sealText({ chain: said, slips, company_id, kid, signed_at }), signature))
    throw new Wrong('forged', '封签和内容不符：内容被改动过，或不是这家公司封签的')
  return { ...head, keys, kid, slips, receipts, signed_at, stamp: isStamped ? stampOf(end, last, keys, company_id) : null }
}
