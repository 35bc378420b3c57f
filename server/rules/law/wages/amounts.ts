/** A month's figures of one person for withholding, wherever they come from: a row of a sheet, a form, several taken together. */

/** All without sign. Null: nothing is known of it, as where a sheet has no such column; the person's insurance scheme may say it. */
export type TaxAmounts = {
  readonly income_fen: number
  readonly exempt_fen: number
  readonly pension_fen: number | null
  readonly medical_fen: number | null
  readonly unemployment_fen: number | null
  readonly housing_fund_fen: number | null
  /** Own insurance that a sheet has as one sum. */
  readonly social_fen: number
  readonly annuity_fen: number
  readonly health_fen: number
  readonly other_fen: number
  readonly donation_fen: number
  readonly reduction_fen: number
  /** 全年一次性奖金, taxed apart. */
  readonly bonus_fen: number
}
