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
 * is not his. Then single columns the same way. What is left and could as well be the other way round is `unproven`: nobody can tell from
 * figures, and a person has to look.
 */
import { type Likeness, near_far } from './likeness.ts'

/** Rows one after the other with the figures of the person `offset` rows on. `columns` empty: whole rows. */
export type Stretch = { readonly from: number; readonly to: number; readonly offset: number; readonly columns: readonly number[] }
/** `row` carries the figures of `person`; `both`: and that person's row carries those of `row`. */
export type Carried = { readonly row: number; readonly person: number; readonly both: boolean; readonly column: number | null }
/** A column whose figures are those of last month, more or less, with other people. */
export type Disorder = { readonly column: number; readonly rows: readonly number[] }
export type Assignment = {
  readonly stretches: readonly Stretch[]
  readonly carried: readonly Carried[]
  readonly disorders: readonly Disorder[]
  /** Rows of which the figures do not tell whether they are their person's. */
  readonly unproven: readonly number[]
}

/** Another explanation must be this much cheaper, and leave at most this part of what it costs as it is. */
const least_gain = 0.15
const most_left = 0.4
/** A row is out of place where it is this far from its person, or so many times farther than the middle row is. */
const out_of_place = 0.3
const times_usual = 2.5
const surely_out_of_place = 0.45
/** What a row of somebody new costs as it is: not so much that he is taken for everybody whose pay is near. */
const new_row = 0.5
/** Two rows that nearly explain each other: neither order is better by more than this part. */
const mutual_left = 1.6
/** A stretch has so many rows that tell; each costs a little, so that it ends where nothing more speaks for it. */
const least_stretch = 3
const stretch_toll = 0.06
const stretch_agree = 0.75
/** Distances that are followed; in small sheets all of them. */
const all_offsets_below = 130
const most_offsets = 14
/** How much of a column's rows must have changed, in both directions, for it to be another order and no raise. */
const disorder_share = 0.15
const disorder_rows = 4
const both_ways_share = 0.3
const disorder_balance = 0.35
/** Single figures that changed places are looked for where nearly all others stay. */
const swap_kept = 0.6
const swap_changed = 0.35
/** How seldom chance may be told as a mistake. */
const chance_of_error = 0.002
/** Unproven rows that are held beside each other. */
const most_rivals = 400

type Range = { from: number; to: number }

export function assign(like: Likeness, isUsuallyFixed: (column: number) => boolean): Assignment {
  const empty: Assignment = { stretches: [], carried: [], disorders: [], unproven: [] }
  const compared = [...like.own.keys()].filter((row) => (like.own[row] ?? -1) >= 0 && !like.skipped[row])
  if (compared.length < 2) return empty
  const offsets = offsetsOf(like, compared)
  like.weigh(offsets)
  const own_cost = Float64Array.from({ length: like.rows }, (_, row) =>
    (like.own[row] ?? -1) >= 0 ? like.cost(row, like.own[row] ?? 0) : Number.NaN,
  )
  const stretches = wholeStretches(like, own_cost, offsets)
  const told = new Set(stretches.flatMap(rowsOf))
  const carried = carriedRows(like, own_cost, told, compared)
  for (const { row } of carried) told.add(row)
  const columns = columnStretches(like, offsets, told, isUsuallyFixed)
  const byColumn = new Set(columns.flatMap(rowsOf))
  const swaps = columnSwaps(like, compared, new Set([...told, ...byColumn]))
  for (const { row } of swaps) byColumn.add(row)
  const disorders = disordersOf(like, compared, new Set([...told, ...byColumn]), isUsuallyFixed)
  const unproven = unprovenRows(like, own_cost, compared, told)
  return { stretches: [...stretches, ...columns], carried: [...carried, ...swaps], disorders, unproven }
}

const rowsOf = ({ from, to }: Range): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at)
const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? 0

/** Distances worth following: near ones, and those at which rows find who explains them better. */
function offsetsOf(like: Likeness, compared: readonly number[]): number[] {
  const count = like.rows
  if (count < all_offsets_below) return Array.from({ length: 2 * count - 1 }, (_, at) => at - count + 1).filter((at) => at !== 0)
  const votes = new Map<number, number>()
  const loose = compared.filter((row) => !like.proven[row])
  const stride = Math.max(1, Math.floor(loose.length / most_rivals))
  for (let at = 0; at < loose.length; at += stride) {
    const row = loose[at] ?? 0
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

/**
 * The stretch of rows in which `gain` adds up to most; rows without a say (NaN) neither lengthen nor end it. `null` where it is short.
 * One pass, as for the largest sum of neighbours.
 */
function bestStretch(count: number, gain: (row: number) => number): (Range & { sum: number; said: number }) | null {
  let best: (Range & { sum: number; said: number }) | null = null
  let from = 0
  let sum = 0
  let said = 0
  for (let row = 0; row < count; row++) {
    const own = gain(row)
    if (Number.isNaN(own)) continue
    if (sum <= 0) {
      from = row
      sum = 0
      said = 0
    }
    sum += own - stretch_toll
    said += 1
    if (sum > (best?.sum ?? 0) && said >= least_stretch) best = { from, to: row, sum, said }
  }
  return best
}

/** All stretches of one distance, the best first, each in what the others leave. */
function stretchesOf(
  count: number,
  gain: (row: number) => number,
  isGood: (range: Range) => boolean,
): (Range & { sum: number })[] {
  const found: (Range & { sum: number })[] = []
  const taken = new Uint8Array(count)
  for (let rounds = 0; rounds < 6; rounds++) {
    const best = bestStretch(count, (row) => (taken[row] ? Number.NEGATIVE_INFINITY : gain(row)))
    if (!best) break
    taken.fill(1, best.from, best.to + 1)
    if (isGood(best)) found.push(best)
  }
  return found
}

/** Of stretches that overlap, the one that explains more. */
function withoutOverlap<T extends Range & { sum: number }>(all: readonly T[]): T[] {
  const kept: T[] = []
  for (const one of all.toSorted((a, b) => b.sum - a.sum))
    if (!kept.some((other) => other.from <= one.to && one.from <= other.to)) kept.push(one)
  return kept.toSorted((a, b) => a.from - b.from)
}

function wholeStretches(like: Likeness, own_cost: Float64Array, offsets: readonly number[]): Stretch[] {
  const all: (Stretch & { sum: number })[] = []
  for (const offset of offsets) {
    const theirs = (row: number): number => (row + offset < 0 ? -1 : (like.own[row + offset] ?? -1))
    const cost = new Float64Array(like.rows).fill(Number.NaN)
    for (let row = 0; row < like.rows; row++) {
      const person = theirs(row)
      if (person >= 0 && person !== like.own[row]) cost[row] = like.cost(row, person)
    }
    const asIs = (row: number): number => ((like.own[row] ?? -1) >= 0 ? (own_cost[row] ?? 1) : new_row)
    const gain = (row: number): number => asIs(row) - (cost[row] ?? Number.NaN)
    const isGood = (range: Range): boolean => {
      const rows = rowsOf(range).filter((row) => !Number.isNaN(cost[row] ?? Number.NaN) && !like.skipped[row])
      const before = rows.reduce((sum, row) => sum + asIs(row), 0)
      const after = rows.reduce((sum, row) => sum + (cost[row] ?? 0), 0)
      const agree = rows.filter((row) => gain(row) > 0).length
      return (
        rows.length >= least_stretch &&
        before - after >= least_gain * rows.length &&
        after <= before * most_left &&
        agree >= rows.length * stretch_agree
      )
    }
    for (const { from, to, sum } of stretchesOf(like.rows, gain, isGood)) all.push({ from, to, sum, offset, columns: [] })
  }
  return withoutOverlap(all).map(({ from, to, offset, columns }) => ({ from, to, offset, columns }))
}

/** Rows that are far from their own person and near to somebody who is not in his own row. */
function carriedRows(like: Likeness, own_cost: Float64Array, told: ReadonlySet<number>, compared: readonly number[]): Carried[] {
  const usual = middle(compared.map((row) => own_cost[row] ?? 1))
  const limit = Math.max(out_of_place, Math.min(usual * times_usual, surely_out_of_place))
  const loose = compared.filter((row) => !like.proven[row])
  const few = loose.length <= most_rivals ? loose.map((row) => like.own[row] ?? -1) : []
  const best = new Map<number, number>()
  // Somebody new has no figures of his own: that he got those of a colleague is told by the colleague, who has not got them.
  const fresh = [...like.own.keys()].filter((row) => (like.own[row] ?? -1) < 0)
  for (const row of [...loose, ...fresh]) {
    const isNew = (like.own[row] ?? -1) < 0
    const before = isNew ? new_row : (own_cost[row] ?? 0)
    if (told.has(row) || before < limit) continue
    let cheapest = before
    for (const person of new Set([...like.near(row), ...few])) {
      const theirs = like.rowOf[person] ?? -1
      if (person === like.own[row] || (theirs >= 0 ? like.proven[theirs] : isNew)) continue
      const after = isNew && like.isMostly(row, person) ? 0 : like.cost(row, person)
      // Somebody whose own row suits him as well has not lost it.
      const atHome = theirs < 0 || Number.isNaN(own_cost[theirs] ?? Number.NaN) ? 1 : (own_cost[theirs] ?? 1)
      if (
        after >= cheapest ||
        after > before * most_left ||
        before - after < least_gain ||
        atHome < Math.max(after * 2, isNew ? surely_out_of_place : 0)
      )
        continue
      cheapest = after
      best.set(row, person)
    }
  }
  return [...best].map(([row, person]): Carried => {
    const theirs = like.rowOf[person] ?? -1
    return { row, person, both: theirs >= 0 && best.get(theirs) === like.own[row], column: null }
  })
}

/** The same in single columns: a cell was deleted, or inserted, and the others moved up or down. */
function columnStretches(
  like: Likeness,
  offsets: readonly number[],
  told: ReadonlySet<number>,
  isUsuallyFixed: (column: number) => boolean,
): Stretch[] {
  const all: (Stretch & { sum: number })[] = []
  for (let column = 0; column < like.columns; column++) {
    if ((like.spread[column] ?? 0) === 0) continue
    const own = Float64Array.from({ length: like.rows }, (_, row) =>
      (like.own[row] ?? -1) >= 0 && !told.has(row) ? like.far(row, like.own[row] ?? 0, column) : Number.NaN,
    )
    // What varies every month finds somebody alike by chance: there only figures that are exactly another's count.
    const exactOnly = !like.fixed[column] && !isUsuallyFixed(column)
    /** So many agreements in a row are no chance, where there were so many ways to find them. */
    const ways = Math.log((like.rows * offsets.length * like.columns) / chance_of_error)
    const exact_rows = Math.max(least_stretch, ways / -Math.log(like.byChance[column] ?? 1))
    const near_rows = exactOnly
      ? Number.POSITIVE_INFINITY
      : Math.max(least_stretch, ways / -Math.log(like.nearByChance[column] ?? 1))
    for (const offset of offsets) {
      const theirs = (row: number): number => (row + offset < 0 ? -1 : (like.own[row + offset] ?? -1))
      const far = (row: number): number => {
        const person = theirs(row)
        if (person < 0) return Number.NaN
        return exactOnly && !like.isSame(row, person, column) ? 1 : like.far(row, person, column)
      }
      const gain = (row: number): number => (own[row] ?? Number.NaN) - far(row)
      const isGood = (range: Range): boolean => {
        const rows = rowsOf(range).filter((row) => !Number.isNaN(gain(row)) && !like.skipped[row])
        const telling = rows.filter((row) => (own[row] ?? 0) > same_by_chance)
        const same = telling.filter((row) => like.isSame(row, theirs(row), column)).length
        const near = telling.filter(
          (row) => Math.abs(like.differs(row, theirs(row), column)) <= near_far * (like.spread[column] ?? 0),
        ).length
        const before = rows.reduce((sum, row) => sum + (own[row] ?? 0), 0)
        const after = rows.reduce((sum, row) => sum + far(row), 0)
        if (before - after < least_gain * rows.length || after > before * most_left) return false
        return (
          (same >= exact_rows && same >= telling.length * stretch_agree) ||
          (near >= near_rows && near >= telling.length * stretch_agree)
        )
      }
      for (const { from, to, sum } of stretchesOf(like.rows, gain, isGood)) all.push({ from, to, sum, offset, columns: [column] })
    }
  }
  return merged(all)
}
/** Nearer than this to one's own figure, a figure says nothing about whose else it is. */
const same_by_chance = 0.02

/** Columns that slipped by as much in about the same rows are one mistake; of two stretches of one column the better one stays. */
function merged(all: readonly (Stretch & { sum: number })[]): Stretch[] {
  const byColumn = new Map<number, (Stretch & { sum: number })[]>()
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
function columnSwaps(like: Likeness, compared: readonly number[], told: ReadonlySet<number>): Carried[] {
  const found: Carried[] = []
  const seen = new Set<number>()
  for (let column = 0; column < like.columns; column++) {
    if ((like.kept[column] ?? 0) < swap_kept) continue
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

/**
 * Figures that were only put into another order leave their sum as it is, and as many fall as rise; raises do not, and what varies
 * every month is not asked.
 */
function disordersOf(
  like: Likeness,
  compared: readonly number[],
  told: ReadonlySet<number>,
  isUsuallyFixed: (column: number) => boolean,
): Disorder[] {
  const found: Disorder[] = []
  for (let column = 0; column < like.columns; column++) {
    if (!like.fixed[column] && !isUsuallyFixed(column)) continue
    const known = compared.filter((row) => !like.skipped[row] && !Number.isNaN(like.far(row, like.own[row] ?? 0, column)))
    const usual = middle(known.map((row) => like.far(row, like.own[row] ?? 0, column)))
    const limit = Math.max(out_of_place / 2, Math.min(usual * times_usual, out_of_place))
    const changed = known.filter((row) => !told.has(row) && like.far(row, like.own[row] ?? 0, column) > limit)
    if (changed.length < Math.max(disorder_rows, known.length * disorder_share)) continue
    const moves = changed.map((row) => like.differs(row, like.own[row] ?? 0, column)).filter((by) => !Number.isNaN(by))
    const up = moves.filter((by) => by > 0).length
    if (Math.min(up, moves.length - up) < moves.length * both_ways_share) continue
    const net = Math.abs(moves.reduce((sum, by) => sum + by, 0))
    const gross = moves.reduce((sum, by) => sum + Math.abs(by), 0)
    if (net <= gross * disorder_balance) found.push({ column, rows: changed })
  }
  return found
}

/** Rows not proven by fixed figures that could as well be the other way round with another of them. */
function unprovenRows(like: Likeness, own_cost: Float64Array, compared: readonly number[], told: ReadonlySet<number>): number[] {
  const loose = compared.filter((row) => !like.proven[row] && !told.has(row))
  const few = loose.length <= most_rivals ? loose : null
  return loose.filter((row) => {
    const person = like.own[row] ?? -1
    const rivals = few ?? [...like.near(row)].flatMap((other) => ((like.rowOf[other] ?? -1) >= 0 ? [like.rowOf[other] ?? 0] : []))
    return rivals.some((other) => {
      const theirs = like.own[other] ?? -1
      if (other === row || theirs < 0 || like.proven[other] || like.isTwin(person, theirs)) return false
      const asIs = (own_cost[row] ?? 1) + (own_cost[other] ?? 1)
      return like.cost(row, theirs) + like.cost(other, person) <= asIs * mutual_left
    })
  })
}
