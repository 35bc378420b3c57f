/** The state machine of an order, for events in any sequence. Pure. */
import type { InvoiceKind, OrderStatus } from '../../../contract/billing/orders.ts'
import { validateCreditCode } from '../../../rules/credit-code.ts'

/** `paid`: money arrived; `isExact` states whether it equals the order's sum · `refunded`: its money was refunded. */
export type OrderEvent =
  | { readonly kind: 'paid'; readonly isExact: boolean }
  | { readonly kind: 'closed' }
  | { readonly kind: 'refunded' }
/**
 * `credit`: grant what was bought · `excess`: this payment bought nothing and is refunded · `take_back`: revoke what
 * was granted · `none`: no effect · `refuse`: not possible in this status.
 */
export type OrderEffect = 'credit' | 'excess' | 'take_back' | 'none' | 'refuse'
export type OrderTransition = { readonly status: OrderStatus; readonly effect: OrderEffect }

const paidTransitions: Readonly<Record<OrderStatus, OrderTransition>> = {
  waiting: { status: 'paid', effect: 'credit' },
  // A second payment, or one after cancellation, is never credited again.
  paid: { status: 'paid', effect: 'excess' },
  closed: { status: 'closed', effect: 'excess' },
  refunded: { status: 'refunded', effect: 'excess' },
}
const closedTransitions: Readonly<Record<OrderStatus, OrderTransition>> = {
  waiting: { status: 'closed', effect: 'none' },
  paid: { status: 'paid', effect: 'refuse' },
  closed: { status: 'closed', effect: 'none' },
  refunded: { status: 'refunded', effect: 'refuse' },
}
const refundedTransitions: Readonly<Record<OrderStatus, OrderTransition>> = {
  waiting: { status: 'waiting', effect: 'refuse' },
  paid: { status: 'refunded', effect: 'take_back' },
  closed: { status: 'closed', effect: 'refuse' },
  refunded: { status: 'refunded', effect: 'none' },
}

export function getOrderTransition(status: OrderStatus, event: OrderEvent): OrderTransition {
  if (event.kind === 'closed') return closedTransitions[status]
  if (event.kind === 'refunded') return refundedTransitions[status]
  // A payment of a different sum buys nothing: the sum was changed in transit.
  return event.isExact ? paidTransitions[status] : { status, effect: 'excess' }
}

/** The payment code is valid for this time; then the order closes automatically. A bank transfer takes days. */
export const orderLifetimesMs = { alipay: 2 * 3_600_000, wechat: 2 * 3_600_000, transfer: 15 * 86_400_000 } as const

/**
 * Delays after which a provider is asked about an order without a payment notification: 1, 5 and 15 minutes, then every
 * hour.
 */
const statusCheckMinutes = [1, 5, 15] as const
export const getStatusCheckDelayMs = (attempts: number): number => (statusCheckMinutes[attempts] ?? 60) * 60_000

type InvoiceApplicant = { readonly kind: InvoiceKind; readonly tax_no: string; readonly email: string }
/** Returns the invalid field of an invoice request and the reason, or null. A special invoice (专票) requires a taxpayer. */
export function validateInvoiceApplication({
  kind,
  tax_no,
  email,
}: InvoiceApplicant): { readonly field: 'tax_no' | 'email'; readonly why: string } | null {
  if (kind === 'special' && tax_no === '') return { field: 'tax_no', why: '专用发票要填写税号' }
  const error = tax_no === '' ? null : validateCreditCode(tax_no)
  if (error !== null) return { field: 'tax_no', why: error }
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) ? null : { field: 'email', why: '邮箱格式有误，例如 hr@example.com' }
}
