/** Searches orders by part of their number, by product, by buyer or by month. */
import type { CompanyTx } from '../../database/company-tx.ts'

/** Returns the newest orders, at most `limit`; older ones are found in the order list. */
export const listRecentOrders = ({ db, company_id }: CompanyTx, limit: number) =>
  db
    .selectFrom('pay_order')
    .select(['order_no', 'product_name as name', 'status', 'by_name as by', 'created_at'])
    .where('company_id', '=', company_id)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
