/**
 * Measures how similar a row of this month is to a member's amounts of last month. Amounts are compared by ratio, so
 * that a raise of 3 % weighs the same for everybody; each column is scaled by the usual distance between two members in
 * it.
 *
 *     distance = 0      the member's own amount      distance = 1      as far as a random member's, or farther
 *
 * Rows and members are numbered; a matrix of logarithms takes a few megabytes for ten thousand members with forty
 * items.
 */

import { type CooperativeTask, YieldTimer } from '../../../../rules/cooperative-task.ts'
import { getSampleSteps, type MemberAmounts, NearestMembers } from '../check/member-amounts.ts'
import type { ComparedRow, LastMonthComparison } from '../check/month-comparison.ts'
import { type ColumnMeasurement, getMatrixColumn, measureColumn, sameRatioTolerance } from './column-measurement.ts'
import { ComparisonCache, isSameList } from './comparison-cache.ts'
import { markProven } from './proven.ts'

/** A new member with at least this share of another member's fixed amounts has been given that member's pay. */
const minSameShare = 0.6
/** Cost of measuring an amount, and of proving one; comparing two amounts costs 1. */
const measureCost = 8
const proveCost = 4
/** Sums computed in a different order differ by less. */
const roundingMargin = 1e-9

const getLogAmount = (fen: number): number => (fen === 0 ? Number.NaN : Math.log(Math.abs(fen)))

export class MonthSimilarity {
  /** Number of rows in the wage sheet, and of members last month. */
  readonly rowCount: number
  readonly memberCount: number
  readonly columnCount: number
  /** For each column, its index in `LastMonthComparison`. */
  readonly itemByColumn: readonly number[]
  /** The member by row, and the row by member; −1 where there is none. */
  readonly memberByRow: Int32Array
  readonly rowByMember: Int32Array
  readonly skipped: Uint8Array
  /** By column. */
  readonly measurements: ColumnMeasurement[] = []
  readonly fixed: Uint8Array
  readonly spread: Float64Array
  /**
   * For each column, an object that stays the same between comparisons while amounts, members and order are unchanged.
   */
  readonly state: object[] = []
  readonly cache: ComparisonCache<MonthSimilarity>
  /** By row. `proven`: at least half of the member's fixed amounts are in it, unlike most others; `settled`: more than half. */
  readonly proven: Uint8Array
  readonly settled: Uint8Array
  readonly #rows: readonly ComparedRow[]
  readonly #lastMonth: MemberAmounts
  readonly #isHidden: boolean
  readonly #currentLogs: Float64Array
  #previousLogs: Float64Array
  readonly #rise: Float64Array
  readonly #weight: Float64Array
  readonly #minDistance: Float64Array
  /** Columns by weight, and the total weight; available once they have been weighed. */
  #columnsByWeight: readonly number[] = []
  #totalWeight = 0
  #neighbours: NearestMembers | null = null
  /** Shared by all computations on this object. */
  readonly yieldTimer = new YieldTimer()

  /** `comparison` is the cache of the last comparison of this wage sheet. */
  static *create(
    compared: LastMonthComparison,
    comparison = new ComparisonCache<MonthSimilarity>(),
  ): CooperativeTask<MonthSimilarity> {
    const like = new MonthSimilarity(compared, comparison)
    const { similarity: before } = comparison
    yield* like.#fill(compared, before?.hasSameOrder(like) ? before : null)
    comparison.similarity = like
    return like
  }

  private constructor(compared: LastMonthComparison, comparison: ComparisonCache<MonthSimilarity>) {
    this.cache = comparison
    this.#rows = compared.rows
    this.#lastMonth = compared.lastMonth
    this.#isHidden = compared.isHidden
    const places = [...compared.items.keys()].filter((position) => (compared.items[position]?.lastIndex ?? -1) >= 0)
    const ids = [...compared.lastMonth.getAmountsByMember().keys()]
    const at = new Map(ids.map((id, person) => [id, person]))
    this.rowCount = compared.rows.length
    this.memberCount = ids.length
    this.columnCount = places.length
    this.memberByRow = Int32Array.from(compared.rows, ({ member_id }) => (member_id === null ? -1 : (at.get(member_id) ?? -1)))
    this.rowByMember = Int32Array.from(ids, (id) => compared.findRow(id))
    this.skipped = Uint8Array.from(compared.rows, ({ skipped }) => (skipped ? 1 : 0))
    this.itemByColumn = places
    this.#currentLogs = new Float64Array(this.rowCount * this.columnCount)
    this.#previousLogs = new Float64Array(this.memberCount * this.columnCount)
    this.spread = new Float64Array(this.columnCount)
    this.fixed = new Uint8Array(this.columnCount)
    this.#rise = new Float64Array(this.columnCount)
    this.#weight = new Float64Array(this.columnCount)
    this.#minDistance = new Float64Array(this.columnCount)
    this.proven = new Uint8Array(this.rowCount)
    this.settled = new Uint8Array(this.rowCount)
  }

  /** Whether the members, their order and the previous amounts are the same. */
  hasSameOrder(other: MonthSimilarity): boolean {
    if (
      this.#lastMonth !== other.#lastMonth ||
      this.#isHidden !== other.#isHidden ||
      !isSameList(this.itemByColumn, other.itemByColumn)
    )
      return false
    return (
      isSameList(this.memberByRow, other.memberByRow) &&
      isSameList(this.rowByMember, other.rowByMember) &&
      isSameList(this.skipped, other.skipped)
    )
  }

  *#fill(comparison: LastMonthComparison, before: MonthSimilarity | null): CooperativeTask<void> {
    const { columnCount, yieldTimer } = this
    const rows = yield* this.#loadLogs(comparison, before)
    for (let column = 0; column < columnCount; column++) {
      const existing = before && before.state[column] === this.state[column] ? before.measurements[column] : undefined
      if (!existing && yieldTimer.shouldYield(this.rowCount * measureCost)) yield
      const of = (figures: Float64Array): Float64Array => getMatrixColumn(figures, columnCount, column)
      this.#setMeasurement(
        column,
        existing ?? measureColumn(of(this.#currentLogs), of(this.#previousLogs), this.memberByRow, this.#isHidden),
      )
    }
    // A row is proven by its own amounts and by what most columns did.
    const isAsBefore = this.measurements.every(({ rise, spread, fixed }, column) => {
      const was = before?.measurements[column]
      return was && rise === was.rise && fixed === was.fixed && (spread === 0) === (was.spread === 0)
    })
    if (before && isAsBefore) {
      this.proven.set(before.proven)
      this.settled.set(before.settled)
    }
    const steps = getSampleSteps(this.memberCount)
    for (const row of before && isAsBefore ? rows : this.memberByRow.keys()) {
      if (yieldTimer.shouldYield(columnCount * proveCost)) yield
      markProven(this, row, steps)
    }
  }

  /** Loads the amounts of both months, reusing rows that were read before. Returns the rows that are new or changed. */
  *#loadLogs(comparison: LastMonthComparison, before: MonthSimilarity | null): CooperativeTask<number[]> {
    const { columnCount, itemByColumn, yieldTimer } = this
    const changed = new Set<number>()
    const rows: number[] = []
    if (before) this.#currentLogs.set(before.#currentLogs)
    for (const [row, one] of comparison.rows.entries()) {
      if (before && before.#rows[row] === one) continue
      if (yieldTimer.shouldYield(columnCount)) yield
      rows.push(row)
      const unread = before ? before.#rows[row]?.unreadable : undefined
      for (let column = 0; column < columnCount; column++) {
        const log = getLogAmount(comparison.toComparable(one.amounts[itemByColumn[column] ?? 0] ?? 0))
        if (!Object.is(log, this.#currentLogs[row * columnCount + column])) changed.add(column)
        // Unreadable and missing amounts are both NaN; only missing ones are compared with last month.
        const position = itemByColumn[column] ?? 0
        if (unread && unread.includes(position) !== one.unreadable.includes(position)) changed.add(column)
        this.#currentLogs[row * columnCount + column] = log
      }
    }
    for (let column = 0; column < columnCount; column++) this.state.push((!changed.has(column) && before?.state[column]) || {})
    if (before) {
      this.#previousLogs = before.#previousLogs
      return rows
    }
    const lasts = itemByColumn.map((position) => comparison.items[position]?.lastIndex ?? -1)
    let person = 0
    for (const was of comparison.lastMonth.getAmountsByMember().values()) {
      if (yieldTimer.shouldYield(columnCount)) yield
      for (let column = 0; column < columnCount; column++)
        this.#previousLogs[person * columnCount + column] = getLogAmount(comparison.toComparable(was[lasts[column] ?? 0] ?? 0))
      person += 1
    }
    return rows
  }

  #setMeasurement(column: number, one: ColumnMeasurement): void {
    this.measurements[column] = one
    this.fixed[column] = Number(one.fixed)
    this.spread[column] = one.spread
    this.#rise[column] = one.rise
    this.#minDistance[column] = one.minDistance
    this.#weight[column] = one.weight
  }

  /** Returns the difference of the logarithms of an amount and a member's, minus the common rise; NaN where one is 0. */
  getLogDifference(row: number, person: number, column: number): number {
    const now = this.#currentLogs[row * this.columnCount + column] ?? Number.NaN
    const was = this.#previousLogs[person * this.columnCount + column] ?? Number.NaN
    return now - was - (this.#rise[column] ?? 0)
  }
  /** Returns the absolute deviation from a member's amount, minus the common rise; NaN where one is 0, −1 where both are. */
  getDeviation(row: number, person: number, column: number): number {
    const now = this.#currentLogs[row * this.columnCount + column] ?? Number.NaN
    const was = this.#previousLogs[person * this.columnCount + column] ?? Number.NaN
    return Number.isNaN(now) && Number.isNaN(was) ? -1 : Math.abs(now - was - (this.#rise[column] ?? 0))
  }
  /** Returns a distance between 0 and 1; NaN where neither has the item. */
  getDistance(row: number, person: number, column: number): number {
    const spread = this.spread[column] ?? 0
    if (spread === 0) return Number.NaN
    const now = this.#currentLogs[row * this.columnCount + column] ?? Number.NaN
    const was = this.#previousLogs[person * this.columnCount + column] ?? Number.NaN
    if (Number.isNaN(now)) return Number.isNaN(was) ? Number.NaN : 1
    if (Number.isNaN(was)) return 1
    const separate = Math.abs(now - was - (this.#rise[column] ?? 0))
    if (separate <= sameRatioTolerance) return 0
    const least = this.#minDistance[column] ?? 0
    return least + (1 - least) * Math.min(1, separate / spread)
  }
  /** Returns the distance of a whole row, 0 to 1, with higher weights for columns that stay with their members. */
  getCost(row: number, person: number): number {
    let sum = 0
    let weights = 0
    for (let column = 0; column < this.columnCount; column++) {
      const far = this.getDistance(row, person, column)
      if (Number.isNaN(far)) continue
      const weight = this.#weight[column] ?? 0
      sum += weight * far
      weights += weight
    }
    return weights === 0 ? 1 : sum / weights
  }
  /** Whether the cost certainly exceeds the limit, judging by the columns with the highest weights. */
  exceedsCost(row: number, person: number, limit: number): boolean {
    let sum = 0
    const enough = limit * this.#getTotalWeight() + roundingMargin
    for (const column of this.#columnsByWeight) {
      const far = this.getDistance(row, person, column)
      if (Number.isNaN(far)) continue
      sum += (this.#weight[column] ?? 0) * far
      if (sum > enough) return true
    }
    return false
  }
  /** Returns the sum of all weights. */
  #getTotalWeight(): number {
    if (this.#columnsByWeight.length === 0) {
      this.#columnsByWeight = [...this.#weight.keys()].toSorted((a, b) => (this.#weight[b] ?? 0) - (this.#weight[a] ?? 0))
      this.#totalWeight = this.#weight.reduce((sum, weight) => sum + weight, 0)
    }
    return this.#totalWeight
  }
  /**
   * Returns by row how much closer its amount is to the member `offset` rows below than to its own (distances in
   * `own`); NaN where either has none.
   */
  getGains(column: number, offset: number, own: Float64Array): Float64Array {
    const gains = new Float64Array(this.rowCount).fill(Number.NaN)
    for (let row = Math.max(0, -offset); row < this.rowCount; row++) {
      const current = own[row] ?? Number.NaN
      const person = this.memberByRow[row + offset] ?? -1
      if (person < 0 || Number.isNaN(current)) continue
      gains[row] = current - this.getDistance(row, person, column)
    }
    return gains
  }
  isSameAmount = (row: number, person: number, column: number): boolean =>
    Math.abs(this.getLogDifference(row, person, column)) <= sameRatioTolerance
  /** Whether nearly all fixed amounts of a row and a member are equal, with at least two of them. */
  matchesMostFixed(row: number, person: number): boolean {
    let filled = 0
    let same = 0
    for (let column = 0; column < this.columnCount; column++) {
      if (!this.fixed[column] || Number.isNaN(this.getDistance(row, person, column))) continue
      filled += 1
      if (this.isSameAmount(row, person, column)) same += 1
    }
    return same >= 2 && same >= filled * minSameShare
  }
  /** Finds members with amounts near those of a row: its neighbors by amount in the most distinctive columns. */
  findNearMembers(row: number): Set<number> {
    this.#neighbours ??= new NearestMembers(
      this.memberCount,
      this.#getTellingColumns(),
      (person, column) => this.#previousLogs[person * this.columnCount + column] ?? Number.NaN,
    )
    return this.#neighbours.find(
      (column) => (this.#currentLogs[row * this.columnCount + column] ?? Number.NaN) - (this.#rise[column] ?? 0),
    )
  }
  #getTellingColumns(): number[] {
    const columns = [...this.spread.keys()].filter((column) => this.spread[column] !== 0)
    return columns.toSorted((a, b) => (this.#weight[b] ?? 0) - (this.#weight[a] ?? 0))
  }

  /** Recomputes the weights with the best offset for each column: in a shifted wage sheet no column matches its own members. */
  *updateWeights(offsets: readonly number[]): CooperativeTask<void> {
    const followed = this.cache.list('offsets', offsets)
    for (let column = 0; column < this.columnCount; column++) {
      const best = yield* this.cache.weighed.getOrComputeCooperatively(column, [this.state[column], followed], () =>
        this.#getBestOrderWeight(column, offsets),
      )
      this.#weight[column] = Math.max(this.#weight[column] ?? 0, best)
    }
    this.#columnsByWeight = []
  }
  *#getBestOrderWeight(column: number, offsets: readonly number[]): CooperativeTask<number> {
    let best = 0
    for (const offset of offsets) {
      if (this.yieldTimer.shouldYield(this.rowCount)) yield
      let sum = 0
      let count = 0
      for (let row = 0; row < this.rowCount; row++) {
        const person = this.memberByRow[row + offset] ?? -1
        const far = person < 0 ? Number.NaN : this.getDistance(row, person, column)
        if (Number.isNaN(far)) continue
        sum += far
        count += 1
      }
      if (count * 2 >= this.rowCount) best = Math.max(best, (1 - sum / count) ** 2)
    }
    return best
  }
}
