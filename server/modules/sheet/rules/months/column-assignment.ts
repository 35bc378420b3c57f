/** Single columns that slipped, changed places or were sorted while the others stayed with their people. */

import type { CooperativeTask } from '../../../../rules/cooperative-task.ts'
import { getSampleSteps } from '../check/member-amounts.ts'
import { nearDistance } from './column-measurement.ts'
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

/** A column whose figures are those of last month, more or less, with other people. */
export type ReorderedColumn = { readonly column: number; readonly rows: readonly number[] }

/** How much of a column's rows must have changed, in both directions, for it to be another order and no raise. */
const minReorderedShare = 0.15
const minReorderedRows = 4
const minOppositeShare = 0.3
const maxNetChangeShare = 0.35
/** How far from themselves people are in a column that is in another order, where two strangers are 1 apart. */
const minUnrest = 0.75
/** And how far those are at least, on average, who got another's figure where none is quite the same. */
const minMeanDistance = 0.6
/** Single figures that changed places are looked for where nearly all others stay. */
const minStableShare = 0.6
const maxChangedShare = 0.35
/** How seldom chance may be told as a mistake. */
const maxErrorProbability = 0.002

/** What it costs to follow a column at one distance, a row; and to sort out who changed in it. */
const offsetCost = 6
const columnCost = 6

/** The same in single columns: a cell was deleted, or inserted, and the others moved up or down. */
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
    // What varies every month finds somebody alike by chance: there only figures that are exactly another's count.
    const requiresExact = !similarity.fixed[column] && !isUsuallyFixed(column)
    const inputs = [similarity.state[column], rows, followed, requiresExact]
    shifts.push(
      ...(yield* cache.stretches.getOrComputeCooperatively(column, inputs, () =>
        findShiftsInColumn(similarity, column, { offsets, reported: reported, exactOnly: requiresExact }),
      )),
    )
  }
  return mergeShifts(shifts)
}

type ShiftSearch = { readonly offsets: readonly number[]; readonly reported: ReadonlySet<number>; readonly exactOnly: boolean }

function* findShiftsInColumn(
  similarity: MonthSimilarity,
  column: number,
  { offsets, reported, exactOnly }: ShiftSearch,
): CooperativeTask<readonly (RowShift & ScoredRange)[]> {
  const ownDistances = Float64Array.from({ length: similarity.rowCount }, (_, row) =>
    (similarity.memberByRow[row] ?? -1) >= 0 && !reported.has(row)
      ? similarity.getDistance(row, similarity.memberByRow[row] ?? 0, column)
      : Number.NaN,
  )
  // A stretch gains no more than its rows lose with their own.
  const most = ownDistances.reduce((sum, getDistance) => (getDistance > rowToll ? sum + getDistance - rowToll : sum), 0)
  if (similarity.yieldTimer.shouldYield(similarity.rowCount)) yield
  if (most < minGain * 0.99) return []
  const { byChance = 1, nearByChance = 1 } = similarity.measurements[column] ?? {}
  /** So many agreements in a row are no chance, where there were so many ways to find them. */
  const logAlternatives = Math.log((similarity.rowCount * offsets.length * similarity.columnCount) / maxErrorProbability)
  const exact_rows = Math.max(minShiftRows, logAlternatives / -Math.log(byChance))
  const near_rows = exactOnly ? Number.POSITIVE_INFINITY : Math.max(minShiftRows, logAlternatives / -Math.log(nearByChance))
  const all: (RowShift & ScoredRange)[] = []
  for (const offset of offsets) {
    if (similarity.yieldTimer.shouldYield(similarity.rowCount * offsetCost)) yield
    const getOtherMember = (row: number): number => (row + offset < 0 ? -1 : (similarity.memberByRow[row + offset] ?? -1))
    const getDistance = (row: number): number => {
      const person = getOtherMember(row)
      if (person < 0) return Number.NaN
      return exactOnly && !similarity.isSameAmount(row, person, column) ? 1 : similarity.getDistance(row, person, column)
    }
    const gains = similarity.getGains(column, offset, ownDistances, exactOnly)
    const isGood = (range: RowRange): boolean => {
      let [rows, telling, same, near, before, after] = [0, 0, 0, 0, 0, 0]
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
        if (Math.abs(similarity.getLogDifference(row, person, column)) <= nearDistance * (similarity.spread[column] ?? 0))
          near += 1
      }
      if (before - after < minGain * rows || after > before * maxRemainingCost) return false
      const agrees = (count: number, needed: number): boolean => count >= needed && count >= telling * minAgreeingShare
      return agrees(same, exact_rows) || agrees(near, near_rows)
    }
    for (const { from, to, sum } of findRanges(gains, isGood)) all.push({ from, to, sum, offset, columns: [column] })
  }
  return all
}
/** Nearer than this to one's own figure, a figure says nothing about whose else it is. */
const minTellingDistance = 0.02

/** Columns that slipped by as much in about the same rows are one mistake; of two stretches of one column the better one stays. */
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

/** Two people who have each other's figure in a fixed column, where nearly all others keep theirs. */
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
        swaps.push({ row, member: otherMember, isMutual: true, column }, { row: other, member: member, isMutual: true, column })
      }
  }
  return swaps
}

/** Visibly nearer to themselves than to others, in what those at other distances differ by: then nobody says that the order is another. */
const minDeviations = 0.6

/** Whether people are nearer to their own figures of a column than to those of others at distances all over the sheet: then these vary, and stayed. */
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

/**
 * Figures that were only put into another order leave their sum as it is, and as many fall as rise; raises do not, and what varies
 * every month is not asked.
 */
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
  // Where every figure varies, many are a little off, and nobody's stand out. Of a column that is in another order most do, and wholly.
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
