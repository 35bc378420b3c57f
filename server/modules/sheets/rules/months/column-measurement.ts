/** Measures one column of both months: its spread, the share of amounts that stayed with their members, and its common rise. */
import { getCommonRise, getMatchedShare, getSampleSteps, selectMedian } from '../check/member-amounts.ts'

/** Amounts this close to the column's common ratio are unchanged: after a rise of 5 % for all, each is still its own. */
export const sameRatioTolerance = 1e-6
/** A column is fixed if at least this share keep last month's amount. Base pay is fixed, overtime is not. */
const minFixedShare = 0.4
/** Distances below these shares of that between two random members are near: the closer, the fewer are no coincidence. */
export const nearDistances = [0.3, 0.2, 0.1] as const
const minSpread = 0.03
/** Minimum distance of a different amount in a column that keeps its amounts: of 512.40 and 512.90 one is wrong. */
const minChangedDistance = 0.5
/** Weight of a column in which no amounts stayed with their members; all columns have it when the whole wage sheet was sorted. */
const minWeight = 0.1
/** Number of members used to measure the spread of a column. */
const maxMeasuredMembers = 400

export type ColumnMeasurement = {
  /** The common rise, as a logarithm. */
  readonly rise: number
  /** The usual distance between two members; 0 where all have the same amount, which distinguishes nobody. */
  readonly spread: number
  /** The probability that another member has the same amount, and a near one by distance. */
  readonly byChance: number
  readonly nearByChance: readonly number[]
  /** The share of amounts that stayed with their members beyond coincidence, and whether most are unchanged. */
  readonly stableShare: number
  readonly fixed: boolean
  /** The minimum distance of a different amount. */
  readonly minDistance: number
  /** The average distance of members from their own amounts, where two random members are 1 apart. */
  readonly unrest: number
  readonly weight: number
}

/** Extracts one column of a row-major matrix. */
export function getMatrixColumn(matrix: Float64Array, columns: number, column: number): Float64Array {
  const figures = new Float64Array(matrix.length / columns)
  for (let at = 0; at < figures.length; at++) figures[at] = matrix[at * columns + column] ?? Number.NaN
  return figures
}

/** `current` by row and `previous` by member are logarithms, NaN without an amount; `own`: the member by row, −1 for none. */
export function measureColumn(
  current: Float64Array,
  previous: Float64Array,
  own: Int32Array,
  isOnGrid: boolean,
): ColumnMeasurement {
  const { ratios, filled } = getRatios(current, previous, own)
  const rise = getCommonRise(ratios)
  const pairDistances = getPairDistances(previous)
  const differing = pairDistances.filter((distance) => distance > sameRatioTolerance)
  // Where nearly all amounts are equal, the few that differ determine the spread.
  const spread = differing.length === 0 ? 0 : Math.max(minSpread, selectMedian(differing))
  const noMeasurement = {
    rise,
    spread,
    byChance: 1,
    nearByChance: [],
    stableShare: 0,
    fixed: false,
    minDistance: 0,
    unrest: 1,
    weight: 0,
  }
  if (ratios.length === 0) return noMeasurement
  const equal = (pairDistances.length - differing.length + 0.5) / (pairDistances.length + 1)
  const getChanceWithin = (share: number): number =>
    (pairDistances.filter((distance) => distance <= spread * share).length + 0.5) / (pairDistances.length + 1)
  const nearByChance = nearDistances.map(getChanceWithin)
  const stayed = ratios.filter((ratio) => Math.abs(ratio - rise) <= sameRatioTolerance).length
  // Corrected for coincidence: with five different amounts, a fifth would be equal anyway.
  const stableShare = filled === 0 || equal >= 1 ? 0 : (stayed / filled - equal) / (1 - equal)
  const fixed = filled >= 2 && (spread === 0 || stableShare >= minFixedShare)
  const partial = { ...noMeasurement, byChance: equal, nearByChance, stableShare, fixed }
  if (spread === 0) return partial
  const existingShare = getMatchedShare(current, previous)
  // On a grid, the next step may be the same amount.
  const least = isOnGrid ? 0 : minChangedDistance * Math.max(stableShare, existingShare)
  const fromOneself = ratios.reduce((sum, ratio) => sum + Math.min(1, Math.abs(ratio - rise) / spread), 0) / ratios.length
  const fromOthers = pairDistances.reduce((sum, distance) => sum + Math.min(1, distance / spread), 0) / pairDistances.length
  const unrest = fromOthers === 0 ? 1 : Math.min(1, fromOneself / fromOthers)
  return { ...partial, minDistance: least, unrest, weight: Math.max(minWeight, 1 - unrest, existingShare) }
}

function getRatios(now: Float64Array, was: Float64Array, own: Int32Array): { ratios: number[]; filled: number } {
  const ratios: number[] = []
  let filled = 0
  for (let row = 0; row < now.length; row++) {
    const person = own[row] ?? -1
    if (person < 0) continue
    const [current, before] = [now[row] ?? Number.NaN, was[person] ?? Number.NaN]
    if (!(Number.isNaN(current) && Number.isNaN(before))) filled += 1
    const ratio = current - before
    if (!Number.isNaN(ratio)) ratios.push(ratio)
  }
  return { ratios, filled }
}

/** Returns distances between members at offsets across the list. */
function getPairDistances(was: Float64Array): number[] {
  const people = was.length
  const distances: number[] = []
  const stride = Math.ceil(people / maxMeasuredMembers)
  for (const step of getSampleSteps(people))
    for (let person = 0; person < people; person += stride) {
      const distance = (was[person] ?? 0) - (was[(person + step) % people] ?? 0)
      if (!Number.isNaN(distance)) distances.push(Math.abs(distance))
    }
  return distances
}
