/** What is sold, and what it costs. The server's prices are the only ones: whoever buys names a product and how many. Pure. */

import type { Edition } from '../../../contract/access.ts'
import { type Fen, formatPlainFen, toFen } from '../../../contract/shared/money.ts'

export type BillingProduct = {
  readonly id: string
  readonly name: string
  /** What is in it, in one sentence. */
  readonly note: string
  readonly price_fen: Fen
  /** How many of it may be bought at once. */
  readonly max_count: number
} & (
  | { readonly kind: 'sms'; readonly sms_count: number }
  | { readonly kind: 'edition'; readonly edition: Edition; readonly people: number }
)

const yuanToFen = (amount: number): Fen => toFen(amount * 100)

/** What one message costs; rounded to a tenth of a fen where it does not come out. */
const formatUnitPrice = (price_fen: number, smsCount: number): string =>
  price_fen % smsCount === 0
    ? `${formatPlainFen(price_fen / smsCount)} 元一条`
    : `约 ${(price_fen / smsCount / 100).toFixed(3)} 元一条`

const defineSmsProduct = (smsCount: number, price: number, maxCount: number): BillingProduct => ({
  id: `sms-${smsCount}`,
  kind: 'sms',
  name: `短信 ${smsCount.toLocaleString('zh-CN')} 条`,
  note: formatUnitPrice(yuanToFen(price), smsCount),
  sms_count: smsCount,
  price_fen: yuanToFen(price),
  max_count: maxCount,
})
/** A year of an edition. */
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

/** The same at the prices that whoever runs the server has set; where he has not, at those above. */
export const applyPrices = (changedPrices: ReadonlyMap<string, number>): BillingProduct[] =>
  products.map((one) => {
    const price_fen = toFen(changedPrices.get(one.id) ?? one.price_fen)
    return one.kind === 'sms' ? { ...one, price_fen, note: formatUnitPrice(price_fen, one.sms_count) } : { ...one, price_fen }
  })

/** What `count` of it cost; null where so many are not sold. */
export const computePrice = (product: BillingProduct, count: number): Fen | null =>
  Number.isInteger(count) && count >= 1 && count <= product.max_count ? toFen(product.price_fen * count) : null

type CurrentEdition = { readonly edition: number; readonly edition_until: Date | null }
/** Until when an edition lasts that is bought for some years: the same one goes on where it ends, another one begins now. */
export function computeEditionEnd(
  current: CurrentEdition,
  purchase: { readonly edition: Edition; readonly years: number },
  now: Date,
): Date {
  const runs = current.edition_until !== null && current.edition_until > now
  const from = runs && current.edition === purchase.edition && current.edition_until ? current.edition_until : now
  return addYears(from, purchase.years)
}

/** So many years later, or earlier. 29 February becomes 28, not 1 March: nobody gets a day less than a year ends on. */
export function addYears(from: Date, years: number): Date {
  const until = new Date(from)
  until.setUTCFullYear(until.getUTCFullYear() + years)
  if (until.getUTCDate() !== from.getUTCDate()) until.setUTCDate(0)
  return until
}
