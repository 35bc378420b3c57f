/** Companies, orders and invoices for the operator, and the operator's actions on them. */

import { sql } from 'kysely'
import { getCurrentEdition } from '../../contract/billing/editions.ts'
import * as contract from '../../contract/operator/billing.ts'
import type { Tx } from '../../database/database.ts'
import { defineHandler, fail, invalidInput } from '../../http/handler.ts'
import { toIsoTimestamp, toShanghaiDate } from '../../shared/clock.ts'
import {
  findOrderCompany,
  grantCompanyEdition,
  grantCompanySms,
  issueCompanyInvoice,
  listInvoices,
  listOrders,
  recordCompanyPayment,
  refundCompanyOrder,
  returnCompanyInvoice,
  reverseCompanyInvoice,
  sumPaidByCompany,
} from '../billing/operations/index.ts'
import { companyView } from '../company/read-model.ts'

// Each list covers all companies, one page at a time: every statement reads one table, so that it also works in a
// cluster (docs/scale.md).

/** Search text matches literally: no character acts as a pattern. */
const toContainsPattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`
const maxMatchedCompanies = 200

async function getCompanyNames(db: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom(companyView)
    .select(['id', 'name'])
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Finds the companies that have exactly this name. */
export const findCompanyIds = async (db: Tx, name: string): Promise<string[]> =>
  (await db.selectFrom(companyView).select('id').where('name', '=', name).limit(20).execute()).map(({ id }) => id)

/** Returns the company with this id or exact name; throws one sentence if there is none or several. */
export async function findCompany(db: Tx, idOrName: string): Promise<{ readonly id: string; readonly name: string }> {
  const companies = await db
    .selectFrom(companyView)
    .select(['id', 'name'])
    .where((where) => where.or([where('name', '=', idOrName), where(sql`id::text`, '=', idOrName.toLowerCase())]))
    .execute()
  const [company, ...others] = companies
  if (!company) throw new Error(`没有这家企业：${idOrName}`)
  if (others.length > 0)
    throw new Error(`有 ${companies.length} 家企业叫「${idOrName}」，请写编号：${companies.map(({ id }) => id).join('，')}`)
  return company
}

export const getCompanyList = defineHandler(
  contract.getCompanyList,
  { kind: 'operator' },
  async ({ db, now }, { query, page, pagesize }) => {
    let companies = db.selectFrom(companyView)
    if (query) companies = companies.where('name', 'ilike', toContainsPattern(query))
    const { total } = await companies.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
    const rows = await companies
      .select(['id', 'name', 'corp_role', 'edition', 'edition_until', 'trial_until', 'sms_left', 'created_at'])
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(pagesize)
      .offset((page - 1) * pagesize)
      .execute()
    const paid = await sumPaidByCompany(
      db,
      rows.map(({ id }) => id),
    )
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

async function assertCompanySold(db: Tx, billing: boolean, company_id: string): Promise<void> {
  if (!billing) throw fail('wrong_state', '这里不计费：短信不限量，每家企业都有全部功能，不需要赠送')
  const company = await db.selectFrom(companyView).select('id').where('id', '=', company_id).executeTakeFirst()
  if (!company) throw fail('not_found', '没有这家企业，请刷新后重选')
}

export const grantSms = defineHandler(contract.grantSms, { kind: 'operator' }, async (ctx, { company_id, count, reason }) => {
  await assertCompanySold(ctx.db, ctx.billing, company_id)
  const by_name = ctx.operator.name
  ctx.addAuditDetails({ company_id, granted: count, reason })
  await ctx.inCompany(company_id, (company) => grantCompanySms(company, { count, reason, by_name }))
  const { sms_left } = await ctx.db
    .selectFrom(companyView)
    .select('sms_left')
    .where('id', '=', company_id)
    .executeTakeFirstOrThrow()
  return { sms_left }
})

export const grantEdition = defineHandler(
  contract.grantEdition,
  { kind: 'operator' },
  async (ctx, { company_id, TYPE, last_day, reason }) => {
    await assertCompanySold(ctx.db, ctx.billing, company_id)
    ctx.addAuditDetails({ company_id, edition: TYPE, last_day, reason })
    if (last_day < toShanghaiDate(ctx.now)) throw invalidInput('last_day', '日期不能早于今天')
    await ctx.inCompany(company_id, (company) => grantCompanyEdition(company, { edition: TYPE, last_day }))
    return {}
  },
)

export const getOpsOrderList = defineHandler(contract.getOpsOrderList, { kind: 'operator' }, async ({ db }, params) => {
  const { query, page, pagesize } = params
  const pattern = query && toContainsPattern(query)
  const search = pattern ? { pattern, company_ids: await searchCompanyIds(db, pattern) } : null
  const { rows, total } = await listOrders(db, { ...params, search })
  const names = await getCompanyNames(
    db,
    rows.map(({ company_id }) => company_id),
  )
  const list = rows.map(({ created_at, paid_at, ...row }) => ({
    ...row,
    company: names.get(row.company_id) ?? '',
    created_at: toIsoTimestamp(created_at),
    paid_at: paid_at && toIsoTimestamp(paid_at),
  }))
  return { list, page: { page, pagesize, total } }
})

/** Returns the companies whose names match, at most as many as one search uses. */
async function searchCompanyIds(db: Tx, pattern: string): Promise<string[]> {
  const rows = await db.selectFrom(companyView).select('id').where('name', 'ilike', pattern).limit(maxMatchedCompanies).execute()
  return rows.map(({ id }) => id)
}

async function requireOrderCompany(db: Tx, order_no: string): Promise<string> {
  const company_id = await findOrderCompany(db, order_no)
  if (company_id === null) throw fail('not_found', '没有这个订单号，请核对转账附言')
  return company_id
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
    const { rows, total } = await listInvoices(db, { status, page, pagesize })
    const names = await getCompanyNames(
      db,
      rows.map(({ company_id }) => company_id),
    )
    const list = rows.map(({ created_at, ...row }) => ({
      ...row,
      company: names.get(row.company_id) ?? '',
      created_at: toIsoTimestamp(created_at),
    }))
    return { list, page: { page, pagesize, total } }
  },
)

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
