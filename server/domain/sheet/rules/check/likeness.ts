/**
 * How like somebody's figures of last month a row of this month is. Amounts are compared by their ratio, so that a raise of 3 % weighs
 * the same for everybody; each column in units of how far two people usually are apart in it.
 *
 *     far = 0      the figure is his own            far = 1      as far as a stranger's, or farther
 *
 * Rows and people are numbered; a matrix of logarithms is a few megabytes for ten thousand people with forty items.
 */

import { type InTurns, Turn } from '../../../../rules/turns.ts'
import type { BesideLast } from './beside-last.ts'
import { commonRise, knownShare, middleOf, Neighbours, stepsOf } from './history.ts'

/** Figures whose ratio is this near to the column's own are the same: a column that rose by 5 % for all is still everybody's own. */
const same_ratio = 1e-6
/** A column is fixed where so many keep their figure of last month. Overtime is not, base pay is. */
const fixed_share = 0.4
/** Nearer than this part of what two strangers are apart is near. */
export const near_far = 0.3
/** No column tells people apart by less than this. */
const least_spread = 0.03
/** In a column that keeps its figures another figure is this far at least, however near the amount: of 512.40 and 512.90 one is wrong. */
const least_far = 0.5
/** What a column weighs that follows nobody: all of them, when the whole sheet was sorted. */
const least_weight = 0.1
/** Of a row's fixed figures this part must be his own, and so many of the others must differ from him in them. */
const proven_share = 0.5
const told_apart_share = 0.5
/** Somebody new who has so many of the fixed figures of one person has been given his. */
const mostly_share = 0.6
/** People by whom the spread of a column is measured. */
const most_measured = 400

/** What a figure costs that is measured, and one that is proven, where one held beside another costs 1. */
const steps_to_measure = 8
const steps_to_prove = 4

const logOf = (fen: number): number => (fen === 0 ? Number.NaN : Math.log(Math.abs(fen)))

export class Likeness {
  /** Rows of the sheet, and people of last month. */
  readonly rows: number
  readonly people: number
  readonly columns: number
  /** By column: its place in `BesideLast`. */
  readonly placeOf: readonly number[]
  /** By row: the person it is for, and by person his row; -1 where there is none. */
  readonly own: Int32Array
  readonly rowOf: Int32Array
  readonly skipped: Uint8Array
  /** By column: whether most keep what they had. */
  readonly fixed: Uint8Array
  /** By column: the part of its figures that stayed with their people, beyond chance. */
  readonly kept: Float64Array
  /** By column: how probable it is that somebody else has the same figure, and one that is near. */
  readonly byChance: Float64Array
  readonly nearByChance: Float64Array
  /** By column: how far two people usually are apart; 0 where all have the same, which tells nothing. */
  readonly spread: Float64Array
  /** By column: how far people are from themselves, where two strangers are 1 apart. */
  readonly unrest: Float64Array
  /** By row: at least half of its own fixed figures stand in it, and most others would show; and more than half do. */
  readonly proven: Uint8Array
  readonly settled: Uint8Array
  readonly #now: Float64Array
  readonly #was: Float64Array
  readonly #rise: Float64Array
  readonly #weight: Float64Array
  readonly #least: Float64Array
  #neighbours: Neighbours | null = null
  /** All that is asked of it takes its turns together. */
  readonly turn = new Turn()

  static *of(beside: BesideLast): InTurns<Likeness> {
    const like = new Likeness(beside)
    yield* like.#fill(beside)
    return like
  }

  private constructor(beside: BesideLast) {
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
    this.unrest = new Float64Array(this.columns).fill(1)
    this.fixed = new Uint8Array(this.columns)
    this.kept = new Float64Array(this.columns)
    this.byChance = new Float64Array(this.columns).fill(1)
    this.nearByChance = new Float64Array(this.columns).fill(1)
    this.#rise = new Float64Array(this.columns)
    this.#weight = new Float64Array(this.columns)
    this.#least = new Float64Array(this.columns)
    this.proven = new Uint8Array(this.rows)
    this.settled = new Uint8Array(this.rows)
  }

  *#fill(beside: BesideLast): InTurns<void> {
    const { columns, placeOf, turn } = this
    const lasts = placeOf.map((place) => beside.places[place]?.last ?? -1)
    for (const [row, { now }] of beside.rows.entries()) {
      if (turn.isOver(columns)) yield
      for (let column = 0; column < columns; column++)
        this.#now[row * columns + column] = logOf(beside.shown(now[placeOf[column] ?? 0] ?? 0))
    }
    let person = 0
    for (const was of beside.last.people().values()) {
      if (turn.isOver(columns)) yield
      for (let column = 0; column < columns; column++)
        this.#was[person * columns + column] = logOf(beside.shown(was[lasts[column] ?? 0] ?? 0))
      person += 1
    }
    for (let column = 0; column < columns; column++) {
      if (turn.isOver(this.rows * steps_to_measure)) yield
      this.#measure(column, beside.isUnseen)
    }
    for (let row = 0; row < this.rows; row++) {
      if (turn.isOver(columns * steps_to_prove)) yield
      this.#prove(row)
    }
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
    if (apart <= same_ratio) return 0
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
  isSame = (row: number, person: number, column: number): boolean => Math.abs(this.differs(row, person, column)) <= same_ratio
  /** Whether nearly all the fixed figures that a row or a person has are the same, and there are at least two. */
  isMostly(row: number, person: number): boolean {
    let filled = 0
    let same = 0
    for (let column = 0; column < this.columns; column++) {
      if (!this.fixed[column] || Number.isNaN(this.far(row, person, column))) continue
      filled += 1
      if (this.isSame(row, person, column)) same += 1
    }
    return same >= 2 && same >= filled * mostly_share
  }
  /** People whose figures are near those of a row: its neighbours by amount in the columns that tell most. */
  near(row: number): Set<number> {
    this.#neighbours ??= new Neighbours(
      this.people,
      this.#telling(),
      (person, column) => this.#was[person * this.columns + column] ?? Number.NaN,
    )
    return this.#neighbours.of((column) => (this.#now[row * this.columns + column] ?? Number.NaN) - (this.#rise[column] ?? 0))
  }
  #telling = (): number[] =>
    [...this.spread.keys()]
      .filter((column) => this.spread[column] !== 0)
      .toSorted((a, b) => (this.#weight[b] ?? 0) - (this.#weight[a] ?? 0))

  /** How a column is spread, how much of it stayed with its people, and by how much all of it rose. */
  #measure(column: number, isOnGrid: boolean): void {
    const ratios: number[] = []
    let filled = 0
    for (let row = 0; row < this.rows; row++) {
      const person = this.own[row] ?? -1
      if (person < 0) continue
      const isEmpty =
        Number.isNaN(this.#now[row * this.columns + column] ?? 0) && Number.isNaN(this.#was[person * this.columns + column] ?? 0)
      if (!isEmpty) filled += 1
      const ratio = this.differs(row, person, column)
      if (!Number.isNaN(ratio)) ratios.push(ratio)
    }
    this.#rise[column] = commonRise(ratios)
    const apart: number[] = []
    const stride = Math.ceil(this.people / most_measured)
    for (const step of stepsOf(this.people)) {
      for (let person = 0; person < this.people; person += stride) {
        const other = (person + step) % this.people
        const distance = (this.#was[person * this.columns + column] ?? 0) - (this.#was[other * this.columns + column] ?? 0)
        if (!Number.isNaN(distance)) apart.push(Math.abs(distance))
      }
    }
    const differing = apart.filter((distance) => distance > same_ratio)
    // Where nearly all have the same, those few who differ are the measure.
    this.spread[column] = differing.length === 0 ? 0 : Math.max(least_spread, middleOf(differing))
    if (ratios.length === 0) return
    const rise = this.#rise[column] ?? 0
    const spread = this.spread[column] ?? 0
    const equal = (apart.length - differing.length + 0.5) / (apart.length + 1)
    this.byChance[column] = equal
    this.nearByChance[column] = (apart.filter((distance) => distance <= spread * near_far).length + 0.5) / (apart.length + 1)
    const kept = ratios.filter((ratio) => Math.abs(ratio - rise) <= same_ratio).length
    // Of what is the same, chance would have made so much the same: where there are five amounts, a fifth.
    this.kept[column] = filled === 0 || equal >= 1 ? 0 : (kept / filled - equal) / (1 - equal)
    this.fixed[column] = filled >= 2 && (spread === 0 || (this.kept[column] ?? 0) >= fixed_share) ? 1 : 0
    if (spread === 0) return
    const figures = (of: Float64Array): Float64Array =>
      Float64Array.from({ length: of.length / this.columns }, (_, at) => of[at * this.columns + column] ?? Number.NaN)
    const known = knownShare(figures(this.#now), figures(this.#was))
    // On a grid the next step may be the same amount.
    this.#least[column] = isOnGrid ? 0 : least_far * Math.max(this.kept[column] ?? 0, known)
    const fromOneself = ratios.reduce((sum, ratio) => sum + Math.min(1, Math.abs(ratio - rise) / spread), 0) / ratios.length
    const fromOthers = apart.reduce((sum, distance) => sum + Math.min(1, distance / spread), 0) / apart.length
    this.unrest[column] = fromOthers === 0 ? 1 : Math.min(1, fromOneself / fromOthers)
    this.#weight[column] = Math.max(least_weight, 1 - (this.unrest[column] ?? 1), known)
  }

  /** Weighs columns anew by the order that suits each best: in a sheet that slipped, no column follows its own people. */
  *weigh(offsets: readonly number[]): InTurns<void> {
    for (let column = 0; column < this.columns; column++)
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
        if (count * 2 < this.rows) continue
        this.#weight[column] = Math.max(this.#weight[column] ?? 0, (1 - sum / count) ** 2)
      }
  }

  #prove(row: number): void {
    const person = this.own[row] ?? -1
    if (person < 0) return
    const kept: number[] = []
    let filled = 0
    for (let column = 0; column < this.columns; column++) {
      if (!this.fixed[column] || Number.isNaN(this.far(row, person, column))) continue
      filled += 1
      if (this.isSame(row, person, column)) kept.push(column)
    }
    if (kept.length === 0 || kept.length < filled * proven_share) return
    let others = 0
    let differing = 0
    for (const step of stepsOf(this.people)) {
      const other = (person + step) % this.people
      if (other === person) continue
      others += 1
      if (kept.some((column) => !this.isSame(row, other, column))) differing += 1
    }
    if (others > 0 && differing < others * told_apart_share) return
    this.proven[row] = 1
    if (kept.length > filled * proven_share) this.settled[row] = 1
  }
}
