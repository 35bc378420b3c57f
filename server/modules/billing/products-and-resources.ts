/** Products, editions, and information about the prepaid balance. */
import { editionLabels, features, getCurrentEdition, hasFeature } from '../../contract/billing/editions.ts'
import * as contract from '../../contract/billing/orders.ts'
import { defineHandler, fail } from '../../http/handler.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import { newId } from '../../shared/ids.ts'
import { countVisibleMembers } from '../directory/index.ts'
import type { ExternalPaymentProviders } from './external-payment-providers.ts'
import type { BillingOptions } from './options.ts'
import { getAvailablePayTypes } from './orders.ts'
import { recordPrepaidTransaction } from './prepaid-sms.ts'
import { findActiveEditionProduct, getPrepaidUsage, getStoredEdition, listPrepaidTransactions } from './prepaid-usage.ts'
import { findProduct, listProducts } from './prices.ts'
import { getDaysRemaining } from './rules/edition.ts'
import { isBalanceLow } from './rules/prepaid.ts'
import type { BillingProduct } from './rules/products.ts'

const toProductView = ({ id, kind, name, note, price_fen, max_count }: BillingProduct) => ({
  product_id: id,
  kind,
  name,
  note,
  price_fen,
  max_count,
})
const editionTypes = [50, 53, 60] as const

export const getProductInfo = defineHandler(contract.getProductInfo, async (ctx, { product_id }) => {
  const product = await findProduct(ctx, product_id)
  if (!product) throw fail('not_found', '没有这个商品，请刷新后重选')
  return toProductView(product)
})

export const defineProductListHandler = (billing: BillingOptions & { readonly payments: ExternalPaymentProviders }) =>
  defineHandler(contract.getProductList, async (ctx) => ({
    billing: billing.billing,
    list: billing.billing ? (await listProducts(ctx)).map(toProductView) : [],
    pay_types: getAvailablePayTypes(billing),
    editions: editionTypes.map((TYPE) => ({
      TYPE,
      name: editionLabels[TYPE],
      features: features.filter((one) => hasFeature(TYPE, one)),
    })),
  }))

export const defineResourceListHandler = ({ billing }: BillingOptions) =>
  defineHandler(contract.getResourceList, async (ctx) => {
    const { now } = ctx
    const stored = await getStoredEdition(ctx)
    const { used_last_month, ...usage } = await getPrepaidUsage(ctx)
    const people = await countVisibleMembers(ctx)
    return {
      list: [{ resource: 'sms' as const, ...usage, low: billing && isBalanceLow({ left: usage.left, used_last_month }) }],
      service: {
        // Where nothing is sold, every company has all features without an end date.
        TYPE: billing ? getCurrentEdition(stored, now) : 60,
        expires_at: billing && stored.edition_until ? toIsoTimestamp(stored.edition_until) : null,
        days_left: billing ? getDaysRemaining(stored.edition_until, now) : 0,
        on_trial: billing && stored.trial_until !== null && stored.trial_until > now,
        people,
        product_id: billing ? ((await findActiveEditionProduct(ctx))?.product.id ?? null) : null,
      },
    }
  })

export const getUseList = defineHandler(contract.getUseList, async (ctx, { kind, page, pagesize }) => {
  const { rows, total } = await listPrepaidTransactions(ctx, { kind, page, pagesize })
  const list = rows.map(({ by_name: by, created_at, ...row }) => ({ ...row, by, at: toIsoTimestamp(created_at) }))
  return { list, page: { page, pagesize, total } }
})

export const consumptionPublicBySalaryAdmin = defineHandler(
  contract.consumptionPublicBySalaryAdmin,
  async (ctx, { count, purpose }) => {
    await recordPrepaidTransaction(ctx, { kind: 'used', count, reason: 'by hand', ref: newId(), purpose })
    ctx.addAuditDetails({ count })
    return { remaining: (await getPrepaidUsage(ctx)).left }
  },
)
