/** A dearer edition instead of the one that runs: the difference for the days that are left; the end stays. Pure. */
import { type Fen, toFen } from '../../../contract/shared/money.ts'
import { addYears, type BillingProduct } from './products.ts'

const dayMs = 86_400_000
const daysPerYear = 365

export type EditionProduct = Extract<BillingProduct, { kind: 'edition' }>
export type EditionChange = { readonly amount_fen: Fen; readonly days: number }

/**
 * What it costs: (wanted − held) for each whole year that is left, and for the days beyond them of 365, the begun day whole, a begun fen whole. `current` null: nothing was bought that runs. Or why
 * it cannot be.
 */
export function priceEditionChange(
  current: { readonly product: EditionProduct; readonly until: Date } | null,
  target: EditionProduct,
  now: Date,
): EditionChange | { readonly why: string } {
  if (!current || current.until <= now) return { why: '当前没有在用的付费版本，直接购买即可' }
  const differencePerYear = target.price_fen - current.product.price_fen
  if (current.product.id === target.id) return { why: '已经是这个版本，续费即可' }
  if (differencePerYear <= 0) return { why: '较低的版本请在到期后购买，剩余时间不折算' }
  const countDaysFrom = (from: Date): number => Math.ceil((current.until.getTime() - from.getTime()) / dayMs)
  let years = 0
  while (addYears(now, years + 1) <= current.until) years += 1
  const remainingDays = Math.min(countDaysFrom(addYears(now, years)), daysPerYear)
  return {
    amount_fen: toFen(years * differencePerYear + Math.ceil((differencePerYear * remainingDays) / daysPerYear)),
    days: countDaysFrom(now),
  }
}
