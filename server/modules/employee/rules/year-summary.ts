/** A year of one person's pay, month by month. Amounts in integer fen. */

/** Null where the sheet has no such column. */
type PayAmounts = { readonly net_fen: number | null; readonly gross_fen: number | null; readonly tax_fen: number | null }

export type PayslipOfYear = {
  /** `2026-10`. */
  readonly month: string
  /** What the slip says; null where it is not shown here: a second proof is asked for, or it has closed. */
  readonly amounts: PayAmounts | null
}
export type YearMonth = PayAmounts & {
  readonly month: string
  /** Slips of the month, and how many of them are not in its figures. */
  readonly slips: number
  readonly kept_back: number
}

const sumNonNull = (amounts: readonly (number | null)[]): number | null => {
  const presentAmounts = amounts.filter((fen) => fen !== null)
  return presentAmounts.length > 0 ? presentAmounts.reduce((total, fen) => total + fen, 0) : null
}
const sumAmounts = (amountsList: readonly PayAmounts[]) => ({
  net_fen: sumNonNull(amountsList.map(({ net_fen }) => net_fen)),
  gross_fen: sumNonNull(amountsList.map(({ gross_fen }) => gross_fen)),
  tax_fen: sumNonNull(amountsList.map(({ tax_fen }) => tax_fen)),
})

/** The months in which something was paid, January first, and all of them together. */
export function summarizeYear(payslips: readonly PayslipOfYear[]): { months: YearMonth[]; total: Omit<YearMonth, 'month'> } {
  const monthNames = [...new Set(payslips.map(({ month }) => month))].toSorted()
  const months = monthNames.map((month): YearMonth => {
    const monthPayslips = payslips.filter((line) => line.month === month)
    const visibleAmounts = monthPayslips.flatMap((line) => line.amounts ?? [])
    return {
      month,
      slips: monthPayslips.length,
      kept_back: monthPayslips.length - visibleAmounts.length,
      ...sumAmounts(visibleAmounts),
    }
  })
  return {
    months,
    total: {
      slips: payslips.length,
      kept_back: months.reduce((count, { kept_back }) => count + kept_back, 0),
      ...sumAmounts(months),
    },
  }
}
