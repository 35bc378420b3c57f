/** The products on sale and their prices. Only the server's prices count: an order names a product and a quantity. Pure. */

import type { Edition } from '../../../contract/access.ts'
import { type Fen, formatPlainFen, toFen } from '../../../contract/shared/money.ts'

export type BillingProduct = {
  readonly id: string
  readonly name: string
  /** A one-sentence description of its content. */
  readonly note: string
  readonly price_fen: Fen
  /** The maximum quantity per order. */
  readonly max_count: number
} & (
  | { readonly kind: 'sms'; readonly sms_count: number }
  | { readonly kind: 'edition'; readonly edition: Edition; readonly people: number }
)

const yuanToFen = (amount: number): Fen => toFen(amount * 100)

/** Formats the price per message; rounded to a tenth of a fen where necessary. */
const formatUnitPrice = (price_fen: number, smsCount: number): string =>
  price_fen % smsCount === 0
    ? `${formatPlainFen(price_fen / smsCount)} 元/条`
    : `约 ${(price_fen / smsCount / 100).toFixed(3)} 元/条`

const defineSmsProduct = (smsCount: number, price: number, maxCount: number): BillingProduct => ({
  id: `sms-${smsCount}`,
  kind: 'sms',
  name: `短信 ${smsCount.toLocaleString('zh-CN')} 条`,
  note: formatUnitPrice(yuanToFen(price), smsCount),
  sms_count: smsCount,
  price_fen: yuanToFen(price),
  max_count: maxCount,
})
/** Defines the product of one year of an edition. */
const defineEditionProduct = (edition: Edition, people: number, price: number, note: string): BillingProduct => ({
  id: `plus-${people}`,
  kind: 'edition',
  name: `高级版 · ${people.toLocaleString('zh-CN')} 人以内`,
  note,
  edition,
  people,
  price_fen: yuanToFen(price),
  max_count: 3,
})

export const products: readonly BillingProduct[] = [
  defineSmsProduct(1_000, 100, 100),
  defineSmsProduct(10_000, 800, 100),
  defineSmsProduct(50_000, 3_500, 20),
  defineEditionProduct(53, 50, 1_980, '模板、邮件送达、按年导出，发送不限次数'),
  defineEditionProduct(60, 200, 3_980, '另加个税、五险一金与申报表'),
  defineEditionProduct(60, 1_000, 9_800, '另加审批与专属客户顾问'),
]

export const getProduct = (id: string): BillingProduct | null => products.find((one) => one.id === id) ?? null

/** Returns the products at the prices set by the operator, otherwise at the list prices above. */
export const applyPrices = (changedPrices: ReadonlyMap<string, number>): BillingProduct[] =>
  products.map((one) => {
    const price_fen = toFen(changedPrices.get(one.id) ?? one.price_fen)
    return one.kind === 'sms' ? { ...one, price_fen, note: formatUnitPrice(price_fen, one.sms_count) } : { ...one, price_fen }
  })

/** Returns the price of `count` items; null for a quantity that is not sold. */
export const computePrice = (product: BillingProduct, count: number): Fen | null =>
  Number.isInteger(count) && count >= 1 && count <= product.max_count ? toFen(product.price_fen * count) : null

type CurrentEdition = { readonly edition: number; readonly edition_until: Date | null }
/** Returns the end of an edition bought for some years: the same edition is extended from its end, another one starts now. */
export function computeEditionEnd(
  current: CurrentEdition,
  purchase: { readonly edition: Edition; readonly years: number },
  now: Date,
): Date {
  const runs = current.edition_until !== null && current.edition_until > now
  const from = runs && current.edition === purchase.edition && current.edition_until ? current.edition_until : now
  return addYears(from, purchase.years)
}

/** Adds or subtracts years. 29 February becomes 28 February, not 1 March: an edition always ends in the same month. */
export function addYears(from: Date, years: number): Date {
  const until = new Date(from)
  until.setUTCFullYear(until.getUTCFullYear() + years)
  if (until.getUTCDate() !== from.getUTCDate()) until.setUTCDate(0)
  return until
}
