/** An employee's pay of one year, month by month. Amounts in integer fen. */

/** The value is null where the wage sheet has no such column. */
type PayAmounts = { readonly net_fen: number | null; readonly gross_fen: number | null; readonly tax_fen: number | null }

export type PayslipOfYear = {
  /** `2026-10`. */
  readonly month: string
  /** The amounts on the payslip; null where they are not shown: a second verification is required, or the payslip has closed. */
  readonly amounts: PayAmounts | null
}
export type YearMonth = PayAmounts & {
  readonly month: string
  /** Payslips of the month, and how many of them are not included in the amounts. */
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

/** Returns the months with payments, January first, and their total. */
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
