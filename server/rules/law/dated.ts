/** A figure of law is a dated row: it holds for money paid in its months, and says which document it comes from. */
export type Dated<T> = {
  /** Months as `2019-01`, both included; null: no end is known. */
  readonly valid_from: string
  readonly valid_to: string | null
  readonly document: string
  readonly value: T
}

/** The row that holds for a month of payment. That none does is an error of the tables or of the caller, never a zero. */
export function rowFor<T>(rows: readonly Dated<T>[], month: string): Dated<T> {
  const row = rows.find((one) => one.valid_from <= month && (one.valid_to === null || month <= one.valid_to))
  if (!row) throw new RangeError(`no row holds for ${month}`)
  return row
}
