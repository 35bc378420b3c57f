/** Detects some columns of some rows that were shifted together, each with too little evidence on its own. */
import type { CooperativeTask } from '../../../../rules/cooperative-task.ts'
import type { MonthSimilarity } from './month-similarity.ts'
import { findBestRangeFrom, listRows, type RowShift, type ScoredRange } from './row-ranges.ts'
import type { ColumnVariance, RowsToCheck, VarianceModel } from './variance-model.ts'

/**
 * If a block is nearly three times as likely to be shifted as not, a user reviews it: this happened in 6 of 10,000
 * correct months in which every amount varies by up to 30 %.
 */
const minBlockLogOdds = 1
/** If two rows are reviewed anyway, further rows are added only at these odds. */
const minExtraLogOdds = 2
/**
 * From these odds on the block is reported instead of left for review. Of 4,375 correct months in which every amount
 * varies by up to 30 %, one reached 5.4, one 2.8 and no other exceeded 0.
 */
const reportedBlockLogOdds = 6
/** A column that varies within this still identifies members over many rows. */
const maxTellingEdge = 0.3
/** Cost of comparing a row with another one and the rows after it while there is evidence. */
const rowCost = 6
/** Minimum number of amounts that must fit another member better. */
const minAmounts = 3
/** A column that alone reaches less than this share of the required odds is not considered. */
const minAloneShare = 0.25
/** Whether a further column was shifted as well is one of two possibilities. */
const extraColumnLogOdds = Math.log(2)

/**
 * Finds rows in which some columns fit the row at an offset better: a cell was inserted or deleted, and a few below it
 * moved. With high odds the range is reported, otherwise a user reviews it.
 */
export function* findShiftedBlock(
  variation: VarianceModel,
  offsets: readonly number[],
  { compared, reported, exchanged }: RowsToCheck & { readonly exchanged: readonly number[] },
  isUsuallyFixed: (column: number) => boolean,
): CooperativeTask<{ readonly rows: readonly number[]; readonly stretch: RowShift | null }> {
  const { similarity } = variation
  const columns = variation.columns.filter(({ edge, column }) => edge < maxTellingEdge && isUsuallyFixed(column))
  const evidenceByColumn = new Map<ColumnVariance, Float64Array>()
  for (const column of columns) {
    if (similarity.yieldTimer.shouldYield(similarity.rowCount)) yield
    evidenceByColumn.set(
      column,
      Float64Array.from(similarity.memberByRow, (person, row) =>
        person < 0 || reported.has(row) || similarity.skipped[row]
          ? Number.NaN
          : // Within the edge an amount is no evidence.
            column.kindByRow[row] === 0
            ? 0
            : variation.getEvidence(column, row, person, [row, row]),
      ),
    )
  }
  const logAlternatives = Math.log(Math.max(1, (compared.length ** 2 / 2) * offsets.length * columns.length))
  // No block gains more than all its rows lose with their own members.
  const minLogOdds = exchanged.length > 0 ? minExtraLogOdds : minBlockLogOdds
  let most = 0
  for (const evidence of evidenceByColumn.values()) for (const one of evidence) most += Number.isNaN(one) ? 0 : one
  if (most < (logAlternatives + minLogOdds) * 0.99) return { rows: [], stretch: null }
  const all = columns.map((column) => new ColumnGains(variation, column, evidenceByColumn.get(column) ?? new Float64Array()))
  let best: ShiftedBlock | null = null
  for (const offset of offsets) {
    for (const gains of all) {
      if (similarity.yieldTimer.shouldYield(gains.candidateRows.length * rowCost)) yield
      const alone = findBestBlock([gains], similarity.rowCount, offset)
      if (!alone || alone.sum < (logAlternatives + minLogOdds) * minAloneShare) continue
      const extended = yield* extendBlock(alone, all, similarity)
      if (extended.sum > (best?.sum ?? 0) && countGainingAmounts(extended) >= minAmounts) best = extended
    }
  }
  if (!best || best.sum < logAlternatives + minLogOdds) return { rows: [], stretch: null }
  const { from, to, offset, moved } = best
  if (best.sum >= logAlternatives + reportedBlockLogOdds)
    return { rows: [], stretch: { from, to, offset, columns: moved.map(({ column }) => column.column) } }
  return { rows: listRows(best).filter((row) => moved.some((gains) => gains.getGain(row, offset) > 0)), stretch: null }
}

/** `sum` is the gain if these columns moved, reduced for each column after the first, which may or may not have moved. */
type ShiftedBlock = ScoredRange & { readonly offset: number; readonly moved: readonly ColumnGains[] }

function findBestBlock(moved: readonly ColumnGains[], rows: number, offset: number): ShiftedBlock | null {
  const off =
    moved.length === 1
      ? (moved[0]?.candidateRows ?? [])
      : [...new Set(moved.flatMap((gains) => gains.candidateRows))].toSorted((a, b) => a - b)
  const gain = (row: number): number => {
    let [sum, hasEvidence] = [0, false]
    for (const gains of moved) {
      const by = gains.getGain(row, offset)
      if (Number.isNaN(by)) continue
      sum += by
      hasEvidence = true
    }
    return hasEvidence ? sum : Number.NaN
  }
  const range = findBestRangeFrom(off, rows, gain)
  return range && { ...range, sum: range.sum - (moved.length - 1) * extraColumnLogOdds, offset, moved }
}

/** Adds columns that moved as well, the most valuable first; the rows are searched again after each. */
function* extendBlock(
  alone: ShiftedBlock,
  all: readonly ColumnGains[],
  similarity: MonthSimilarity,
): CooperativeTask<ShiftedBlock> {
  let best = alone
  for (;;) {
    let next = best
    for (const gains of all) {
      if (best.moved.includes(gains)) continue
      if (similarity.yieldTimer.shouldYield((gains.candidateRows.length + alone.to - alone.from) * rowCost)) yield
      const extended = findBestBlock([...best.moved, gains], similarity.rowCount, best.offset)
      if (extended && extended.sum > next.sum) next = extended
    }
    if (next === best) return best
    best = next
  }
}

function countGainingAmounts({ from, to, offset, moved }: ShiftedBlock): number {
  return listRows({ from, to }).reduce((sum, row) => sum + moved.filter((gains) => gains.getGain(row, offset) > 0).length, 0)
}

/** Gains of the rows of a column with the amounts of other members; computed only on request. */
class ColumnGains {
  /** Rows whose own amount is evidence against them: only these can gain. */
  readonly candidateRows: readonly number[]
  readonly #variation: VarianceModel
  readonly column: ColumnVariance
  readonly #ownEvidence: Float64Array

  constructor(variation: VarianceModel, column: ColumnVariance, own: Float64Array) {
    this.#variation = variation
    this.column = column
    this.#ownEvidence = own
    const off: number[] = []
    for (let row = 0; row < own.length; row++) if ((own[row] ?? 0) > 0) off.push(row)
    this.candidateRows = off
  }

  getGain(row: number, offset: number): number {
    const { similarity } = this.#variation
    const other = row + offset
    if (other < 0 || other >= similarity.rowCount) return Number.NaN
    const own = this.#ownEvidence[row] ?? Number.NaN
    const person = similarity.memberByRow[other] ?? -1
    // Nothing is known about a new member: the amount may be anybody's, which is as unlikely as a random member's
    // amount being this close.
    return own - (person < 0 ? this.column.chance : this.#variation.getEvidence(this.column, row, person, [row, row]))
  }
}
