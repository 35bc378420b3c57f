/** Stretches of rows that something speaks for, and what counts as speaking for it: used for whole rows and for single columns. */

/** Rows one after the other, the last one included. */
export type RowRange = { readonly from: number; readonly to: number }
/** Rows one after the other with the figures of the person `offset` rows on. `columns` empty: whole rows. */
export type RowShift = RowRange & { readonly offset: number; readonly columns: readonly number[] }
/** `row` carries the figures of `person`; `both`: and that person's row carries those of `row`. */
export type MisplacedRow = {
  readonly row: number
  readonly member: number
  readonly isMutual: boolean
  readonly column: number | null
}
export type ScoredRange = RowRange & { readonly sum: number }

/** Another explanation must be this much cheaper, and leave at most this part of what it costs as it is. */
export const minGain = 0.15
export const maxRemainingCost = 0.4
/** A row is out of place where it is this far from its person, or so many times farther than the middle row is. */
export const misplacedDistance = 0.3
export const misplacedFactor = 2.5
/** A stretch has so many rows that tell; each costs a little, so that it ends where nothing more speaks for it. */
export const minShiftRows = 3
/** Of some columns together two may be enough. */
const minBlockRows = 2
export const rowToll = 0.06
export const minAgreeingShare = 0.75
/** So many stretches of one distance are looked for. */
export const maxShiftsPerOffset = 6
/** Unproven rows that are held beside each other. */
export const maxRivals = 400

export const listRows = ({ from, to }: RowRange): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at)
export const getLowerMedian = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? 0

/** What surely gains less than it costs: no stretch begins with it, and only within one it is asked by how much. */
export const hopelessGain = -1e300

/**
 * The stretch of rows in which what is gained adds up to most; rows without a say (NaN) neither lengthen nor end it. `null` where it is
 * short. One pass, as for the largest sum of neighbours.
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

/** The stretches of one distance, the best first, each in what the others leave. Changes `gains`; `computeGain`: where they were not worth asking. */
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

/** Of stretches that overlap, the one that explains more. */
export function removeOverlaps<T extends ScoredRange>(all: readonly T[]): T[] {
  const selected: T[] = []
  for (const one of all.toSorted((a, b) => b.sum - a.sum))
    if (!selected.some((other) => other.from <= one.to && one.from <= other.to)) selected.push(one)
  return selected.toSorted((a, b) => a.from - b.from)
}

/**
 * The same where each row says how much more probable it is otherwise: nothing is charged for its length. `startRows`: the rows, in order, that may gain anything;
 * a block begins with one of them, and the others are only asked while one goes on.
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
