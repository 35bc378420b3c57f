/**
 * Models how much amounts usually vary, measured in the wage sheet itself, and how strongly a single amount therefore
 * speaks against a row belonging to a member:
 *
 *     base pay is within 3 % of last month for nearly all   →  up to about 3 % means nothing, 12 % is strong evidence, as few deviate so far
 *     overtime is within 80 %, or absent                    →  hardly anything is evidence
 *
 * The unit is the logarithm of odds: 3 is twenty to one. For each column the model measures the edge within which
 * nearly all amounts stay, and how many are beyond it or have the item in one month only.
 * docs/decisions/20261122-use-odds-for-swap-detection.md describes how close this comes to the theoretical optimum.
 */

import type { CooperativeTask } from '../../../../rules/cooperative-task.ts'
import { getSampleSteps } from '../check/member-amounts.ts'
import type { ColumnCounts } from './column-results.ts'
import type { MonthSimilarity } from './month-similarity.ts'

/** The edge is a multiple of a quantile of the deviations. Both candidates end even variation; the smaller counts. */
const edgeQuantiles = [
  { share: 0.75, beyond: 1.4 },
  { share: 0.5, beyond: 2.3 },
] as const
/** Minimum edge: a ten-thousandth, the size of rounding. */
const minEdge = 1e-4
/** Edges similar on the logarithmic scale are pulled together: with eight rows a single edge is a guess. */
const maxEdgeDistance = 0.5
const shrinkageRows = 20
/** A column with a wider edge is not steady and says nothing about the variation of others. */
const maxSteadyEdge = 0.15
/** Prior knowledge from all steady columns has the weight of this number of rows in each of them. */
const priorRows = 8
/** Prior count of rises and of falls in all steady columns, for amounts beyond the edge, without the two rows in question. */
const priorDirectionCount = 1
/** Between the edge and this multiple of it, the evidence grows. */
const softEdgeFactor = 1.2
/** Maximum log odds of an item that exists in one month only. */
const maxLogOdds = 12
/** Number of rows used to measure coincidence. */
const maxMeasuredRows = 400

/** Cost per row of measuring a column; comparing two amounts costs 1. */
const measureCost = 20

/** Number of columns used to rule out most pairs early. */
const maxTellingColumns = 12
const summationMargin = 1e-6
/** Tolerance for the rounding of truncated logarithms. */
const overEdgeFactor = 1.0001

export const beyondEdge = 1
export const onlyInOneMonth = 2

export type ColumnVariance = ColumnCounts & {
  /** Whether most amounts of the column are unchanged. */
  readonly isSteady: boolean
  /** Amounts beyond the edge may be anywhere up to double or half; amounts within it are in a narrow range. */
  readonly logRange: number
  /** Evidence of an amount, by how many of the two rows left out are of the same kind. */
  readonly beyondEdge: readonly number[]
  readonly onlyInOneMonth: readonly number[]
}

/** Additional evidence of a rise or a fall: where raises are common, pay hardly ever falls. Only for steady columns. */
export type RaiseLogOdds = { readonly rose: number; readonly fell: number }
/** Lower bound, whichever rows are left out. */
export const minDirectionOdds = -Math.log(2)

/** Two rows that may have been swapped; for a single row, the same row twice. */
export type RowPair = readonly [one: number, other: number]

/** Rows of known members, and rows that have already been reported. */
export type RowsToCheck = { readonly compared: readonly number[]; readonly reported: ReadonlySet<number> }

export class VarianceModel {
  readonly similarity: MonthSimilarity
  readonly columns: readonly ColumnVariance[]
  /** Median edge of the steady columns. */
  readonly medianEdge: number

  /** The most distinctive columns come first. */
  readonly #telling: readonly TellingColumn[]
  /** Amounts beyond the edge in steady columns that rose or fell: in total, and by row. */
  readonly #directions: { rose: number; fell: number; readonly rose_of: Uint16Array; readonly fell_of: Uint16Array }
  readonly #directionOdds = new Map<number, RaiseLogOdds>()
  /** Upper bound, whichever rows are left out. */
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

  /** `columns`: those that are no sums of others. */
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

  /** Returns the odds of rises versus falls over all rows but these two: of two swapped members one rises, one falls. */
  getDirectionOdds([one, other]: RowPair): RaiseLogOdds {
    const { rose, fell, rose_of, fell_of } = this.#directions
    const without = (of: Uint16Array): number => (of[one] ?? 0) + (other === one ? 0 : (of[other] ?? 0))
    const [risen, fallen] = [rose - without(rose_of), fell - without(fell_of)]
    const key = risen * (fell + 1) + fallen
    const existing = this.#directionOdds.get(key)
    if (existing) return existing
    /** The odds are even where nothing is known. */
    const lean = (count: number): number =>
      -Math.log((2 * (count + priorDirectionCount)) / (risen + fallen + 2 * priorDirectionCount))
    const made = { rose: lean(risen), fell: lean(fallen) }
    this.#directionOdds.set(key, made)
    return made
  }

  /** Returns the evidence of one amount against a member; the two rows in question are no examples of such deviations. */
  getEvidence(varied: ColumnVariance, row: number, person: number, [one, other]: RowPair): number {
    const separate = this.similarity.getDeviation(row, person, varied.column) / varied.edge
    if (separate <= 1) return 0
    const { kindByRow } = varied
    const kind = Number.isNaN(separate) ? onlyInOneMonth : beyondEdge
    const less = Number(kindByRow[one] === kind) + Number(other !== one && kindByRow[other] === kind)
    const { rose, fell } = this.getDirectionOdds([one, other])
    return getWeight(varied, separate, less, this.similarity.getLogDifference(row, person, varied.column) > 0 ? rose : fell)
  }

  /** Returns the evidence of all amounts of a row against its own member. Most are within the edge and contribute nothing. */
  getOwnEvidence(row: number): number {
    const person = this.similarity.memberByRow[row] ?? -1
    let sum = 0
    for (const column of this.columns) if (column.kindByRow[row] !== 0) sum += this.getEvidence(column, row, person, [row, row])
    return sum
  }

  /** Whether the evidence certainly exceeds the limit, by the lower bound of the most distinctive columns; may miss. */
  isSurelyAgainst(row: number, owner: number, most: number): boolean {
    const { similarity } = this
    const person = similarity.memberByRow[owner] ?? -1
    if (person < 0) return false
    let sum = 0
    for (const { varied, lowerBound, far, full } of this.#telling) {
      const separate = similarity.getDeviation(row, person, varied.column) / varied.edge
      if (separate <= 1) continue
      sum += separate > far ? full : getWeight(lowerBound, separate, 0, minDirectionOdds)
      // Summation in another order may differ in the last digits.
      if (sum > most + summationMargin) return true
    }
    return false
  }

  /**
   * Returns the evidence of all amounts of a row against the member of another row; 0 for a new member. Stops at
   * `most`, because no amount ever counts in favor.
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

/** Returns the evidence of an amount this far from its edge without `leftOut` rows; `directionOdds`: of its direction. */
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

/** `lowerBound`: the least evidence, whichever rows are left out; `far`: deviation from which it is maximal, `full`. */
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

/** Infinite for an item that most members have in one month only: its variation is unknown, and it is not steady. */
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
    comparedCount,
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

/** Steady columns are similar in how rarely amounts deviate: with few rows a single column is not reliable. */
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
