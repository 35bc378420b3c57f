/** A member's year from its locked months, in the form needed for the annual reconciliation. Pure. */
import type { ReconciliationKind } from '../../../contract/tax/comparison.ts'
import { computeSettlement, type SettlementInput, type SettlementResult } from '../../../rules/law/income/settlement.ts'
import type { MemberTaxResult } from './amounts.ts'

export type LockedMonth = { readonly month: number; readonly result: MemberTaxResult }
/** Income from elsewhere, as the employee stated it. */
export type IncomeElsewhere = {
  readonly wages: number
  readonly special: number
  readonly withheld: number
  readonly labor: number
  readonly illness: number
  readonly additional: number
}
export const noIncomeElsewhere: IncomeElsewhere = { wages: 0, special: 0, withheld: 0, labor: 0, illness: 0, additional: 0 }

/** Months in order; null if none has an amount. The last has the cumulative amounts, also of before this product. */
export function toSettlementYear(
  year: number,
  months: readonly LockedMonth[],
  elsewhere = noIncomeElsewhere,
): SettlementInput | null {
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
    additional: sums.additional + elsewhere.additional,
    other: sums.other,
    donation: sums.donation,
    reduction: sums.reduction,
    illnesses: elsewhere.illness === 0 ? [] : [elsewhere.illness],
    bonus,
    withheld: cum_withheld + last.withheld_fen + bonusTax + elsewhere.withheld,
  }
}

export type Reconciliation = { readonly months: number; readonly year: SettlementInput; readonly settlement: SettlementResult }
export function computeReconciliation(
  year: number,
  months: readonly LockedMonth[],
  elsewhere?: IncomeElsewhere,
): Reconciliation | null {
  const settlementYear = toSettlementYear(year, months, elsewhere)
  return settlementYear && { months: months.length, year: settlementYear, settlement: computeSettlement(settlementYear) }
}

/** `other_way`: the bonus was taxed separately, and merging it would cost less. */
export const isReconciliationKind = (
  kind: ReconciliationKind,
  { settlement: { due, better, separate } }: Reconciliation,
): boolean => {
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
