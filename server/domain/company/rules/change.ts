/** A dearer edition instead of the one that runs: the difference for the days that are left; the end stays. Pure. */
import { type Fen, fen } from '../../../contract/words/money.ts'
import { type SoldProduct, yearsAfter } from './products.ts'

const day_ms = 86_400_000
const days_a_year = 365

export type EditionProduct = Extract<SoldProduct, { kind: 'edition' }>
export type EditionChange = { readonly amount_fen: Fen; readonly days: number }

/**
 * What it costs: (wanted − held) for each whole year that is left, and for the days beyond them of 365, the begun day whole, a begun fen whole. `held` null: nothing was bought that runs. Or why
 * it cannot be.
 */
export function changeOf(
  held: { readonly product: EditionProduct; readonly until: Date } | null,
  wanted: EditionProduct,
  now: Date,
): EditionChange | { readonly why: string } {
  if (!held || held.until <= now) return { why: '当前没有在用的付费版本，直接购买即可' }
  const more = wanted.price_fen - held.product.price_fen
  if (held.product.id === wanted.id) return { why: '已经是这个版本，续费即可' }
  if (more <= 0) return { why: '较低的版本请在到期后购买，剩余时间不折算' }
  const daysFrom = (from: Date): number => Math.ceil((held.until.getTime() - from.getTime()) / day_ms)
  let years = 0
  while (yearsAfter(now, years + 1) <= held.until) years += 1
  const rest = Math.min(daysFrom(yearsAfter(now, years)), days_a_year)
  return { amount_fen: fen(years * more + Math.ceil((more * rest) / days_a_year)), days: daysFrom(now) }
}
