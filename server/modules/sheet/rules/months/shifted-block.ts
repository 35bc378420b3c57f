/** Some columns of some rows that slipped together, each too little to be told by itself. */
import type { CooperativeTask } from '../../../../rules/cooperative-task.ts'
import type { MonthSimilarity } from './month-similarity.ts'
import { findBestRangeFrom, listRows, type RowShift, type ScoredRange } from './row-ranges.ts'
import type { ColumnVariance, RowsToCheck, VarianceModel } from './variance-model.ts'

/**
 * Where it is nearly three times as probable that some columns of some rows slipped as that they did not, somebody looks: of 10,000 good months (every
 * figure varying by up to 30 %) six came so far.
 */
const minBlockLogOdds = 1
/** Where two rows are looked at anyway, others are added to them only where it is as probable as this. */
const minExtraLogOdds = 2
/**
 * And by so much it is told and no longer left to whoever looks. Of 4,375 good months in which every figure varies by up to 30 % one came to 5.4, one
 * to 2.8 and no other beyond 0.
 */
const reportedBlockLogOdds = 6
/** A column that varies within this still tells who is who, many rows together. */
const maxTellingEdge = 0.3
/** What a row costs that is held beside another, and those after it until nothing speaks for them. */
const rowCost = 6
/** So many figures at least must be rather another's. */
const minAmounts = 3
/** A column that alone gains less than this part of what is asked is not held beside the others. */
const minAloneShare = 0.25
/** One column more that slipped along is one of two possibilities. */
const extraColumnLogOdds = Math.log(2)

/**
 * Rows in which some columns had rather be those of the row some rows on: a cell was put in or taken out, and a few below it moved. Surely so, they
 * are a stretch that is told; else somebody looks at them.
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
          : // Within the edge it says nothing.
            column.kindByRow[row] === 0
            ? 0
            : variation.getEvidence(column, row, person, [row, row]),
      ),
    )
  }
  const logAlternatives = Math.log(Math.max(1, (compared.length ** 2 / 2) * offsets.length * columns.length))
  // No block gains more than all its rows lose with their own.
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

/** `sum`: what is gained where these columns moved, each column but the first having been one of two possibilities. */
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

/** Columns that moved along, the one that adds most first; with each of them the rows are sought anew. */
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

/** What rows of a column gain with the figures of others; of each only what is asked for. */
class ColumnGains {
  /** Rows whose own figure says something: no other can gain. */
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
    // Of somebody new nothing is known: his figure may be anybody's, which is as improbable as that a stranger's is so near to one's own.
    return own - (person < 0 ? this.column.chance : this.#variation.getEvidence(this.column, row, person, [row, row]))
  }
}
