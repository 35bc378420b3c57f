/** Writes an evidence file line by line. The caller provides the content and must store the returned lines in order. */
import { sign } from 'node:crypto'
import type { Channel, DeliveryStatus, PayslipStatus } from '../../contract/shared/schemas.ts'
import type { CompanyVaultTimeTx } from '../../database/company-tx.ts'
import { getSigningKey, listReceiptKeys } from './keys.ts'
import type { StoredReceipt } from './receipts.ts'
import { canonicalizeJson } from './verifier/canonical.ts'
import {
  evidenceFormat,
  evidencePayslipFormat,
  formatSealLine,
  formatSealText,
  formatTimeStampLine,
  formatTimeStampText,
  HashChain,
  type OpenedReceipt,
} from './verifier/evidence.ts'

type EvidenceSubject = { readonly company: string; readonly title: string; readonly month: string | null }
/** One payslip; `slip` is its current canonical form. Times are in UTC and ISO 8601. */
export type EvidencePayslip = {
  readonly slip_id: string
  readonly person: string
  readonly version: number
  readonly status: PayslipStatus
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
    readonly requested_at: string
    readonly done_at: string | null
  }[]
  readonly changes: readonly (Readonly<Record<'at' | 'by' | 'column' | 'from' | 'to' | 'reason', string>> & {
    readonly version: number
  })[]
  readonly questions: readonly (Readonly<Record<'at' | 'name' | 'content', string>> & {
    readonly from: 'employee' | 'admin'
    /** The payslip item that the feedback is about; null for the whole payslip. */
    readonly about: string | null
  })[]
  readonly receipts: readonly OpenedReceipt[]
}

export const toOpenedReceipt = ({ receipt, form, hash, salt, handwriting }: StoredReceipt): OpenedReceipt => ({
  receipt,
  form,
  hash,
  salt,
  handwriting,
})

export async function createEvidenceWriter(ctx: CompanyVaultTimeTx, subject: EvidenceSubject) {
  const { company_id, now } = ctx
  const { kid, key } = await getSigningKey(ctx)
  const keys = await listReceiptKeys(ctx)
  const chain = new HashChain()
  const writeLine = (value: object): string => {
    const line = canonicalizeJson(value)
    chain.add(line)
    return line
  }
  return {
    head: writeLine({ ...subject, form: evidenceFormat, company_id, made_at: now.toISOString(), keys }),
    slip: (slip: EvidencePayslip): string => writeLine({ ...slip, form: evidencePayslipFormat }),
    seal(): string {
      const seal = { ...chain.end, company_id, kid, signed_at: now.toISOString() }
      return formatSealLine(seal, sign(null, Buffer.from(formatSealText(seal)), key).toString('base64url'))
    },
    /** Returns the line that follows the seal when an authority has time-stamped it. */
    stamp(token: string): string {
      const stamp = { company_id, kid, token }
      return formatTimeStampLine(stamp, sign(null, Buffer.from(formatTimeStampText(stamp)), key).toString('base64url'))
    },
  }
}
