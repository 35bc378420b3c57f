/** What cases of wages say of a person: employment, opening sums, a bonus. */
import { StrictFields } from '../read.ts'
import { LawRefusal } from '../refused.ts'
import { defaults } from '../settings.ts'
import type { Employment } from '../wages/employment.ts'
import type { Opening } from '../wages/withholding.ts'
import { flag } from './words.ts'

const flags = ['first_income_of_year', 'prior_year_under_60000', 'disabled'] as const
/** The flags stand beside the hire, or together under `flags`, as yes and no or as a list of what holds. */
export function employmentOf(of: StrictFields, year: number): Employment & { resident: boolean } {
  const beside = of.raw('flags')
  const listed = Array.isArray(beside) ? of.texts('flags') : []
  const inside = beside !== undefined && !Array.isArray(beside) ? of.inside('flags') : null
  const holds = (name: (typeof flags)[number]) =>
    flag(of, name) || listed.includes(name) || (inside !== null && flag(inside, name))
  const found = {
    year,
    hired: of.month('hire'),
    left: of.has('leave') ? of.month('leave') : null,
    earlier: of.list(
      'earlier',
      (value, place) => {
        const span = new StrictFields(value, place)
        const found = { hired: span.month('hire'), left: span.month('leave') }
        span.close()
        return found
      },
      true,
    ),
    first_income_of_year: holds('first_income_of_year'),
    prior_year_under_60000: holds('prior_year_under_60000'),
    disabled: holds('disabled'),
    resident: of.flag('resident', true),
  }
  inside?.close()
  of.close()
  return found
}

/** The cumulative rule is of residents; months of others stand alone. */
export function residentOf(of: StrictFields, year: number): Employment {
  const { resident, ...employment } = employmentOf(of, year)
  if (!resident)
    throw new LawRefusal(of.at('resident'), '累计预扣只用于居民个人；非居民请用 nonresident_salary 或 nonresident_year')
  return employment
}

export function openingOf(of: StrictFields): Opening | undefined {
  if (!of.has('opening')) return undefined
  const from = of.inside('opening')
  const opening = {
    through_month: from.whole('through_month', [0, 12]),
    income: from.money('cum_income', 0),
    exempt: from.money('cum_exempt', 0),
    special: from.money('cum_special', 0),
    additional: from.money('cum_additional', 0),
    other: from.money('cum_other', 0),
    donation: from.money('cum_donation', 0),
    reduction: from.money('cum_reduction', 0),
    withheld: from.money('cum_withheld', 0),
  }
  from.close()
  return opening
}

/** Without a method: a thirteenth month. */
export type BonusPaid = { readonly amount: number; readonly method: 'separate' | 'merged' }
export function bonusIn(of: StrictFields): BonusPaid | undefined {
  if (!of.has('bonus')) return undefined
  const from = of.inside('bonus')
  const bonus = {
    amount: from.money('amount', 0),
    method: from.choice('method', ['separate', 'merged'], defaults.thirteenth_month),
  }
  from.close()
  return bonus
}
