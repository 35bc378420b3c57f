/**
 * What is done without anybody asking: a provider is asked about an order whose notice has not come, an order that nobody pays closes, money that
 * bought nothing goes back, and every morning what the provider says is laid beside what stands here.
 */
import type { Outdoors } from '../../../runtime/data/outdoors.ts'
import type { Tx } from '../../../runtime/db.ts'
import { allCompanies } from '../found.ts'
import { after, nextAskMs } from '../rules/order.ts'
import type { OutsidePays } from './outside.ts'
import { lockedOrder, type OrderRow, providerOf, type SettleParts, setStatus, settle } from './settle.ts'

export type WorkParts = SettleParts & {
  readonly pays: OutsidePays
  readonly log: { error(about: object, message: string): void }
}
type OrderName = { readonly company_id: string; readonly order_no: string }
export type AskData = OrderName & { readonly tries: number }

/** Jobs have no door: all that is done here in one company, and what is kept of all of them. */
export const within = <T>(
  { database }: Pick<WorkParts, 'database'>,
  company_id: string,
  work: (db: Tx) => Promise<T>,
): Promise<T> => database.inCompany(company_id, work)
export const amongAll = <T>({ database }: Pick<WorkParts, 'database'>, work: (db: Tx) => Promise<T>): Promise<T> =>
  database.outside(work)

const read = ({ database, clock }: WorkParts, { company_id, order_no }: OrderName): Promise<OrderRow | undefined> =>
  within({ database }, company_id, (db) => lockedOrder({ db, company_id, now: clock.now() }, order_no))

/** Twice is harmless: asking changes nothing, and what comes of it is settled once. */
export async function askAbout(parts: WorkParts, { tries, ...name }: AskData, outdoors: Outdoors): Promise<void> {
  const { database, clock, jobs, pays } = parts
  const order = await read(parts, name)
  const provider = order && providerOf(order.pay_type)
  const pay = provider && pays[provider]
  if (!order || !provider || !pay || order.status !== 'waiting') return
  const found = await pay.ask(outdoors, order.order_no)
  if (found.state === 'paid') {
    await settle(parts, { ...found, provider })
    return
  }
  if (order.expires_at <= clock.now() || found.state === 'closed') {
    // Whoever pays at this very moment makes it fail: then it is asked again.
    if (found.state === 'waiting') await pay.close(outdoors, order.order_no)
    await closeHere(parts, name)
    return
  }
  const start_after = new Date(Date.now() + nextAskMs(tries + 1))
  const { company_id, order_no } = name
  await within({ database }, company_id, (tx) =>
    jobs.send(tx, 'pay-ask', { company_id, order_no, tries: tries + 1 }, { start_after }),
  )
}

/** An order that nobody has paid, or somebody gave up. False where it was paid meanwhile. */
export const closeHere = ({ database, clock }: SettleParts, { company_id, order_no }: OrderName): Promise<boolean> =>
  within({ database }, company_id, async (db) => {
    const here = { db, company_id, now: clock.now() }
    const order = await lockedOrder(here, order_no)
    if (!order) return false
    const turn = after(order.status, { kind: 'closed' })
    if (turn.effect === 'refuse') return false
    if (order.status !== turn.status) await setStatus(here, order.id, { status: turn.status, closed_at: here.now })
    return true
  })

/** By which number a payment goes back: its own. */
export const refundNoOf = (payment_id: string): string => payment_id.replaceAll('-', '')

/** Twice is harmless: the provider pays back once for each number, and that is the payment's own. */
export async function giveBack(
  { database, clock, pays }: WorkParts,
  { company_id, payment_id }: { readonly company_id: string; readonly payment_id: string },
  outdoors: Outdoors,
): Promise<void> {
  const row = await within({ database }, company_id, (db) =>
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
  const pay = row && row.provider !== 'transfer' ? pays[row.provider] : undefined
  if (!row || !pay || row.state !== 'excess') return
  const { order_no, amount_fen } = row
  await pay.refund(outdoors, { order_no, refund_no: refundNoOf(payment_id), amount_fen, total_fen: amount_fen })
  await within({ database }, company_id, (db) =>
    db
      .updateTable('payment')
      .set({ state: 'refunded', refunded_at: clock.now() })
      .where('company_id', '=', company_id)
      .where('id', '=', payment_id)
      .where('state', '=', 'excess')
      .execute(),
  )
}

const looks_back_ms = 3 * 86_400_000

/** Every order of the last days, as the provider knows it: what was paid and never heard of is settled, and said in the log. */
export async function reconcile(parts: WorkParts, outdoors: Outdoors): Promise<number> {
  const { database, clock, pays, log } = parts
  let found = 0
  for (const company_id of await allCompanies(database)) {
    const orders = await within({ database }, company_id, (db) =>
      db
        .selectFrom('pay_order')
        .select(['order_no', 'pay_type', 'status'])
        .where('company_id', '=', company_id)
        .where('pay_type', '<>', 'transfer')
        .where('created_at', '>', new Date(clock.now().getTime() - looks_back_ms))
        .orderBy('id')
        .execute(),
    )
    for (const { order_no, pay_type, status } of orders) {
      const provider = providerOf(pay_type)
      const asked = provider ? pays[provider]?.ask(outdoors, order_no) : null
      const said = await asked?.catch((error: unknown) => {
        log.error({ err: error, order_no }, 'a provider did not answer about an order')
        return null
      })
      if (provider && said?.state === 'paid' && (await settle(parts, { ...said, provider })) !== 'known') {
        found += 1
        log.error({ order_no, status }, 'an order was paid and its notice never came')
      }
    }
  }
  return found
}
