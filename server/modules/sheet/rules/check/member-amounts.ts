/**
 * What people got in an earlier pay run, by item. An item is a column's label as any month writes it, so that a column that moved
 * or bears the month in its name is still the same. Ten thousand people with forty items are a few megabytes.
 */

import type { ColumnRole } from '../../../../contract/shared/schemas.ts'
import { payItemRoles } from '../../../../contract/sheets/column-roles.ts'
import { parseCellAmount, type RowCells } from '../../../../rules/amounts.ts'
import { getLabelFingerprint } from '../../../../spreadsheets/rules.ts'

export type PayItemColumn = { readonly key: string; readonly label: string; readonly role: ColumnRole }

/** Figures that slips have whatever their columns are called; no label begins so. `special`: own social insurance and housing fund. */
export const summaryItems = { net: '\u0000net', gross: '\u0000gross', tax: '\u0000tax', special: '\u0000special' } as const

/** The columns of amounts with the names of their items; the second of two equal labels is another item. */
export function toPayItems<C extends PayItemColumn>(
  columns: readonly C[],
  /** What a column was called last time, by key. */
  renamed: ReadonlyMap<string, string> = new Map(),
): { column: C; item: string }[] {
  const countByName = new Map<string, number>()
  return columns
    .filter(({ role }) => payItemRoles.has(role))
    .map((column) => {
      const name =
        column.role === 'net'
          ? summaryItems.net
          : column.role === 'gross'
            ? summaryItems.gross
            : getLabelFingerprint((renamed.get(column.key) ?? column.label).split(' / '))
      const times = (countByName.get(name) ?? 0) + 1
      countByName.set(name, times)
      return { column, item: times === 1 ? name : `${name} ${times}` }
    })
}

/** One pay run. What a cell does not say is 0. */
export class MemberAmounts {
  readonly #columnByItem = new Map<string, number>()
  readonly #amountsByMember = new Map<string, Float64Array>()

  /** Where an item stands in the figures of a person; -1 when nobody had it. */
  getColumn = (item: string): number => this.#columnByItem.get(item) ?? -1
  listItems = (): readonly string[] => [...this.#columnByItem.keys()]
  has = (member_id: string): boolean => this.#amountsByMember.has(member_id)
  getAmountsByMember = (): ReadonlyMap<string, Float64Array> => this.#amountsByMember
  /** What it takes of the memory, nearly. */
  estimateBytes = (): number => this.#amountsByMember.size * (200 + 8 * this.#columnByItem.size)

  /** Names the items of some slips to come; answers their places. */
  addItems(items: readonly string[]): number[] {
    return items.map((item) => {
      const existing = this.#columnByItem.get(item)
      if (existing !== undefined) return existing
      this.#columnByItem.set(item, this.#columnByItem.size)
      return this.#columnByItem.size - 1
    })
  }

  /** A slip: a person with several in one run got the sum of them. */
  add(member_id: string, places: readonly number[], fen: readonly number[]): void {
    let own = this.#amountsByMember.get(member_id)
    if (!own || own.length < this.#columnByItem.size) {
      const wider = new Float64Array(this.#columnByItem.size)
      if (own) wider.set(own)
      own = wider
      this.#amountsByMember.set(member_id, own)
    }
    for (const [at, position] of places.entries()) own[position] = (own[position] ?? 0) + (fen[at] ?? 0)
  }

  getAmount(member_id: string, item: string): number {
    const position = this.#columnByItem.get(item)
    return position === undefined ? 0 : (this.#amountsByMember.get(member_id)?.[position] ?? 0)
  }
}

export const getFen = (cells: RowCells, key: string): number => parseCellAmount(cells[key]).fen ?? 0

/** The middle one; of an even number the lower of the two in the middle, so that it is a figure that was paid. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
}

/** A rise is common where most are no farther from it than this part of it: a new base for all, not another order. */
const maxRiseDeviation = 0.25
/** Others that a row is held beside, to see whether it would show if it were one of theirs. */
const sampledStrangers = 12

/** Distances around the circle of all people, spread over it: always the same ones, so that a sheet is always judged alike. */
export function getSampleSteps(people: number): number[] {
  const steps = new Set<number>()
  for (let at = 1; at <= sampledStrangers; at++) steps.add(Math.max(1, Math.round((people * at) / (sampledStrangers + 1))))
  return people < 2 ? [] : [...steps].filter((step) => step < people)
}

/** By how much a whole column rose or fell; 0 where everybody changed by something else. */
export function getCommonRise(ratios: readonly number[]): number {
  const rise = selectMedian(ratios)
  return selectMedian(ratios.map((ratio) => Math.abs(ratio - rise))) <= Math.abs(rise) * maxRiseDeviation ? rise : 0
}

export function selectMedian(values: readonly number[]): number {
  const all = Float64Array.from(values)
  return all.length === 0 ? 0 : selectNth(all, (all.length - 1) >> 1)
}

/** What stands at `rank` when they are in order; none of them is NaN. Changes their order, and takes a tenth of the time of sorting them. */
export function selectNth(values: Float64Array, rank: number): number {
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
    if (rank <= right) to = right
    else if (rank >= left) from = left
    else return values[rank] ?? 0
  }
  return values[rank] ?? 0
}

/** Neighbours that are looked at on both sides, in so many columns: what keeps ten thousand rows quick. */
const neighboursPerSide = 4
const maxOrderedColumns = 3

export class NearestMembers {
  readonly #orders: { readonly column: number; readonly members: Int32Array; readonly amounts: Float64Array }[]

  /** `columns`: those that tell most first. `previous`: the logarithm of what a person got; NaN where it was nothing. */
  constructor(people: number, columns: readonly number[], was: (person: number, column: number) => number) {
    const all = Array.from({ length: people }, (_, person) => person)
    this.#orders = columns.slice(0, maxOrderedColumns).map((column) => {
      const ordered = all
        .filter((person) => !Number.isNaN(was(person, column)))
        .toSorted((a, b) => was(a, column) - was(b, column))
      return { column, members: Int32Array.from(ordered), amounts: Float64Array.from(ordered, (person) => was(person, column)) }
    })
  }

  /** `current`: the figure by column; NaN where there is none. */
  find(now: (column: number) => number): Set<number> {
    const matches = new Set<number>()
    for (const { column, members, amounts } of this.#orders) {
      const figure = now(column)
      if (Number.isNaN(figure)) continue
      let from = 0
      let to = members.length
      while (from < to) {
        const middle = (from + to) >> 1
        if ((amounts[middle] ?? 0) < figure) from = middle + 1
        else to = middle
      }
      for (let at = Math.max(0, from - neighboursPerSide); at < Math.min(members.length, from + neighboursPerSide); at++)
        matches.add(members[at] ?? 0)
    }
    return matches
  }
}

/** From this share on, known figures are no chance. */
const minMatchedShare = 0.4
/** A figure that more people share says nothing of whose it is. */
const maxSharedHolders = 3

/** The share of a column's telling figures that were somebody's last month, whoever's: high where only the order is another. */
export function getMatchedShare(current: Float64Array, previous: Float64Array): number {
  const [figures, holders] = [current.toSorted(), previous.toSorted()]
  let telling = 0
  let comparedCount = 0
  let at = 0
  for (let next = 0, holderCount = 0; next < figures.length; next++) {
    const figure = figures[next] ?? 0
    // In order, NaN is last.
    if (Number.isNaN(figure)) break
    if (next === 0 || figure !== figures[next - 1]) {
      while (at < holders.length && (holders[at] ?? 0) < figure) at += 1
      const first = at
      while (at < holders.length && holders[at] === figure) at += 1
      holderCount = at - first
    }
    if (holderCount > maxSharedHolders) continue
    telling += 1
    if (holderCount > 0) comparedCount += 1
  }
  return telling < 3 || comparedCount < telling * minMatchedShare ? 0 : comparedCount / telling
}
