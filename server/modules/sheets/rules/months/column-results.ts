/** Results of comparisons with earlier months, by column. */

export type ColumnCounts = {
  readonly column: number
  readonly edge: number
  /** For each row, 0 or one of the constants above; and the number of rows of each kind. */
  readonly kindByRow: Uint8Array
  readonly countByKind: readonly number[]
  readonly comparedCount: number
  /**
   * Log improbability of another member's amount being within the edge: with five different amounts, it is one in five.
   */
  readonly chance: number
}

export type SuspectedOutlier = { readonly row: number; readonly item: number }

/** Suspected outliers of a column, and the number of members compared. */
export type ColumnSuspects = { readonly suspects: readonly SuspectedOutlier[]; readonly comparedCount: number }
