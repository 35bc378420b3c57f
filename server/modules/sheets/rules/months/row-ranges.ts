/** Finds ranges of rows supported by evidence, with the thresholds for evidence; used for whole rows and single columns. */

/** Consecutive rows, both ends included. */
export type RowRange = { readonly from: number; readonly to: number }
/**
 * Consecutive rows that carry the amounts of the member `offset` rows below. If `columns` is empty, whole rows are
 * meant.
 */
export type RowShift = RowRange & { readonly offset: number; readonly columns: readonly number[] }
/** `row` carries the amounts of `member`. `isMutual` means that that member's row also carries those of `row`. */
export type MisplacedRow = {
  readonly row: number
  readonly member: number
  readonly isMutual: boolean
  readonly column: number | null
}
export type ScoredRange = RowRange & { readonly sum: number }

/** Another explanation must be at least this much cheaper and leave at most this share of the current cost. */
export const minGain = 0.15
export const maxRemainingCost = 0.4
/** A row is misplaced if its cost exceeds both this and a multiple of the median row's cost. */
export const misplacedDistance = 0.3
export const misplacedFactor = 2.5
/** Minimum number of rows with evidence in a range; each row costs a toll, so that a range ends where the evidence ends. */
export const minShiftRows = 3
/** For several columns together, two rows may suffice. */
const minBlockRows = 2
export const rowToll = 0.06
export const minAgreeingShare = 0.75
export const maxShiftsPerOffset = 6
/** Maximum number of unproven rows compared with each other. */
export const maxRivals = 400

export const listRows = ({ from, to }: RowRange): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at)
export const getLowerMedian = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? 0

/** Marks a row that certainly gains less than its toll: no range starts with it, and its gain is computed only within a range. */
export const hopelessGain = -1e300

/**
 * Finds the range of rows with the largest total gain; rows without evidence (NaN) neither extend nor end it. Returns
 * `null` if it is too short. One pass, like the maximum subarray algorithm.
 */
function findBestRange(gains: Float64Array, computeGain?: (row: number) => number): ScoredRange | null {
  let best: ScoredRange | null = null
  let from = 0
  let sum = 0
  let count = 0
  for (let row = 0; row < gains.length; row++) {
    let gain = gains[row] ?? Number.NaN
    if (Number.isNaN(gain)) continue
    if (gain === hopelessGain && sum > 0 && computeGain) gain = gains[row] = computeGain(row)
    if (sum <= 0) {
      from = row
      sum = 0
      count = 0
    }
    sum += gain - rowToll
    count += 1
    if (sum > (best?.sum ?? 0) && count >= minShiftRows) best = { from, to: row, sum }
  }
  return best
}

/**
 * Finds the ranges of one offset, best first, each in the rows left by the others. Changes `gains`; `computeGain`
 * supplies gains that were not computed beforehand.
 */
export function findRanges(
  gains: Float64Array,
  isGood: (range: RowRange) => boolean,
  computeGain?: (row: number) => number,
): ScoredRange[] {
  const ranges: ScoredRange[] = []
  for (let rounds = 0; rounds < maxShiftsPerOffset; rounds++) {
    const best = findBestRange(gains, computeGain)
    if (!best || best.sum < minGain) break
    if (isGood(best)) ranges.push(best)
    gains.fill(Number.NEGATIVE_INFINITY, best.from, best.to + 1)
  }
  return ranges
}

/** Of overlapping ranges, keeps the one that explains more. */
export function removeOverlaps<T extends ScoredRange>(all: readonly T[]): T[] {
  const selected: T[] = []
  for (const one of all.toSorted((a, b) => b.sum - a.sum))
    if (!selected.some((other) => other.from <= one.to && one.from <= other.to)) selected.push(one)
  return selected.toSorted((a, b) => a.from - b.from)
}

/**
 * Finds the best range where each row gives log odds and length costs nothing. `startRows` are the rows, in order, that
 * may gain anything; a range starts with one of them, and other rows are evaluated only within a range.
 */
export function findBestRangeFrom(startRows: readonly number[], rows: number, gain: (row: number) => number): ScoredRange | null {
  let best: ScoredRange | null = null
  let next = 0
  for (const from of startRows) {
    if (from < next) continue
    let [sum, count] = [0, 0]
    for (next = from; next < rows; next++) {
      const by = gain(next)
      if (Number.isNaN(by)) continue
      sum += by
      if (by > 0) count += 1
      if (sum > (best?.sum ?? 0) && count >= minBlockRows) best = { from, to: next, sum }
      if (sum <= 0) break
    }
  }
  return best
}
