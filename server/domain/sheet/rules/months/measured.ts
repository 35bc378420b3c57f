/** What is measured of one column of both months: how it is spread, how much of it stayed with its people, by how much all of it rose. */
import { commonRise, knownShare, middleOf, stepsOf } from '../check/history.ts'

/** Figures whose ratio is this near to the column's own are the same: a column that rose by 5 % for all is still everybody's own. */
export const same_ratio = 1e-6
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
/** People by whom the spread of a column is measured. */
const most_measured = 400

export type Measured = {
  /** By how much all of it rose, by its logarithm. */
  readonly rise: number
  /** How far two people usually are apart; 0 where all have the same, which tells nothing. */
  readonly spread: number
  /** How probable it is that somebody else has the same figure, and one that is near. */
  readonly byChance: number
  readonly nearByChance: number
  /** The part of its figures that stayed with their people, beyond chance; and whether most keep what they had. */
  readonly kept: number
  readonly fixed: boolean
  /** How far another figure is at least. */
  readonly least: number
  /** How far people are from themselves, where two strangers are 1 apart. */
  readonly unrest: number
  readonly weight: number
}

/** One column of a matrix that stands row by row. */
export function columnOf(matrix: Float64Array, columns: number, column: number): Float64Array {
  const figures = new Float64Array(matrix.length / columns)
  for (let at = 0; at < figures.length; at++) figures[at] = matrix[at * columns + column] ?? Number.NaN
  return figures
}

/** `now` by row and `was` by person, as logarithms, NaN where there is nothing; `own`: by row the person, -1 where there is none. */
export function measured(now: Float64Array, was: Float64Array, own: Int32Array, isOnGrid: boolean): Measured {
  const { ratios, filled } = ratiosOf(now, was, own)
  const rise = commonRise(ratios)
  const apart = strangersApart(was)
  const differing = apart.filter((distance) => distance > same_ratio)
  // Where nearly all have the same, those few who differ are the measure.
  const spread = differing.length === 0 ? 0 : Math.max(least_spread, middleOf(differing))
  const nothing = { rise, spread, byChance: 1, nearByChance: 1, kept: 0, fixed: false, least: 0, unrest: 1, weight: 0 }
  if (ratios.length === 0) return nothing
  const equal = (apart.length - differing.length + 0.5) / (apart.length + 1)
  const nearByChance = (apart.filter((distance) => distance <= spread * near_far).length + 0.5) / (apart.length + 1)
  const stayed = ratios.filter((ratio) => Math.abs(ratio - rise) <= same_ratio).length
  // Of what is the same, chance would have made so much the same: where there are five amounts, a fifth.
  const kept = filled === 0 || equal >= 1 ? 0 : (stayed / filled - equal) / (1 - equal)
  const fixed = filled >= 2 && (spread === 0 || kept >= fixed_share)
  const told = { ...nothing, byChance: equal, nearByChance, kept, fixed }
  if (spread === 0) return told
  const known = knownShare(now, was)
  // On a grid the next step may be the same amount.
  const least = isOnGrid ? 0 : least_far * Math.max(kept, known)
  const fromOneself = ratios.reduce((sum, ratio) => sum + Math.min(1, Math.abs(ratio - rise) / spread), 0) / ratios.length
  const fromOthers = apart.reduce((sum, distance) => sum + Math.min(1, distance / spread), 0) / apart.length
  const unrest = fromOthers === 0 ? 1 : Math.min(1, fromOneself / fromOthers)
  return { ...told, least, unrest, weight: Math.max(least_weight, 1 - unrest, known) }
}

function ratiosOf(now: Float64Array, was: Float64Array, own: Int32Array): { ratios: number[]; filled: number } {
  const ratios: number[] = []
  let filled = 0
  for (let row = 0; row < now.length; row++) {
    const person = own[row] ?? -1
    if (person < 0) continue
    const [mine, before] = [now[row] ?? Number.NaN, was[person] ?? Number.NaN]
    if (!(Number.isNaN(mine) && Number.isNaN(before))) filled += 1
    const ratio = mine - before
    if (!Number.isNaN(ratio)) ratios.push(ratio)
  }
  return { ratios, filled }
}

/** How far people are from others at distances all over the list. */
function strangersApart(was: Float64Array): number[] {
  const people = was.length
  const apart: number[] = []
  const stride = Math.ceil(people / most_measured)
  for (const step of stepsOf(people))
    for (let person = 0; person < people; person += stride) {
      const distance = (was[person] ?? 0) - (was[(person + step) % people] ?? 0)
      if (!Number.isNaN(distance)) apart.push(Math.abs(distance))
    }
  return apart
}
