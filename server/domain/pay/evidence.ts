/** Writes evidence, line by line: whoever makes it says what belongs in it, and keeps what it answers in this order. */
import { sign } from 'node:crypto'
import type { Channel, DeliveryStatus, SalaryStatus } from '../../contract/words/words.ts'
import type { Ctx } from '../../runtime/handle.ts'
import { keysOf, signingKey } from './keys.ts'
import type { KeptReceipt } from './receipts.ts'
import { canonicalOf } from './verifier/canonical.ts'
import {
  Chain,
  evidence_form,
  evidence_slip_form,
  type OpenedReceipt,
  sealLine,
  sealText,
  stampLine,
  stampText,
} from './verifier/evidence.ts'

type About = { readonly company: string; readonly title: string; readonly month: string | null }
/** One slip: `slip` is its canonical form as it is now; instants are UTC in ISO 8601. */
export type EvidenceSlip = {
  readonly slip_id: string
  readonly person: string
  readonly version: number
  readonly status: SalaryStatus
  readonly department: string
  readonly sent_at: string | null
  readonly slip: string
  readonly moments: readonly (Readonly<Record<'viewed_at' | 'confirmed_at' | 'withdrawn_at', string | null>> & {
    readonly confirmed_auto: boolean
  })[]
  readonly messages: readonly {
    readonly version: number
    readonly about: string
    readonly channel: Channel
    readonly status: DeliveryStatus
    readonly asked_at: string
    readonly done_at: string | null
  }[]
  readonly changes: readonly (Readonly<Record<'at' | 'by' | 'column' | 'from' | 'to' | 'reason', string>> & {
    readonly version: number
  })[]
  readonly questions: readonly (Readonly<Record<'at' | 'name' | 'content', string>> & {
    readonly from: 'employee' | 'admin'
    /** The line that is asked about; null the whole slip. */
    readonly about: string | null
  })[]
  readonly receipts: readonly OpenedReceipt[]
}

export const openedReceipt = ({ receipt, form, hash, salt, handwriting }: KeptReceipt): OpenedReceipt => ({
  receipt,
  form,
  hash,
  salt,
  handwriting,
})

export async function openEvidence(ctx: Pick<Ctx, 'db' | 'company_id' | 'vault' | 'now'>, about: About) {
  const { company_id, now } = ctx
  const { kid, key } = await signingKey(ctx)
  const keys = await keysOf(ctx)
  const chain = new Chain()
  const write = (value: object): string => {
    const line = canonicalOf(value)
    chain.add(line)
    return line
  }
  return {
    head: write({ ...about, form: evidence_form, company_id, made_at: now.toISOString(), keys }),
    slip: (slip: EvidenceSlip): string => write({ ...slip, form: evidence_slip_form }),
    seal(): string {
      const seal = { ...chain.end, company_id, kid, signed_at: now.toISOString() }
      return sealLine(seal, sign(null, Buffer.from(sealText(seal)), key).toString('base64url'))
    },
    /** After the seal, where an authority has stamped it. */
    stamp(token: string): string {
      const stamp = { company_id, kid, token }
      return stampLine(stamp, sign(null, Buffer.from(stampText(stamp)), key).toString('base64url'))
    },
  }
}
