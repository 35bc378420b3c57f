/** 全年一次性奖金, taxed apart from wages (财税〔2018〕164号 art. 1, 国税发〔2005〕9号): once a person and year, while the rule holds. */
import { fen, timesHalfUp } from '../../contract/money.ts'
import { rowFor } from './dated.ts'
import { levelOf, monthlyRates, separateBonus } from './rates.ts'

export type Bonus =
  | { readonly allowed: true; readonly rate_ppm: number; readonly quick_fen: number; readonly tax: number; readonly net: number }
  | { readonly allowed: false; readonly reason: 'already_used_this_year' | 'policy_expired' }

/** `month`: of payment. A twelfth chooses the level and is not rounded; the quick deduction is taken off once. */
export function bonusApart(amount_fen: number, month: string, used_this_year: boolean): Bonus {
  if (!separateBonus.some(({ valid_from, valid_to }) => valid_from <= month && (valid_to === null || month <= valid_to)))
    return { allowed: false, reason: 'policy_expired' }
  if (used_this_year) return { allowed: false, reason: 'already_used_this_year' }
  const levels = rowFor(monthlyRates, month).value.map((level) => ({
    ...level,
    up_to: level.up_to === null ? null : level.up_to * 12,
  }))
  const { rate_ppm, quick_fen } = levelOf(levels, amount_fen)
  const tax = timesHalfUp(fen(amount_fen), rate_ppm) - quick_fen
  return { allowed: true, rate_ppm, quick_fen, tax, net: amount_fen - tax }
}
