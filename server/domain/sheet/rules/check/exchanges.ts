/**
 * Whether two rows changed places, or some columns of a few rows slipped, where every figure varies: by how much more probable the sheet is the
 * other way round than as it is. All the ways in which it could be otherwise count against each of them: of a thousand pairs the best one is
 * nearly always better than the sheet by something, and that is no reason to ask.
 */

import type { InTurns } from '../turns.ts'
import { type RowRange, rowsOf } from './stretches.ts'
import type { Variation, Varied } from './variation.ts'

/**
 * From here on the sheet is more probable with two of its rows exchanged than as it is, by the logarithm; some columns of some rows must have
 * slipped more surely, for more is tried that is no mistake (a team that rose by a step has what others had).
 */
const asked_exchange = 0
const asked_block = 2
/** Of several pairs, those nearly as probable as the most probable one. */
const as_probable = 2
/** Rows that are held beside each other: those that are farthest from their people, and so many more. */
const most_exchanged = 400
/** Without the two rows in question what they are usually says a little more against them. */
const leave_share = 1.5
const leave_odds = 2
/** One column more that slipped along is one of two possibilities. */
const one_more = Math.log(2)
const least_block = 3

type Pair = { readonly one: number; readonly other: number; readonly gain: number }

/** Rows that had rather be each other's. */
export function* exchangedRows(
  variation: Variation,
  compared: readonly number[],
  told: ReadonlySet<number>,
): InTurns<readonly number[]> {
  const { like, columns } = variation
  const alone = new Float64Array(like.rows)
  for (const row of compared) {
    if (like.turn.isOver(columns.length)) yield
    if (!told.has(row)) alone[row] = variation.against(row, row, row, row)
  }
  const far = compared.filter((row) => !told.has(row)).toSorted((a, b) => (alone[b] ?? 0) - (alone[a] ?? 0))
  const off = far.slice(0, most_exchanged).filter((row) => (alone[row] ?? 0) > 0)
  // Somebody new has nothing to be held against: who changed places with him is told by what he himself has not got.
  const fresh = [...like.own.keys()].filter((row) => (like.own[row] ?? -1) < 0 && !like.skipped[row]).slice(0, most_exchanged)
  const rivals = [...far.slice(0, most_exchanged * 2), ...fresh]
  const rows = compared.length + fresh.length
  const needed = asked_exchange + Math.log((rows * (rows - 1)) / 2)
  const pairs: Pair[] = []
  for (const [at, one] of off.entries())
    for (const other of rivals.slice(at + 1)) {
      // What is gained is what speaks against them as they are: where that is little, they are no pair.
      if (((alone[one] ?? 0) + (alone[other] ?? 0)) * leave_share + leave_odds < needed) continue
      if (like.turn.isOver(columns.length * 4)) yield
      const asIs = variation.against(one, one, one, other) + variation.against(other, other, one, other)
      const gain = asIs - variation.against(one, other, one, other) - variation.against(other, one, one, other)
      if (gain > 0) pairs.push({ one, other, gain })
    }
  const most = pairs.reduce((best, { gain }) => Math.max(best, gain), 0)
  const all = pairs.reduce((sum, { gain }) => sum + Math.exp(gain - most), 0)
  if (pairs.length === 0 || most + Math.log(all) < needed) return []
  return pairs.flatMap(({ one, other, gain }) => (gain >= most - as_probable ? [one, other] : []))
}

type Block = RowRange & { readonly sum: number }

/** Rows in which some columns had rather be those of the row some rows on: a cell was put in or taken out, and a few below it moved. */
export function* slippedBlock(
  variation: Variation,
  offsets: readonly number[],
  compared: readonly number[],
  told: ReadonlySet<number>,
  isUsuallyFixed: (column: number) => boolean,
): InTurns<readonly number[]> {
  const { like } = variation
  const columns = variation.columns.filter(({ isSteady, column }) => isSteady && isUsuallyFixed(column))
  const own = new Map<Varied, Float64Array>()
  for (const column of columns) {
    if (like.turn.isOver(like.rows)) yield
    own.set(
      column,
      Float64Array.from(like.own, (person, row) =>
        person < 0 || told.has(row) || like.skipped[row] ? Number.NaN : variation.said(column, row, person, row, row),
      ),
    )
  }
  const ways = Math.log(Math.max(1, (compared.length ** 2 / 2) * offsets.length * columns.length))
  let best: { readonly sum: number; readonly block: Block; readonly gains: readonly Float64Array[] } | null = null
  for (const offset of offsets) {
    if (like.turn.isOver(like.rows * columns.length * 2)) yield
    const gains = columns.map((column) => gainsOf(variation, column, own.get(column) ?? new Float64Array(), offset))
    for (const [at, column] of gains.entries()) {
      const block = bestBlock(column)
      if (!block || block.sum <= 0) continue
      const along = gains.filter((gain, other) => other !== at && sumOf(gain, block) > one_more)
      const sum = along.reduce((all, gain) => all + sumOf(gain, block) - one_more, block.sum)
      if (sum > (best?.sum ?? 0)) best = { sum, block, gains: [column, ...along] }
    }
  }
  if (!best || best.sum < ways + asked_block) return []
  const { block, gains } = best
  return rowsOf(block).filter((row) => gains.some((gain) => (gain[row] ?? 0) > 0))
}

const gainsOf = (variation: Variation, column: Varied, own: Float64Array, offset: number): Float64Array =>
  own.map((said, row) => {
    const person = row + offset < 0 ? -1 : (variation.like.own[row + offset] ?? -1)
    return person < 0 ? Number.NaN : said - variation.said(column, row, person, row, row)
  })

const sumOf = (gains: Float64Array, { from, to }: RowRange): number =>
  gains.subarray(from, to + 1).reduce((sum, gain) => sum + (Number.isNaN(gain) ? 0 : gain), 0)

/** The rows one after the other that gain most. */
function bestBlock(gains: Float64Array): Block | null {
  let best: Block | null = null
  let [from, sum, said] = [0, 0, 0]
  for (const [row, gain] of gains.entries()) {
    if (Number.isNaN(gain)) continue
    if (sum <= 0) [from, sum, said] = [row, 0, 0]
    sum += gain
    if (gain > 0) said += 1
    if (sum > (best?.sum ?? 0) && said >= least_block) best = { from, to: row, sum }
  }
  return best
}
