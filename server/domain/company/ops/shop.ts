/** Companies, orders and invoices as whoever runs the server sees them, and what he does with them. */
import { sql } from 'kysely'
import { editionNow } from '../../../contract/corp/editions.ts'
import * as contract from '../../../contract/corp/ops-shop.ts'
import { isoOf } from '../../../runtime/clock.ts'
import type { Tx } from '../../../runtime/db.ts'
import { handleOps, invalid, refuse } from '../../../runtime/handle.ts'
import { issueIn, returnIn, reverseIn } from '../order/invoices.ts'
import { refundIn } from '../order/refund.ts'
import { settleIn } from '../order/settle.ts'

// Every list asks all companies, a page at a time: each statement is about one table, so that a cluster answers it too (docs/scale.md).

/** What is typed is found as it is typed: no sign in it is a pattern. */
const like = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`
const most_named = 200

/** What companies are called, by id. */
async function namesOf(db: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('company')
    .select(['id', 'name'])
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export const getCompanyList = handleOps(contract.getCompanyList, async ({ db, now }, { find, page, pagesize }) => {
  let companies = db.selectFrom('company')
  if (find) companies = companies.where('name', 'ilike', like(find))
  const { total } = await companies.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await companies
    .select(['id', 'name', 'corp_role', 'edition', 'edition_until', 'trial_until', 'sms_left', 'created_at'])
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  const sums =
    rows.length === 0
      ? []
      : await paidBy(
          db,
          rows.map(({ id }) => id),
        )
  const paid = new Map(sums.map(({ company_id, sum }) => [company_id, Number(sum)]))
  const list = rows.map(({ id, edition, edition_until, trial_until, created_at, ...row }) => ({
    ...row,
    company_id: id,
    TYPE: editionNow({ edition, edition_until }, now),
    on_trial: trial_until !== null && trial_until > now,
    expires_at: edition_until && isoOf(edition_until),
    created_at: isoOf(created_at),
    paid_fen: paid.get(id) ?? 0,
  }))
  return { list, page: { page, pagesize, total } }
})

const paidBy = (db: Tx, ids: readonly string[]) =>
  db
    .selectFrom('pay_order')
    .select(['company_id', sql<string>`sum(amount_fen - refunded_fen)`.as('sum')])
    .where('company_id', 'in', [...ids])
    .where('status', '=', 'paid')
    .groupBy('company_id')
    .execute()

export const getOpsOrderList = handleOps(contract.getOpsOrderList, async ({ db }, asked) => {
  const { find, status, pay_type, page, pagesize } = asked
  let orders = db.selectFrom('pay_order')
  if (status) orders = orders.where('status', '=', status)
  if (pay_type) orders = orders.where('pay_type', '=', pay_type)
  if (find) {
    const named = await db.selectFrom('company').select('id').where('name', 'ilike', like(find)).limit(most_named).execute()
    const ids = named.map(({ id }) => id)
    const byNo = sql<boolean>`order_no ilike ${like(find)}`
    orders = orders.where((eb) => (ids.length > 0 ? eb.or([byNo, eb('company_id', 'in', ids)]) : byNo))
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
  const names = await namesOf(
    db,
    rows.map(({ company_id }) => company_id),
  )
  const excess = await excessOf(
    db,
    rows.map(({ id }) => id),
  )
  const list = rows.map(({ id, created_at, paid_at, ...row }) => ({
    ...row,
    company: names.get(row.company_id) ?? '',
    excess_fen: excess.get(id) ?? 0,
    created_at: isoOf(created_at),
    paid_at: paid_at && isoOf(paid_at),
  }))
  return { list, page: { page, pagesize, total } }
})

/** Money that bought nothing, by order. */
async function excessOf(db: Tx, order_ids: readonly string[]): Promise<Map<string, number>> {
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

async function companyOf(db: Tx, order_no: string): Promise<string> {
  const door = await db.selectFrom('order_door').select('company_id').where('order_no', '=', order_no).executeTakeFirst()
  if (!door) throw refuse('not_found', '没有这个订单号，请核对转账附言')
  return door.company_id
}

export const confirmTransfer = handleOps(contract.confirmTransfer, async (ctx, { order_no, reference, amount_fen }) => {
  const company_id = await companyOf(ctx.db, order_no)
  const became = await ctx.inCompany(company_id, (company) =>
    settleIn(company, { provider: 'transfer', order_no, transaction_id: reference, amount_fen, paid_at: ctx.now }),
  )
  if (became === 'unknown') throw refuse('not_found', '这笔订单不是用对公转账支付的，请核对')
  ctx.about({ company_id, order_no, became })
  return { became }
})

export const refundOrder = handleOps(contract.refundOrder, async (ctx, wanted) => {
  const company_id = await companyOf(ctx.db, wanted.order_no)
  const by_name = ctx.operator.name
  const done = await ctx.inCompany(company_id, (company) => refundIn(company, { ...wanted, by_name }))
  ctx.about({ company_id, order_no: wanted.order_no, pieces: done.pieces })
  return done
})

export const getOpsInvoiceList = handleOps(contract.getOpsInvoiceList, async ({ db }, { status, page, pagesize }) => {
  let invoices = db.selectFrom('invoice')
  if (status) invoices = invoices.where('status', '=', status)
  const { total } = await invoices.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await invoices
    .select(['company_id', 'id as invoice_id', 'kind', 'status', 'title', 'tax_no'])
    .select(['email', 'amount_fen', 'number', 'red_number', 'reason', 'created_at'])
    // What somebody waits for comes first.
    .orderBy(sql`status not in ('waiting', 'reversing')`)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  const names = await namesOf(
    db,
    rows.map(({ company_id }) => company_id),
  )
  const nos = await orderNosOf(
    db,
    rows.map(({ invoice_id }) => invoice_id),
  )
  const list = rows.map(({ created_at, ...row }) => ({
    ...row,
    company: names.get(row.company_id) ?? '',
    order_nos: (nos.get(row.invoice_id) ?? []).toSorted(),
    created_at: isoOf(created_at),
  }))
  return { list, page: { page, pagesize, total } }
})

async function orderNosOf(db: Tx, invoice_ids: readonly string[]): Promise<Map<string, string[]>> {
  if (invoice_ids.length === 0) return new Map()
  const of = await db
    .selectFrom('invoice_order')
    .select(['invoice_id', 'order_id'])
    .where('invoice_id', 'in', [...invoice_ids])
    .execute()
  const orders = await db
    .selectFrom('pay_order')
    .select(['id', 'order_no'])
    .where('id', 'in', [...new Set(of.map(({ order_id }) => order_id))])
    .execute()
  const noOf = new Map(orders.map(({ id, order_no }) => [id, order_no]))
  const grouped = Map.groupBy(of, ({ invoice_id }) => invoice_id)
  return new Map([...grouped].map(([id, some]) => [id, some.map(({ order_id }) => noOf.get(order_id) ?? '')]))
}

export const issueInvoice = handleOps(contract.issueInvoice, async (ctx, { company_id, invoice_id, number }) => {
  const file = ctx.upload
  if (!file) throw invalid('file', '请上传发票文件')
  return { status: await ctx.inCompany(company_id, (company) => issueIn(company, { invoice_id, number, file }, ctx.seal)) }
})

export const returnInvoice = handleOps(contract.returnInvoice, async (ctx, { company_id, invoice_id, reason }) => {
  await ctx.inCompany(company_id, (company) => returnIn(company, invoice_id, reason))
  return {}
})

export const reverseInvoice = handleOps(contract.reverseInvoice, async (ctx, { company_id, invoice_id, reason }) => {
  await ctx.inCompany(company_id, (company) => reverseIn(company, invoice_id, reason))
  return {}
})
