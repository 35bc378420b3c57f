/** Products, editions, and what is told of the prepaid pool. */
import { allows, editionNow, editionWords, features } from '../../../contract/corp/editions.ts'
import * as contract from '../../../contract/corp/order.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { handle, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { countPeople } from '../../member/index.ts'
import { daysLeft } from '../rules/edition.ts'
import { isLow } from '../rules/pool.ts'
import type { SoldProduct } from '../rules/products.ts'
import { move as movePool } from '../sms-account.ts'
import type { Offer } from './calls.ts'
import { offeredOf } from './orders.ts'
import type { OutsidePays } from './outside.ts'
import { editionHeld, poolFigures, poolMoves, productHeld } from './pool-list.ts'
import { soldAs, soldHere } from './prices.ts'

const shown = ({ id, kind, name, note, price_fen, most }: SoldProduct) => ({ product_id: id, kind, name, note, price_fen, most })
const types = [50, 53, 60] as const

export const getProductInfo = handle(contract.getProductInfo, async (ctx, { product_id }) => {
  const product = await soldAs(ctx, product_id)
  if (!product) throw refuse('not_found', '没有这个商品，请刷新后重选')
  return shown(product)
})

export const productList = (shop: Offer & { readonly pays: OutsidePays }) =>
  handle(contract.getProductList, async (ctx) => ({
    billing: shop.billing,
    list: shop.billing ? (await soldHere(ctx)).map(shown) : [],
    pay_types: offeredOf(shop),
    editions: types.map((TYPE) => ({ TYPE, name: editionWords[TYPE], features: features.filter((one) => allows(TYPE, one)) })),
  }))

export const resourceList = ({ billing }: Offer) =>
  handle(contract.getResourceList, async (ctx) => {
    const { now } = ctx
    const held = await editionHeld(ctx)
    const { used_last_month, ...figures } = await poolFigures(ctx)
    const people = await countPeople(ctx)
    return {
      list: [{ resource: 'sms' as const, ...figures, low: isLow({ left: figures.left, used_last_month }) }],
      service: {
        // Where nothing is sold everybody has everything, and it does not end.
        TYPE: billing ? editionNow(held, now) : 60,
        expires_at: billing && held.edition_until ? isoOf(held.edition_until) : null,
        days_left: billing ? daysLeft(held.edition_until, now) : 0,
        on_trial: billing && held.trial_until !== null && held.trial_until > now,
        people,
        product_id: billing ? ((await productHeld(ctx))?.product.id ?? null) : null,
      },
    }
  })

export const getUseList = handle(contract.getUseList, async (ctx, { kind, page, pagesize }) => {
  const { rows, total } = await poolMoves(ctx, { kind, page, pagesize })
  const list = rows.map(({ by_name: by, created_at, ...row }) => ({ ...row, by, at: isoOf(created_at) }))
  return { list, page: { page, pagesize, total } }
})

export const consumptionPublicBySalaryAdmin = handle(contract.consumptionPublicBySalaryAdmin, async (ctx, { count, purpose }) => {
  await movePool(ctx, { kind: 'used', count, why: 'by hand', ref: newId(), purpose })
  ctx.about({ count })
  return { left: (await poolFigures(ctx)).left }
})
