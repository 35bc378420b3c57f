/** Orders, payments and invoices of all companies, for the operator. Companies and names are added by the caller. */
import { sql } from 'kysely'
import type { CallInput } from '../../../contract/call.ts'
import type * as contract from '../../../contract/operator/billing.ts'
import type { Tx } from '../../../database/database.ts'

type OrderFilter = Pick<CallInput<typeof contract.getOpsOrderList>, 'status' | 'pay_type' | 'page' | 'pagesize'> & {
  /** A pattern for the order number, and companies whose orders match as well. */
  readonly search: { readonly pattern: string; readonly company_ids: readonly string[] } | null
}

/** Returns what each of these companies has paid, without refunds. */
export async function sumPaidByCompany(db: Tx, company_ids: readonly string[]): Promise<Map<string, number>> {
  if (company_ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('pay_order')
    .select(['company_id', sql<string>`sum(amount_fen - refunded_fen)`.as('sum')])
    .where('company_id', 'in', [...company_ids])
    .where('status', '=', 'paid')
    .groupBy('company_id')
    .execute()
  return new Map(rows.map(({ company_id, sum }) => [company_id, Number(sum)]))
}

/** Lists orders, newest first, each with the amount that was paid in excess. */
export async function listOrders(db: Tx, { status, pay_type, search, page, pagesize }: OrderFilter) {
  let orders = db.selectFrom('pay_order')
  if (status) orders = orders.where('status', '=', status)
  if (pay_type) orders = orders.where('pay_type', '=', pay_type)
  if (search) {
    const { pattern, company_ids } = search
    const byNo = sql<boolean>`order_no ilike ${pattern}`
    orders = orders.where((eb) => (company_ids.length > 0 ? eb.or([byNo, eb('company_id', 'in', [...company_ids])]) : byNo))
  }
  const { total } = await orders.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await orders
    .select(['id', 'company_id', 'order_no', 'product_name as name', 'count', 'amount_fen', 'refunded_fen'])
    .select(['pay_type', 'status', 'created_at', 'paid_at'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  const excess = await sumExcessByOrder(
    db,
    rows.map(({ id }) => id),
  )
  return { rows: rows.map(({ id, ...row }) => ({ ...row, excess_fen: excess.get(id) ?? 0 })), total }
}

async function sumExcessByOrder(db: Tx, order_ids: readonly string[]): Promise<Map<string, number>> {
  if (order_ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('payment')
    .select(['order_id', sql<string>`sum(amount_fen)`.as('sum')])
    .where('order_id', 'in', [...order_ids])
    .where('state', '=', 'excess')
    .groupBy('order_id')
    .execute()
  return new Map(rows.map(({ order_id, sum }) => [order_id, Number(sum)]))
}

/** Returns the company of an order; null if there is no such order. */
export async function findOrderCompany(db: Tx, order_no: string): Promise<string | null> {
  const row = await db.selectFrom('order_lookup').select('company_id').where('order_no', '=', order_no).executeTakeFirst()
  return row?.company_id ?? null
}

/** Lists invoices with the numbers of their orders. Invoices that await the operator come first. */
export async function listInvoices(
  db: Tx,
  { status, page, pagesize }: Pick<CallInput<typeof contract.getOpsInvoiceList>, 'status' | 'page' | 'pagesize'>,
) {
  let invoices = db.selectFrom('invoice')
  if (status) invoices = invoices.where('status', '=', status)
  const { total } = await invoices.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await invoices
    .select(['company_id', 'id as invoice_id', 'kind', 'status', 'title', 'tax_no'])
    .select(['email', 'amount_fen', 'number', 'red_number', 'reason', 'created_at'])
    .orderBy(sql`status not in ('waiting', 'reversing')`)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  const orderNumbers = await getOrderNumbersByInvoice(
    db,
    rows.map(({ invoice_id }) => invoice_id),
  )
  return { rows: rows.map((row) => ({ ...row, order_nos: (orderNumbers.get(row.invoice_id) ?? []).toSorted() })), total }
}

async function getOrderNumbersByInvoice(db: Tx, invoice_ids: readonly string[]): Promise<Map<string, string[]>> {
  if (invoice_ids.length === 0) return new Map()
  const links = await db
    .selectFrom('invoice_order')
    .select(['invoice_id', 'order_id'])
    .where('invoice_id', 'in', [...invoice_ids])
    .execute()
  const orders = await db
    .selectFrom('pay_order')
    .select(['id', 'order_no'])
    .where('id', 'in', [...new Set(links.map(({ order_id }) => order_id))])
    .execute()
  const numberById = new Map(orders.map(({ id, order_no }) => [id, order_no]))
  const grouped = Map.groupBy(links, ({ invoice_id }) => invoice_id)
  return new Map([...grouped].map(([id, rows]) => [id, rows.map(({ order_id }) => numberById.get(order_id) ?? '')]))
}

/** Lists the latest comparisons with the statements of the payment providers. */
export const listStatements = (db: Tx, limit: number) =>
  db
    .selectFrom('payment_statement')
    .select(['provider', 'day', 'paid_fen', 'refunded_fen', 'discrepancy_count as found', 'differences'])
    .orderBy('day', 'desc')
    .orderBy('provider')
    .limit(limit)
    .execute()
