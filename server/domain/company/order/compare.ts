/** Every morning a provider's own statement of the day before is laid beside what stands here: what it alone knew is settled, what differs still is kept and said. */
import type { PayName } from '../../../../platform/pay/provider.ts'
import { dayOf } from '../../../runtime/clock.ts'
import type { Outdoors } from '../../../runtime/data/outdoors.ts'
import { allCompanies } from '../found.ts'
import { differencesOf, type Moved } from '../rules/statement.ts'
import { settle } from './settle.ts'
import { amongAll, refundNoOf, type WorkParts, within } from './work.ts'

const day_ms = 86_400_000
type Statement = { readonly provider: PayName; readonly day: string }

/** Money in and back of three days around it, of all companies. */
async function movedHere({ database }: WorkParts, { provider, day }: Statement): Promise<(Moved & { due: boolean })[]> {
  const start = new Date(`${day}T00:00:00+08:00`).getTime()
  const [from, until] = [new Date(start - day_ms), new Date(start + 2 * day_ms)]
  const isDue = (at: Date | null): boolean => at !== null && dayOf(at) === day
  const found: (Moved & { due: boolean })[] = []
  for (const company_id of await allCompanies(database)) {
    const rows = await within({ database }, company_id, (db) =>
      db
        .selectFrom('payment')
        .innerJoin('pay_order', (join) =>
          join.onRef('pay_order.company_id', '=', 'payment.company_id').onRef('pay_order.id', '=', 'payment.order_id'),
        )
        .select(['payment.id', 'order_no', 'transaction_id', 'payment.amount_fen', 'payment.paid_at', 'payment.refunded_at'])
        .where('payment.company_id', '=', company_id)
        .where('payment.provider', '=', provider)
        .where((eb) =>
          eb.or([
            eb.and([eb('payment.paid_at', '>=', from), eb('payment.paid_at', '<', until)]),
            eb.and([eb('payment.refunded_at', '>=', from), eb('payment.refunded_at', '<', until)]),
          ]),
        )
        .execute(),
    )
    for (const { id, order_no, amount_fen, done_at } of await refundsOf({ database }, company_id, { provider, from, until }))
      found.push({ kind: 'refunded', order_no, number: refundNoOf(id), amount_fen, due: isDue(done_at) })
    for (const { id, order_no, transaction_id: number, amount_fen, paid_at, refunded_at } of rows) {
      found.push({ kind: 'paid', order_no, number, amount_fen, due: isDue(paid_at) })
      if (refunded_at) found.push({ kind: 'refunded', order_no, number: refundNoOf(id), amount_fen, due: isDue(refunded_at) })
    }
  }
  return found
}

/** What was paid back by hand. */
const refundsOf = (
  parts: Pick<WorkParts, 'database'>,
  company_id: string,
  { provider, from, until }: { readonly provider: PayName; readonly from: Date; readonly until: Date },
) =>
  within(parts, company_id, (db) =>
    db
      .selectFrom('refund')
      .innerJoin('pay_order', (join) =>
        join.onRef('pay_order.company_id', '=', 'refund.company_id').onRef('pay_order.id', '=', 'refund.order_id'),
      )
      .select(['refund.id', 'order_no', 'refund.amount_fen', 'done_at'])
      .where('refund.company_id', '=', company_id)
      .where('pay_type', '=', provider)
      .where('done_at', '>=', from)
      .where('done_at', '<', until)
      .execute(),
  )

/** Twice is harmless: what a statement alone knew is settled once, and the last comparison of a day is the one that is kept. */
export async function compareDay(parts: WorkParts, statement: Statement, outdoors: Outdoors): Promise<number | null> {
  const { provider, day } = statement
  const lines = await parts.pays[provider]?.statement(outdoors, day)
  if (!lines) return null
  const there = lines.map(({ kind, order_no, transaction_id, amount_fen, refund_no }) => {
    return { kind, order_no, number: kind === 'paid' ? transaction_id : (refund_no ?? ''), amount_fen }
  })
  let found_count = 0
  for (const { of, kind, order_no, number: transaction_id, theirs_fen } of differencesOf(
    there,
    await movedHere(parts, statement),
  )) {
    if (of !== 'paid' || kind !== 'only_there' || theirs_fen === null) continue
    const paid_at = new Date(`${day}T12:00:00+08:00`)
    const became = await settle(parts, { provider, order_no, transaction_id, amount_fen: theirs_fen, paid_at })
    if (became !== 'unknown') found_count += 1
  }
  const differences = differencesOf(there, await movedHere(parts, statement))
  const sums = (wanted: Moved['kind']) => {
    const of = there.filter(({ kind }) => kind === wanted)
    return { count: of.length, fen: of.reduce((sum, { amount_fen }) => sum + amount_fen, 0) }
  }
  const [paid, refunded] = [sums('paid'), sums('refunded')]
  const kept = {
    paid_count: paid.count,
    paid_fen: paid.fen,
    refunded_count: refunded.count,
    refunded_fen: refunded.fen,
    found_count,
    differences: JSON.stringify(differences),
    compared_at: parts.clock.now(),
  }
  await amongAll(parts, (tx) =>
    tx
      .insertInto('pay_statement')
      .values({ provider, day, ...kept })
      .onConflict((conflict) => conflict.columns(['provider', 'day']).doUpdateSet(kept))
      .execute(),
  )
  if (found_count > 0) parts.log.error({ provider, day, found_count }, 'payments that only the statement knew of')
  if (differences.length > 0)
    parts.log.error({ provider, day, differences: differences.length }, 'a statement differs from what stands here')
  return differences.length
}

/** The last three days: a file may come late, and money back is written down a day after it was asked for. */
export async function compareStatements(parts: WorkParts, outdoors: Outdoors): Promise<void> {
  const now = parts.clock.now().getTime()
  for (const provider of ['alipay', 'wechat'] as const)
    for (const days of [3, 2, 1])
      await compareDay(parts, { provider, day: dayOf(new Date(now - days * day_ms)) }, outdoors).catch((error: unknown) =>
        parts.log.error({ err: error, provider }, 'a statement could not be read'),
      )
}
