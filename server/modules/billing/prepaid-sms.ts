/**
 * Prepaid SMS: a double-entry ledger of what was bought, used and returned; `company.sms_left` is its stock, never
 * negative. Where nothing is sold (XINHAN_BILLING=0) messages are neither counted nor limited.
 */
import { sql } from 'kysely'
import type { Tx } from '../../database/database.ts'
import { fail } from '../../http/handler.ts'
import { newId } from '../../shared/ids.ts'
import { companyView } from '../company/read-model.ts'
import { getLedgerEntries, getStockChange, type PrepaidTransactionKind } from './rules/prepaid.ts'

type PrepaidTx = {
  readonly db: Tx
  readonly company_id: string
  readonly now: Date
  /** Without an account: an operator. */
  readonly currentUser?: { readonly name: string; readonly account_id: string | null }
  /** For reproducible ids (the demo). */
  readonly makeId?: () => string
}
/** The occasion of a charge, with the batch if it concerns one. */
type ChargeRef = string | { readonly id: string; readonly batch_id: string }

/**
 * Charges `count` messages for `ref` (a plan, a reminder, …). The same (reason, ref) is charged only once, so a retried
 * job costs nothing. Throws `sms_used_up` with `{needed, left}` when there are not enough; nothing is charged then.
 */
export const chargeSms = (ctx: PrepaidTx, count: number, reason: string, ref: ChargeRef): Promise<void> =>
  recordPrepaidTransaction(ctx, { kind: 'used', count, reason, ...toRefColumns(ref) })

/** Returns unused messages, once for each (reason, ref). */
export const refundSms = (ctx: PrepaidTx, count: number, reason: string, ref: ChargeRef): Promise<void> =>
  recordPrepaidTransaction(ctx, { kind: 'unused', count, reason, ...toRefColumns(ref) })

const toRefColumns = (ref: ChargeRef) => (typeof ref === 'string' ? { ref } : { ref: ref.id, batch_id: ref.batch_id })

export type PrepaidTransaction = {
  readonly kind: PrepaidTransactionKind
  readonly count: number
  readonly reason: string
  readonly ref: string
  readonly batch_id?: string | null
  readonly order_no?: string | null
  readonly purpose?: string
}

/** Records a transaction, once for each (reason, ref). Throws `sms_used_up` if the stock is too low. */
export async function recordPrepaidTransaction(
  { db, company_id, now, currentUser, makeId = newId }: PrepaidTx,
  { kind, count, reason, ref, ...details }: PrepaidTransaction,
): Promise<void> {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError('a number of messages is whole and not negative')
  if (count === 0) return
  // The lock on the company's row serializes concurrent senders: the last message is never sold twice. No stronger
  // lock: other transactions only reference the company in rows of their own, and two of them that book later must not
  // wait for each other.
  const { sms_left: remaining, billing } = await lockCompany({ db, company_id })
  if (!billing && (kind === 'used' || kind === 'unused')) return
  const booked = await db
    .selectFrom('prepaid_movement')
    .select('id')
    .where('company_id', '=', company_id)
    .where('resource', '=', 'sms')
    .where('reason', '=', reason)
    .where('ref', '=', ref)
    .executeTakeFirst()
  if (booked) return
  const change = getStockChange(kind, count)
  if (remaining + change < 0) throw fail('sms_used_up', undefined, { needed: -change, left: remaining })
  const id = makeId()
  const by = { by_name: currentUser?.name ?? '', account_id: currentUser?.account_id ?? null }
  await db
    .insertInto('prepaid_movement')
    .values({ company_id, id, resource: 'sms', kind, count, reason, ref, ...by, ...details, created_at: now })
    .execute()
  await db
    .insertInto('prepaid_entry')
    .values(getLedgerEntries(kind, count).map((entry) => ({ company_id, id: makeId(), move_id: id, ...entry })))
    .execute()
  await db
    .updateTable('company')
    .set({ sms_left: sql`sms_left + ${change}` })
    .where('id', '=', company_id)
    .execute()
}

/** Whether messages are sold here, as the transaction knows it (`DatabaseOptions.billing`). */
const isSold = sql<boolean>`coalesce(current_setting('app.billing', true), '') <> 'off'`

const lockCompany = ({ db, company_id }: Pick<PrepaidTx, 'db' | 'company_id'>) =>
  db
    .selectFrom('company')
    .select(['sms_left', isSold.as('billing')])
    .where('id', '=', company_id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()

/**
 * Returns the remaining balance and locks the row until the transaction ends: it cannot change between reading and
 * charging. Infinity where messages are not sold.
 */
export async function lockSmsBalance(ctx: Pick<PrepaidTx, 'db' | 'company_id'>): Promise<number> {
  const { sms_left, billing } = await lockCompany(ctx)
  return billing ? sms_left : Number.POSITIVE_INFINITY
}

/** Returns the means of delivery: the company's name, its chat platform and its remaining messages (null: not limited). */
export async function getDeliveryMeans({ db, company_id }: Pick<PrepaidTx, 'db' | 'company_id'>) {
  const { billing, sms_left, ...means } = await db
    .selectFrom(companyView)
    .select(['name', 'provider', 'sms_left', isSold.as('billing')])
    .where('id', '=', company_id)
    .executeTakeFirstOrThrow()
  return { ...means, sms_left: billing ? sms_left : null }
}
