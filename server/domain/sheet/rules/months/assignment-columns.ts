/** Single columns that slipped, changed places or were sorted while the others stayed with their people. */

import type { InTurns } from '../../../../rules/turns.ts'
import { stepsOf } from '../check/history.ts'
import type { Likeness } from './likeness.ts'
import { near_far } from './measured.ts'
import {
  type Carried,
  type Gained,
  least_gain,
  least_stretch,
  middle,
  most_left,
  most_rivals,
  out_of_place,
  type RowRange,
  type Stretch,
  stretch_agree,
  stretch_toll,
  stretchesOf,
  times_usual,
  withoutOverlap,
} from './stretches.ts'

/** A column whose figures are those of last month, more or less, with other people. */
export type Disorder = { readonly column: number; readonly rows: readonly number[] }

/** How much of a column's rows must have changed, in both directions, for it to be another order and no raise. */
const disorder_share = 0.15
const disorder_rows = 4
const both_ways_share = 0.3
const disorder_balance = 0.35
/** How far from themselves people are in a column that is in another order, where two strangers are 1 apart. */
const scattered = 0.75
/** And how far those are at least, on average, who got another's figure where none is quite the same. */
const wholly = 0.6
/** Single figures that changed places are looked for where nearly all others stay. */
const swap_kept = 0.6
const swap_changed = 0.35
/** How seldom chance may be told as a mistake. */
const chance_of_error = 0.002

/** What it costs to follow a column at one distance, a row; and to sort out who changed in it. */
const steps_an_offset = 6
const steps_a_column = 6

/** The same in single columns: a cell was deleted, or inserted, and the others moved up or down. */
export function* columnStretches(
  like: Likeness,
  offsets: readonly number[],
  told: ReadonlySet<number>,
  isUsuallyFixed: (column: number) => boolean,
): InTurns<Stretch[]> {
  const { comparison } = like
  const rows = comparison.list('told by rows', told)
  const followed = comparison.list('offsets', offsets)
  const all: (Stretch & Gained)[] = []
  for (let column = 0; column < like.columns; column++) {
    if ((like.spread[column] ?? 0) === 0) continue
    // What varies every month finds somebody alike by chance: there only figures that are exactly another's count.
    const exactOnly = !like.fixed[column] && !isUsuallyFixed(column)
    const given = [like.state[column], rows, followed, exactOnly]
    all.push(
      ...(yield* comparison.stretches.inTurns(column, given, () => stretchesIn(like, column, { offsets, told, exactOnly }))),
    )
  }
  return merged(all)
}

type Follow = { readonly offsets: readonly number[]; readonly told: ReadonlySet<number>; readonly exactOnly: boolean }

function* stretchesIn(
  like: Likeness,
  column: number,
  { offsets, told, exactOnly }: Follow,
): InTurns<readonly (Stretch & Gained)[]> {
  const own = Float64Array.from({ length: like.rows }, (_, row) =>
    (like.own[row] ?? -1) >= 0 && !told.has(row) ? like.far(row, like.own[row] ?? 0, column) : Number.NaN,
  )
  // A stretch gains no more than its rows lose with their own.
  const most = own.reduce((sum, far) => (far > stretch_toll ? sum + far - stretch_toll : sum), 0)
  if (like.turn.isOver(like.rows)) yield
  if (most < least_gain * 0.99) return []
  const { byChance = 1, nearByChance = 1 } = like.measured[column] ?? {}
  /** So many agreements in a row are no chance, where there were so many ways to find them. */
  const ways = Math.log((like.rows * offsets.length * like.columns) / chance_of_error)
  const exact_rows = Math.max(least_stretch, ways / -Math.log(byChance))
  const near_rows = exactOnly ? Number.POSITIVE_INFINITY : Math.max(least_stretch, ways / -Math.log(nearByChance))
  const all: (Stretch & Gained)[] = []
  for (const offset of offsets) {
    if (like.turn.isOver(like.rows * steps_an_offset)) yield
    const theirs = (row: number): number => (row + offset < 0 ? -1 : (like.own[row + offset] ?? -1))
    const far = (row: number): number => {
      const person = theirs(row)
      if (person < 0) return Number.NaN
      return exactOnly && !like.isSame(row, person, column) ? 1 : like.far(row, person, column)
    }
    const gains = like.nearer(column, offset, own, exactOnly)
    const isGood = (range: RowRange): boolean => {
      let [rows, telling, same, near, before, after] = [0, 0, 0, 0, 0, 0]
      for (let row = range.from; row <= range.to; row++) {
        const other = far(row)
        const mine = own[row] ?? Number.NaN
        if (Number.isNaN(other + mine) || like.skipped[row]) continue
        rows += 1
        before += mine
        after += other
        if (mine <= same_by_chance) continue
        const person = theirs(row)
        telling += 1
        if (like.isSame(row, person, column)) same += 1
        if (Math.abs(like.differs(row, person, column)) <= near_far * (like.spread[column] ?? 0)) near += 1
      }
      if (before - after < least_gain * rows || after > before * most_left) return false
      const agrees = (count: number, needed: number): boolean => count >= needed && count >= telling * stretch_agree
      return agrees(same, exact_rows) || agrees(near, near_rows)
    }
    for (const { from, to, sum } of stretchesOf(gains, isGood)) all.push({ from, to, sum, offset, columns: [column] })
  }
  return all
}
/** Nearer than this to one's own figure, a figure says nothing about whose else it is. */
const same_by_chance = 0.02

/** Columns that slipped by as much in about the same rows are one mistake; of two stretches of one column the better one stays. */
function merged(all: readonly (Stretch & Gained)[]): Stretch[] {
  const byColumn = new Map<number, (Stretch & Gained)[]>()
  for (const one of all) byColumn.set(one.columns[0] ?? 0, [...(byColumn.get(one.columns[0] ?? 0) ?? []), one])
  const found: Stretch[] = []
  for (const { from, to, offset, columns } of [...byColumn.values()].flatMap(withoutOverlap)) {
    const at = found.findIndex((known) => known.offset === offset && known.from <= to && from <= known.to)
    const known = found[at]
    if (!known) found.push({ from, to, offset, columns })
    else
      found[at] = {
        from: Math.min(known.from, from),
        to: Math.max(known.to, to),
        offset,
        columns: [...new Set([...known.columns, ...columns])],
      }
  }
  return found
}

/** Two people who have each other's figure in a fixed column, where nearly all others keep theirs. */
export function* columnSwaps(like: Likeness, compared: readonly number[], told: ReadonlySet<number>): InTurns<Carried[]> {
  const found: Carried[] = []
  const seen = new Set<number>()
  for (let column = 0; column < like.columns; column++) {
    if ((like.measured[column]?.kept ?? 0) < swap_kept) continue
    if (like.turn.isOver(compared.length * steps_a_column)) yield
    const changed = compared.filter((row) => {
      const far = like.far(row, like.own[row] ?? 0, column)
      return !told.has(row) && !like.skipped[row] && far > out_of_place / 3
    })
    if (changed.length > Math.max(2, Math.min(compared.length * swap_changed, most_rivals / 4))) continue
    for (const row of changed)
      for (const other of changed) {
        if (other <= row || seen.has(row) || seen.has(other)) continue
        const [mine, theirs] = [like.own[row] ?? 0, like.own[other] ?? 0]
        const before = like.far(row, mine, column) + like.far(other, theirs, column)
        const after = like.far(row, theirs, column) + like.far(other, mine, column)
        if (!(before - after >= 2 * least_gain && after <= before * most_left)) continue
        seen.add(row).add(other)
        found.push({ row, person: theirs, both: true, column }, { row: other, person: mine, both: true, column })
      }
  }
  return found
}

/** Visibly nearer to themselves than to others, in what those at other distances differ by: then nobody says that the order is another. */
const sure = 0.6

/** Whether people are nearer to their own figures of a column than to those of others at distances all over the sheet: then these vary, and stayed. */
function isInOrder(like: Likeness, column: number, all: readonly number[]): boolean {
  const stride = Math.ceil(all.length / most_rivals)
  const known = all.filter((_, at) => at % stride === 0)
  const apart = (step: number): number => {
    const fars = known.map((row, at) => like.far(row, like.own[known[(at + step) % known.length] ?? 0] ?? 0, column))
    return fars.reduce((sum, far) => sum + (Number.isNaN(far) ? 1 : far), 0) / known.length
  }
  const others = stepsOf(known.length).map(apart)
  const mean = others.reduce((sum, one) => sum + one, 0) / others.length
  const spread = Math.sqrt(others.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, others.length - 1))
  return apart(0) < mean - sure * spread
}

/**
 * Figures that were only put into another order leave their sum as it is, and as many fall as rise; raises do not, and what varies
 * every month is not asked.
 */
export function* disordersOf(
  like: Likeness,
  compared: readonly number[],
  told: ReadonlySet<number>,
  isUsuallyFixed: (column: number) => boolean,
): InTurns<Disorder[]> {
  const { comparison } = like
  const rowsTold = comparison.list('told by columns', told)
  const found: Disorder[] = []
  for (let column = 0; column < like.columns; column++) {
    if (!like.fixed[column] && !isUsuallyFixed(column)) continue
    const rows = yield* comparison.disordered.inTurns(column, [like.state[column], rowsTold], () =>
      disorderIn(like, column, compared, told),
    )
    if (rows) found.push({ column, rows })
  }
  return found
}

function* disorderIn(
  like: Likeness,
  column: number,
  compared: readonly number[],
  told: ReadonlySet<number>,
): InTurns<readonly number[] | null> {
  if (like.turn.isOver(compared.length * steps_a_column)) yield
  const known = compared.filter((row) => !like.skipped[row] && !Number.isNaN(like.far(row, like.own[row] ?? 0, column)))
  const usual = middle(known.map((row) => like.far(row, like.own[row] ?? 0, column)))
  // Where every figure varies, many are a little off, and nobody's stand out. Of a column that is in another order most do, and wholly.
  if (usual > out_of_place && (like.measured[column]?.unrest ?? 0) < scattered) return null
  const limit = Math.max(out_of_place / 2, usual > out_of_place ? out_of_place : usual * times_usual)
  const changed = known.filter((row) => !told.has(row) && like.far(row, like.own[row] ?? 0, column) > limit)
  if (changed.length < Math.max(disorder_rows, known.length * disorder_share)) return null
  const away = changed.reduce((sum, row) => sum + like.far(row, like.own[row] ?? 0, column), 0)
  if (!like.fixed[column] && (away < changed.length * wholly || isInOrder(like, column, known))) return null
  const moves = changed.map((row) => like.differs(row, like.own[row] ?? 0, column)).filter((by) => !Number.isNaN(by))
  const up = moves.filter((by) => by > 0).length
  if (Math.min(up, moves.length - up) < moves.length * both_ways_share) return null
  const net = Math.abs(moves.reduce((sum, by) => sum + by, 0))
  const gross = moves.reduce((sum, by) => sum + Math.abs(by), 0)
  return net <= gross * disorder_balance ? changed : null
}
