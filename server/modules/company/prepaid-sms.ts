/** Prepaid SMS: a double-entry ledger of what was bought, used and given back; `company.sms_left` is its stock and never below zero. */
import { sql } from 'kysely'
import type { Tx } from '../../database/database.ts'
import { fail, type HandlerContext } from '../../http/handler.ts'
import { newId } from '../../shared/ids.ts'
import { getLedgerEntries, getStockChange, type PrepaidTransactionKind } from './rules/prepaid.ts'

type PrepaidTx = {
  readonly db: Tx
  readonly company_id: string
  readonly now: Date
  readonly currentUser?: Pick<HandlerContext['currentUser'], 'name' | 'account_id'>
  /** For ids that are the same every time (the demo). */
  readonly makeId?: () => string
}
/** The occasion: with the batch where it is about one. */
type ChargeRef = string | { readonly id: string; readonly batch_id: string }

/**
 * Takes `count` messages for `ref` (a plan, a reminder, …). The same (why, ref) takes only once, so that a retried job costs
 * nothing. Refuses `sms_used_up` with `{needed, left}` when there are not enough; nothing is taken then.
 */
export const chargeSms = (ctx: PrepaidTx, count: number, reason: string, ref: ChargeRef): Promise<void> =>
  recordPrepaidTransaction(ctx, { kind: 'used', count, reason: reason, ...toRefColumns(ref) })

/** Gives back what could not be used, once for each (why, ref). */
export const refundSms = (ctx: PrepaidTx, count: number, reason: string, ref: ChargeRef): Promise<void> =>
  recordPrepaidTransaction(ctx, { kind: 'unused', count, reason: reason, ...toRefColumns(ref) })

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

/** Books a move, once for each (why, ref). Refuses `sms_used_up` where the stock does not hold what it takes. */
export async function recordPrepaidTransaction(
  { db, company_id, now, currentUser, makeId = newId }: PrepaidTx,
  { kind, count, reason, ref, ...details }: PrepaidTransaction,
): Promise<void> {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError('a number of messages is whole and not negative')
  if (count === 0) return
  // The lock on the company's row puts simultaneous senders in a line: the last message is never sold twice. No stronger lock: others
  // only name the company in a row of their own, and two of them who book afterwards must not wait for each other.
  const remaining = await lockSmsBalance({ db, company_id })
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
    .values({ company_id, id, resource: 'sms', kind, count, reason: reason, ref, ...by, ...details, created_at: now })
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

/** What is left, with the row held until the transaction ends: whoever takes after having looked takes what he has seen. */
export async function lockSmsBalance({ db, company_id }: Pick<PrepaidTx, 'db' | 'company_id'>): Promise<number> {
  const row = await db
    .selectFrom('company')
    .select('sms_left')
    .where('id', '=', company_id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  return row.sms_left
}

/** By what people are reached: the company's name, the chat platform that it is bound to, and the messages it has left. */
export const getDeliveryMeans = ({ db, company_id }: Pick<PrepaidTx, 'db' | 'company_id'>) =>
  db.selectFrom('company').select(['name', 'provider', 'sms_left']).where('id', '=', company_id).executeTakeFirstOrThrow()
