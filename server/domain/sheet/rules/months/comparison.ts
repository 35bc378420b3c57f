/**
 * What a sheet's comparison with last month leaves behind for the next one of the same sheet. Nearly everything that is asked of both months is asked
 * column by column: of a sheet in which one cell was corrected, one column is worked out and the others are as they were.
 */
import type { InTurns } from '../../../../rules/turns.ts'
import type { Suspected } from '../check/problems-columns.ts'
import type { Likeness } from './likeness.ts'
import type { Gained, Stretch } from './stretches.ts'
import type { Counted } from './variation.ts'

/**
 * What follows from a column, kept until something that it follows from is another. What is given is compared by identity: whoever makes it keeps
 * the same object as long as it holds the same.
 */
export class ByColumn<T> {
  readonly kept: { readonly given: readonly unknown[]; readonly made: T }[] = []

  of(column: number, given: readonly unknown[], make: () => T): T {
    const known = this.#find(column, given)
    if (known) return known.made
    const made = make()
    this.kept[column] = { given, made }
    return made
  }
  *inTurns(column: number, given: readonly unknown[], make: () => InTurns<T>): InTurns<T> {
    const known = this.#find(column, given)
    if (known) return known.made
    const made = yield* make()
    this.kept[column] = { given, made }
    return made
  }
  #find(column: number, given: readonly unknown[]) {
    const known = this.kept[column]
    return known?.given.length === given.length && given.every((one, at) => Object.is(one, known.given[at])) ? known : undefined
  }
}

export function isSameList(one: ArrayLike<number>, other: ArrayLike<number>): boolean {
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false
  return one.length === other.length
}

export class Comparison {
  /** How like each other the months were. */
  like: Likeness | null = null
  readonly weighed = new ByColumn<number>()
  readonly stretches = new ByColumn<readonly (Stretch & Gained)[]>()
  readonly disordered = new ByColumn<readonly number[] | null>()
  readonly edges = new ByColumn<number>()
  readonly counted = new ByColumn<Counted>()
  /** By place in `BesideLast`, not by column. */
  readonly suspected = new ByColumn<Suspected>()
  readonly #lists = new Map<string, readonly number[]>()

  /** These numbers in an array that stays the same one as long as they do. */
  list(name: string, numbers: Iterable<number>): readonly number[] {
    const list = [...numbers]
    const known = this.#lists.get(name)
    if (known && isSameList(known, list)) return known
    this.#lists.set(name, list)
    return list
  }
}
