/** What the thread that draws is told. It imports little: whatever it loads, it loads for each export anew. */
import { isoOf } from '../../../runtime/clock.ts'
import type { EvidenceSlip } from '../../pay/index.ts'

/** `2026-11-23 10:00`, in Shanghai; nothing for no time. */
export const timeOf = (at: Date | null): string => (at ? isoOf(at).slice(0, 16).replace('T', ' ') : '')

/** A receipt that was read: what its pages say of it. */
export type ToldReceipt = {
  readonly receipt: string
  readonly handwriting: string | null
  readonly kind: 'person' | 'auto'
  readonly version: number
  readonly month: string | null
  readonly confirmed_at: string
  readonly kid: string
  /** What people call it by. */
  readonly number: string
}
export type PaperSlip = Omit<EvidenceSlip, 'receipts'> & { readonly receipts: readonly ToldReceipt[] }
/** Nobody's amount is in it. */
export type PaperPerson = { readonly person: string; readonly department: string; readonly receipts: readonly ToldReceipt[] }

export const howOf = ({ kind, handwriting }: Pick<ToldReceipt, 'kind' | 'handwriting'>): string =>
  kind === 'auto' ? '到期自动确认' : handwriting ? '本人手写签名' : '本人点击确认'
