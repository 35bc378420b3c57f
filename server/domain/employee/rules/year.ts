/** A year of one person's pay, month by month. Amounts in integer fen. */

/** Null where the sheet has no such column. */
type Amounts = { readonly net_fen: number | null; readonly gross_fen: number | null; readonly tax_fen: number | null }

export type YearLine = {
  /** `2026-10`. */
  readonly month: string
  /** What the slip says; null where it is not shown here: a second proof is asked for, or it has closed. */
  readonly shown: Amounts | null
}
export type YearMonth = Amounts & {
  readonly month: string
  /** Slips of the month, and how many of them are not in its figures. */
  readonly slips: number
  readonly kept_back: number
}

const sum = (amounts: readonly (number | null)[]): number | null => {
  const known = amounts.filter((fen) => fen !== null)
  return known.length > 0 ? known.reduce((total, fen) => total + fen, 0) : null
}
const added = (lines: readonly Amounts[]) => ({
  net_fen: sum(lines.map(({ net_fen }) => net_fen)),
  gross_fen: sum(lines.map(({ gross_fen }) => gross_fen)),
  tax_fen: sum(lines.map(({ tax_fen }) => tax_fen)),
})

/** The months in which something was paid, January first, and all of them together. */
export function yearOf(lines: readonly YearLine[]): { months: YearMonth[]; total: Omit<YearMonth, 'month'> } {
  const names = [...new Set(lines.map(({ month }) => month))].toSorted()
  const months = names.map((month): YearMonth => {
    const all = lines.filter((line) => line.month === month)
    const shown = all.flatMap((line) => line.shown ?? [])
    return { month, slips: all.length, kept_back: all.length - shown.length, ...added(shown) }
  })
  return {
    months,
    total: {
      slips: lines.length,
      kept_back: months.reduce((count, { kept_back }) => count + kept_back, 0),
      ...added(months),
    },
  }
}
