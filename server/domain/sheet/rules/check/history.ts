/**
 * What people got in an earlier pay run, by item. An item is a column's label as any month writes it, so that a column that moved
 * or bears the month in its name is still the same. Ten thousand people with forty items are a few megabytes.
 */
import { itemRoles } from '../../../../contract/sheet/column-roles.ts'
import type { ColumnRole } from '../../../../contract/words/words.ts'
import { amountOf, type RowCells } from '../../../../rules/amounts.ts'
import { fingerprintOf } from '../../../../tables/rules.ts'

export type ItemColumn = { readonly key: string; readonly label: string; readonly role: ColumnRole }

/** Figures that slips have whatever their columns are called; no label begins so. `special`: own social insurance and housing fund. */
export const whole = { net: '\u0000net', gross: '\u0000gross', tax: '\u0000tax', special: '\u0000special' } as const

/** The columns of amounts with the names of their items; the second of two equal labels is another item. */
export function itemsOf<C extends ItemColumn>(
  columns: readonly C[],
  /** What a column was called last time, by key. */
  renamed: ReadonlyMap<string, string> = new Map(),
): { column: C; item: string }[] {
  const seen = new Map<string, number>()
  return columns
    .filter(({ role }) => itemRoles.has(role))
    .map((column) => {
      const name =
        column.role === 'net'
          ? whole.net
          : column.role === 'gross'
            ? whole.gross
            : fingerprintOf((renamed.get(column.key) ?? column.label).split(' / '))
      const times = (seen.get(name) ?? 0) + 1
      seen.set(name, times)
      return { column, item: times === 1 ? name : `${name} ${times}` }
    })
}

/** One pay run. What a cell does not say is 0. */
export class Figures {
  readonly #place = new Map<string, number>()
  readonly #people = new Map<string, Float64Array>()

  /** Where an item stands in the figures of a person; -1 when nobody had it. */
  place = (item: string): number => this.#place.get(item) ?? -1
  items = (): readonly string[] => [...this.#place.keys()]
  has = (member_id: string): boolean => this.#people.has(member_id)
  people = (): ReadonlyMap<string, Float64Array> => this.#people
  /** What it takes of the memory, nearly. */
  bytes = (): number => this.#people.size * (200 + 8 * this.#place.size)

  /** Names the items of some slips to come; answers their places. */
  open(items: readonly string[]): number[] {
    return items.map((item) => {
      const known = this.#place.get(item)
      if (known !== undefined) return known
      this.#place.set(item, this.#place.size)
      return this.#place.size - 1
    })
  }

  /** A slip: a person with several in one run got the sum of them. */
  add(member_id: string, places: readonly number[], fen: readonly number[]): void {
    let own = this.#people.get(member_id)
    if (!own || own.length < this.#place.size) {
      const wider = new Float64Array(this.#place.size)
      if (own) wider.set(own)
      own = wider
      this.#people.set(member_id, own)
    }
    for (const [at, place] of places.entries()) own[place] = (own[place] ?? 0) + (fen[at] ?? 0)
  }

  of(member_id: string, item: string): number {
    const place = this.#place.get(item)
    return place === undefined ? 0 : (this.#people.get(member_id)?.[place] ?? 0)
  }
}

export const fenOf = (cells: RowCells, key: string): number => amountOf(cells[key]).fen ?? 0

/** The middle one; of an even number the lower of the two in the middle, so that it is a figure that was paid. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
}

/** A rise is common where most are no farther from it than this part of it: a new base for all, not another order. */
const rise_agrees = 0.25
/** Others that a row is held beside, to see whether it would show if it were one of theirs. */
const strangers = 12

/** Distances around the circle of all people, spread over it: always the same ones, so that a sheet is always judged alike. */
export function stepsOf(people: number): number[] {
  const steps = new Set<number>()
  for (let at = 1; at <= strangers; at++) steps.add(Math.max(1, Math.round((people * at) / (strangers + 1))))
  return people < 2 ? [] : [...steps].filter((step) => step < people)
}

/** By how much a whole column rose or fell; 0 where everybody changed by something else. */
export function commonRise(ratios: readonly number[]): number {
  const rise = middleOf(ratios)
  return middleOf(ratios.map((ratio) => Math.abs(ratio - rise))) <= Math.abs(rise) * rise_agrees ? rise : 0
}

export function middleOf(values: readonly number[]): number {
  const all = Float64Array.from(values)
  return all.length === 0 ? 0 : smallest(all, (all.length - 1) >> 1)
}

/** What stands at `place` when they are in order; none of them is NaN. Changes their order, and takes a tenth of the time of sorting them. */
export function smallest(values: Float64Array, place: number): number {
  let [from, to] = [0, values.length - 1]
  while (from < to) {
    const middle = values[(from + to) >> 1] ?? 0
    let [left, right] = [from, to]
    while (left <= right) {
      while ((values[left] ?? 0) < middle) left += 1
      while ((values[right] ?? 0) > middle) right -= 1
      if (left > right) break
      const one = values[left] ?? 0
      values[left] = values[right] ?? 0
      values[right] = one
      left += 1
      right -= 1
    }
    if (place <= right) to = right
    else if (place >= left) from = left
    else return values[place] ?? 0
  }
  return values[place] ?? 0
}

/** Neighbours that are looked at on both sides, in so many columns: what keeps ten thousand rows quick. */
const beside_in_order = 4
const ordered_columns = 3

export class Neighbours {
  readonly #orders: { readonly column: number; readonly people: Int32Array; readonly figures: Float64Array }[]

  /** `columns`: those that tell most first. `was`: the logarithm of what a person got; NaN where it was nothing. */
  constructor(people: number, columns: readonly number[], was: (person: number, column: number) => number) {
    const all = Array.from({ length: people }, (_, person) => person)
    this.#orders = columns.slice(0, ordered_columns).map((column) => {
      const ordered = all
        .filter((person) => !Number.isNaN(was(person, column)))
        .toSorted((a, b) => was(a, column) - was(b, column))
      return { column, people: Int32Array.from(ordered), figures: Float64Array.from(ordered, (person) => was(person, column)) }
    })
  }

  /** `now`: the figure by column; NaN where there is none. */
  of(now: (column: number) => number): Set<number> {
    const found = new Set<number>()
    for (const { column, people, figures } of this.#orders) {
      const figure = now(column)
      if (Number.isNaN(figure)) continue
      let from = 0
      let to = people.length
      while (from < to) {
        const middle = (from + to) >> 1
        if ((figures[middle] ?? 0) < figure) from = middle + 1
        else to = middle
      }
      for (let at = Math.max(0, from - beside_in_order); at < Math.min(people.length, from + beside_in_order); at++)
        found.add(people[at] ?? 0)
    }
    return found
  }
}

/** From this share on, known figures are no chance. */
const least_known = 0.4
/** A figure that more people share says nothing of whose it is. */
const rare_holders = 3

/** The share of a column's telling figures that were somebody's last month, whoever's: high where only the order is another. */
export function knownShare(now: Float64Array, was: Float64Array): number {
  const [figures, holders] = [now.toSorted(), was.toSorted()]
  let telling = 0
  let known = 0
  let at = 0
  for (let next = 0, held = 0; next < figures.length; next++) {
    const figure = figures[next] ?? 0
    // In order, NaN is last.
    if (Number.isNaN(figure)) break
    if (next === 0 || figure !== figures[next - 1]) {
      while (at < holders.length && (holders[at] ?? 0) < figure) at += 1
      const first = at
      while (at < holders.length && holders[at] === figure) at += 1
      held = at - first
    }
    if (held > rare_holders) continue
    telling += 1
    if (held > 0) known += 1
  }
  return telling < 3 || known < telling * least_known ? 0 : known / telling
}
