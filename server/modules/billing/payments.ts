/**
 * Incoming payments: credited once, whether reported by a notification, a query or the morning's comparison. A payment
 * is a row of its own, unique by the provider's number; the order's row is locked while the effect of the payment is
 * decided.
 */
import { randomBytes, randomInt } from 'node:crypto'
import type { PaymentProviderName } from '../../../platform/pay/provider.ts'
import type { OrderStatus, PayType } from '../../contract/billing/orders.ts'
import type { CompanyTimeTx } from '../../database/company-tx.ts'
import type { Database } from '../../database/database.ts'
import { writeSystemAuditEntry } from '../../http/audit-log.ts'
import type { OperatorCompanyContext } from '../../http/handler.ts'
import type { JobQueue } from '../../jobs/queue.ts'
import type { Clock } from '../../shared/clock.ts'
import { newId } from '../../shared/ids.ts'
import { recordPrepaidTransaction } from './prepaid-sms.ts'
import { findActiveEditionProduct, getStoredEdition, setEdition } from './prepaid-usage.ts'
import { getOrderTransition } from './rules/order.ts'
import { computeEditionEnd, getProduct } from './rules/products.ts'

export type PaymentDeps = { readonly database: Database; readonly jobs: JobQueue; readonly clock: Clock }
export type IncomingPayment = {
  readonly provider: PayType
  readonly order_no: string
  readonly transaction_id: string
  readonly amount_fen: number
  readonly paid_at: Date
}
/** `known` means already recorded. `unknown` means that the order does not exist, or uses another payment method. */
export type PaymentOutcome = 'credited' | 'excess' | 'known' | 'unknown'

/** The prefix of this product, followed by 24 random letters and digits that cannot be guessed by counting. */
const alphabet = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZ'.slice(0, 32)
export const generateOrderNumber = (): string => `XH${Array.from(randomBytes(24), (byte) => alphabet[byte % 32]).join('')}`

/**
 * A number for a bank transfer that people can type: the last digit is a check digit (Luhn), so that a mistyped digit or
 * two swapped ones name no other order.
 */
export function generateTransferNumber(digits: number): string {
  const body = String(randomInt(10 ** (digits - 2), 10 ** (digits - 1)))
  return `${body}${computeLuhnDigit(body)}`
}
function computeLuhnDigit(body: string): number {
  const sum = Array.from(body, Number)
    .toReversed()
    .reduce((total, digit, at) => {
      const weighted = at % 2 === 0 ? digit * 2 : digit
      return total + (weighted > 9 ? weighted - 9 : weighted)
    }, 0)
  return (10 - (sum % 10)) % 10
}

/** Returns the company of the order. */
export const findOrderCompany = async (database: Database, order_no: string): Promise<string | null> =>
  (
    await database.withoutCompany((tx) =>
      tx.selectFrom('order_lookup').select('company_id').where('order_no', '=', order_no).executeTakeFirst(),
    )
  )?.company_id ?? null

export async function lockOrder({ db, company_id }: CompanyTimeTx, order_no: string) {
  return db
    .selectFrom('pay_order')
    .selectAll()
    .where('company_id', '=', company_id)
    .where('order_no', '=', order_no)
    .forUpdate()
    .executeTakeFirst()
}
export type OrderRow = NonNullable<Awaited<ReturnType<typeof lockOrder>>>

export async function recordPayment(deps: PaymentDeps, incoming: IncomingPayment): Promise<PaymentOutcome> {
  const { database, jobs, clock } = deps
  const company_id = await findOrderCompany(database, incoming.order_no)
  if (!company_id) return 'unknown'
  return database.inCompany(company_id, (db) =>
    recordCompanyPayment(
      { db, company_id, now: clock.now(), jobs: { send: (name, data) => jobs.send(db, name, data) } },
      incoming,
    ),
  )
}

/** Records a payment in a transaction of the order's company. */
export async function recordCompanyPayment(
  companyTx: CompanyTimeTx & Pick<OperatorCompanyContext, 'jobs'>,
  incoming: IncomingPayment,
): Promise<PaymentOutcome> {
  const { db, company_id, now, jobs } = companyTx
  const order = await lockOrder(companyTx, incoming.order_no)
  if (!order || order.pay_type !== incoming.provider) return 'unknown'
  const transition = getOrderTransition(order.status, {
    kind: 'paid',
    isExact: incoming.amount_fen === order.amount_fen && (await isChangeStillValid(companyTx, order)),
  })
  const { order_no: _order_no, ...payment } = incoming
  const id = newId()
  const state = transition.effect === 'credit' ? 'credited' : 'excess'
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('payment')
    .values({ company_id, id, order_id: order.id, ...payment, state })
    .onConflict((conflict) => conflict.columns(['company_id', 'provider', 'transaction_id']).doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== 1n) return 'known'
  if (transition.effect === 'credit') await creditOrder(companyTx, order)
  else if (incoming.provider !== 'transfer') await jobs.send('pay-refund', { company_id, payment_id: id })
  await writeSystemAuditEntry(db, company_id, {
    call: 'payment',
    details: { order_id: order.id, payment_id: id, credited: state === 'credited' ? 1 : 0 },
    at: now,
  })
  return state
}

/** Grants what was bought, in the transaction that marks the order as paid. */
async function creditOrder(companyTx: CompanyTimeTx, order: OrderRow): Promise<void> {
  const { db, company_id, now } = companyTx
  await setOrderStatus(companyTx, order.id, { status: 'paid', paid_at: now })
  const product = getProduct(order.product_id)
  if (!product) throw new Error(`a paid order of something that is not sold: ${order.product_id}`)
  if (product.kind === 'sms') {
    const transaction = {
      kind: 'bought',
      count: product.sms_count * order.count,
      reason: 'order',
      ref: order.id,
      order_no: order.order_no,
    } as const
    await recordPrepaidTransaction(
      { ...companyTx, currentUser: { name: order.by_name, account_id: order.account_id } },
      transaction,
    )
    return
  }
  const { edition } = product
  if (order.change_until) return setEdition({ db, company_id }, { edition, until: order.change_until })
  const current = await getStoredEdition({ db, company_id }, true)
  await setEdition({ db, company_id }, { edition, until: computeEditionEnd(current, { edition, years: order.count }, now) })
}

/** A change of edition was priced for the edition then running; if that has ended or was extended, the payment is refunded. */
async function isChangeStillValid(companyTx: CompanyTimeTx, { change_from, change_until }: OrderRow): Promise<boolean> {
  if (!change_from || !change_until) return true
  const current = await findActiveEditionProduct(companyTx, true)
  return current?.product.id === change_from && current.until.getTime() === change_until.getTime()
}

export async function setOrderStatus(
  { db, company_id }: CompanyTimeTx,
  id: string,
  change: { readonly status: OrderStatus; readonly paid_at?: Date; readonly closed_at?: Date; readonly refunded_at?: Date },
): Promise<void> {
  await db.updateTable('pay_order').set(change).where('company_id', '=', company_id).where('id', '=', id).execute()
}

export const toPaymentProviderName = (pay_type: PayType): PaymentProviderName | null =>
  pay_type === 'transfer' ? null : pay_type
