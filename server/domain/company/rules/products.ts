/** What is sold, and what it costs. The server's prices are the only ones: whoever buys names a product and how many. Pure. */

import type { Edition } from '../../../contract/who.ts'
import { type Fen, fen, plainFen } from '../../../contract/words/money.ts'

export type SoldProduct = {
  readonly id: string
  readonly name: string
  /** What is in it, in one sentence. */
  readonly note: string
  readonly price_fen: Fen
  /** How many of it may be bought at once. */
  readonly most: number
} & (
  | { readonly kind: 'sms'; readonly pieces: number }
  | { readonly kind: 'edition'; readonly edition: Edition; readonly people: number }
)

const yuan = (amount: number): Fen => fen(amount * 100)

/** What one message costs; rounded to a tenth of a fen where it does not come out. */
const noteOf = (price_fen: number, pieces: number): string =>
  price_fen % pieces === 0 ? `${plainFen(price_fen / pieces)} 元一条` : `约 ${(price_fen / pieces / 100).toFixed(3)} 元一条`

const sms = (pieces: number, price: number, most: number): SoldProduct => ({
  id: `sms-${pieces}`,
  kind: 'sms',
  name: `短信 ${pieces.toLocaleString('zh-CN')} 条`,
  note: noteOf(yuan(price), pieces),
  pieces,
  price_fen: yuan(price),
  most,
})
/** A year of an edition. */
const plus = (edition: Edition, people: number, price: number, note: string): SoldProduct => ({
  id: `plus-${people}`,
  kind: 'edition',
  name: `高级版 · ${people.toLocaleString('zh-CN')} 人以内`,
  note,
  edition,
  people,
  price_fen: yuan(price),
  most: 3,
})

export const products: readonly SoldProduct[] = [
  sms(1_000, 100, 100),
  sms(10_000, 800, 100),
  sms(50_000, 3_500, 20),
  plus(53, 50, 1_980, '模板、邮件送达、按年导出，发送不限次数'),
  plus(60, 200, 3_980, '另加个税、五险一金与申报表'),
  plus(60, 1_000, 9_800, '另加审批与专属客户顾问'),
]

export const productOf = (id: string): SoldProduct | null => products.find((one) => one.id === id) ?? null

/** The same at the prices that whoever runs the server has set; where he has not, at those above. */
export const pricedAt = (set: ReadonlyMap<string, number>): SoldProduct[] =>
  products.map((one) => {
    const price_fen = fen(set.get(one.id) ?? one.price_fen)
    return one.kind === 'sms' ? { ...one, price_fen, note: noteOf(price_fen, one.pieces) } : { ...one, price_fen }
  })

/** What `count` of it cost; null where so many are not sold. */
export const priceOf = (product: SoldProduct, count: number): Fen | null =>
  Number.isInteger(count) && count >= 1 && count <= product.most ? fen(product.price_fen * count) : null

type Held = { readonly edition: number; readonly edition_until: Date | null }
/** Until when an edition lasts that is bought for some years: the same one goes on where it ends, another one begins now. */
export function boughtUntil(held: Held, bought: { readonly edition: Edition; readonly years: number }, now: Date): Date {
  const runs = held.edition_until !== null && held.edition_until > now
  const from = runs && held.edition === bought.edition && held.edition_until ? held.edition_until : now
  return yearsAfter(from, bought.years)
}

/** So many years later, or earlier. 29 February becomes 28, not 1 March: nobody gets a day less than a year ends on. */
export function yearsAfter(from: Date, years: number): Date {
  const until = new Date(from)
  until.setUTCFullYear(until.getUTCFullYear() + years)
  if (until.getUTCDate() !== from.getUTCDate()) until.setUTCDate(0)
  return until
}
