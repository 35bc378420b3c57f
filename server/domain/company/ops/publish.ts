/** What whoever runs the server says to all companies: prices and news. */
import * as contract from '../../../contract/corp/ops-shop.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { handleOps, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { pricesSet, soldHere } from '../order/prices.ts'
import { productOf, products } from '../rules/products.ts'
import { kindOf } from './told.ts'

export const getPriceList = handleOps(contract.getPriceList, async (here) => {
  const set = new Map((await pricesSet(here)).map((one) => [one.product_id, one]))
  const now = await soldHere(here)
  const list = now.map(({ id, name, note, price_fen }) => ({
    product_id: id,
    name,
    note,
    price_fen,
    usual_fen: products.find((one) => one.id === id)?.price_fen ?? price_fen,
    changed_at: set.get(id) ? isoOf(set.get(id)?.from_at ?? here.now) : null,
    by: set.get(id)?.by_name ?? '',
  }))
  return { list }
})

export const setPrice = handleOps(contract.setPrice, async (ctx, { product_id, price_fen }) => {
  if (!productOf(product_id)) throw refuse('not_found', '没有这个商品，请刷新后重选')
  const { db, now, operator } = ctx
  await db.insertInto('price').values({ id: newId(), product_id, price_fen, from_at: now, by_name: operator.name }).execute()
  ctx.about({ product: product_id, price_fen })
  return {}
})

export const getOpsNews = handleOps(contract.getOpsNews, async ({ db }, { page, pagesize }) => {
  const { total } = await db
    .selectFrom('news')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await db
    .selectFrom('news')
    .select(['id', 'kind', 'title', 'summary', 'paragraphs', 'published_at', 'withdrawn_at', 'by_name as by'])
    .orderBy('published_at', 'desc')
    .orderBy('id', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  const list = rows.map(({ kind, published_at, withdrawn_at, ...row }) => ({
    ...row,
    kind: kindOf(kind),
    at: isoOf(published_at),
    withdrawn_at: withdrawn_at && isoOf(withdrawn_at),
  }))
  return { list, page: { page, pagesize, total } }
})

export const publishNews = handleOps(contract.publishNews, async (ctx, { kind, title, summary, text }) => {
  const [id, paragraphs] = [
    newId(),
    text
      .split(/\n+/)
      .map((line) => line.trim())
      .filter(Boolean),
  ]
  const by = { published_at: ctx.now, by_name: ctx.operator.name }
  await ctx.db
    .insertInto('news')
    .values({ id, kind, title, summary, paragraphs, ...by })
    .execute()
  ctx.about({ id })
  return { id }
})

export const withdrawNews = handleOps(contract.withdrawNews, async ({ db, now }, { id }) => {
  const done = await db
    .updateTable('news')
    .set({ withdrawn_at: now })
    .where('id', '=', id)
    .where('withdrawn_at', 'is', null)
    .executeTakeFirst()
  if (done.numUpdatedRows === 0n) throw refuse('not_found', '没有这条资讯，或已经撤下')
  return {}
})
