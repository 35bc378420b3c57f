/** Companies, orders and invoices for the operator, and the operator's actions on them. */

import { sql } from 'kysely'
import { getCurrentEdition } from '../../contract/billing/editions.ts'
import * as contract from '../../contract/operator/billing.ts'
import type { Tx } from '../../database/database.ts'
import { defineHandler, fail, invalidInput } from '../../http/handler.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import {
  issueCompanyInvoice,
  recordCompanyPayment,
  refundCompanyOrder,
  returnCompanyInvoice,
  reverseCompanyInvoice,
} from '../billing/operations/index.ts'

// Each list covers all companies, one page at a time: every statement reads one table, so that it also works in a
// cluster (docs/scale.md).

/** Search text matches literally: no character acts as a pattern. */
const toContainsPattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`
const maxMatchedCompanies = 200

async function getCompanyNames(db: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('company')
    .select(['id', 'name'])
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Finds the companies that have exactly this name. */
export const findCompanyIds = async (db: Tx, name: string): Promise<string[]> =>
  (await db.selectFrom('company').select('id').where('name', '=', name).limit(20).execute()).map(({ id }) => id)

export const getCompanyList = defineHandler(
  contract.getCompanyList,
  { kind: 'operator' },
  async ({ db, now }, { query, page, pagesize }) => {
    let companies = db.selectFrom('company')
    if (query) companies = companies.where('name', 'ilike', toContainsPattern(query))
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
        : await sumPaidByCompany(
            db,
            rows.map(({ id }) => id),
          )
    const paid = new Map(sums.map(({ company_id, sum }) => [company_id, Number(sum)]))
    const list = rows.map(({ id, edition, edition_until, trial_until, created_at, ...row }) => ({
      ...row,
      company_id: id,
      TYPE: getCurrentEdition({ edition, edition_until }, now),
      on_trial: trial_until !== null && trial_until > now,
      expires_at: edition_until && toIsoTimestamp(edition_until),
      created_at: toIsoTimestamp(created_at),
      paid_fen: paid.get(id) ?? 0,
    }))
    return { list, page: { page, pagesize, total } }
  },
)

const sumPaidByCompany = (db: Tx, ids: readonly string[]) =>
  db
    .selectFrom('pay_order')
    .select(['company_id', sql<string>`sum(amount_fen - refunded_fen)`.as('sum')])
    .where('company_id', 'in', [...ids])
    .where('status', '=', 'paid')
    .groupBy('company_id')
    .execute()

export const getOpsOrderList = defineHandler(contract.getOpsOrderList, { kind: 'operator' }, async ({ db }, params) => {
  const { query, status, pay_type, page, pagesize } = params
  let orders = db.selectFrom('pay_order')
  if (status) orders = orders.where('status', '=', status)
  if (pay_type) orders = orders.where('pay_type', '=', pay_type)
  if (query) {
    const named = await db
      .selectFrom('company')
      .select('id')
      .where('name', 'ilike', toContainsPattern(query))
      .limit(maxMatchedCompanies)
      .execute()
    const ids = named.map(({ id }) => id)
    const byNo = sql<boolean>`order_no ilike ${toContainsPattern(query)}`
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
  const names = await getCompanyNames(
    db,
    rows.map(({ company_id }) => company_id),
  )
  const excess = await sumExcessByOrder(
    db,
    rows.map(({ id }) => id),
  )
  const list = rows.map(({ id, created_at, paid_at, ...row }) => ({
    ...row,
    company: names.get(row.company_id) ?? '',
    excess_fen: excess.get(id) ?? 0,
    created_at: toIsoTimestamp(created_at),
    paid_at: paid_at && toIsoTimestamp(paid_at),
  }))
  return { list, page: { page, pagesize, total } }
})

/** Sums excess payments by order. */
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

async function requireOrderCompany(db: Tx, order_no: string): Promise<string> {
  const orderRef = await db.selectFrom('order_lookup').select('company_id').where('order_no', '=', order_no).executeTakeFirst()
  if (!orderRef) throw fail('not_found', '没有这个订单号，请核对转账附言')
  return orderRef.company_id
}

export const confirmTransfer = defineHandler(
  contract.confirmTransfer,
  { kind: 'operator' },
  async (ctx, { order_no, reference, amount_fen }) => {
    const company_id = await requireOrderCompany(ctx.db, order_no)
    const result = await ctx.inCompany(company_id, (company) =>
      recordCompanyPayment(company, { provider: 'transfer', order_no, transaction_id: reference, amount_fen, paid_at: ctx.now }),
    )
    if (result === 'unknown') throw fail('not_found', '这笔订单不是用对公转账支付的，请核对')
    ctx.addAuditDetails({ company_id, order_no, became: result })
    return { result }
  },
)

export const refundOrder = defineHandler(contract.refundOrder, { kind: 'operator' }, async (ctx, request) => {
  const company_id = await requireOrderCompany(ctx.db, request.order_no)
  const by_name = ctx.operator.name
  const refund = await ctx.inCompany(company_id, (company) => refundCompanyOrder(company, { ...request, by_name }))
  ctx.addAuditDetails({ company_id, order_no: request.order_no, pieces: refund.sms_returned })
  return refund
})

export const getOpsInvoiceList = defineHandler(
  contract.getOpsInvoiceList,
  { kind: 'operator' },
  async ({ db }, { status, page, pagesize }) => {
    let invoices = db.selectFrom('invoice')
    if (status) invoices = invoices.where('status', '=', status)
    const { total } = await invoices.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
    const rows = await invoices
      .select(['company_id', 'id as invoice_id', 'kind', 'status', 'title', 'tax_no'])
      .select(['email', 'amount_fen', 'number', 'red_number', 'reason', 'created_at'])
      // Invoices that await the operator come first.
      .orderBy(sql`status not in ('waiting', 'reversing')`)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(pagesize)
      .offset((page - 1) * pagesize)
      .execute()
    const names = await getCompanyNames(
      db,
      rows.map(({ company_id }) => company_id),
    )
    const orderNumbers = await getOrderNumbersByInvoice(
      db,
      rows.map(({ invoice_id }) => invoice_id),
    )
    const list = rows.map(({ created_at, ...row }) => ({
      ...row,
      company: names.get(row.company_id) ?? '',
      order_nos: (orderNumbers.get(row.invoice_id) ?? []).toSorted(),
      created_at: toIsoTimestamp(created_at),
    }))
    return { list, page: { page, pagesize, total } }
  },
)

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

export const issueInvoice = defineHandler(
  contract.issueInvoice,
  { kind: 'operator' },
  async (ctx, { company_id, invoice_id, number }) => {
    const file = ctx.upload
    if (!file) throw invalidInput('file', '请上传发票文件')
    return {
      status: await ctx.inCompany(company_id, (company) => issueCompanyInvoice(company, { invoice_id, number, file }, ctx.seal)),
    }
  },
)

export const returnInvoice = defineHandler(
  contract.returnInvoice,
  { kind: 'operator' },
  async (ctx, { company_id, invoice_id, reason }) => {
    await ctx.inCompany(company_id, (company) => returnCompanyInvoice(company, invoice_id, reason))
    return {}
  },
)

export const reverseInvoice = defineHandler(
  contract.reverseInvoice,
  { kind: 'operator' },
  async (ctx, { company_id, invoice_id, reason }) => {
    await ctx.inCompany(company_id, (company) => reverseCompanyInvoice(company, invoice_id, reason))
    return {}
  },
)
