/** Refunds of paid orders and what is revoked for them. Pure. */
import type { InvoiceStatus, OrderStatus } from '../../../contract/billing/orders.ts'
import { addYears } from './products.ts'

export type RefundableOrder = {
  readonly status: OrderStatus
  readonly amount_fen: number
  /** Already refunded. */
  readonly refunded_fen: number
  /** Messages granted by the whole order; 0 for an edition. */
  readonly sms_count: number
}
/** `status` after the refund; `remaining_fen` may still be refunded; `sms_returned` are deducted from the balance. */
export type RefundTransition = {
  readonly status: 'paid' | 'refunded'
  readonly remaining_fen: number
  readonly sms_returned: number
}

/**
 * Returns the messages for a refunded sum: never more than were paid for, and all of them when the last fen is
 * refunded.
 */
const prorateSms = ({ sms_count: smsCount, amount_fen }: RefundableOrder, refundedFen: number): number =>
  Number((BigInt(smsCount) * BigInt(refundedFen)) / BigInt(amount_fen))

/** Computes the effect of a refund, or the reason why it is not possible. An edition is revoked only with the last fen. */
export function computeRefund(
  order: RefundableOrder,
  requestedFen: number,
): RefundTransition | { readonly why: string; readonly field?: string } {
  const { status, amount_fen, refunded_fen } = order
  if (status !== 'paid') return { why: status === 'refunded' ? '这笔订单已经全部退款' : '只有已支付的订单可以退款' }
  const remaining = amount_fen - refunded_fen
  if (!Number.isSafeInteger(requestedFen) || requestedFen < 1) return { why: '退款金额要大于 0', field: 'amount_fen' }
  if (requestedFen > remaining) return { why: `最多可退 ${remaining / 100} 元`, field: 'amount_fen' }
  const smsCount = prorateSms(order, refunded_fen + requestedFen) - prorateSms(order, refunded_fen)
  return {
    status: requestedFen === remaining ? 'refunded' : 'paid',
    remaining_fen: remaining - requestedFen,
    sms_returned: smsCount,
  }
}

type CurrentEdition = { readonly edition: number; readonly edition_until: Date | null }
/** Returns the end of an edition after years were refunded; never before now. Other editions are not affected. */
export function computeEditionEndAfterRefund(
  current: CurrentEdition,
  refunded: { readonly edition: number; readonly years: number },
  now: Date,
): Date | null {
  const { edition, edition_until } = current
  if (edition !== refunded.edition || !edition_until || edition_until <= now) return edition_until
  const until = addYears(edition_until, -refunded.years)
  return until > now ? until : now
}

/** `issue`: with number and file · `refund`: money of one of its orders was refunded. */
export type InvoiceEvent = 'issue' | 'return' | 'reverse' | 'refund'
const invoiceTransitions: Readonly<Record<InvoiceStatus, Readonly<Partial<Record<InvoiceEvent, InvoiceStatus>>>>> = {
  // Nothing was issued yet, so a new request is needed for the remaining sum.
  waiting: { issue: 'issued', return: 'returned', refund: 'returned' },
  // An issued invoice cannot be deleted: it must be reversed by a credit note (红字发票).
  issued: { reverse: 'reversing', refund: 'reversing' },
  returned: {},
  reversing: { issue: 'reversed', refund: 'reversing' },
  reversed: {},
}
/** Returns the next status of an invoice; null if the event is not possible. */
export const getInvoiceTransition = (status: InvoiceStatus, event: InvoiceEvent): InvoiceStatus | null =>
  invoiceTransitions[status][event] ?? null
/** Whether its orders may be invoiced again. */
export const isInvoiceFinal = (status: InvoiceStatus): boolean => status === 'returned' || status === 'reversed'

/** Messages to the applicant; null for the applicant's own actions. */
export const invoiceUpdateMessages: Readonly<Record<InvoiceStatus, string | null>> = {
  waiting: null,
  issued: '您申请的发票已开具，可在「订单管理」的「发票」里下载',
  returned: '您申请的发票被退回，原因写在「订单管理」的「发票」里；修改后可重新申请',
  reversing: '一张已开具的发票需要红冲，请勿再用它入账；红字发票开好后会再通知您',
  reversed: '发票已红冲，红字发票可在「订单管理」的「发票」里下载；还有剩余金额的订单可重新申请',
}
