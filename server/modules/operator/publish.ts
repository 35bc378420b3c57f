/** Prices and news that the operator publishes to all companies. */

import * as contract from '../../contract/operator/billing.ts'
import { defineHandler, fail } from '../../http/handler.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import { newId } from '../../shared/ids.ts'
import { getProduct, listChangedPrices, listProducts, products } from '../billing/index.ts'
import { parseNewsKind } from './news.ts'

export const getPriceList = defineHandler(contract.getPriceList, { kind: 'operator' }, async (companyTx) => {
  const changedPrices = new Map((await listChangedPrices(companyTx)).map((one) => [one.product_id, one]))
  const currentProducts = await listProducts(companyTx)
  const list = currentProducts.map(({ id, name, note, price_fen }) => ({
    product_id: id,
    name,
    note,
    price_fen,
    usual_fen: products.find((one) => one.id === id)?.price_fen ?? price_fen,
    changed_at: changedPrices.get(id) ? toIsoTimestamp(changedPrices.get(id)?.from_at ?? companyTx.now) : null,
    by: changedPrices.get(id)?.by_name ?? '',
  }))
  return { list }
})

export const setPrice = defineHandler(contract.setPrice, { kind: 'operator' }, async (ctx, { product_id, price_fen }) => {
  if (!getProduct(product_id)) throw fail('not_found', '没有这个商品，请刷新后重选')
  const { db, now, operator } = ctx
  await db.insertInto('price').values({ id: newId(), product_id, price_fen, from_at: now, by_name: operator.name }).execute()
  ctx.addAuditDetails({ product: product_id, price_fen })
  return {}
})

export const getOpsNews = defineHandler(contract.getOpsNews, { kind: 'operator' }, async ({ db }, { page, pagesize }) => {
  const { total } = await db
    .selectFrom('announcement')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await db
    .selectFrom('announcement')
    .select(['id', 'kind', 'title', 'summary', 'paragraphs', 'published_at', 'withdrawn_at', 'by_name as by'])
    .orderBy('published_at', 'desc')
    .orderBy('id', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  const list = rows.map(({ kind, published_at, withdrawn_at, ...row }) => ({
    ...row,
    kind: parseNewsKind(kind),
    at: toIsoTimestamp(published_at),
    withdrawn_at: withdrawn_at && toIsoTimestamp(withdrawn_at),
  }))
  return { list, page: { page, pagesize, total } }
})

export const publishNews = defineHandler(
  contract.publishNews,
  { kind: 'operator' },
  async (ctx, { kind, title, summary, text }) => {
    const [id, paragraphs] = [
      newId(),
      text
        .split(/\n+/)
        .map((line) => line.trim())
        .filter(Boolean),
    ]
    const by = { published_at: ctx.now, by_name: ctx.operator.name }
    await ctx.db
      .insertInto('announcement')
      .values({ id, kind, title, summary, paragraphs, ...by })
      .execute()
    ctx.addAuditDetails({ id })
    return { id }
  },
)

export const withdrawNews = defineHandler(contract.withdrawNews, { kind: 'operator' }, async ({ db, now }, { id }) => {
  const done = await db
    .updateTable('announcement')
    .set({ withdrawn_at: now })
    .where('id', '=', id)
    .where('withdrawn_at', 'is', null)
    .executeTakeFirst()
  if (done.numUpdatedRows === 0n) throw fail('not_found', '没有这条资讯，或已经撤下')
  return {}
})
