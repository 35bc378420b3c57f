/** Current product prices: the list prices, or those set by the operator. */
import type { Tx } from '../../database/database.ts'
import { applyPrices, type BillingProduct, getProduct } from './rules/products.ts'

type PriceTx = { readonly db: Tx; readonly now: Date }

/** Returns the latest price set for each product. */
export const listChangedPrices = ({ db, now }: PriceTx) =>
  db
    .selectFrom('price')
    .distinctOn('product_id')
    .select(['product_id', 'price_fen', 'from_at', 'by_name'])
    .where('from_at', '<=', now)
    .orderBy('product_id')
    .orderBy('from_at', 'desc')
    .orderBy('id', 'desc')
    .execute()

export async function listProducts(companyTx: PriceTx): Promise<BillingProduct[]> {
  const changedPrices = await listChangedPrices(companyTx)
  return applyPrices(new Map(changedPrices.map(({ product_id, price_fen }) => [product_id, price_fen])))
}

/** Finds one product; null if it is not sold. */
export const findProduct = async (companyTx: PriceTx, id: string): Promise<BillingProduct | null> =>
  getProduct(id) ? ((await listProducts(companyTx)).find((one) => one.id === id) ?? null) : null
