/**
 * Whether the figures of a sheet stand beside the right names. Not equality is asked but which assignment of rows to people explains the
 * figures best, so that raises, rounding and a month that varies do not hide what slipped:
 *
 *     last month      this month, in order    slipped by a row         two swapped            sorted by themselves
 *     赵  8000 512      赵  8000 512            赵  9500 608  ← 钱      赵  7200 461  ← 孙      赵  7200 461
 *     钱  9500 608      钱  9700 608            钱  7200 461  ← 孙      钱  9500 608            钱  8000 512
 *     孙  7200 461      孙  7200 461            孙  8000 512  ← 赵      孙  8000 512  ← 赵      孙  9500 608
 *
 * A row whose own fixed figures stand in it is proven and plays no part any more. Of the others: a stretch of rows that are all better
 * explained by the person k rows on; two rows better explained by each other's person; a row better explained by somebody whose own row
 * is not his. Then single columns the same way. What is left and is rather more probable the other way round (`variation`) is `unproven`: a
 * person has to look.
 */

import type { InTurns } from '../../../../rules/turns.ts'
import { columnStretches, columnSwaps, type Disorder, disordersOf } from './assignment-columns.ts'
import { exchangedRows } from './exchanges.ts'
import type { Likeness } from './likeness.ts'
import { slippedBlock } from './slipped-block.ts'
import {
  type Carried,
  type Gained,
  least_gain,
  least_stretch,
  middle,
  most_left,
  most_rivals,
  not_worth_asking,
  out_of_place,
  type RowRange,
  rowsOf,
  type Stretch,
  stretch_agree,
  stretch_toll,
  stretchesOf,
  times_usual,
  withoutOverlap,
} from './stretches.ts'
import { Variation } from './variation.ts'

export type Assignment = {
  readonly stretches: readonly Stretch[]
  readonly carried: readonly Carried[]
  readonly disorders: readonly Disorder[]
  /** Rows of which the figures do not tell whether they are their person's; those that had rather be each other's are the first to be looked at. */
  readonly unproven: readonly number[]
  /** The likeliest two first. */
  readonly exchanged: readonly number[]
}

/** A row is out of place where it is this far from its person, or so many times farther than the middle row is. */
const surely_out_of_place = 0.45
/** What a row of somebody new costs as it is: not so much that he is taken for everybody whose pay is near. */
const new_row = 0.5
const restless = 0.5
/** Distances that are followed; in small sheets all of them. */
const all_offsets_below = 130
const most_offsets = 14

/** What it costs to find who is near, to find stretches of a row, where two figures held beside each other cost 1. */
const steps_to_near = 24
const steps_to_stretch = 10
const steps_to_pass_by = 7
/** What a row costs beside somebody else, before it is asked. */
const not_asked = -1

/** What a column is, by its label and role: one that hardly changes, one that is the sum of others. */
export type ColumnFacts = { isUsuallyFixed(column: number): boolean; isSum(column: number): boolean }

export function* assign(like: Likeness, { isUsuallyFixed, isSum }: ColumnFacts): InTurns<Assignment> {
  const empty: Assignment = { stretches: [], carried: [], disorders: [], unproven: [], exchanged: [] }
  const compared = [...like.own.keys()].filter((row) => (like.own[row] ?? -1) >= 0 && !like.skipped[row])
  if (compared.length < 2) return empty
  const offsets = yield* offsetsOf(like, compared)
  yield* like.weigh(offsets)
  const own_cost = new Float64Array(like.rows).fill(Number.NaN)
  for (let row = 0; row < like.rows; row++) {
    if (like.turn.isOver(like.columns)) yield
    if ((like.own[row] ?? -1) >= 0) own_cost[row] = like.cost(row, like.own[row] ?? 0)
  }
  const stretches = yield* wholeStretches(like, own_cost, offsets)
  const told = new Set(stretches.flatMap(rowsOf))
  const carried = yield* carriedRows(like, own_cost, told, compared)
  for (const { row } of carried) told.add(row)
  const columns = yield* columnStretches(like, offsets, told, isUsuallyFixed)
  const byColumn = new Set(columns.flatMap(rowsOf))
  const swaps = yield* columnSwaps(like, compared, new Set([...told, ...byColumn]))
  for (const { row } of swaps) byColumn.add(row)
  const disorders = yield* disordersOf(like, compared, new Set([...told, ...byColumn]), isUsuallyFixed)
  const telling = [...like.spread.keys()].filter((column) => like.spread[column] !== 0)
  const items = telling.filter((column) => !isSum(column))
  const variation = yield* Variation.of(like, items.length > 0 ? items : telling, compared)
  const exchanged = yield* exchangedRows(variation, { compared, told })
  const block = yield* slippedBlock(variation, offsets, { compared, told, exchanged }, isUsuallyFixed)
  const unproven = new Set([...exchanged, ...block.rows, ...(yield* restlessRows(like, compared, told, isUsuallyFixed))])
  const { stretch } = block
  const slipped = stretch && !rowsOf(stretch).some((row) => byColumn.has(row)) ? [stretch] : []
  return {
    stretches: [...stretches, ...columns, ...slipped],
    carried: [...carried, ...swaps],
    disorders,
    unproven: [...unproven].toSorted((a, b) => a - b),
    exchanged,
  }
}

/** Distances worth following: near ones, and those at which rows find who explains them better. */
function* offsetsOf(like: Likeness, compared: readonly number[]): InTurns<number[]> {
  const count = like.rows
  if (count < all_offsets_below) return Array.from({ length: 2 * count - 1 }, (_, at) => at - count + 1).filter((at) => at !== 0)
  const votes = new Map<number, number>()
  const loose = compared.filter((row) => !like.proven[row])
  const stride = Math.max(1, Math.floor(loose.length / most_rivals))
  for (let at = 0; at < loose.length; at += stride) {
    const row = loose[at] ?? 0
    if (like.turn.isOver(like.columns * steps_to_near)) yield
    const [best] = [...like.near(row)]
      .map((person) => ({
        offset: (like.rowOf[person] ?? -1) - row,
        found: (like.rowOf[person] ?? -1) >= 0,
        cost: like.cost(row, person),
      }))
      .filter(({ found, offset }) => found && offset !== 0)
      .toSorted((a, b) => a.cost - b.cost)
    if (best) votes.set(best.offset, (votes.get(best.offset) ?? 0) + 1)
  }
  const voted = [...votes]
    .filter(([, times]) => times >= least_stretch)
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, most_offsets)
    .map(([offset]) => offset)
  return [...new Set([1, -1, 2, -2, 3, -3, ...voted])]
}

function* wholeStretches(like: Likeness, own_cost: Float64Array, offsets: readonly number[]): InTurns<Stretch[]> {
  const all: (Stretch & Gained)[] = []
  for (const offset of offsets) {
    const theirs = (row: number): number => (row + offset < 0 ? -1 : (like.own[row + offset] ?? -1))
    const costs = new Float64Array(like.rows).fill(not_asked)
    const cost = (row: number): number => {
      const known = costs[row] ?? Number.NaN
      if (known !== not_asked) return known
      const person = theirs(row)
      return (costs[row] = person >= 0 && person !== like.own[row] ? like.cost(row, person) : Number.NaN)
    }
    const asIs = (row: number): number => ((like.own[row] ?? -1) >= 0 ? (own_cost[row] ?? 1) : new_row)
    const gain = (row: number): number => asIs(row) - cost(row)
    // Most rows are so near to their own person, or so far from the other, that nothing can begin with them.
    const gains = new Float64Array(like.rows)
    for (let row = 0; row < like.rows; row++) {
      const person = theirs(row)
      const most = asIs(row) - stretch_toll
      const isNothing = most <= 0 || (person >= 0 && like.isBeyond(row, person, most))
      if (like.turn.isOver(isNothing ? steps_to_pass_by : like.columns)) yield
      gains[row] = person < 0 || person === like.own[row] ? Number.NaN : isNothing ? not_worth_asking : gain(row)
    }
    const isGood = (range: RowRange): boolean => {
      const rows = rowsOf(range).filter((row) => !Number.isNaN(cost(row)) && !like.skipped[row])
      const before = rows.reduce((sum, row) => sum + asIs(row), 0)
      const after = rows.reduce((sum, row) => sum + cost(row), 0)
      const agree = rows.filter((row) => gain(row) > 0).length
      return (
        rows.length >= least_stretch &&
        before - after >= least_gain * rows.length &&
        after <= before * most_left &&
        agree >= rows.length * stretch_agree
      )
    }
    if (like.turn.isOver(like.rows * steps_to_stretch)) yield
    for (const { from, to, sum } of stretchesOf(gains, isGood, gain)) all.push({ from, to, sum, offset, columns: [] })
    // Rows that were passed by may have been asked after all.
    if (like.turn.isOver(like.rows * steps_to_stretch)) yield
  }
  return withoutOverlap(all).map(({ from, to, offset, columns }) => ({ from, to, offset, columns }))
}

/** Rows that are far from their own person and near to somebody who is not in his own row. */
function* carriedRows(
  like: Likeness,
  own_cost: Float64Array,
  told: ReadonlySet<number>,
  compared: readonly number[],
): InTurns<Carried[]> {
  const usual = middle(compared.map((row) => own_cost[row] ?? 1))
  const limit = Math.max(out_of_place, Math.min(usual * times_usual, surely_out_of_place))
  const loose = compared.filter((row) => !like.settled[row])
  const few = loose.length <= most_rivals ? loose.map((row) => like.own[row] ?? -1) : []
  const best = new Map<number, number>()
  // Somebody new has no figures of his own: that he got those of a colleague is told by the colleague, who has not got them.
  const fresh = [...like.own.keys()].filter((row) => (like.own[row] ?? -1) < 0)
  for (const row of [...loose, ...fresh]) {
    const isNew = (like.own[row] ?? -1) < 0
    const before = isNew ? new_row : (own_cost[row] ?? 0)
    if (told.has(row) || before < limit) continue
    let cheapest = before
    if (like.turn.isOver((few.length + steps_to_near) * like.columns)) yield
    for (const person of new Set([...like.near(row), ...few])) {
      const theirs = like.rowOf[person] ?? -1
      if (person === like.own[row] || (theirs >= 0 ? like.settled[theirs] : isNew)) continue
      // Of many who are not in this sheet somebody is always near: only his own fixed figures tell.
      if (theirs < 0 && !like.isMostly(row, person)) continue
      const after = isNew && like.isMostly(row, person) ? 0 : like.cost(row, person)
      // Somebody whose own row suits him as well has not lost it.
      const atHome = theirs < 0 || Number.isNaN(own_cost[theirs] ?? Number.NaN) ? 1 : (own_cost[theirs] ?? 1)
      if (
        after >= cheapest ||
        after > before * most_left ||
        before - after < least_gain ||
        atHome < Math.max(after * 2, isNew ? out_of_place : 0)
      )
        continue
      cheapest = after
      best.set(row, person)
    }
  }
  // Who got another's figures has lost his own to a third, unless they are to the fen: else pay is only near a colleague's.
  const claims = new Map<number, number>()
  for (const person of best.values()) claims.set(person, (claims.get(person) ?? 0) + 1)
  for (let isSettled = false; !isSettled; ) {
    isSettled = true
    for (const [row, person] of best) {
      const theirs = like.rowOf[person] ?? -1
      const isLost = theirs >= 0 && (best.has(theirs) || told.has(theirs)) && claims.get(person) === 1
      if (isLost || like.isMostly(row, person)) continue
      best.delete(row)
      isSettled = false
    }
  }
  return [...best].map(([row, person]): Carried => {
    const theirs = like.rowOf[person] ?? -1
    return { row, person, both: theirs >= 0 && best.get(theirs) === like.own[row], column: null }
  })
}

/** Of a column that should keep its figures, and in which people are nearly as far from themselves as from others: those who are. */
function* restlessRows(
  like: Likeness,
  compared: readonly number[],
  told: ReadonlySet<number>,
  isUsuallyFixed: (column: number) => boolean,
): InTurns<number[]> {
  const columns = Array.from({ length: like.columns }, (_, column) => column).filter(
    (column) => !like.fixed[column] && isUsuallyFixed(column) && (like.measured[column]?.unrest ?? 0) >= restless,
  )
  return yield* like.turn.filter(
    compared,
    columns.length,
    (row) => !told.has(row) && columns.some((column) => like.far(row, like.own[row] ?? 0, column) > out_of_place),
  )
}
