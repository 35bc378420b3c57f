/** The payslip rules of a batch as frozen by its plan, and whether and when the plan is sent. */
import type { CallOutput } from '../../../contract/call.ts'
import type { getWageDetail } from '../../../contract/payslips/send.ts'

export type PayslipRules = CallOutput<typeof getWageDetail>['batch']['rules']

const defaultRules: PayslipRules = {
  confirm: false,
  feedback: false,
  view_password: false,
  burn_after_minutes: 0,
  watermark: false,
}

/** Parses the rules stored with a batch; a batch without a plan has none. */
export const parsePayslipRules = (stored: unknown): PayslipRules => ({
  ...defaultRules,
  ...(stored as Partial<PayslipRules> | null),
})

/** Returns when a payslip closes for good after its first view; null if never. */
export const getClosesAt = (rules: PayslipRules, viewed_at: Date | null): Date | null =>
  viewed_at && rules.burn_after_minutes > 0 ? new Date(viewed_at.getTime() + rules.burn_after_minutes * 60_000) : null

/** `same`: the plan is unchanged since the request. `by_applicant`: the applicant decided. */
export type ApprovalResult = {
  readonly status: 0 | 1 | 2 | 3
  readonly isUnchanged: boolean
  readonly isDecidedByApplicant: boolean
}

/** Returns why a plan that needs approval must not be sent; null if it may. */
export function getApprovalError(approval: ApprovalResult | null): string | null {
  if (!approval || approval.status === 3) return '这一批要先由另一位管理员审批，请提交审批'
  if (approval.status === 0) return '这一批还在等审批，通过后才能发送'
  if (approval.status === 2) return '这一批的发送申请被驳回了，请按原因改好后重新提交审批'
  if (approval.isDecidedByApplicant) return '不能由申请人自己审批，请由另一位管理员审批'
  return approval.isUnchanged ? null : '审批之后内容又有改变，请重新提交审批'
}

/** Whether sending to this number of recipients needs approval. A `threshold` of 0 means never. */
export const needsApproval = (threshold: number, recipientCount: number): boolean => threshold > 0 && recipientCount >= threshold

/** How far the net pay of an approved batch may be corrected without another approval: of one payslip, and in total. */
export const correctionBounds = { payslip_fen: 100_000, batch_fen: 500_000 } as const

/**
 * Whether a correction needs another approval. `free`: the sums of earlier corrections without one; back and forth
 * counts twice. An unknown net pay cannot be compared.
 */
export function needsCorrectionApproval(
  net: { readonly from: number | null; readonly to: number | null },
  free: { readonly ofPayslip: number; readonly ofBatch: number },
): boolean {
  if (net.from === null || net.to === null) return true
  const distance = Math.abs(net.to - net.from)
  return free.ofPayslip + distance > correctionBounds.payslip_fen || free.ofBatch + distance > correctionBounds.batch_fen
}

export type SendStart = {
  readonly at: Date /** Null if there is nothing to undo, because the batch is sent immediately or at a chosen time. */
  readonly undo_until: Date | null
}

/** `undo_seconds`: the period after pressing 发送 in which sending can be undone. A chosen time in the future is kept. */
export function getSendStart(scheduled_at: Date | null, now: Date, undo_seconds: number): SendStart {
  if (scheduled_at && scheduled_at > now) return { at: scheduled_at, undo_until: null }
  if (undo_seconds <= 0) return { at: now, undo_until: null }
  const at = new Date(now.getTime() + undo_seconds * 1000)
  return { at, undo_until: at }
}

/** Returns the seconds in which sending can still be undone; null where it cannot. */
export const getUndoSecondsRemaining = (
  batch: { readonly status: string; readonly undo_until: Date | null },
  now: Date,
): number | null =>
  batch.status === 'scheduled' && batch.undo_until
    ? Math.max(0, Math.ceil((batch.undo_until.getTime() - now.getTime()) / 1000))
    : null
