/** Finds rows that fit each other's members better, based on the usual variation of amounts. */
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

/** Evidence of rows against their own members, for many pairs of few rows: deviations are computed once, then added up. */
class OwnRowEvidence {
  readonly #variation: VarianceModel
  readonly #evidenceByRow = new Map<number, readonly Evidence[]>()

  constructor(variation: VarianceModel) {
    this.#variation = variation
  }

  /** The maximum, whichever row is left out. */
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
/** An amount that is evidence, and the kind of deviation it shares with other rows of its column. */
type Evidence = { readonly varied: ColumnVariance; readonly kind: number; readonly deviation: number; readonly isRisen: boolean }

/**
 * Required odds. With amounts varying by a tenth, the wage sheet must be nearly three times as likely with the two rows
 * exchanged, counting all possible pairs against it: with 0 (equally likely) 21 of 1,000 correct wage sheets were
 * questioned. Where amounts vary little, hardly any correct wage sheet comes close, and equally likely is enough.
 */
const minSwapLogOdds = { little: 0, much: 1 }
const lowVariance = 0.06
/** Of several pairs, those nearly as likely as the most likely one are reported. */
const maxLogOddsGap = 2
/** Maximum number of rows compared with each other: those that deviate most from their members. */
const maxSwapCandidates = 400
/** Without the two rows in question, the usual variation is slightly smaller and the evidence slightly stronger. */
const leaveOutFactor = 1.5
const leaveOutLogOdds = 2

type SwapCandidate = { readonly one: number; readonly other: number; readonly gain: number }

/** Finds rows that fit each other's members better, most likely pair first. */
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
  // A new member has no previous amounts: a swap with them is detected by what the other member lacks.
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
  /** The first rows of this number are compared with all that follow. */
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
      // The gain is at most the evidence against the rows as they are: with little evidence they are no pair. All rows
      // that follow have even less.
      if (((alone[one] ?? 0) + (alone[other] ?? 0)) * leaveOutFactor + leaveOutLogOdds < needed) break
      if (variation.similarity.yieldTimer.shouldYield(variation.columns.length)) yield
      // For most pairs the most distinctive columns already contradict the swap more than the others could support it.
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
