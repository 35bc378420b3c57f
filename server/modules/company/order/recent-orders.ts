/** Orders by a part of their number, of what was bought, of who bought it, or of the month. */
import type { HandlerContext } from '../../../http/handler.ts'

/** The newest first, at most `limit`: what is older is looked for in the list of orders. */
export const listRecentOrders = ({ db, company_id }: Pick<HandlerContext, 'db' | 'company_id'>, limit: number) =>
  db
    .selectFrom('pay_order')
    .select(['order_no', 'product_name as name', 'status', 'by_name as by', 'created_at'])
    .where('company_id', '=', company_id)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
