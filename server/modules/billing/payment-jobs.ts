/**
 * Background jobs of payments: asking a provider about an order without a payment notification, closing unpaid orders,
 * refunding excess payments, and comparing the provider's statements every morning.
 */

import type { Tx } from '../../database/database.ts'
import type { NoTransaction } from '../../database/no-transaction.ts'
import { listAllCompanyIds } from '../../jobs/companies.ts'
import type { ExternalPaymentProviders } from './external-payment-providers.ts'
import { lockOrder, type OrderRow, type PaymentDeps, recordPayment, setOrderStatus, toPaymentProviderName } from './payments.ts'
import { getOrderTransition, getStatusCheckDelayMs } from './rules/order.ts'

export type PaymentJobDeps = PaymentDeps & {
  readonly payments: ExternalPaymentProviders
  readonly log: { error(about: object, message: string): void }
}
type OrderRef = { readonly company_id: string; readonly order_no: string }
export type PaymentStatusJobData = OrderRef & { readonly attempts: number }

/** Jobs have no access check: everything here runs in one company, or on data stored for all companies. */
export const runInCompany = <T>(
  { database }: Pick<PaymentJobDeps, 'database'>,
  company_id: string,
  run: (db: Tx) => Promise<T>,
): Promise<T> => database.inCompany(company_id, run)
export const runWithoutCompany = <T>({ database }: Pick<PaymentJobDeps, 'database'>, run: (db: Tx) => Promise<T>): Promise<T> =>
  database.withoutCompany(run)

const loadOrder = ({ database, clock }: PaymentJobDeps, { company_id, order_no }: OrderRef): Promise<OrderRow | undefined> =>
  runInCompany({ database }, company_id, (db) => lockOrder({ db, company_id, now: clock.now() }, order_no))

/** Idempotent: asking changes nothing, and a payment found is settled once. */
export async function checkOrderPayment(
  deps: PaymentJobDeps,
  { attempts, ...order_ref }: PaymentStatusJobData,
  noTransaction: NoTransaction,
): Promise<void> {
  const { database, clock, jobs, payments } = deps
  const order = await loadOrder(deps, order_ref)
  const provider = order && toPaymentProviderName(order.pay_type)
  const pay = provider && payments[provider]
  if (!order || !provider || !pay || order.status !== 'waiting') return
  const status = await pay.queryOrder(noTransaction, order.order_no)
  if (status.state === 'paid') {
    await recordPayment(deps, { ...status, provider })
    return
  }
  if (order.expires_at <= clock.now() || status.state === 'closed') {
    // Fails if the customer is paying at this moment; the order is then checked again.
    if (status.state === 'waiting') await pay.closeOrder(noTransaction, order.order_no)
    await closeOrderIfUnpaid(deps, order_ref)
    return
  }
  const start_after = new Date(Date.now() + getStatusCheckDelayMs(attempts + 1))
  const { company_id, order_no } = order_ref
  await runInCompany({ database }, company_id, (tx) =>
    jobs.send(tx, 'pay-ask', { company_id, order_no, attempts: attempts + 1 }, { start_after }),
  )
}

/** Closes an order that was not paid or was canceled. Returns false if it was paid in the meantime. */
export const closeOrderIfUnpaid = ({ database, clock }: PaymentDeps, { company_id, order_no }: OrderRef): Promise<boolean> =>
  runInCompany({ database }, company_id, async (db) => {
    const companyTx = { db, company_id, now: clock.now() }
    const order = await lockOrder(companyTx, order_no)
    if (!order) return false
    const transition = getOrderTransition(order.status, { kind: 'closed' })
    if (transition.effect === 'refuse') return false
    if (order.status !== transition.status)
      await setOrderStatus(companyTx, order.id, { status: transition.status, closed_at: companyTx.now })
    return true
  })

/** Returns the refund number of an excess payment, derived from the payment's id. */
export const toRefundNumber = (payment_id: string): string => payment_id.replaceAll('-', '')

/** Idempotent: the provider refunds once per number, and the number is the payment's own. */
export async function refundExcessPayment(
  { database, clock, payments }: PaymentJobDeps,
  { company_id, payment_id }: { readonly company_id: string; readonly payment_id: string },
  noTransaction: NoTransaction,
): Promise<void> {
  const row = await runInCompany({ database }, company_id, (db) =>
    db
      .selectFrom('payment')
      .innerJoin('pay_order', (join) =>
        join.onRef('pay_order.company_id', '=', 'payment.company_id').onRef('pay_order.id', '=', 'payment.order_id'),
      )
      .select(['payment.provider', 'payment.amount_fen', 'payment.state', 'pay_order.order_no'])
      .where('payment.company_id', '=', company_id)
      .where('payment.id', '=', payment_id)
      .executeTakeFirst(),
  )
  const pay = row && row.provider !== 'transfer' ? payments[row.provider] : undefined
  if (!row || !pay || row.state !== 'excess') return
  const { order_no, amount_fen } = row
  await pay.refund(noTransaction, { order_no, refund_no: toRefundNumber(payment_id), amount_fen, total_fen: amount_fen })
  await runInCompany({ database }, company_id, (db) =>
    db
      .updateTable('payment')
      .set({ state: 'refunded', refunded_at: clock.now() })
      .where('company_id', '=', company_id)
      .where('id', '=', payment_id)
      .where('state', '=', 'excess')
      .execute(),
  )
}

const reconcileWindowMs = 3 * 86_400_000

/** Checks every recent order with its provider: payments without a notification are settled and logged. */
export async function reconcilePayments(deps: PaymentJobDeps, noTransaction: NoTransaction): Promise<number> {
  const { database, clock, payments, log } = deps
  let recovered = 0
  for (const company_id of await listAllCompanyIds(database)) {
    const orders = await runInCompany({ database }, company_id, (db) =>
      db
        .selectFrom('pay_order')
        .select(['order_no', 'pay_type', 'status'])
        .where('company_id', '=', company_id)
        .where('pay_type', '<>', 'transfer')
        .where('created_at', '>', new Date(clock.now().getTime() - reconcileWindowMs))
        .orderBy('id')
        .execute(),
    )
    for (const { order_no, pay_type, status } of orders) {
      const provider = toPaymentProviderName(pay_type)
      const pendingStatus = provider ? payments[provider]?.queryOrder(noTransaction, order_no) : null
      const result = await pendingStatus?.catch((error: unknown) => {
        log.error({ err: error, order_no }, 'a provider did not answer about an order')
        return null
      })
      if (provider && result?.state === 'paid' && (await recordPayment(deps, { ...result, provider })) !== 'known') {
        recovered += 1
        log.error({ order_no, status }, 'an order was paid and its notice never came')
      }
    }
  }
  return recovered
}
