/** Changing to a more expensive edition: the difference for the remaining days is due; the end date stays. Pure. */
import { type Fen, toFen } from '../../../contract/shared/money.ts'
import { addYears, type BillingProduct } from './products.ts'

const dayMs = 86_400_000
const daysPerYear = 365

export type EditionProduct = Extract<BillingProduct, { kind: 'edition' }>
export type EditionChange = { readonly amount_fen: Fen; readonly days: number }

/**
 * Returns the price of the change: (target − current) for each whole remaining year, and for the days beyond them on
 * the basis of 365; a started day counts as a whole day, a started fen as a whole fen. `current` null: no purchased
 * edition is running. Returns the reason where the change is not possible.
 */
export function priceEditionChange(
  current: { readonly product: EditionProduct; readonly until: Date } | null,
  target: EditionProduct,
  now: Date,
): EditionChange | { readonly why: string } {
  if (!current || current.until <= now) return { why: '当前没有在用的付费套餐，直接购买即可' }
  const differencePerYear = target.price_fen - current.product.price_fen
  if (current.product.id === target.id) return { why: '已经是这个套餐，续费即可' }
  if (differencePerYear <= 0) return { why: '较低的套餐请在到期后购买，剩余时间不折算' }
  const countDaysFrom = (from: Date): number => Math.ceil((current.until.getTime() - from.getTime()) / dayMs)
  let years = 0
  while (addYears(now, years + 1) <= current.until) years += 1
  const remainingDays = Math.min(countDaysFrom(addYears(now, years)), daysPerYear)
  return {
    amount_fen: toFen(years * differencePerYear + Math.ceil((differencePerYear * remainingDays) / daysPerYear)),
    days: countDaysFrom(now),
  }
}
