/** A person's year as its months were locked, as the annual reconciliation asks for it. Pure. */
import type { YearEndKind } from '../../../contract/wage/tax/tax-results.ts'
import { type Settlement, type SettlementYear, settle } from '../../../rules/law/income/settlement.ts'
import type { PersonResult } from './amounts.ts'

export type LockedMonth = { readonly month: number; readonly result: PersonResult }
/** What he had elsewhere, as he tells it. */
export type Elsewhere = {
  readonly wages: number
  readonly special: number
  readonly withheld: number
  readonly labor: number
  readonly illness: number
  readonly more: number
}
export const nothingElsewhere: Elsewhere = { wages: 0, special: 0, withheld: 0, labor: 0, illness: 0, more: 0 }

/** Months in order; null where none of them tells a figure. The last has the sums of all, of before this product too. */
export function yearOfMonths(year: number, months: readonly LockedMonth[], elsewhere = nothingElsewhere): SettlementYear | null {
  const last = months.findLast(({ result }) => result.figures !== null)?.result
  if (!last?.figures) return null
  const { sums, cum_withheld } = last.figures
  const bonuses = months.flatMap(({ result }) => result.bonus ?? [])
  const bonus = bonuses.reduce((all, { amount_fen }) => all + amount_fen, 0)
  const bonusTax = bonuses.reduce((all, { tax_fen }) => all + tax_fen, 0)
  return {
    year,
    wages: sums.income - sums.exempt + elsewhere.wages,
    labor: elsewhere.labor === 0 ? [] : [{ item: 'labor', income: elsewhere.labor }],
    special: sums.special + elsewhere.special,
    additional: sums.additional + elsewhere.more,
    other: sums.other,
    donation: sums.donation,
    reduction: sums.reduction,
    illnesses: elsewhere.illness === 0 ? [] : [elsewhere.illness],
    bonus,
    withheld: cum_withheld + last.withheld_fen + bonusTax + elsewhere.withheld,
  }
}

export type YearEnd = { readonly months: number; readonly of: SettlementYear; readonly found: Settlement }
export function yearEndOf(year: number, months: readonly LockedMonth[], elsewhere?: Elsewhere): YearEnd | null {
  const of = yearOfMonths(year, months, elsewhere)
  return of && { months: months.length, of, found: settle(of) }
}

/** `other_way`: the bonus was taxed apart, and merged it costs less. */
export const isOf = (kind: YearEndKind, { found: { due, better, separate } }: YearEnd): boolean => {
  switch (kind) {
    case 'owes':
      return due > 0
    case 'back':
      return due < 0
    case 'even':
      return due === 0
    case 'other_way':
      return separate !== null && better === 'merged'
  }
}
