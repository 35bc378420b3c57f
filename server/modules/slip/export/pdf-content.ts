/** What the thread that draws is told. It imports little: whatever it loads, it loads for each export anew. */
import { toIsoTimestamp } from '../../../shared/clock.ts'
import type { EvidencePayslip } from '../../pay/index.ts'

/** `2026-11-23 10:00`, in Shanghai; nothing for no time. */
export const formatTime = (at: Date | null): string => (at ? toIsoTimestamp(at).slice(0, 16).replace('T', ' ') : '')

/** A receipt that was read: what its pages say of it. */
export type ReceiptView = {
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
export type PdfPayslip = Omit<EvidencePayslip, 'receipts'> & { readonly receipts: readonly ReceiptView[] }
/** Nobody's amount is in it. */
export type PdfMember = { readonly name: string; readonly department: string; readonly receipts: readonly ReceiptView[] }

export const formatConfirmationMethod = ({ kind, handwriting }: Pick<ReceiptView, 'kind' | 'handwriting'>): string =>
  kind === 'auto' ? '到期自动确认' : handwriting ? '本人手写签名' : '本人点击确认'
