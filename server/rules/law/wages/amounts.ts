/** The amounts of one employee in a month for withholding, from any source: a sheet row, a form, or several combined. */

/** All amounts are positive. Null: unknown, as without such a column; the employee's insurance scheme may provide it. */
export type TaxAmounts = {
  readonly income_fen: number
  readonly exempt_fen: number
  readonly pension_fen: number | null
  readonly medical_fen: number | null
  readonly unemployment_fen: number | null
  readonly housing_fund_fen: number | null
  /** Employee's own insurance if the wage sheet has it as one sum. */
  readonly social_fen: number
  readonly annuity_fen: number
  readonly health_fen: number
  readonly other_fen: number
  readonly donation_fen: number
  readonly reduction_fen: number
  /** 全年一次性奖金, taxed separately. */
  readonly bonus_fen: number
}
