/**
 * Sums that differ by a few fen because Excel displays two decimals and computes with all of them. They are reported
 * once per wage sheet, regardless of the number of rows.
 */
import { formatFen } from '../../../../contract/shared/money.ts'
import { type DetectedIssue, formatRowNumber } from './month-comparison.ts'

export class RoundingDifferences {
  #first: number | null = null
  #rows = 0
  #maxFen = 0

  /** `fen` is the difference of the row, or 0. */
  add(row: number, fen: number): void {
    if (fen === 0) return
    this.#first ??= row
    this.#rows += 1
    this.#maxFen = Math.max(this.#maxFen, fen)
  }

  listIssues(): DetectedIssue[] {
    if (this.#first === null) return []
    const where = `第 ${formatRowNumber(this.#first)} 行${this.#rows > 1 ? `等 ${this.#rows} 行` : ''}`
    const message = `${where}各项相加和表里写的最多差 ${formatFen(this.#maxFen)} 元，是 Excel 没有四舍五入；按表里写的发`
    return [{ row: 0, name: '', column: null, level: 'warning', kind: 'rounding', message, fix: ['accept'] }]
  }
}
