/** What products cost here at this moment: the house's prices, or those that whoever runs the server has set. */
import type { Tx } from '../../../runtime/db.ts'
import { pricedAt, productOf, type SoldProduct } from '../rules/products.ts'

type Here = { readonly db: Tx; readonly now: Date }

/** The last price that was set for each product. */
export const pricesSet = ({ db, now }: Here) =>
  db
    .selectFrom('price')
    .distinctOn('product_id')
    .select(['product_id', 'price_fen', 'from_at', 'by_name'])
    .where('from_at', '<=', now)
    .orderBy('product_id')
    .orderBy('from_at', 'desc')
    .orderBy('id', 'desc')
    .execute()

export async function soldHere(here: Here): Promise<SoldProduct[]> {
  const set = await pricesSet(here)
  return pricedAt(new Map(set.map(({ product_id, price_fen }) => [product_id, price_fen])))
}

/** One of them; null where it is not sold. */
export const soldAs = async (here: Here, id: string): Promise<SoldProduct | null> =>
  productOf(id) ? ((await soldHere(here)).find((one) => one.id === id) ?? null) : null
