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

import type { CooperativeTask } from '../../../../rules/cooperative-task.ts'
import { getSampleSteps } from '../check/member-amounts.ts'
import type { MonthSimilarity } from './month-similarity.ts'

/** An edge lies where so many reach, so many times farther: both are the end of what varies evenly, and the nearer one counts. */
const edgeQuantiles = [
  { share: 0.75, beyond: 1.4 },
  { share: 0.5, beyond: 2.3 },
] as const
/** No edge is nearer: a ten-thousandth, as rounding does. */
const minEdge = 1e-4
/** Edges that are about alike (by the logarithm) are drawn together: of eight rows a single edge is a guess, of many it is its own. */
const maxEdgeDistance = 0.5
const shrinkageRows = 20
/** A column whose edge is wider does not stay: it says nothing about how the others vary. */
const maxSteadyEdge = 0.15
/** What is known of all columns that stay counts as so many rows of each of them. */
const priorRows = 8
/** Rising and falling count as seen so often each, in all columns that stay: among those beyond their edge, the two in question left out. */
const priorDirectionCount = 1
/** From its edge to so many times of it a figure says more and more. */
const softEdgeFactor = 1.2
/** As much as an item can say that is there in one month only. */
const maxLogOdds = 12
/** Rows by which chance is measured. */
const maxMeasuredRows = 400

/** What it costs to measure a column, a row, where two figures held beside each other cost 1. */
const measureCost = 20

/** Columns by which most pairs are given up. */
const maxTellingColumns = 12
const summationMargin = 1e-6
/** Where a logarithm is cut off its last digits are not asked. */
const overEdgeFactor = 1.0001

export const beyondEdge = 1
export const onlyInOneMonth = 2

export type ColumnCounts = {
  readonly column: number
  readonly edge: number
  /** By row: 0, or as above; and how many rows of each there are. */
  readonly kindByRow: Uint8Array
  readonly countByKind: readonly number[]
  readonly comparedCount: number
  /** How improbable it is that a figure of somebody else is within the edge: where there are five amounts, a fifth. */
  readonly chance: number
}
export type ColumnVariance = ColumnCounts & {
  /** Whether it stays, more or less. */
  readonly isSteady: boolean
  /** Who is beyond the edge may be anywhere up to twice as much, or half; who is within it is in a narrow place. */
  readonly logRange: number
  /** What is said by a figure, by how many of two rows that are left out of account are like it. */
  readonly beyondEdge: readonly number[]
  readonly onlyInOneMonth: readonly number[]
}

/** What it says more that a figure rose by so much, or fell: where raises are what happens, hardly anybody's pay falls. Only of columns that stay. */
export type DirectionOdds = { readonly rose: number; readonly fell: number }
/** Whatever is left out of account, it says no less. */
export const minDirectionOdds = -Math.log(2)

/** Two rows that may have changed places; of one alone, twice the same. */
export type RowPair = readonly [one: number, other: number]

/** Rows of people who are known, and those of whom something has been said. */
export type RowsToCheck = { readonly compared: readonly number[]; readonly reported: ReadonlySet<number> }

export class VarianceModel {
  readonly similarity: MonthSimilarity
  readonly columns: readonly ColumnVariance[]
  /** The edge of columns that stay, in the middle. */
  readonly medianEdge: number

  /** Those first in which others are farthest. */
  readonly #telling: readonly TellingColumn[]
  /** Figures beyond their edge in columns that stay, which rose and which fell: of all rows, and by row. */
  readonly #directions: { rose: number; fell: number; readonly rose_of: Uint16Array; readonly fell_of: Uint16Array }
  readonly #directionOdds = new Map<number, DirectionOdds>()
  /** Whoever is left out of account, it says no more. */
  readonly maxDirectionOdds: number

  private constructor(like: MonthSimilarity, columns: readonly ColumnVariance[], typical: number) {
    this.medianEdge = typical
    this.similarity = like
    this.columns = columns
    this.#directions = countDirections(like, columns)
    this.maxDirectionOdds = -Math.log(
      (2 * priorDirectionCount) / (this.#directions.rose + this.#directions.fell + 2 * priorDirectionCount),
    )
    this.#telling = columns
      .toSorted((a, b) => b.chance - a.chance)
      .slice(0, maxTellingColumns)
      .map(toTellingColumn)
  }

  /** `columns`: those that are no sum of others. */
  static *create(like: MonthSimilarity, columns: readonly number[], compared: readonly number[]): CooperativeTask<VarianceModel> {
    const { edges, counted: existing } = like.cache
    const measured: number[] = []
    for (const column of columns) {
      if (like.yieldTimer.shouldYield(compared.length * measureCost)) yield
      measured.push(edges.getOrCompute(column, [like.state[column]], () => measureEdge(like, column, compared)))
    }
    const steady = measured.filter((edge) => edge < maxSteadyEdge).toSorted((a, b) => a - b)
    const typical = Math.log(steady[steady.length >> 1] ?? 1)
    const counted: ColumnCounts[] = []
    const rendered = shrinkageRows / (shrinkageRows + compared.length)
    for (const [at, column] of columns.entries()) {
      if (like.yieldTimer.shouldYield(compared.length * measureCost)) yield
      const edge = measured[at] ?? minEdge
      const by = Math.log(edge) - typical
      const isAlike = edge < maxSteadyEdge && Math.abs(by) < maxEdgeDistance
      const rendered_edge = isAlike ? Math.exp(typical + by * (1 - rendered)) : edge
      counted.push(
        existing.getOrCompute(column, [like.state[column], rendered_edge], () =>
          countByEdge(like, column, compared, rendered_edge),
        ),
      )
    }
    return new VarianceModel(like, addOdds(counted), Math.exp(typical))
  }

  /** How much rather figures rise than fall, by all rows but these two: of two who changed places one rises and the other falls. */
  getDirectionOdds([one, other]: RowPair): DirectionOdds {
    const { rose, fell, rose_of, fell_of } = this.#directions
    const without = (of: Uint16Array): number => (of[one] ?? 0) + (other === one ? 0 : (of[other] ?? 0))
    const [risen, fallen] = [rose - without(rose_of), fell - without(fell_of)]
    const key = risen * (fell + 1) + fallen
    const existing = this.#directionOdds.get(key)
    if (existing) return existing
    /** As likely as not where nothing is known. */
    const lean = (count: number): number =>
      -Math.log((2 * (count + priorDirectionCount)) / (risen + fallen + 2 * priorDirectionCount))
    const made = { rose: lean(risen), fell: lean(fallen) }
    this.#directionOdds.set(key, made)
    return made
  }

  /** What one figure of a row says against a person; the two of whom it is asked are not among those who are usually so far off. */
  getEvidence(varied: ColumnVariance, row: number, person: number, [one, other]: RowPair): number {
    const separate = this.similarity.getDeviation(row, person, varied.column) / varied.edge
    if (separate <= 1) return 0
    const { kindByRow } = varied
    const kind = Number.isNaN(separate) ? onlyInOneMonth : beyondEdge
    const less = Number(kindByRow[one] === kind) + Number(other !== one && kindByRow[other] === kind)
    const { rose, fell } = this.getDirectionOdds([one, other])
    return getWeight(varied, separate, less, this.similarity.getLogDifference(row, person, varied.column) > 0 ? rose : fell)
  }

  /** What all figures of a row say against its being that of its own person. Most are within the edge, and say nothing. */
  getOwnEvidence(row: number): number {
    const person = this.similarity.memberByRow[row] ?? -1
    let sum = 0
    for (const column of this.columns) if (column.kindByRow[row] !== 0) sum += this.getEvidence(column, row, person, [row, row])
    return sum
  }

  /** Whether they say more than that, by what the columns that tell most of others say at least; some that do are not seen. */
  isSurelyAgainst(row: number, owner: number, most: number): boolean {
    const { similarity } = this
    const person = similarity.memberByRow[owner] ?? -1
    if (person < 0) return false
    let sum = 0
    for (const { varied, lowerBound, far, full } of this.#telling) {
      const separate = similarity.getDeviation(row, person, varied.column) / varied.edge
      if (separate <= 1) continue
      sum += separate > far ? full : getWeight(lowerBound, separate, 0, minDirectionOdds)
      // Added up in another order, it may differ in the last digits.
      if (sum > most + summationMargin) return true
    }
    return false
  }

  /**
   * What all figures of a row say against its being that of the person of another row; of somebody new nothing is known. It is not followed beyond
   * `most`: no figure speaks for a person.
   */
  getRowEvidence(row: number, owner: number, two: RowPair, most = Number.POSITIVE_INFINITY): number {
    const person = this.similarity.memberByRow[owner] ?? -1
    let sum = 0
    if (person < 0) return sum
    for (const column of this.columns) {
      sum += this.getEvidence(column, row, person, two)
      if (sum >= most) return sum
    }
    return sum
  }
}

/** What a figure says that is so far from its edge, `leftOut` rows being left out of account; `directionOdds`: by which way it went. */
export function getWeight(
  { logRange, chance, beyondEdge, onlyInOneMonth, isSteady }: ColumnVariance,
  deviation: number,
  leftOut: number,
  directionOdds: number,
): number {
  if (Number.isNaN(deviation)) return onlyInOneMonth[leftOut] ?? 0
  const full = Math.max(
    0,
    (beyondEdge[leftOut] ?? 0) + (isSteady ? directionOdds : 0) + Math.min(chance, logRange + Math.log(deviation)),
  )
  return deviation < softEdgeFactor ? (full * (deviation - 1)) / (softEdgeFactor - 1) : full
}

/** `least`: as little as a figure of it says, whoever is left out of account; `far`: from where on it says all it can, `full`. */
type TellingColumn = {
  readonly varied: ColumnVariance
  readonly lowerBound: ColumnVariance
  readonly far: number
  readonly full: number
}

function toTellingColumn(varied: ColumnVariance): TellingColumn {
  const less = { beyondEdge: [Math.min(...varied.beyondEdge)], onlyInOneMonth: [Math.min(...varied.onlyInOneMonth)] }
  const least = { ...varied, ...less }
  const far = Math.max(softEdgeFactor, Math.exp(varied.chance - varied.logRange) * overEdgeFactor)
  return { varied, lowerBound: least, far, full: getWeight(least, far, 0, minDirectionOdds) }
}

function countDirections(similarity: MonthSimilarity, columns: readonly ColumnVariance[]) {
  const directions = {
    rose: 0,
    fell: 0,
    rose_of: new Uint16Array(similarity.rowCount),
    fell_of: new Uint16Array(similarity.rowCount),
  }
  for (const { kindByRow, column, isSteady } of columns)
    for (let row = 0; row < kindByRow.length; row++) {
      if (!isSteady || kindByRow[row] !== beyondEdge) continue
      const direction = similarity.getLogDifference(row, similarity.memberByRow[row] ?? 0, column) > 0 ? 'rose' : 'fell'
      directions[direction] += 1
      const of = directions[`${direction}_of`]
      of[row] = (of[row] ?? 0) + 1
    }
  return directions
}

/** Infinite for an item that most have in one month only: nothing says by how much it varies, and it does not stay. */
function measureEdge(similarity: MonthSimilarity, column: number, compared: readonly number[]): number {
  let holders = 0
  const deviation: number[] = []
  for (const row of compared) {
    const by = similarity.getDeviation(row, similarity.memberByRow[row] ?? 0, column)
    if (by < 0) continue
    holders += 1
    if (!Number.isNaN(by)) deviation.push(by)
  }
  if (deviation.length * 2 < holders) return Number.POSITIVE_INFINITY
  const sorted = Float64Array.from(deviation).toSorted()
  const ends = edgeQuantiles.map(({ share, beyond }) => (sorted[Math.round((sorted.length - 1) * share)] ?? 0) * beyond)
  return Math.max(minEdge, Math.min(...ends))
}

function countByEdge(similarity: MonthSimilarity, column: number, compared: readonly number[], edge: number): ColumnCounts {
  const own = new Uint8Array(similarity.rowCount)
  const times = [0, 0, 0]
  let comparedCount = 0
  for (const row of compared) {
    const person = similarity.memberByRow[row] ?? 0
    const deviation = similarity.getDeviation(row, person, column)
    if (deviation < 0) continue
    comparedCount += 1
    const kind = Number.isNaN(deviation) ? onlyInOneMonth : deviation > edge ? beyondEdge : 0
    own[row] = kind
    times[kind] = (times[kind] ?? 0) + 1
  }
  return {
    column,
    edge,
    kindByRow: own,
    countByKind: times,
    comparedCount: comparedCount,
    chance: measureChance(similarity, column, compared, edge),
  }
}

function measureChance(similarity: MonthSimilarity, column: number, compared: readonly number[], edge: number): number {
  const stride = Math.ceil(compared.length / maxMeasuredRows)
  let [near, all] = [0.5, 1]
  for (const step of getSampleSteps(compared.length))
    for (let at = 0; at < compared.length; at += stride) {
      const row = compared[at] ?? 0
      const other = compared[(at + step) % compared.length] ?? 0
      const deviation = Math.abs(similarity.getLogDifference(row, similarity.memberByRow[other] ?? 0, column))
      if (Number.isNaN(deviation)) continue
      all += 1
      if (deviation <= edge) near += 1
    }
  return -Math.log(near / all)
}

/** Columns that stay are alike in how seldom somebody is off: of few rows one column alone does not say it. */
function addOdds(counted: readonly ColumnCounts[]): ColumnVariance[] {
  const steady = counted.filter(({ edge }) => edge < maxSteadyEdge)
  const comparedCount = steady.reduce((sum, one) => sum + one.comparedCount, 0)
  const times = [0, beyondEdge, onlyInOneMonth].map((kind) => steady.reduce((sum, one) => sum + (one.countByKind[kind] ?? 0), 0))
  return counted.map((one): ColumnVariance => {
    const isSteady = one.edge < maxSteadyEdge
    const weight = isSteady ? priorRows : 1
    const share = (kind: number, less: number): number => {
      const priorShare = isSteady ? (Math.max(0, (times[kind] ?? 0) - less) + 0.5) / (comparedCount + 1) : 0.5
      return (
        (Math.max(0, (one.countByKind[kind] ?? 0) - less) + priorShare * weight) /
        (Math.max(1, one.comparedCount - less) + weight)
      )
    }
    const odds = (part: number): number => Math.log((1 - part) / part)
    return {
      ...one,
      isSteady,
      logRange: Math.log(Math.max(Math.E, Math.log(2 / one.edge))),
      beyondEdge: [0, 1, 2].map((less) => odds(share(beyondEdge, less))),
      onlyInOneMonth: [0, 1, 2].map((less) => Math.min(maxLogOdds, -Math.log(share(onlyInOneMonth, less)))),
    }
  })
}
