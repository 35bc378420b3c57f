/** Stretches of rows that something speaks for, and what counts as speaking for it: used for whole rows and for single columns. */

/** Rows one after the other, the last one included. */
export type RowRange = { readonly from: number; readonly to: number }
/** Rows one after the other with the figures of the person `offset` rows on. `columns` empty: whole rows. */
export type Stretch = RowRange & { readonly offset: number; readonly columns: readonly number[] }
/** `row` carries the figures of `person`; `both`: and that person's row carries those of `row`. */
export type Carried = { readonly row: number; readonly person: number; readonly both: boolean; readonly column: number | null }
export type Gained = RowRange & { readonly sum: number }

/** Another explanation must be this much cheaper, and leave at most this part of what it costs as it is. */
export const least_gain = 0.15
export const most_left = 0.4
/** A row is out of place where it is this far from its person, or so many times farther than the middle row is. */
export const out_of_place = 0.3
export const times_usual = 2.5
/** A stretch has so many rows that tell; each costs a little, so that it ends where nothing more speaks for it. */
export const least_stretch = 3
/** Of some columns together two may be enough. */
const least_moved = 2
export const stretch_toll = 0.06
export const stretch_agree = 0.75
/** So many stretches of one distance are looked for. */
export const most_stretches = 6
/** Unproven rows that are held beside each other. */
export const most_rivals = 400

export const rowsOf = ({ from, to }: RowRange): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at)
export const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? 0

/** What surely gains less than it costs: no stretch begins with it, and only within one it is asked by how much. */
export const not_worth_asking = -1e300

/**
 * The stretch of rows in which what is gained adds up to most; rows without a say (NaN) neither lengthen nor end it. `null` where it is
 * short. One pass, as for the largest sum of neighbours.
 */
function bestStretch(gains: Float64Array, asked?: (row: number) => number): Gained | null {
  let best: Gained | null = null
  let from = 0
  let sum = 0
  let said = 0
  for (let row = 0; row < gains.length; row++) {
    let gain = gains[row] ?? Number.NaN
    if (Number.isNaN(gain)) continue
    if (gain === not_worth_asking && sum > 0 && asked) gain = gains[row] = asked(row)
    if (sum <= 0) {
      from = row
      sum = 0
      said = 0
    }
    sum += gain - stretch_toll
    said += 1
    if (sum > (best?.sum ?? 0) && said >= least_stretch) best = { from, to: row, sum }
  }
  return best
}

/** The stretches of one distance, the best first, each in what the others leave. Changes `gains`; `asked`: where they were not worth asking. */
export function stretchesOf(
  gains: Float64Array,
  isGood: (range: RowRange) => boolean,
  asked?: (row: number) => number,
): Gained[] {
  const found: Gained[] = []
  for (let rounds = 0; rounds < most_stretches; rounds++) {
    const best = bestStretch(gains, asked)
    if (!best || best.sum < least_gain) break
    if (isGood(best)) found.push(best)
    gains.fill(Number.NEGATIVE_INFINITY, best.from, best.to + 1)
  }
  return found
}

/** Of stretches that overlap, the one that explains more. */
export function withoutOverlap<T extends Gained>(all: readonly T[]): T[] {
  const kept: T[] = []
  for (const one of all.toSorted((a, b) => b.sum - a.sum))
    if (!kept.some((other) => other.from <= one.to && one.from <= other.to)) kept.push(one)
  return kept.toSorted((a, b) => a.from - b.from)
}

/**
 * The same where each row says how much more probable it is otherwise: nothing is charged for its length. `likely`: the rows, in order, that may gain anything;
 * a block begins with one of them, and the others are only asked while one goes on.
 */
export function bestBlock(likely: readonly number[], rows: number, gain: (row: number) => number): Gained | null {
  let best: Gained | null = null
  let next = 0
  for (const from of likely) {
    if (from < next) continue
    let [sum, said] = [0, 0]
    for (next = from; next < rows; next++) {
      const by = gain(next)
      if (Number.isNaN(by)) continue
      sum += by
      if (by > 0) said += 1
      if (sum > (best?.sum ?? 0) && said >= least_moved) best = { from, to: next, sum }
      if (sum <= 0) break
    }
  }
  return best
}
