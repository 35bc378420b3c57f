/**
 * Money that came in: credited once, by whichever way it is heard of (a notice, a question, the morning's comparison). A payment is a row of its
 * own, unique by the provider's number; the order's row is held while it is decided what the money bought.
 */
import { randomBytes } from 'node:crypto'
import type { PayName } from '../../../../platform/pay/provider.ts'
import type { OrderStatus, PayType } from '../../../contract/corp/order.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { Database, Tx } from '../../../runtime/db.ts'
import type { OpsCompany } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import type { Jobs } from '../../../runtime/jobs.ts'
import { writeMachineAudit } from '../../../runtime/request/audit.ts'
import { after } from '../rules/order.ts'
import { boughtUntil, productOf } from '../rules/products.ts'
import { move as movePool } from '../sms-account.ts'
import { editionHeld, giveEdition, productHeld } from './pool-list.ts'

export type SettleParts = { readonly database: Database; readonly jobs: Jobs; readonly clock: Clock }
export type Came = {
  readonly provider: PayType
  readonly order_no: string
  readonly transaction_id: string
  readonly amount_fen: number
  readonly paid_at: Date
}
/** `known`: it was heard of before. `unknown`: there is no such order, or it is not paid in this way. */
export type Settled = 'credited' | 'excess' | 'known' | 'unknown'
type Here = { readonly db: Tx; readonly company_id: string; readonly now: Date }

/** 24 letters and digits nobody finds by counting, after the two of the house. */
const alphabet = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZ'.slice(0, 32)
export const newOrderNo = (): string => `XH${Array.from(randomBytes(24), (byte) => alphabet[byte % 32]).join('')}`

/** Whose order it is. */
export const companyOfOrder = async (database: Database, order_no: string): Promise<string | null> =>
  (
    await database.outside((tx) =>
      tx.selectFrom('order_door').select('company_id').where('order_no', '=', order_no).executeTakeFirst(),
    )
  )?.company_id ?? null

export async function lockedOrder({ db, company_id }: Here, order_no: string) {
  return db
    .selectFrom('pay_order')
    .selectAll()
    .where('company_id', '=', company_id)
    .where('order_no', '=', order_no)
    .forUpdate()
    .executeTakeFirst()
}
export type OrderRow = NonNullable<Awaited<ReturnType<typeof lockedOrder>>>

export async function settle(parts: SettleParts, came: Came): Promise<Settled> {
  const { database, jobs, clock } = parts
  const company_id = await companyOfOrder(database, came.order_no)
  if (!company_id) return 'unknown'
  return database.inCompany(company_id, (db) =>
    settleIn({ db, company_id, now: clock.now(), jobs: { send: (name, data) => jobs.send(db, name, data) } }, came),
  )
}

/** In a transaction of the order's company. */
export async function settleIn(here: Here & Pick<OpsCompany, 'jobs'>, came: Came): Promise<Settled> {
  const { db, company_id, now, jobs } = here
  const order = await lockedOrder(here, came.order_no)
  if (!order || order.pay_type !== came.provider) return 'unknown'
  const turn = after(order.status, {
    kind: 'paid',
    exact: came.amount_fen === order.amount_fen && (await stillFits(here, order)),
  })
  const { order_no: _order_no, ...payment } = came
  const id = newId()
  const state = turn.effect === 'credit' ? 'credited' : 'excess'
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('payment')
    .values({ company_id, id, order_id: order.id, ...payment, state })
    .onConflict((conflict) => conflict.columns(['company_id', 'provider', 'transaction_id']).doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== 1n) return 'known'
  if (turn.effect === 'credit') await credit(here, order)
  else if (came.provider !== 'transfer') await jobs.send('pay-refund', { company_id, payment_id: id })
  await writeMachineAudit(db, company_id, {
    call: 'payment',
    about: { order_id: order.id, payment_id: id, credited: state === 'credited' ? 1 : 0 },
    at: now,
  })
  return state
}

/** What was bought is given, in the transaction that says that it was paid. */
async function credit(here: Here, order: OrderRow): Promise<void> {
  const { db, company_id, now } = here
  await setStatus(here, order.id, { status: 'paid', paid_at: now })
  const product = productOf(order.product_id)
  if (!product) throw new Error(`a paid order of something that is not sold: ${order.product_id}`)
  if (product.kind === 'sms') {
    const bought = {
      kind: 'bought',
      count: product.pieces * order.count,
      why: 'order',
      ref: order.id,
      order_no: order.order_no,
    } as const
    await movePool({ ...here, me: { name: order.by_name, account_id: order.account_id } }, bought)
    return
  }
  const { edition } = product
  if (order.change_until) return giveEdition({ db, company_id }, { edition, until: order.change_until })
  const held = await editionHeld({ db, company_id }, true)
  await giveEdition({ db, company_id }, { edition, until: boughtUntil(held, { edition, years: order.count }, now) })
}

/** A change of edition was counted for what ran then; where that has ended or was bought longer meanwhile, its money goes back. */
async function stillFits(here: Here, { change_from, change_until }: OrderRow): Promise<boolean> {
  if (!change_from || !change_until) return true
  const held = await productHeld(here, true)
  return held?.product.id === change_from && held.until.getTime() === change_until.getTime()
}

export async function setStatus(
  { db, company_id }: Here,
  id: string,
  change: { readonly status: OrderStatus; readonly paid_at?: Date; readonly closed_at?: Date; readonly refunded_at?: Date },
): Promise<void> {
  await db.updateTable('pay_order').set(change).where('company_id', '=', company_id).where('id', '=', id).execute()
}

export const providerOf = (pay_type: PayType): PayName | null => (pay_type === 'transfer' ? null : pay_type)
