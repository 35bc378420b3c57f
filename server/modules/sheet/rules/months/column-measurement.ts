/** What is measured of one column of both months: how it is spread, how much of it stayed with its people, by how much all of it rose. */
import { getCommonRise, getMatchedShare, getSampleSteps, selectMedian } from '../check/member-amounts.ts'

/** Figures whose ratio is this near to the column's own are the same: a column that rose by 5 % for all is still everybody's own. */
export const sameRatioTolerance = 1e-6
/** A column is fixed where so many keep their figure of last month. Overtime is not, base pay is. */
const minFixedShare = 0.4
/** Nearer than this part of what two strangers are apart is near. */
export const nearDistance = 0.3
/** No column tells people apart by less than this. */
const minSpread = 0.03
/** In a column that keeps its figures another figure is this far at least, however near the amount: of 512.40 and 512.90 one is wrong. */
const minChangedDistance = 0.5
/** What a column weighs that follows nobody: all of them, when the whole sheet was sorted. */
const minWeight = 0.1
/** People by whom the spread of a column is measured. */
const maxMeasuredMembers = 400

export type ColumnMeasurement = {
  /** By how much all of it rose, by its logarithm. */
  readonly rise: number
  /** How far two people usually are apart; 0 where all have the same, which tells nothing. */
  readonly spread: number
  /** How probable it is that somebody else has the same figure, and one that is near. */
  readonly byChance: number
  readonly nearByChance: number
  /** The part of its figures that stayed with their people, beyond chance; and whether most keep what they had. */
  readonly stableShare: number
  readonly fixed: boolean
  /** How far another figure is at least. */
  readonly minDistance: number
  /** How far people are from themselves, where two strangers are 1 apart. */
  readonly unrest: number
  readonly weight: number
}

/** One column of a matrix that stands row by row. */
export function getMatrixColumn(matrix: Float64Array, columns: number, column: number): Float64Array {
  const figures = new Float64Array(matrix.length / columns)
  for (let at = 0; at < figures.length; at++) figures[at] = matrix[at * columns + column] ?? Number.NaN
  return figures
}

/** `current` by row and `previous` by person, as logarithms, NaN where there is nothing; `own`: by row the person, -1 where there is none. */
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
  // Where nearly all have the same, those few who differ are the measure.
  const spread = differing.length === 0 ? 0 : Math.max(minSpread, selectMedian(differing))
  const noMeasurement = {
    rise,
    spread,
    byChance: 1,
    nearByChance: 1,
    stableShare: 0,
    fixed: false,
    minDistance: 0,
    unrest: 1,
    weight: 0,
  }
  if (ratios.length === 0) return noMeasurement
  const equal = (pairDistances.length - differing.length + 0.5) / (pairDistances.length + 1)
  const nearByChance =
    (pairDistances.filter((distance) => distance <= spread * nearDistance).length + 0.5) / (pairDistances.length + 1)
  const stayed = ratios.filter((ratio) => Math.abs(ratio - rise) <= sameRatioTolerance).length
  // Of what is the same, chance would have made so much the same: where there are five amounts, a fifth.
  const stableShare = filled === 0 || equal >= 1 ? 0 : (stayed / filled - equal) / (1 - equal)
  const fixed = filled >= 2 && (spread === 0 || stableShare >= minFixedShare)
  const partial = { ...noMeasurement, byChance: equal, nearByChance, stableShare: stableShare, fixed }
  if (spread === 0) return partial
  const existingShare = getMatchedShare(current, previous)
  // On a grid the next step may be the same amount.
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

/** How far people are from others at distances all over the list. */
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
