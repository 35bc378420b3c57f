/**
 * How much figures usually vary, taken from the sheet itself, and what a single figure therefore says against its row being a person's:
 *
 *     base pay is within 3 % of last month for nearly all   →  up to about 3 % says nothing, 12 % says much, for few are so far off
 *     overtime is within 80 %, or nothing at all            →  hardly anything says anything
 *
 * In units of the logarithm of odds: 3 is twenty to one. Of each column its edge is measured, within which nearly all stay, and how many are beyond
 * it or have the item in one month only.
 * docs/decisions/20261122-use-odds-for-swap-detection.md says how near this comes to what any test can tell.
 */

import type { InTurns } from '../../../../rules/turns.ts'
import { stepsOf } from '../check/history.ts'
import type { Likeness } from './likeness.ts'

/** An edge lies where so many reach, so many times farther: both are the end of what varies evenly, and the nearer one counts. */
const edges = [
  { share: 0.75, beyond: 1.4 },
  { share: 0.5, beyond: 2.3 },
] as const
/** No edge is nearer: a ten-thousandth, as rounding does. */
const least_edge = 1e-4
/** Edges that are about alike (by the logarithm) are drawn together: of eight rows a single edge is a guess, of many it is its own. */
const alike_edges = 0.5
const drawn_rows = 20
/** A column whose edge is wider does not stay: it says nothing about how the others vary. */
const widest = 0.15
/** What is known of all columns that stay counts as so many rows of each of them. */
const as_many_rows = 8
/** Rising and falling count as seen so often each, in all columns that stay: among those beyond their edge, the two in question left out. */
const as_many_ways = 1
/** From its edge to so many times of it a figure says more and more. */
const soft_edge = 1.2
/** As much as an item can say that is there in one month only. */
const most_odds = 12
/** Rows by which chance is measured. */
const most_measured = 400

/** What it costs to measure a column, a row, where two figures held beside each other cost 1. */
const steps_to_measure = 20

/** Columns by which most pairs are given up. */
const most_telling = 12
const sum_order = 1e-6
/** Where a logarithm is cut off its last digits are not asked. */
const just_beyond = 1.0001

export const beyond_edge = 1
export const only_once = 2

export type Counted = {
  readonly column: number
  readonly edge: number
  /** By row: 0, or as above; and how many rows of each there are. */
  readonly own: Uint8Array
  readonly times: readonly number[]
  readonly known: number
  /** How improbable it is that a figure of somebody else is within the edge: where there are five amounts, a fifth. */
  readonly chance: number
}
export type Varied = Counted & {
  /** Whether it stays, more or less. */
  readonly isSteady: boolean
  /** Who is beyond the edge may be anywhere up to twice as much, or half; who is within it is in a narrow place. */
  readonly room: number
  /** What is said by a figure, by how many of two rows that are left out of account are like it. */
  readonly beyond: readonly number[]
  readonly onlyOnce: readonly number[]
}

/** What it says more that a figure rose by so much, or fell: where raises are what happens, hardly anybody's pay falls. Only of columns that stay. */
export type Lean = { readonly rose: number; readonly fell: number }
/** Whatever is left out of account, it says no less. */
export const least_lean = -Math.log(2)

/** Two rows that may have changed places; of one alone, twice the same. */
export type Two = readonly [one: number, other: number]

/** Rows of people who are known, and those of whom something has been said. */
export type RowsAsked = { readonly compared: readonly number[]; readonly told: ReadonlySet<number> }

export class Variation {
  readonly like: Likeness
  readonly columns: readonly Varied[]
  /** The edge of columns that stay, in the middle. */
  readonly usual: number

  /** Those first in which others are farthest. */
  readonly #telling: readonly Telling[]
  /** Figures beyond their edge in columns that stay, which rose and which fell: of all rows, and by row. */
  readonly #ways: { rose: number; fell: number; readonly rose_of: Uint16Array; readonly fell_of: Uint16Array }
  readonly #leans = new Map<number, Lean>()
  /** Whoever is left out of account, it says no more. */
  readonly most_lean: number

  private constructor(like: Likeness, columns: readonly Varied[], usual: number) {
    this.usual = usual
    this.like = like
    this.columns = columns
    this.#ways = waysOf(like, columns)
    this.most_lean = -Math.log((2 * as_many_ways) / (this.#ways.rose + this.#ways.fell + 2 * as_many_ways))
    this.#telling = columns
      .toSorted((a, b) => b.chance - a.chance)
      .slice(0, most_telling)
      .map(tellingOf)
  }

  /** `columns`: those that are no sum of others. */
  static *of(like: Likeness, columns: readonly number[], compared: readonly number[]): InTurns<Variation> {
    const { edges, counted: known } = like.comparison
    const measured: number[] = []
    for (const column of columns) {
      if (like.turn.isOver(compared.length * steps_to_measure)) yield
      measured.push(edges.of(column, [like.state[column]], () => edgeOf(like, column, compared)))
    }
    const steady = measured.filter((edge) => edge < widest).toSorted((a, b) => a - b)
    const usual = Math.log(steady[steady.length >> 1] ?? 1)
    const counted: Counted[] = []
    const drawn = drawn_rows / (drawn_rows + compared.length)
    for (const [at, column] of columns.entries()) {
      if (like.turn.isOver(compared.length * steps_to_measure)) yield
      const edge = measured[at] ?? least_edge
      const by = Math.log(edge) - usual
      const isAlike = edge < widest && Math.abs(by) < alike_edges
      const drawn_edge = isAlike ? Math.exp(usual + by * (1 - drawn)) : edge
      counted.push(known.of(column, [like.state[column], drawn_edge], () => countedBy(like, column, compared, drawn_edge)))
    }
    return new Variation(like, withOdds(counted), Math.exp(usual))
  }

  /** How much rather figures rise than fall, by all rows but these two: of two who changed places one rises and the other falls. */
  leanWithout([one, other]: Two): Lean {
    const { rose, fell, rose_of, fell_of } = this.#ways
    const without = (of: Uint16Array): number => (of[one] ?? 0) + (other === one ? 0 : (of[other] ?? 0))
    const [risen, fallen] = [rose - without(rose_of), fell - without(fell_of)]
    const key = risen * (fell + 1) + fallen
    const known = this.#leans.get(key)
    if (known) return known
    /** As likely as not where nothing is known. */
    const lean = (count: number): number => -Math.log((2 * (count + as_many_ways)) / (risen + fallen + 2 * as_many_ways))
    const made = { rose: lean(risen), fell: lean(fallen) }
    this.#leans.set(key, made)
    return made
  }

  /** What one figure of a row says against a person; the two of whom it is asked are not among those who are usually so far off. */
  said(varied: Varied, row: number, person: number, [one, other]: Two): number {
    const apart = this.like.apart(row, person, varied.column) / varied.edge
    if (apart <= 1) return 0
    const { own } = varied
    const kind = Number.isNaN(apart) ? only_once : beyond_edge
    const less = Number(own[one] === kind) + Number(other !== one && own[other] === kind)
    const { rose, fell } = this.leanWithout([one, other])
    return weightOf(varied, apart, less, this.like.differs(row, person, varied.column) > 0 ? rose : fell)
  }

  /** What all figures of a row say against its being that of its own person. Most are within the edge, and say nothing. */
  alone(row: number): number {
    const person = this.like.own[row] ?? -1
    let sum = 0
    for (const column of this.columns) if (column.own[row] !== 0) sum += this.said(column, row, person, [row, row])
    return sum
  }

  /** Whether they say more than that, by what the columns that tell most of others say at least; some that do are not seen. */
  isSurelyAgainst(row: number, whose: number, most: number): boolean {
    const { like } = this
    const person = like.own[whose] ?? -1
    if (person < 0) return false
    let sum = 0
    for (const { varied, least, far, full } of this.#telling) {
      const apart = like.apart(row, person, varied.column) / varied.edge
      if (apart <= 1) continue
      sum += apart > far ? full : weightOf(least, apart, 0, least_lean)
      // Added up in another order, it may differ in the last digits.
      if (sum > most + sum_order) return true
    }
    return false
  }

  /**
   * What all figures of a row say against its being that of the person of another row; of somebody new nothing is known. It is not followed beyond
   * `most`: no figure speaks for a person.
   */
  against(row: number, whose: number, two: Two, most = Number.POSITIVE_INFINITY): number {
    const person = this.like.own[whose] ?? -1
    let sum = 0
    if (person < 0) return sum
    for (const column of this.columns) {
      sum += this.said(column, row, person, two)
      if (sum >= most) return sum
    }
    return sum
  }
}

/** What a figure says that is so far from its edge, `less` rows being left out of account; `lean`: by which way it went. */
export function weightOf(
  { room, chance, beyond, onlyOnce, isSteady }: Varied,
  apart: number,
  less: number,
  lean: number,
): number {
  if (Number.isNaN(apart)) return onlyOnce[less] ?? 0
  const full = Math.max(0, (beyond[less] ?? 0) + (isSteady ? lean : 0) + Math.min(chance, room + Math.log(apart)))
  return apart < soft_edge ? (full * (apart - 1)) / (soft_edge - 1) : full
}

/** `least`: as little as a figure of it says, whoever is left out of account; `far`: from where on it says all it can, `full`. */
type Telling = { readonly varied: Varied; readonly least: Varied; readonly far: number; readonly full: number }

function tellingOf(varied: Varied): Telling {
  const less = { beyond: [Math.min(...varied.beyond)], onlyOnce: [Math.min(...varied.onlyOnce)] }
  const least = { ...varied, ...less }
  const far = Math.max(soft_edge, Math.exp(varied.chance - varied.room) * just_beyond)
  return { varied, least, far, full: weightOf(least, far, 0, least_lean) }
}

function waysOf(like: Likeness, columns: readonly Varied[]) {
  const ways = { rose: 0, fell: 0, rose_of: new Uint16Array(like.rows), fell_of: new Uint16Array(like.rows) }
  for (const { own, column, isSteady } of columns)
    for (let row = 0; row < own.length; row++) {
      if (!isSteady || own[row] !== beyond_edge) continue
      const way = like.differs(row, like.own[row] ?? 0, column) > 0 ? 'rose' : 'fell'
      ways[way] += 1
      const of = ways[`${way}_of`]
      of[row] = (of[row] ?? 0) + 1
    }
  return ways
}

/** Infinite for an item that most have in one month only: nothing says by how much it varies, and it does not stay. */
function edgeOf(like: Likeness, column: number, compared: readonly number[]): number {
  let holders = 0
  const apart: number[] = []
  for (const row of compared) {
    const by = like.apart(row, like.own[row] ?? 0, column)
    if (by < 0) continue
    holders += 1
    if (!Number.isNaN(by)) apart.push(by)
  }
  if (apart.length * 2 < holders) return Number.POSITIVE_INFINITY
  const sorted = Float64Array.from(apart).toSorted()
  const ends = edges.map(({ share, beyond }) => (sorted[Math.round((sorted.length - 1) * share)] ?? 0) * beyond)
  return Math.max(least_edge, Math.min(...ends))
}

function countedBy(like: Likeness, column: number, compared: readonly number[], edge: number): Counted {
  const own = new Uint8Array(like.rows)
  const times = [0, 0, 0]
  let known = 0
  for (const row of compared) {
    const person = like.own[row] ?? 0
    const apart = like.apart(row, person, column)
    if (apart < 0) continue
    known += 1
    const kind = Number.isNaN(apart) ? only_once : apart > edge ? beyond_edge : 0
    own[row] = kind
    times[kind] = (times[kind] ?? 0) + 1
  }
  return { column, edge, own, times, known, chance: chanceOf(like, column, compared, edge) }
}

function chanceOf(like: Likeness, column: number, compared: readonly number[], edge: number): number {
  const stride = Math.ceil(compared.length / most_measured)
  let [near, all] = [0.5, 1]
  for (const step of stepsOf(compared.length))
    for (let at = 0; at < compared.length; at += stride) {
      const row = compared[at] ?? 0
      const other = compared[(at + step) % compared.length] ?? 0
      const apart = Math.abs(like.differs(row, like.own[other] ?? 0, column))
      if (Number.isNaN(apart)) continue
      all += 1
      if (apart <= edge) near += 1
    }
  return -Math.log(near / all)
}

/** Columns that stay are alike in how seldom somebody is off: of few rows one column alone does not say it. */
function withOdds(counted: readonly Counted[]): Varied[] {
  const steady = counted.filter(({ edge }) => edge < widest)
  const known = steady.reduce((sum, one) => sum + one.known, 0)
  const times = [0, beyond_edge, only_once].map((kind) => steady.reduce((sum, one) => sum + (one.times[kind] ?? 0), 0))
  return counted.map((one): Varied => {
    const isSteady = one.edge < widest
    const weight = isSteady ? as_many_rows : 1
    const share = (kind: number, less: number): number => {
      const usually = isSteady ? (Math.max(0, (times[kind] ?? 0) - less) + 0.5) / (known + 1) : 0.5
      return (Math.max(0, (one.times[kind] ?? 0) - less) + usually * weight) / (Math.max(1, one.known - less) + weight)
    }
    const odds = (part: number): number => Math.log((1 - part) / part)
    return {
      ...one,
      isSteady,
      room: Math.log(Math.max(Math.E, Math.log(2 / one.edge))),
      beyond: [0, 1, 2].map((less) => odds(share(beyond_edge, less))),
      onlyOnce: [0, 1, 2].map((less) => Math.min(most_odds, -Math.log(share(only_once, less)))),
    }
  })
}
