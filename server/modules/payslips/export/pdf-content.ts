/**
 * Types and helpers shared with the drawing thread. It has few imports, because each export loads them again in its
 * thread.
 */
import { toIsoTimestamp } from '../../../shared/clock.ts'
import type { EvidencePayslip } from '../../payslip-records/index.ts'

/** Formats `2026-11-23 10:00` in Shanghai time; empty without a time. */
export const formatTime = (at: Date | null): string => (at ? toIsoTimestamp(at).slice(0, 16).replace('T', ' ') : '')

/** A parsed receipt as shown on the pages. */
export type ReceiptView = {
  readonly receipt: string
  readonly handwriting: string | null
  readonly kind: 'person' | 'auto'
  readonly version: number
  readonly month: string | null
  readonly confirmed_at: string
  readonly kid: string
  /** The number for display. */
  readonly number: string
}
export type PdfPayslip = Omit<EvidencePayslip, 'receipts'> & { readonly receipts: readonly ReceiptView[] }
/** Contains no amounts. */
export type PdfMember = { readonly name: string; readonly department: string; readonly receipts: readonly ReceiptView[] }

export const formatConfirmationMethod = ({ kind, handwriting }: Pick<ReceiptView, 'kind' | 'handwriting'>): string =>
  kind === 'auto' ? '到期自动确认' : handwriting ? '本人手写签名' : '本人点击确认'
