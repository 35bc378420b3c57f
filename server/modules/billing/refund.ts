/** Refunds of credited orders by the operator: what was bought is revoked at once, the provider returns the money afterwards. */
import type { NoTransaction } from '../../database/no-transaction.ts'
import { fail, invalidInput, type OperatorCompanyContext } from '../../http/handler.ts'
import { newId } from '../../shared/ids.ts'
import { applyRefundToInvoice, type InvoiceRefundEffect } from './invoices.ts'
import { type PaymentJobDeps, runInCompany, toRefundNumber } from './payment-jobs.ts'
import { lockOrder, type OrderRow, setOrderStatus } from './payments.ts'
import { recordPrepaidTransaction } from './prepaid-sms.ts'
import { getStoredEdition, setEdition } from './prepaid-usage.ts'
import { getProduct } from './rules/products.ts'
import { computeEditionEndAfterRefund, computeRefund } from './rules/refund.ts'

export type RefundRequest = {
  readonly order_no: string
  readonly amount_fen: number
  readonly reason: string
  /** The bank's reference of the refund, for a bank transfer. */
  readonly reference: string
  readonly by_name: string
}
export type RefundResult = {
  readonly remaining_fen: number
  readonly sms_returned: number
  readonly invoice: InvoiceRefundEffect
}

/** Refunds an order in a transaction of its company. */
export async function refundCompanyOrder(companyTx: OperatorCompanyContext, request: RefundRequest): Promise<RefundResult> {
  const { db, company_id, now, jobs } = companyTx
  const order = await lockOrder(companyTx, request.order_no)
  if (!order) throw fail('not_found', '没有找到这笔订单，请刷新')
  const product = getProduct(order.product_id)
  const smsCount = product?.kind === 'sms' ? product.sms_count * order.count : 0
  const transition = computeRefund({ ...order, sms_count: smsCount }, request.amount_fen)
  if ('why' in transition)
    throw transition.field
      ? invalidInput(transition.field, transition.why)
      : fail('wrong_state', transition.why, { status: order.status })
  const isTransfer = order.pay_type === 'transfer'
  if (isTransfer && request.reference === '') throw invalidInput('reference', '请先在银行退款，再填写退款流水号')
  const payment = await db
    .selectFrom('payment')
    .select('id')
    .where('company_id', '=', company_id)
    .where('order_id', '=', order.id)
    .where('state', '=', 'credited')
    .executeTakeFirstOrThrow()
  const [id, { amount_fen, reason, reference, by_name }] = [newId(), request]
  if (transition.sms_returned > 0)
    await recordPrepaidTransaction(companyTx, {
      kind: 'returned',
      count: transition.sms_returned,
      reason: 'refund',
      ref: id,
      order_no: order.order_no,
      purpose: reason,
    })
  if (transition.status === 'refunded' && product?.kind === 'edition') await revokeEdition(companyTx, order, product.edition)
  await db
    .insertInto('refund')
    .values({
      company_id,
      id,
      order_id: order.id,
      payment_id: payment.id,
      amount_fen,
      quantity: transition.sms_returned,
      reason,
      reference,
      by_name,
      requested_at: now,
      done_at: isTransfer ? now : null,
    })
    .execute()
  await db
    .updateTable('pay_order')
    .set({ refunded_fen: order.refunded_fen + amount_fen })
    .where('company_id', '=', company_id)
    .where('id', '=', order.id)
    .execute()
  if (transition.status === 'refunded') await setOrderStatus(companyTx, order.id, { status: 'refunded', refunded_at: now })
  if (!isTransfer) await jobs.send('order-refund', { company_id, refund_id: id })
  const invoice = await applyRefundToInvoice(companyTx, order.id)
  return { remaining_fen: transition.remaining_fen, sms_returned: transition.sms_returned, invoice }
}

/** Revokes the years of the order; for a change of edition, restores the previous edition with the same end. */
async function revokeEdition(companyTx: OperatorCompanyContext, order: OrderRow, edition: 50 | 53 | 60): Promise<void> {
  const current = await getStoredEdition(companyTx, true)
  const previous = order.change_from ? getProduct(order.change_from) : null
  if (previous?.kind === 'edition' && current.edition_until) {
    if (current.edition === edition) await setEdition(companyTx, { edition: previous.edition, until: current.edition_until })
    return
  }
  const until = computeEditionEndAfterRefund(current, { edition, years: order.count }, companyTx.now)
  if (current.edition === edition && until) await setEdition(companyTx, { edition, until })
}

/** Idempotent: the provider refunds once per number, and the number is the refund's own. */
export async function sendRefund(
  deps: PaymentJobDeps,
  { company_id, refund_id }: { readonly company_id: string; readonly refund_id: string },
  noTransaction: NoTransaction,
): Promise<void> {
  const row = await runInCompany(deps, company_id, (db) =>
    db
      .selectFrom('refund')
      .innerJoin('payment', (join) =>
        join.onRef('payment.company_id', '=', 'refund.company_id').onRef('payment.id', '=', 'refund.payment_id'),
      )
      .innerJoin('pay_order', (join) =>
        join.onRef('pay_order.company_id', '=', 'refund.company_id').onRef('pay_order.id', '=', 'refund.order_id'),
      )
      .select(['payment.provider', 'payment.amount_fen as total_fen', 'refund.amount_fen', 'refund.done_at', 'order_no'])
      .where('refund.company_id', '=', company_id)
      .where('refund.id', '=', refund_id)
      .executeTakeFirst(),
  )
  const pay = row && row.provider !== 'transfer' ? deps.payments[row.provider] : undefined
  if (!row || !pay || row.done_at) return
  const { order_no, amount_fen, total_fen } = row
  await pay.refund(noTransaction, { order_no, refund_no: toRefundNumber(refund_id), amount_fen, total_fen })
  await runInCompany(deps, company_id, (db) =>
    db
      .updateTable('refund')
      .set({ done_at: deps.clock.now() })
      .where('company_id', '=', company_id)
      .where('id', '=', refund_id)
      .execute(),
  )
}
