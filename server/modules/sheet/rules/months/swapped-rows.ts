/** Rows that had rather be each other's, by how much figures usually vary. */
import type { CooperativeTask } from '../../../../rules/cooperative-task.ts'
import {
  beyondEdge,
  type ColumnVariance,
  getWeight,
  onlyInOneMonth,
  type RowPair,
  type RowsToCheck,
  type VarianceModel,
} from './variance-model.ts'

/** `Variation.against` of rows and their own people, for many pairs of few rows: how far a figure is off is worked out once, and what it says is added up for each pair. */
class OwnRowEvidence {
  readonly #variation: VarianceModel
  readonly #evidenceByRow = new Map<number, readonly Evidence[]>()

  constructor(variation: VarianceModel) {
    this.#variation = variation
  }

  /** At most, whoever is left out of account. */
  getMaximum(row: number): number {
    let sum = 0
    for (const { varied, deviation } of this.#loadEvidence(row))
      sum += Math.max(...[0, 1, 2].map((less) => getWeight(varied, deviation, less, this.#variation.maxDirectionOdds)))
    return sum
  }
  getEvidence(row: number, two: RowPair): number {
    const [one, other] = two
    const { rose, fell } = this.#variation.getDirectionOdds(two)
    let sum = 0
    for (const { varied, kind, deviation, isRisen } of this.#loadEvidence(row)) {
      const less = Number(varied.kindByRow[one] === kind) + Number(varied.kindByRow[other] === kind)
      sum += getWeight(varied, deviation, less, isRisen ? rose : fell)
    }
    return sum
  }

  #loadEvidence(row: number): readonly Evidence[] {
    const existing = this.#evidenceByRow.get(row)
    if (existing) return existing
    const { similarity, columns } = this.#variation
    const person = similarity.memberByRow[row] ?? -1
    const made: Evidence[] = []
    for (const varied of columns) {
      const separate = person < 0 ? 0 : similarity.getDeviation(row, person, varied.column) / varied.edge
      if (separate <= 1) continue
      const isRisen = similarity.getLogDifference(row, person, varied.column) > 0
      const kind = Number.isNaN(separate) ? onlyInOneMonth : beyondEdge
      made.push({ varied, kind, deviation: separate, isRisen })
    }
    this.#evidenceByRow.set(row, made)
    return made
  }
}
/** A figure that says something, and which rows of its column are like it. */
type Evidence = { readonly varied: ColumnVariance; readonly kind: number; readonly deviation: number; readonly isRisen: boolean }

/**
 * Where figures vary by a tenth, the sheet is nearly three times as probable with two of its rows exchanged as it is, all pairs that could have been
 * counted against it: with 0 (as probable either way) 21 of 1,000 good sheets were asked about. Where they vary little, hardly any good sheet comes
 * near, and as probable is enough.
 */
const minSwapLogOdds = { little: 0, much: 1 }
const lowVariance = 0.06
/** Of several pairs, those nearly as probable as the most probable one. */
const maxLogOddsGap = 2
/** Rows that are held beside each other: those that are farthest from their people, and so many more. */
const maxSwapCandidates = 400
/** Without the two rows in question what they are usually says a little more against them. */
const leaveOutFactor = 1.5
const leaveOutLogOdds = 2

type SwapCandidate = { readonly one: number; readonly other: number; readonly gain: number }

/** Rows that had rather be each other's, the likeliest two first. */
export function* findSwappedRows(
  variation: VarianceModel,
  { compared, reported }: RowsToCheck,
): CooperativeTask<readonly number[]> {
  const { similarity, columns } = variation
  const evidenceByRow = new Float64Array(similarity.rowCount)
  for (const row of compared) {
    if (similarity.yieldTimer.shouldYield(columns.length)) yield
    if (!reported.has(row)) evidenceByRow[row] = variation.getOwnEvidence(row)
  }
  const unreported = compared.filter((row) => !reported.has(row))
  const withEvidence = unreported
    .filter((row) => evidenceByRow[row] !== 0)
    .toSorted((a, b) => (evidenceByRow[b] ?? 0) - (evidenceByRow[a] ?? 0))
  const byEvidence = [...withEvidence, ...unreported.filter((row) => evidenceByRow[row] === 0)]
  const suspicious = byEvidence.slice(0, maxSwapCandidates).filter((row) => (evidenceByRow[row] ?? 0) > 0)
  // Somebody new has nothing to be held against: who changed places with him is told by what he himself has not got.
  const newRows = [...similarity.memberByRow.keys()]
    .filter((row) => (similarity.memberByRow[row] ?? -1) < 0 && !similarity.skipped[row])
    .slice(0, maxSwapCandidates)
  const rivals = [...byEvidence.slice(0, maxSwapCandidates * 2), ...newRows]
  const rows = compared.length + newRows.length
  const minLogOdds = variation.medianEdge < lowVariance ? minSwapLogOdds.little : minSwapLogOdds.much
  const needed = minLogOdds + Math.log((rows * (rows - 1)) / 2)
  const pairs = yield* findSwapCandidates(variation, { off: suspicious.length, rivals, alone: evidenceByRow, needed })
  const most = pairs.reduce((best, { gain }) => Math.max(best, gain), 0)
  const all = pairs.reduce((sum, { gain }) => sum + Math.exp(gain - most), 0)
  if (pairs.length === 0 || most + Math.log(all) < needed) return []
  const likeliest = pairs.filter(({ gain }) => gain >= most - maxLogOddsGap).toSorted((a, b) => b.gain - a.gain)
  return [...new Set(likeliest.flatMap(({ one, other }) => [one, other]))]
}

type SwapSearch = {
  /** As many of them, the first ones, are held beside all that follow. */
  readonly off: number
  readonly rivals: readonly number[]
  /** By row. */
  readonly alone: Float64Array
  readonly needed: number
}

function* findSwapCandidates(
  variation: VarianceModel,
  { off, rivals, alone, needed }: SwapSearch,
): CooperativeTask<SwapCandidate[]> {
  const pairs: SwapCandidate[] = []
  const ownEvidence = new OwnRowEvidence(variation)
  const most = Float64Array.from(rivals, (row) => ownEvidence.getMaximum(row))
  for (let at = 0; at < off; at++) {
    const one = rivals[at] ?? 0
    for (let next = at + 1; next < rivals.length; next++) {
      const other = rivals[next] ?? 0
      // What is gained is what speaks against them as they are: where that is little, they are no pair.
      // Whoever follows is nearer still.
      if (((alone[one] ?? 0) + (alone[other] ?? 0)) * leaveOutFactor + leaveOutLogOdds < needed) break
      if (variation.similarity.yieldTimer.shouldYield(variation.columns.length)) yield
      // Most pairs speak more against each other in the columns that tell most than anything can against them as they are.
      if (variation.isSurelyAgainst(one, other, (most[at] ?? 0) + (most[next] ?? 0))) continue
      if (variation.similarity.yieldTimer.shouldYield(variation.columns.length * 4)) yield
      const two = [one, other] as const
      const currentEvidence = ownEvidence.getEvidence(one, two) + ownEvidence.getEvidence(other, two)
      const left = currentEvidence - variation.getRowEvidence(one, other, two, currentEvidence)
      const gain = left > 0 ? left - variation.getRowEvidence(other, one, two, left) : left
      if (gain > 0) pairs.push({ one, other, gain })
    }
  }
  return pairs
}
