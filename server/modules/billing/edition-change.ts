/** Upgrades an edition while its term is running. */
import * as contract from '../../contract/billing/orders.ts'
import type { CompanyTimeTx } from '../../database/company-tx.ts'
import { defineHandler, fail } from '../../http/handler.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import { findActiveEditionProduct } from './prepaid-usage.ts'
import { listProducts } from './prices.ts'
import { type EditionProduct, priceEditionChange } from './rules/edition-change.ts'

export type EditionChangeQuote = {
  readonly from: EditionProduct
  readonly to: EditionProduct
  readonly until: Date
  readonly amount_fen: number
  readonly days: number
}

/** Returns what a change would cost now, at current prices. Throws where there is nothing to change. */
export async function quoteEditionChange(companyTx: CompanyTimeTx, product_id: string): Promise<EditionChangeQuote> {
  const products = await listProducts(companyTx)
  const findEdition = (id: string | undefined): EditionProduct | null => {
    const product = products.find((one) => one.id === id)
    return product?.kind === 'edition' ? product : null
  }
  const to = findEdition(product_id)
  if (!to) throw fail('not_found', '没有这个套餐，请刷新后重选')
  const current = await findActiveEditionProduct(companyTx)
  const from = findEdition(current?.product.id)
  const change = priceEditionChange(current && from && { product: from, until: current.until }, to, companyTx.now)
  if ('why' in change) throw fail('wrong_state', change.why, { status: 'no_change' })
  if (!current || !from) throw fail('not_found')
  return { from, to, until: current.until, ...change }
}

export const getChangePrice = defineHandler(contract.getChangePrice, async (ctx, { product_id }) => {
  const { from, to, until, amount_fen, days } = await quoteEditionChange(ctx, product_id)
  return { amount_fen, days, from: from.name, to: to.name, until: toIsoTimestamp(until) }
})
