/** Money of a credited order back, by the hand of whoever runs the server: what it bought is taken back at once, the money follows by the provider. */
import type { Outdoors } from '../../../runtime/data/outdoors.ts'
import { invalid, type OpsCompany, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { productOf } from '../rules/products.ts'
import { refundOf, takenBackUntil } from '../rules/refund.ts'
import { move as movePool } from '../sms-account.ts'
import { type Shaken, shakeInvoices } from './invoices.ts'
import { editionHeld, giveEdition } from './pool-list.ts'
import { lockedOrder, type OrderRow, setStatus } from './settle.ts'
import { refundNoOf, type WorkParts, within } from './work.ts'

export type WantedRefund = {
  readonly order_no: string
  readonly amount_fen: number
  readonly reason: string
  /** Of a transfer: the bank's number of the money that was sent back. */
  readonly reference: string
  readonly by_name: string
}
export type Refunded = { readonly left_fen: number; readonly pieces: number; readonly invoice: Shaken }

/** In a transaction of the order's company. */
export async function refundIn(here: OpsCompany, wanted: WantedRefund): Promise<Refunded> {
  const { db, company_id, now, jobs } = here
  const order = await lockedOrder(here, wanted.order_no)
  if (!order) throw refuse('not_found', '没有找到这笔订单，请刷新')
  const product = productOf(order.product_id)
  const pieces = product?.kind === 'sms' ? product.pieces * order.count : 0
  const turn = refundOf({ ...order, pieces }, wanted.amount_fen)
  if ('why' in turn) throw turn.field ? invalid(turn.field, turn.why) : refuse('wrong_state', turn.why, { status: order.status })
  const isTransfer = order.pay_type === 'transfer'
  if (isTransfer && wanted.reference === '') throw invalid('reference', '请先在银行退款，再填写退款流水号')
  const payment = await db
    .selectFrom('payment')
    .select('id')
    .where('company_id', '=', company_id)
    .where('order_id', '=', order.id)
    .where('state', '=', 'credited')
    .executeTakeFirstOrThrow()
  const [id, { amount_fen, reason, reference, by_name }] = [newId(), wanted]
  if (turn.pieces > 0)
    await movePool(here, {
      kind: 'returned',
      count: turn.pieces,
      why: 'refund',
      ref: id,
      order_no: order.order_no,
      purpose: reason,
    })
  if (turn.status === 'refunded' && product?.kind === 'edition') await takeEditionBack(here, order, product.edition)
  await db
    .insertInto('refund')
    .values({
      company_id,
      id,
      order_id: order.id,
      payment_id: payment.id,
      amount_fen,
      pieces: turn.pieces,
      reason,
      reference,
      by_name,
      asked_at: now,
      done_at: isTransfer ? now : null,
    })
    .execute()
  await db
    .updateTable('pay_order')
    .set({ refunded_fen: order.refunded_fen + amount_fen })
    .where('company_id', '=', company_id)
    .where('id', '=', order.id)
    .execute()
  if (turn.status === 'refunded') await setStatus(here, order.id, { status: 'refunded', refunded_at: now })
  if (!isTransfer) await jobs.send('order-refund', { company_id, refund_id: id })
  const invoice = await shakeInvoices(here, order.id)
  return { left_fen: turn.left_fen, pieces: turn.pieces, invoice }
}

/** The years that it gave; of a change, the edition that ran before it, to the same end. */
async function takeEditionBack(here: OpsCompany, order: OrderRow, edition: 50 | 53 | 60): Promise<void> {
  const held = await editionHeld(here, true)
  const before = order.change_from ? productOf(order.change_from) : null
  if (before?.kind === 'edition' && held.edition_until) {
    if (held.edition === edition) await giveEdition(here, { edition: before.edition, until: held.edition_until })
    return
  }
  const until = takenBackUntil(held, { edition, years: order.count }, here.now)
  if (held.edition === edition && until) await giveEdition(here, { edition, until })
}

/** Twice is harmless: the provider pays back once for each number, and that is the refund's own. */
export async function sendRefund(
  parts: WorkParts,
  { company_id, refund_id }: { readonly company_id: string; readonly refund_id: string },
  outdoors: Outdoors,
): Promise<void> {
  const row = await within(parts, company_id, (db) =>
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
  const pay = row && row.provider !== 'transfer' ? parts.pays[row.provider] : undefined
  if (!row || !pay || row.done_at) return
  const { order_no, amount_fen, total_fen } = row
  await pay.refund(outdoors, { order_no, refund_no: refundNoOf(refund_id), amount_fen, total_fen })
  await within(parts, company_id, (db) =>
    db
      .updateTable('refund')
      .set({ done_at: parts.clock.now() })
      .where('company_id', '=', company_id)
      .where('id', '=', refund_id)
      .execute(),
  )
}
