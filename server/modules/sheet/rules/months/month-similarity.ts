/**
 * How like somebody's figures of last month a row of this month is. Amounts are compared by their ratio, so that a raise of 3 % weighs
 * the same for everybody; each column in units of how far two people usually are apart in it.
 *
 *     far = 0      the figure is his own            far = 1      as far as a stranger's, or farther
 *
 * Rows and people are numbered; a matrix of logarithms is a few megabytes for ten thousand people with forty items.
 */

import { type CooperativeTask, YieldTimer } from '../../../../rules/cooperative-task.ts'
import { getSampleSteps, type MemberAmounts, NearestMembers } from '../check/member-amounts.ts'
import type { ComparedRow, LastMonthComparison } from '../check/month-comparison.ts'
import { type ColumnMeasurement, getMatrixColumn, measureColumn, sameRatioTolerance } from './column-measurement.ts'
import { ComparisonCache, isSameList } from './comparison-cache.ts'
import { markProven } from './proven.ts'

/** Somebody new who has so many of the fixed figures of one person has been given his. */
const minSameShare = 0.6
/** What a figure costs that is measured, and one that is proven, where one held beside another costs 1. */
const measureCost = 8
const proveCost = 4
/** Sums in another order differ by less. */
const roundingMargin = 1e-9

const getLogAmount = (fen: number): number => (fen === 0 ? Number.NaN : Math.log(Math.abs(fen)))

export class MonthSimilarity {
  /** Rows of the sheet, and people of last month. */
  readonly rows: number
  readonly people: number
  readonly columns: number
  /** By column: its place in `LastMonthComparison`. */
  readonly placeOf: readonly number[]
  /** By row: the person it is for, and by person his row; -1 where there is none. */
  readonly own: Int32Array
  readonly rowOf: Int32Array
  readonly skipped: Uint8Array
  /** By column. */
  readonly measured: ColumnMeasurement[] = []
  readonly fixed: Uint8Array
  readonly spread: Float64Array
  /** By column: stays the same object from one comparison to the next as long as figures, people and order do. */
  readonly state: object[] = []
  readonly comparison: ComparisonCache
  /** By row: at least half of its own fixed figures stand in it, and most others would show; and more than half do. */
  readonly proven: Uint8Array
  readonly settled: Uint8Array
  readonly #read: readonly ComparedRow[]
  readonly #last: MemberAmounts
  readonly #isUnseen: boolean
  readonly #now: Float64Array
  #was: Float64Array
  readonly #rise: Float64Array
  readonly #weight: Float64Array
  readonly #least: Float64Array
  /** Columns by their weight, and all weights together: known once they are weighed. */
  #heaviest: readonly number[] = []
  #heavy = 0
  #neighbours: NearestMembers | null = null
  /** All that is asked of it takes its turns together. */
  readonly turn = new YieldTimer()

  /** `comparison`: what was kept of the last one of this sheet. */
  static *of(beside: LastMonthComparison, comparison = new ComparisonCache()): CooperativeTask<MonthSimilarity> {
    const like = new MonthSimilarity(beside, comparison)
    const { like: before } = comparison
    yield* like.#fill(beside, before?.isOrderedAs(like) ? before : null)
    comparison.like = like
    return like
  }

  private constructor(beside: LastMonthComparison, comparison: ComparisonCache) {
    this.comparison = comparison
    this.#read = beside.rows
    this.#last = beside.last
    this.#isUnseen = beside.isUnseen
    const places = [...beside.places.keys()].filter((place) => (beside.places[place]?.last ?? -1) >= 0)
    const ids = [...beside.last.people().keys()]
    const at = new Map(ids.map((id, person) => [id, person]))
    this.rows = beside.rows.length
    this.people = ids.length
    this.columns = places.length
    this.own = Int32Array.from(beside.rows, ({ member_id }) => (member_id === null ? -1 : (at.get(member_id) ?? -1)))
    this.rowOf = Int32Array.from(ids, (id) => beside.rowOf(id))
    this.skipped = Uint8Array.from(beside.rows, ({ skipped }) => (skipped ? 1 : 0))
    this.placeOf = places
    this.#now = new Float64Array(this.rows * this.columns)
    this.#was = new Float64Array(this.people * this.columns)
    this.spread = new Float64Array(this.columns)
    this.fixed = new Uint8Array(this.columns)
    this.#rise = new Float64Array(this.columns)
    this.#weight = new Float64Array(this.columns)
    this.#least = new Float64Array(this.columns)
    this.proven = new Uint8Array(this.rows)
    this.settled = new Uint8Array(this.rows)
  }

  /** The same people in the same order, beside the same figures. */
  isOrderedAs(other: MonthSimilarity): boolean {
    if (this.#last !== other.#last || this.#isUnseen !== other.#isUnseen || !isSameList(this.placeOf, other.placeOf)) return false
    return isSameList(this.own, other.own) && isSameList(this.rowOf, other.rowOf) && isSameList(this.skipped, other.skipped)
  }

  *#fill(beside: LastMonthComparison, before: MonthSimilarity | null): CooperativeTask<void> {
    const { columns, turn } = this
    const rows = yield* this.#logs(beside, before)
    for (let column = 0; column < columns; column++) {
      const known = before && before.state[column] === this.state[column] ? before.measured[column] : undefined
      if (!known && turn.isOver(this.rows * measureCost)) yield
      const of = (figures: Float64Array): Float64Array => getMatrixColumn(figures, columns, column)
      this.#take(column, known ?? measureColumn(of(this.#now), of(this.#was), this.own, this.#isUnseen))
    }
    // What proves a row are its own figures, and what most columns did.
    const isAsBefore = this.measured.every(({ rise, spread, fixed }, column) => {
      const was = before?.measured[column]
      return was && rise === was.rise && fixed === was.fixed && (spread === 0) === (was.spread === 0)
    })
    if (before && isAsBefore) {
      this.proven.set(before.proven)
      this.settled.set(before.settled)
    }
    const steps = getSampleSteps(this.people)
    for (const row of before && isAsBefore ? rows : this.own.keys()) {
      if (turn.isOver(columns * proveCost)) yield
      markProven(this, row, steps)
    }
  }

  /** Takes the figures of both months; those of rows that were read before are known. Answers the rows whose figures were not. */
  *#logs(beside: LastMonthComparison, before: MonthSimilarity | null): CooperativeTask<number[]> {
    const { columns, placeOf, turn } = this
    const changed = new Set<number>()
    const rows: number[] = []
    if (before) this.#now.set(before.#now)
    for (const [row, one] of beside.rows.entries()) {
      if (before && before.#read[row] === one) continue
      if (turn.isOver(columns)) yield
      rows.push(row)
      const unread = before ? before.#read[row]?.unread : undefined
      for (let column = 0; column < columns; column++) {
        const log = getLogAmount(beside.shown(one.now[placeOf[column] ?? 0] ?? 0))
        if (!Object.is(log, this.#now[row * columns + column])) changed.add(column)
        // What cannot be read and what is not there are both nothing; only the latter is held beside last month.
        const place = placeOf[column] ?? 0
        if (unread && unread.includes(place) !== one.unread.includes(place)) changed.add(column)
        this.#now[row * columns + column] = log
      }
    }
    for (let column = 0; column < columns; column++) this.state.push((!changed.has(column) && before?.state[column]) || {})
    if (before) {
      this.#was = before.#was
      return rows
    }
    const lasts = placeOf.map((place) => beside.places[place]?.last ?? -1)
    let person = 0
    for (const was of beside.last.people().values()) {
      if (turn.isOver(columns)) yield
      for (let column = 0; column < columns; column++)
        this.#was[person * columns + column] = getLogAmount(beside.shown(was[lasts[column] ?? 0] ?? 0))
      person += 1
    }
    return rows
  }

  #take(column: number, one: ColumnMeasurement): void {
    this.measured[column] = one
    this.fixed[column] = Number(one.fixed)
    this.spread[column] = one.spread
    this.#rise[column] = one.rise
    this.#least[column] = one.least
    this.#weight[column] = one.weight
  }

  /** The part of a figure's logarithm by which it differs from a person's, the column's common rise taken off; NaN where one is 0. */
  differs(row: number, person: number, column: number): number {
    const now = this.#now[row * this.columns + column] ?? Number.NaN
    const was = this.#was[person * this.columns + column] ?? Number.NaN
    return now - was - (this.#rise[column] ?? 0)
  }
  /** How far a figure is from a person's, the common rise taken off; NaN where one of them is 0, -1 where both are. */
  apart(row: number, person: number, column: number): number {
    const now = this.#now[row * this.columns + column] ?? Number.NaN
    const was = this.#was[person * this.columns + column] ?? Number.NaN
    return Number.isNaN(now) && Number.isNaN(was) ? -1 : Math.abs(now - was - (this.#rise[column] ?? 0))
  }
  /** 0 to 1; NaN where neither has the item. */
  far(row: number, person: number, column: number): number {
    const spread = this.spread[column] ?? 0
    if (spread === 0) return Number.NaN
    const now = this.#now[row * this.columns + column] ?? Number.NaN
    const was = this.#was[person * this.columns + column] ?? Number.NaN
    if (Number.isNaN(now)) return Number.isNaN(was) ? Number.NaN : 1
    if (Number.isNaN(was)) return 1
    const apart = Math.abs(now - was - (this.#rise[column] ?? 0))
    if (apart <= sameRatioTolerance) return 0
    const least = this.#least[column] ?? 0
    return least + (1 - least) * Math.min(1, apart / spread)
  }
  /** Of a whole row: 0 to 1, columns that follow people weighing more. */
  cost(row: number, person: number): number {
    let sum = 0
    let weights = 0
    for (let column = 0; column < this.columns; column++) {
      const far = this.far(row, person, column)
      if (Number.isNaN(far)) continue
      const weight = this.#weight[column] ?? 0
      sum += weight * far
      weights += weight
    }
    return weights === 0 ? 1 : sum / weights
  }
  /** Whether it surely costs as much as that, as far as the columns say that weigh most. */
  isBeyond(row: number, person: number, limit: number): boolean {
    let sum = 0
    const enough = limit * this.#weights() + roundingMargin
    for (const column of this.#heaviest) {
      const far = this.far(row, person, column)
      if (Number.isNaN(far)) continue
      sum += (this.#weight[column] ?? 0) * far
      if (sum > enough) return true
    }
    return false
  }
  /** All weights together. */
  #weights(): number {
    if (this.#heaviest.length === 0) {
      this.#heaviest = [...this.#weight.keys()].toSorted((a, b) => (this.#weight[b] ?? 0) - (this.#weight[a] ?? 0))
      this.#heavy = this.#weight.reduce((sum, weight) => sum + weight, 0)
    }
    return this.#heavy
  }
  /**
   * By row, how much nearer its figure is to the person of the row `offset` rows on than to its own (`far` from whom is given); NaN where either has
   * none. `exactOnly`: another figure than his is as far as can be.
   */
  nearer(column: number, offset: number, own: Float64Array, exactOnly: boolean): Float64Array {
    const gains = new Float64Array(this.rows).fill(Number.NaN)
    for (let row = Math.max(0, -offset); row < this.rows; row++) {
      const mine = own[row] ?? Number.NaN
      const person = this.own[row + offset] ?? -1
      if (person < 0 || Number.isNaN(mine)) continue
      gains[row] = mine - (exactOnly && !this.isSame(row, person, column) ? 1 : this.far(row, person, column))
    }
    return gains
  }
  isSame = (row: number, person: number, column: number): boolean =>
    Math.abs(this.differs(row, person, column)) <= sameRatioTolerance
  /** Whether nearly all the fixed figures that a row or a person has are the same, and there are at least two. */
  isMostly(row: number, person: number): boolean {
    let filled = 0
    let same = 0
    for (let column = 0; column < this.columns; column++) {
      if (!this.fixed[column] || Number.isNaN(this.far(row, person, column))) continue
      filled += 1
      if (this.isSame(row, person, column)) same += 1
    }
    return same >= 2 && same >= filled * minSameShare
  }
  /** People whose figures are near those of a row: its neighbours by amount in the columns that tell most. */
  near(row: number): Set<number> {
    this.#neighbours ??= new NearestMembers(
      this.people,
      this.#telling(),
      (person, column) => this.#was[person * this.columns + column] ?? Number.NaN,
    )
    return this.#neighbours.of((column) => (this.#now[row * this.columns + column] ?? Number.NaN) - (this.#rise[column] ?? 0))
  }
  #telling(): number[] {
    const columns = [...this.spread.keys()].filter((column) => this.spread[column] !== 0)
    return columns.toSorted((a, b) => (this.#weight[b] ?? 0) - (this.#weight[a] ?? 0))
  }

  /** Weighs columns anew by the order that suits each best: in a sheet that slipped, no column follows its own people. */
  *weigh(offsets: readonly number[]): CooperativeTask<void> {
    const followed = this.comparison.list('offsets', offsets)
    for (let column = 0; column < this.columns; column++) {
      const best = yield* this.comparison.weighed.inTurns(column, [this.state[column], followed], () =>
        this.#bestOrder(column, offsets),
      )
      this.#weight[column] = Math.max(this.#weight[column] ?? 0, best)
    }
    this.#heaviest = []
  }
  *#bestOrder(column: number, offsets: readonly number[]): CooperativeTask<number> {
    let best = 0
    for (const offset of offsets) {
      if (this.turn.isOver(this.rows)) yield
      let sum = 0
      let count = 0
      for (let row = 0; row < this.rows; row++) {
        const person = this.own[row + offset] ?? -1
        const far = person < 0 ? Number.NaN : this.far(row, person, column)
        if (Number.isNaN(far)) continue
        sum += far
        count += 1
      }
      if (count * 2 >= this.rows) best = Math.max(best, (1 - sum / count) ** 2)
    }
    return best
  }
}
