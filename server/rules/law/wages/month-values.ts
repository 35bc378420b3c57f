/** The values of one month of wages. */

/** Amounts added in a month. `additional` is also the increase of the annual total: catching up may add several months. */
export type WageAmounts = {
  readonly income: number
  readonly exempt: number
  /** Employee's own social insurance and housing fund. */
  readonly special: number
  readonly additional: number
  readonly other: number
  readonly donation: number
  readonly reduction: number
}

/** The computed values of a month, from which its steps are built. */
export type WageMonthData = {
  readonly month: number
  readonly months_counted: number
  /** 减除费用 for one month of employment by the law of that month. */
  readonly month_basic: number
  /** The rule that determined the basic deduction. */
  readonly basic_rule: 'wage_months' | 'wage_first_income' | 'wage_under_60000'
  /** Totals of the year up to and including this month. */
  readonly sums: WageAmounts
  readonly cum_basic: number
  /** Never negative. */
  readonly cum_taxable: number
  readonly rate_ppm: number
  readonly quick_fen: number
  /** Tax before relief. */
  readonly full_tax: number
  /** Relief by a province's rule; null if relief is entered manually. */
  readonly province: ProvinceRelief | null
  readonly cum_tax: number
  /** Tax withheld in earlier months of the year. */
  readonly cum_withheld: number
}

export type ProvinceRelief = {
  readonly rate_ppm: number
  readonly year_fen: number
  readonly share: number
  readonly within: number
}
