/**
 * What a sheet's comparison with last month leaves behind for the next one of the same sheet. Nearly everything that is asked of both months is asked
 * column by column: of a sheet in which one cell was corrected, one column is worked out and the others are as they were.
 */
import type { CooperativeTask } from '../../../../rules/cooperative-task.ts'
import type { ColumnSuspects } from '../check/column-issues.ts'
import type { MonthSimilarity } from './month-similarity.ts'
import type { RowShift, ScoredRange } from './row-ranges.ts'
import type { ColumnCounts } from './variance-model.ts'

/**
 * What follows from a column, kept until something that it follows from is another. What is given is compared by identity: whoever makes it keeps
 * the same object as long as it holds the same.
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

export class ComparisonCache {
  /** How like each other the months were. */
  similarity: MonthSimilarity | null = null
  readonly weighed = new ColumnCache<number>()
  readonly stretches = new ColumnCache<readonly (RowShift & ScoredRange)[]>()
  readonly disordered = new ColumnCache<readonly number[] | null>()
  readonly edges = new ColumnCache<number>()
  readonly counted = new ColumnCache<ColumnCounts>()
  /** By place in `BesideLast`, not by column. */
  readonly suspects = new ColumnCache<ColumnSuspects>()
  readonly #lists = new Map<string, readonly number[]>()

  /** These numbers in an array that stays the same one as long as they do. */
  list(name: string, numbers: Iterable<number>): readonly number[] {
    const list = [...numbers]
    const existing = this.#lists.get(name)
    if (existing && isSameList(existing, list)) return existing
    this.#lists.set(name, list)
    return list
  }
}
