/** The prepaid balance: purchases, use, returns and the remainder. */

import { sql } from 'kysely'
import type { HandlerContext } from '../../http/handler.ts'
import { toShanghaiMonth } from '../../shared/clock.ts'
import { companyView } from '../company/read-model.ts'
import type { EditionProduct } from './rules/edition-change.ts'
import { getStockChange, type PrepaidTransactionKind } from './rules/prepaid.ts'
import { getProduct } from './rules/products.ts'

type CompanyTimeTx = Pick<HandlerContext, 'db' | 'company_id' | 'now'>

/** Lists the transactions of the prepaid balance, newest first, with their change, user and subject. */
export async function listPrepaidTransactions(
  { db, company_id }: CompanyTimeTx,
  {
    kind,
    page,
    pagesize,
  }: { readonly kind?: PrepaidTransactionKind | undefined; readonly page: number; readonly pagesize: number },
) {
  let query = db.selectFrom('prepaid_movement').where('company_id', '=', company_id).where('resource', '=', 'sms')
  if (kind) query = query.where('kind', '=', kind)
  const { total } = await query.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await query
    .select(['id', 'kind', 'count', 'by_name', 'reason as occasion', 'batch_id', 'order_no', 'purpose', 'created_at'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return { rows: rows.map(({ count, ...row }) => ({ ...row, change: getStockChange(row.kind, count) })), total }
}

/** Returns the remaining balance as stored, and from the ledger what was used (less what was returned) and bought. */
export async function getPrepaidUsage({ db, company_id, now }: CompanyTimeTx) {
  const { sms_left } = await db.selectFrom(companyView).select('sms_left').where('id', '=', company_id).executeTakeFirstOrThrow()
  const since = new Date(`${toShanghaiMonth(now)}-01T00:00:00+08:00`)
  const previousMonthStart = new Date(`${toShanghaiMonth(new Date(since.getTime() - 1))}-01T00:00:00+08:00`)
  const { rows } = await sql<{ used: number; used_month: number; used_last_month: number; bought: number }>`
    select coalesce(sum(case when kind = 'used' then count when kind = 'unused' then -count end), 0)::int as used,
      coalesce(sum(case when kind = 'used' then count when kind = 'unused' then -count end) filter (where created_at >= ${since}), 0)::int as used_month,
      coalesce(sum(case when kind = 'used' then count when kind = 'unused' then -count end)
        filter (where created_at >= ${previousMonthStart} and created_at < ${since}), 0)::int as used_last_month,
      coalesce(sum(case when kind = 'bought' then count when kind = 'returned' then -count end), 0)::int as bought
    from prepaid_movement where company_id = ${company_id} and resource = 'sms'`.execute(db)
  return { left: sms_left, ...(rows[0] ?? { used: 0, used_month: 0, used_last_month: 0, bought: 0 }) }
}

/** Returns the company's edition and its end date; locks the row with `lock`. */
export async function getStoredEdition({ db, company_id }: Pick<CompanyTimeTx, 'db' | 'company_id'>, lock = false) {
  const row = db.selectFrom('company').select(['edition', 'edition_until', 'trial_until']).where('id', '=', company_id)
  return (lock ? row.forNoKeyUpdate() : row).executeTakeFirstOrThrow()
}

/** Returns the running edition product bought last, at its list price; null: none, a trial, or it was refunded. */
export async function findActiveEditionProduct(
  companyTx: CompanyTimeTx,
  lock = false,
): Promise<{ readonly product: EditionProduct; readonly until: Date } | null> {
  const { db, company_id, now } = companyTx
  const { edition, edition_until: until, trial_until } = await getStoredEdition(companyTx, lock)
  if (!until || until <= now || trial_until) return null
  const last = await db
    .selectFrom('pay_order')
    .select('product_id')
    .where('company_id', '=', company_id)
    .where('status', '=', 'paid')
    .where('product_id', 'like', 'plus-%')
    .orderBy('paid_at', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  const product = last ? getProduct(last.product_id) : null
  return product?.kind === 'edition' && product.edition === edition ? { product, until } : null
}

/** Sets the purchased edition, which replaces the trial. */
export async function setEdition(
  { db, company_id }: Pick<CompanyTimeTx, 'db' | 'company_id'>,
  { edition, until }: { readonly edition: 50 | 53 | 60; readonly until: Date },
): Promise<void> {
  await db.updateTable('company').set({ edition, edition_until: until, trial_until: null }).where('id', '=', company_id).execute()
}
