/**
 * Cached results of a wage sheet's comparison with last month. Nearly everything is computed column by column, so after
 * correcting one cell only one column is recomputed.
 */
import type { CooperativeTask } from '../../../../rules/cooperative-task.ts'
import type { ColumnCounts, ColumnSuspects } from './column-results.ts'
import type { RowShift, ScoredRange } from './row-ranges.ts'

/**
 * A result per column, cached until one of its inputs changes. Inputs are compared by identity: the caller keeps the
 * same object while its content is unchanged.
 */
export class ColumnCache<T> {
  readonly entries: { readonly inputs: readonly unknown[]; readonly value: T }[] = []

  getOrCompute(column: number, provided: readonly unknown[], make: () => T): T {
    const existing = this.#find(column, provided)
    if (existing) return existing.value
    const made = make()
    this.entries[column] = { inputs: provided, value: made }
    return made
  }
  *getOrComputeCooperatively(column: number, provided: readonly unknown[], make: () => CooperativeTask<T>): CooperativeTask<T> {
    const existing = this.#find(column, provided)
    if (existing) return existing.value
    const made = yield* make()
    this.entries[column] = { inputs: provided, value: made }
    return made
  }
  #find(column: number, provided: readonly unknown[]) {
    const existing = this.entries[column]
    return existing?.inputs.length === provided.length && provided.every((one, at) => Object.is(one, existing.inputs[at]))
      ? existing
      : undefined
  }
}

export function isSameList(one: ArrayLike<number>, other: ArrayLike<number>): boolean {
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false
  return one.length === other.length
}

export class ComparisonCache<Similarity> {
  /** Similarity of the two months. */
  similarity: Similarity | null = null
  readonly weighed = new ColumnCache<number>()
  readonly stretches = new ColumnCache<readonly (RowShift & ScoredRange)[]>()
  readonly disordered = new ColumnCache<readonly number[] | null>()
  readonly edges = new ColumnCache<number>()
  readonly counted = new ColumnCache<ColumnCounts>()
  /** The indexes refer to `LastMonthComparison`, not to columns. */
  readonly suspects = new ColumnCache<ColumnSuspects>()
  readonly #lists = new Map<string, readonly number[]>()

  /** Returns an array with these numbers that stays the same object while they are unchanged. */
  list(name: string, numbers: Iterable<number>): readonly number[] {
    const list = [...numbers]
    const existing = this.#lists.get(name)
    if (existing && isSameList(existing, list)) return existing
    this.#lists.set(name, list)
    return list
  }
}
