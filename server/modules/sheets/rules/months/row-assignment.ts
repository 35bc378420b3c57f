/**
 * Decides whether the amounts of a wage sheet are in the rows of the right members. It looks for the assignment of rows
 * to members that explains the amounts best, instead of requiring equality, so that raises, rounding and monthly
 * variation do not hide a shift:
 *
 *     last month      this month, in order    shifted by a row         two swapped            sorted by themselves
 *     赵  8000 512      赵  8000 512            赵  9500 608  ← 钱      赵  7200 461  ← 孙      赵  7200 461
 *     钱  9500 608      钱  9700 608            钱  7200 461  ← 孙      钱  9500 608            钱  8000 512
 *     孙  7200 461      孙  7200 461            孙  8000 512  ← 赵      孙  8000 512  ← 赵      孙  9500 608
 *
 * A row that contains its member's own fixed amounts is proven and excluded. Among the others it finds: a range of rows
 * that are all better explained by the member k rows below; two rows better explained by each other's member; a row
 * better explained by a member whose own row does not fit. Then it examines single columns in the same way. Rows that
 * remain and are more likely the other way round (`variation`) are `unproven`: a user has to review them.
 */

import type { CooperativeTask } from '../../../../rules/cooperative-task.ts'
import { findColumnShifts, findColumnSwaps, findReorderedColumns, type ReorderedColumn } from './column-assignment.ts'
import type { MonthSimilarity } from './month-similarity.ts'
import {
  findRanges,
  getLowerMedian,
  hopelessGain,
  listRows,
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
import { findShiftedBlock } from './shifted-block.ts'
import { findSwappedRows } from './swapped-rows.ts'
import { VarianceModel } from './variance-model.ts'

export type RowAssignment = {
  readonly shifts: readonly RowShift[]
  readonly misplaced: readonly MisplacedRow[]
  readonly reordered: readonly ReorderedColumn[]
  /** Rows whose amounts do not show whether they belong to their member; those that fit each other better come first. */
  readonly unproven: readonly number[]
  /** The most likely pair comes first. */
  readonly exchanged: readonly number[]
}

/** A row with a higher cost is misplaced, whatever the median row costs. */
const maxOwnCost = 0.45
/** Cost of a new member's row as it is: low enough that it is not assigned to everybody with similar pay. */
const newMemberCost = 0.5
const minUnrest = 0.5
/** Offsets that are tested; in small wage sheets all of them. */
const maxRowsForAllOffsets = 130
const maxOffsets = 14

/** Cost of finding near members and of finding shifts, per row; comparing two amounts costs 1. */
const nearestCost = 24
const shiftCost = 10
const skipCost = 7
/** Marker for a cost that has not been computed yet. */
const notComputed = -1

/** Properties of a column by its label and role: whether it rarely changes, and whether it is a sum of others. */
export type ColumnTraits = { isUsuallyFixed(column: number): boolean; isSum(column: number): boolean }

export function* assignRows(
  similarity: MonthSimilarity,
  { isUsuallyFixed, isSum }: ColumnTraits,
): CooperativeTask<RowAssignment> {
  const empty: RowAssignment = { shifts: [], misplaced: [], reordered: [], unproven: [], exchanged: [] }
  const compared = [...similarity.memberByRow.keys()].filter(
    (row) => (similarity.memberByRow[row] ?? -1) >= 0 && !similarity.skipped[row],
  )
  if (compared.length < 2) return empty
  const offsets = yield* selectOffsets(similarity, compared)
  yield* similarity.updateWeights(offsets)
  const own_cost = new Float64Array(similarity.rowCount).fill(Number.NaN)
  for (let row = 0; row < similarity.rowCount; row++) {
    if (similarity.yieldTimer.shouldYield(similarity.columnCount)) yield
    if ((similarity.memberByRow[row] ?? -1) >= 0) own_cost[row] = similarity.getCost(row, similarity.memberByRow[row] ?? 0)
  }
  const stretches = yield* findRowShifts(similarity, own_cost, offsets)
  const reported = new Set(stretches.flatMap(listRows))
  const carried = yield* findMisplacedRows(similarity, own_cost, reported, compared)
  for (const { row } of carried) reported.add(row)
  const columns = yield* findColumnShifts(similarity, offsets, reported, isUsuallyFixed)
  const byColumn = new Set(columns.flatMap(listRows))
  const swaps = yield* findColumnSwaps(similarity, compared, new Set([...reported, ...byColumn]))
  for (const { row } of swaps) byColumn.add(row)
  const disorders = yield* findReorderedColumns(similarity, compared, new Set([...reported, ...byColumn]), isUsuallyFixed)
  const telling = [...similarity.spread.keys()].filter((column) => similarity.spread[column] !== 0)
  const items = telling.filter((column) => !isSum(column))
  const variation = yield* VarianceModel.create(similarity, items.length > 0 ? items : telling, compared)
  const exchanged = yield* findSwappedRows(variation, { compared, reported })
  const shiftedBlock = yield* findShiftedBlock(variation, offsets, { compared, reported, exchanged }, isUsuallyFixed)
  const unproven = new Set([
    ...exchanged,
    ...shiftedBlock.rows,
    ...(yield* findRestlessRows(similarity, compared, reported, isUsuallyFixed)),
  ])
  const { stretch } = shiftedBlock
  const slipped = stretch && !listRows(stretch).some((row) => byColumn.has(row)) ? [stretch] : []
  return {
    shifts: [...stretches, ...columns, ...slipped],
    misplaced: [...carried, ...swaps],
    reordered: disorders,
    unproven: [...unproven].toSorted((a, b) => a - b),
    exchanged,
  }
}

/** Selects the offsets worth testing: small ones, and those at which rows find a better explanation. */
function* selectOffsets(similarity: MonthSimilarity, compared: readonly number[]): CooperativeTask<number[]> {
  const count = similarity.rowCount
  if (count < maxRowsForAllOffsets)
    return Array.from({ length: 2 * count - 1 }, (_, at) => at - count + 1).filter((at) => at !== 0)
  const votes = new Map<number, number>()
  const unproven = compared.filter((row) => !similarity.proven[row])
  const stride = Math.max(1, Math.floor(unproven.length / maxRivals))
  for (let at = 0; at < unproven.length; at += stride) {
    const row = unproven[at] ?? 0
    if (similarity.yieldTimer.shouldYield(similarity.columnCount * nearestCost)) yield
    const [best] = [...similarity.findNearMembers(row)]
      .map((person) => ({
        offset: (similarity.rowByMember[person] ?? -1) - row,
        found: (similarity.rowByMember[person] ?? -1) >= 0,
        cost: similarity.getCost(row, person),
      }))
      .filter(({ found: isPresent, offset }) => isPresent && offset !== 0)
      .toSorted((a, b) => a.cost - b.cost)
    if (best) votes.set(best.offset, (votes.get(best.offset) ?? 0) + 1)
  }
  const votedOffsets = [...votes]
    .filter(([, times]) => times >= minShiftRows)
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, maxOffsets)
    .map(([offset]) => offset)
  return [...new Set([1, -1, 2, -2, 3, -3, ...votedOffsets])]
}

function* findRowShifts(
  similarity: MonthSimilarity,
  own_cost: Float64Array,
  offsets: readonly number[],
): CooperativeTask<RowShift[]> {
  const all: (RowShift & ScoredRange)[] = []
  for (const offset of offsets) {
    const getOtherMember = (row: number): number => (row + offset < 0 ? -1 : (similarity.memberByRow[row + offset] ?? -1))
    const costs = new Float64Array(similarity.rowCount).fill(notComputed)
    const cost = (row: number): number => {
      const cached = costs[row] ?? Number.NaN
      if (cached !== notComputed) return cached
      const person = getOtherMember(row)
      return (costs[row] = person >= 0 && person !== similarity.memberByRow[row] ? similarity.getCost(row, person) : Number.NaN)
    }
    const getOwnCost = (row: number): number => ((similarity.memberByRow[row] ?? -1) >= 0 ? (own_cost[row] ?? 1) : newMemberCost)
    const gain = (row: number): number => getOwnCost(row) - cost(row)
    // Most rows are so close to their own member, or so far from the other, that no range can start with them.
    const gains = new Float64Array(similarity.rowCount)
    for (let row = 0; row < similarity.rowCount; row++) {
      const person = getOtherMember(row)
      const most = getOwnCost(row) - rowToll
      const isHopeless = most <= 0 || (person >= 0 && similarity.exceedsCost(row, person, most))
      if (similarity.yieldTimer.shouldYield(isHopeless ? skipCost : similarity.columnCount)) yield
      gains[row] = person < 0 || person === similarity.memberByRow[row] ? Number.NaN : isHopeless ? hopelessGain : gain(row)
    }
    const isGood = (range: RowRange): boolean => {
      const rows = listRows(range).filter((row) => !Number.isNaN(cost(row)) && !similarity.skipped[row])
      const before = rows.reduce((sum, row) => sum + getOwnCost(row), 0)
      const after = rows.reduce((sum, row) => sum + cost(row), 0)
      const agree = rows.filter((row) => gain(row) > 0).length
      return (
        rows.length >= minShiftRows &&
        before - after >= minGain * rows.length &&
        after <= before * maxRemainingCost &&
        agree >= rows.length * minAgreeingShare
      )
    }
    if (similarity.yieldTimer.shouldYield(similarity.rowCount * shiftCost)) yield
    for (const { from, to, sum } of findRanges(gains, isGood, gain)) all.push({ from, to, sum, offset, columns: [] })
    // The cost of rows skipped here may still have been computed elsewhere.
    if (similarity.yieldTimer.shouldYield(similarity.rowCount * shiftCost)) yield
  }
  return removeOverlaps(all).map(({ from, to, offset, columns }) => ({ from, to, offset, columns }))
}

/** Finds rows that are far from their own member and close to a member who is not in their own row. */
function* findMisplacedRows(
  similarity: MonthSimilarity,
  own_cost: Float64Array,
  reported: ReadonlySet<number>,
  compared: readonly number[],
): CooperativeTask<MisplacedRow[]> {
  const medianCost = getLowerMedian(compared.map((row) => own_cost[row] ?? 1))
  const limit = Math.max(misplacedDistance, Math.min(medianCost * misplacedFactor, maxOwnCost))
  const unsettled = compared.filter((row) => !similarity.settled[row])
  const fewMembers = unsettled.length <= maxRivals ? unsettled.map((row) => similarity.memberByRow[row] ?? -1) : []
  const best = new Map<number, number>()
  // A new member has no previous amounts: if they got a colleague's amounts, this shows at the colleague, who no longer
  // has them.
  const newRows = [...similarity.memberByRow.keys()].filter((row) => (similarity.memberByRow[row] ?? -1) < 0)
  for (const row of [...unsettled, ...newRows]) {
    const isNew = (similarity.memberByRow[row] ?? -1) < 0
    const before = isNew ? newMemberCost : (own_cost[row] ?? 0)
    if (reported.has(row) || before < limit) continue
    let cheapest = before
    if (similarity.yieldTimer.shouldYield((fewMembers.length + nearestCost) * similarity.columnCount)) yield
    for (const person of new Set([...similarity.findNearMembers(row), ...fewMembers])) {
      const otherRow = similarity.rowByMember[person] ?? -1
      if (person === similarity.memberByRow[row] || (otherRow >= 0 ? similarity.settled[otherRow] : isNew)) continue
      // Among many members missing from this wage sheet one is always close: only fixed amounts of a member prove a
      // match.
      if (otherRow < 0 && !similarity.matchesMostFixed(row, person)) continue
      const after = isNew && similarity.matchesMostFixed(row, person) ? 0 : similarity.getCost(row, person)
      // A member whose own row fits equally well has not lost it.
      const otherOwnCost = otherRow < 0 || Number.isNaN(own_cost[otherRow] ?? Number.NaN) ? 1 : (own_cost[otherRow] ?? 1)
      if (
        after >= cheapest ||
        after > before * maxRemainingCost ||
        before - after < minGain ||
        otherOwnCost < Math.max(after * 2, isNew ? misplacedDistance : 0)
      )
        continue
      cheapest = after
      best.set(row, person)
    }
  }
  // If a member got another's amounts, their own went to a third one, unless the amounts match to the fen; otherwise
  // the pay is merely similar to a colleague's.
  const claims = new Map<number, number>()
  for (const person of best.values()) claims.set(person, (claims.get(person) ?? 0) + 1)
  for (let isSettled = false; !isSettled; ) {
    isSettled = true
    for (const [row, person] of best) {
      const otherRow = similarity.rowByMember[person] ?? -1
      const isLost = otherRow >= 0 && (best.has(otherRow) || reported.has(otherRow)) && claims.get(person) === 1
      if (isLost || similarity.matchesMostFixed(row, person)) continue
      best.delete(row)
      isSettled = false
    }
  }
  return [...best].map(([row, person]): MisplacedRow => {
    const otherRow = similarity.rowByMember[person] ?? -1
    return { row, member: person, isMutual: otherRow >= 0 && best.get(otherRow) === similarity.memberByRow[row], column: null }
  })
}

/** Finds members far from their own amounts in a column that should keep them, nearly as far as from others' amounts. */
function* findRestlessRows(
  similarity: MonthSimilarity,
  compared: readonly number[],
  reported: ReadonlySet<number>,
  isUsuallyFixed: (column: number) => boolean,
): CooperativeTask<number[]> {
  const columns = Array.from({ length: similarity.columnCount }, (_, column) => column).filter(
    (column) =>
      !similarity.fixed[column] && isUsuallyFixed(column) && (similarity.measurements[column]?.unrest ?? 0) >= minUnrest,
  )
  return yield* similarity.yieldTimer.filter(
    compared,
    columns.length,
    (row) =>
      !reported.has(row) &&
      columns.some((column) => similarity.getDistance(row, similarity.memberByRow[row] ?? 0, column) > misplacedDistance),
  )
}
