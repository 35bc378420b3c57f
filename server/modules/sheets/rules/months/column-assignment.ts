/** Detects single columns that were shifted, swapped or sorted while the others stayed with their members. */

import type { CooperativeTask } from '../../../../rules/cooperative-task.ts'
import { getSampleSteps } from '../check/member-amounts.ts'
import { nearDistances } from './column-measurement.ts'
import type { MonthSimilarity } from './month-similarity.ts'
import {
  findRanges,
  getLowerMedian,
  type MisplacedRow,
  maxRemainingCost,
  maxRivals,
  minAgreeingShare,
  minGain,
  minShiftRows,
  misplacedDistance,
  misplacedFactor,
  type RowRange,
  type RowShift,
  removeOverlaps,
  rowToll,
  type ScoredRange,
} from './row-ranges.ts'

/** A column with nearly the same amounts as last month, assigned to other members. */
export type ReorderedColumn = { readonly column: number; readonly rows: readonly number[] }

/** Minimum share of rows that must have changed, in both directions, for a column to be reordered rather than raised. */
const minReorderedShare = 0.15
const minReorderedRows = 4
const minOppositeShare = 0.3
const maxNetChangeShare = 0.35
/** Minimum average distance of members from their own amounts in a reordered column, where two random members are 1 apart. */
const minUnrest = 0.75
/** Minimum average distance of members who got another amount, where none is exactly the same. */
const minMeanDistance = 0.6
/** Swapped single amounts are searched for only where nearly all others are unchanged. */
const minStableShare = 0.6
const maxChangedShare = 0.35
/** Maximum probability of reporting a coincidence as a mistake. */
const maxErrorProbability = 0.002
/** How much rarer a coincidence must be in a column that usually varies. */
const varyingBar = 20

/** Cost per row of testing a column at one offset, and of finding the changed rows in it. */
const offsetCost = 6
const columnCost = 6

/** Finds shifts of single columns: a cell was deleted or inserted, and the others moved up or down. */
export function* findColumnShifts(
  similarity: MonthSimilarity,
  offsets: readonly number[],
  reported: ReadonlySet<number>,
  isUsuallyFixed: (column: number) => boolean,
): CooperativeTask<RowShift[]> {
  const { cache } = similarity
  const rows = cache.list('told by rows', reported)
  const followed = cache.list('offsets', offsets)
  const shifts: (RowShift & ScoredRange)[] = []
  for (let column = 0; column < similarity.columnCount; column++) {
    if ((similarity.spread[column] ?? 0) === 0) continue
    // In columns that vary every month somebody matches by coincidence: more matches are required there.
    const isVarying = !similarity.fixed[column] && !isUsuallyFixed(column)
    const inputs = [similarity.state[column], rows, followed, isVarying]
    shifts.push(
      ...(yield* cache.stretches.getOrComputeCooperatively(column, inputs, () =>
        findShiftsInColumn(similarity, column, { offsets, reported, isVarying }),
      )),
    )
  }
  return mergeShifts(shifts)
}

type ShiftSearch = { readonly offsets: readonly number[]; readonly reported: ReadonlySet<number>; readonly isVarying: boolean }

function* findShiftsInColumn(
  similarity: MonthSimilarity,
  column: number,
  { offsets, reported, isVarying }: ShiftSearch,
): CooperativeTask<readonly (RowShift & ScoredRange)[]> {
  const ownDistances = Float64Array.from({ length: similarity.rowCount }, (_, row) =>
    (similarity.memberByRow[row] ?? -1) >= 0 && !reported.has(row)
      ? similarity.getDistance(row, similarity.memberByRow[row] ?? 0, column)
      : Number.NaN,
  )
  // A range gains at most what its rows lose with their own members.
  const most = ownDistances.reduce((sum, getDistance) => (getDistance > rowToll ? sum + getDistance - rowToll : sum), 0)
  if (similarity.yieldTimer.shouldYield(similarity.rowCount)) yield
  if (most < minGain * 0.99) return []
  const { byChance = 1, nearByChance = [] } = similarity.measurements[column] ?? {}
  /** Returns how many matches are no coincidence, given the number of alternatives tested. */
  const getRequiredRows = (offset: number, chance: number): number => {
    // A cell that was deleted or inserted moves the others by one row: the most frequent mistake has fewer alternatives.
    const offsetCount = Math.abs(offset) === 1 ? 2 : offsets.length
    const alternatives = similarity.rowCount * offsetCount * similarity.columnCount * (isVarying ? varyingBar : 1)
    return Math.max(minShiftRows, Math.log(alternatives / maxErrorProbability) / -Math.log(chance))
  }
  const all: (RowShift & ScoredRange)[] = []
  for (const offset of offsets) {
    if (similarity.yieldTimer.shouldYield(similarity.rowCount * offsetCost)) yield
    const exactRows = getRequiredRows(offset, byChance)
    const nearRows = nearByChance.map((chance) => getRequiredRows(offset, chance))
    const getOtherMember = (row: number): number => (row + offset < 0 ? -1 : (similarity.memberByRow[row + offset] ?? -1))
    const getDistance = (row: number): number => {
      const person = getOtherMember(row)
      return person < 0 ? Number.NaN : similarity.getDistance(row, person, column)
    }
    const gains = similarity.getGains(column, offset, ownDistances)
    const isGood = (range: RowRange): boolean => {
      let [rows, telling, same, before, after] = [0, 0, 0, 0, 0]
      const near = nearDistances.map(() => 0)
      for (let row = range.from; row <= range.to; row++) {
        const other = getDistance(row)
        const ownDistance = ownDistances[row] ?? Number.NaN
        if (Number.isNaN(other + ownDistance) || similarity.skipped[row]) continue
        rows += 1
        before += ownDistance
        after += other
        if (ownDistance <= minTellingDistance) continue
        const person = getOtherMember(row)
        telling += 1
        if (similarity.isSameAmount(row, person, column)) same += 1
        const share = Math.abs(similarity.getLogDifference(row, person, column)) / (similarity.spread[column] ?? 1)
        for (const [at, most] of nearDistances.entries()) if (share <= most) near[at] = (near[at] ?? 0) + 1
      }
      if (before - after < minGain * rows || after > before * maxRemainingCost) return false
      const agrees = (count: number, needed: number): boolean => count >= needed && count >= telling * minAgreeingShare
      return agrees(same, exactRows) || nearRows.some((needed, at) => agrees(near[at] ?? 0, needed))
    }
    for (const { from, to, sum } of findRanges(gains, isGood)) all.push({ from, to, sum, offset, columns: [column] })
  }
  return all
}
/** An amount closer than this to the member's own does not indicate another member. */
const minTellingDistance = 0.02

/** Merges columns shifted by the same offset in about the same rows into one mistake; of two ranges in a column the better. */
function mergeShifts(all: readonly (RowShift & ScoredRange)[]): RowShift[] {
  const byColumn = new Map<number, (RowShift & ScoredRange)[]>()
  for (const one of all) byColumn.set(one.columns[0] ?? 0, [...(byColumn.get(one.columns[0] ?? 0) ?? []), one])
  const mergedShifts: RowShift[] = []
  for (const { from, to, offset, columns } of [...byColumn.values()].flatMap(removeOverlaps)) {
    const at = mergedShifts.findIndex((existing) => existing.offset === offset && existing.from <= to && from <= existing.to)
    const existing = mergedShifts[at]
    if (!existing) mergedShifts.push({ from, to, offset, columns })
    else
      mergedShifts[at] = {
        from: Math.min(existing.from, from),
        to: Math.max(existing.to, to),
        offset,
        columns: [...new Set([...existing.columns, ...columns])],
      }
  }
  return mergedShifts
}

/** Finds two members who have each other's amount in a fixed column where nearly all others keep theirs. */
export function* findColumnSwaps(
  similarity: MonthSimilarity,
  compared: readonly number[],
  reported: ReadonlySet<number>,
): CooperativeTask<MisplacedRow[]> {
  const swaps: MisplacedRow[] = []
  const handled = new Set<number>()
  for (let column = 0; column < similarity.columnCount; column++) {
    if ((similarity.measurements[column]?.stableShare ?? 0) < minStableShare) continue
    if (similarity.yieldTimer.shouldYield(compared.length * columnCost)) yield
    const changed = compared.filter((row) => {
      const distance = similarity.getDistance(row, similarity.memberByRow[row] ?? 0, column)
      return !reported.has(row) && !similarity.skipped[row] && distance > misplacedDistance / 3
    })
    if (changed.length > Math.max(2, Math.min(compared.length * maxChangedShare, maxRivals / 4))) continue
    for (const row of changed)
      for (const other of changed) {
        if (other <= row || handled.has(row) || handled.has(other)) continue
        const [member, otherMember] = [similarity.memberByRow[row] ?? 0, similarity.memberByRow[other] ?? 0]
        const before = similarity.getDistance(row, member, column) + similarity.getDistance(other, otherMember, column)
        const after = similarity.getDistance(row, otherMember, column) + similarity.getDistance(other, member, column)
        if (!(before - after >= 2 * minGain && after <= before * maxRemainingCost)) continue
        handled.add(row).add(other)
        swaps.push({ row, member: otherMember, isMutual: true, column }, { row: other, member, isMutual: true, column })
      }
  }
  return swaps
}

/** If members are this much closer to their own amounts, in standard deviations across offsets, the order is correct. */
const minDeviations = 0.6

/**
 * Whether members are closer to their own amounts in a column than to those of members at offsets across the wage
 * sheet: then the amounts vary but have not moved.
 */
function isInOrder(similarity: MonthSimilarity, column: number, all: readonly number[]): boolean {
  const stride = Math.ceil(all.length / maxRivals)
  const sampled = all.filter((_, at) => at % stride === 0)
  const getMeanDistance = (step: number): number => {
    const distances = sampled.map((row, at) =>
      similarity.getDistance(row, similarity.memberByRow[sampled[(at + step) % sampled.length] ?? 0] ?? 0, column),
    )
    return distances.reduce((sum, far) => sum + (Number.isNaN(far) ? 1 : far), 0) / sampled.length
  }
  const others = getSampleSteps(sampled.length).map(getMeanDistance)
  const mean = others.reduce((sum, one) => sum + one, 0) / others.length
  const spread = Math.sqrt(others.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, others.length - 1))
  return getMeanDistance(0) < mean - minDeviations * spread
}

/** Finds reordered columns: the sum stays and as many amounts fall as rise. Columns that vary every month are skipped. */
export function* findReorderedColumns(
  similarity: MonthSimilarity,
  compared: readonly number[],
  reported: ReadonlySet<number>,
  isUsuallyFixed: (column: number) => boolean,
): CooperativeTask<ReorderedColumn[]> {
  const { cache } = similarity
  const reportedRows = cache.list('told by columns', reported)
  const reordered: ReorderedColumn[] = []
  for (let column = 0; column < similarity.columnCount; column++) {
    if (!similarity.fixed[column] && !isUsuallyFixed(column)) continue
    const rows = yield* cache.disordered.getOrComputeCooperatively(column, [similarity.state[column], reportedRows], () =>
      findReorderedRows(similarity, column, compared, reported),
    )
    if (rows) reordered.push({ column, rows })
  }
  return reordered
}

function* findReorderedRows(
  similarity: MonthSimilarity,
  column: number,
  compared: readonly number[],
  reported: ReadonlySet<number>,
): CooperativeTask<readonly number[] | null> {
  if (similarity.yieldTimer.shouldYield(compared.length * columnCost)) yield
  const comparable = compared.filter(
    (row) => !similarity.skipped[row] && !Number.isNaN(similarity.getDistance(row, similarity.memberByRow[row] ?? 0, column)),
  )
  const medianDistance = getLowerMedian(
    comparable.map((row) => similarity.getDistance(row, similarity.memberByRow[row] ?? 0, column)),
  )
  // If every amount varies, many deviate a little and none stands out; in a reordered column most deviate completely.
  if (medianDistance > misplacedDistance && (similarity.measurements[column]?.unrest ?? 0) < minUnrest) return null
  const limit = Math.max(
    misplacedDistance / 2,
    medianDistance > misplacedDistance ? misplacedDistance : medianDistance * misplacedFactor,
  )
  const changed = comparable.filter(
    (row) => !reported.has(row) && similarity.getDistance(row, similarity.memberByRow[row] ?? 0, column) > limit,
  )
  if (changed.length < Math.max(minReorderedRows, comparable.length * minReorderedShare)) return null
  const totalDistance = changed.reduce(
    (sum, row) => sum + similarity.getDistance(row, similarity.memberByRow[row] ?? 0, column),
    0,
  )
  if (
    !similarity.fixed[column] &&
    (totalDistance < changed.length * minMeanDistance || isInOrder(similarity, column, comparable))
  )
    return null
  const moves = changed
    .map((row) => similarity.getLogDifference(row, similarity.memberByRow[row] ?? 0, column))
    .filter((by) => !Number.isNaN(by))
  const up = moves.filter((by) => by > 0).length
  if (Math.min(up, moves.length - up) < moves.length * minOppositeShare) return null
  const net = Math.abs(moves.reduce((sum, by) => sum + by, 0))
  const gross = moves.reduce((sum, by) => sum + Math.abs(by), 0)
  return net <= gross * maxNetChangeShare ? changed : null
}
