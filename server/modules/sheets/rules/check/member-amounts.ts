/**
 * Amounts of members in an earlier pay run, by item. An item is a column label normalized across months, so that a
 * column that moved or has the month in its label is still recognized. Ten thousand members with forty items take a few
 * megabytes.
 */

import type { ColumnRole } from '../../../../contract/shared/schemas.ts'
import { comparedRoles, isGross, isNet } from '../../../../contract/sheets/column-roles.ts'
import { parseCellAmount, type RowCells } from '../../../../rules/amounts.ts'
import { getLabelFingerprint } from '../../../../spreadsheets/rules.ts'

export type PayItemColumn = { readonly key: string; readonly label: string; readonly role: ColumnRole }

/**
 * Amounts that payslips have regardless of their labels; no label starts with this character. `special`: the employee's
 * social insurance and housing fund contributions.
 */
export const summaryItems = { net: '\u0000net', gross: '\u0000gross', tax: '\u0000tax', special: '\u0000special' } as const

/** Returns the amount columns with their item names; the second of two equal labels is a separate item. */
export function toPayItems<C extends PayItemColumn>(
  columns: readonly C[],
  /** The previous label of renamed columns, by key. */
  renamed: ReadonlyMap<string, string> = new Map(),
): { column: C; item: string }[] {
  const countByName = new Map<string, number>()
  return columns
    .filter(({ role }) => comparedRoles.has(role))
    .map((column) => {
      const name = isNet(column.role)
        ? summaryItems.net
        : isGross(column.role)
          ? summaryItems.gross
          : getLabelFingerprint((renamed.get(column.key) ?? column.label).split(' / '))
      const times = (countByName.get(name) ?? 0) + 1
      countByName.set(name, times)
      return { column, item: times === 1 ? name : `${name} ${times}` }
    })
}

/** Amounts of one pay run. An empty cell counts as 0. */
export class MemberAmounts {
  readonly #columnByItem = new Map<string, number>()
  readonly #amountsByMember = new Map<string, Float64Array>()

  /** Index of an item in a member's amounts; −1 when nobody had it. */
  getColumn = (item: string): number => this.#columnByItem.get(item) ?? -1
  listItems = (): readonly string[] => [...this.#columnByItem.keys()]
  has = (member_id: string): boolean => this.#amountsByMember.has(member_id)
  getAmountsByMember = (): ReadonlyMap<string, Float64Array> => this.#amountsByMember
  /** Estimates the memory used. */
  estimateBytes = (): number => this.#amountsByMember.size * (200 + 8 * this.#columnByItem.size)

  /** Registers the items of payslips to be added and returns their indexes. */
  addItems(items: readonly string[]): number[] {
    return items.map((item) => {
      const existing = this.#columnByItem.get(item)
      if (existing !== undefined) return existing
      this.#columnByItem.set(item, this.#columnByItem.size)
      return this.#columnByItem.size - 1
    })
  }

  /** Adds a payslip; several payslips of one member in a pay run are summed. */
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

/** Returns the median; for an even count the lower middle value, so that it is an amount that was paid. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
}

/**
 * A rise is common if most members deviate from it by at most this share: a new base for all instead of a different
 * order.
 */
const maxRiseDeviation = 0.25
/** Number of other members that a row is compared with, to see whether a mix-up would be noticed. */
const sampledStrangers = 12

/**
 * Returns offsets spread over the list of members, treated as a circle. They are always the same, so that the result
 * for a wage sheet is deterministic.
 */
export function getSampleSteps(people: number): number[] {
  const steps = new Set<number>()
  for (let at = 1; at <= sampledStrangers; at++) steps.add(Math.max(1, Math.round((people * at) / (sampledStrangers + 1))))
  return people < 2 ? [] : [...steps].filter((step) => step < people)
}

/** Returns the rate by which a whole column rose or fell; 0 where there is no common rate. */
export function getCommonRise(ratios: readonly number[]): number {
  const rise = selectMedian(ratios)
  return selectMedian(ratios.map((ratio) => Math.abs(ratio - rise))) <= Math.abs(rise) * maxRiseDeviation ? rise : 0
}

export function selectMedian(values: readonly number[]): number {
  const all = Float64Array.from(values)
  return all.length === 0 ? 0 : selectNth(all, (all.length - 1) >> 1)
}

/**
 * Returns the value at `rank` in sorted order; none may be NaN. Reorders the array and takes a tenth of the time of
 * sorting.
 */
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

/** Number of neighbors examined on each side in each of the ordered columns; keeps ten thousand rows fast. */
const neighboursPerSide = 4
const maxOrderedColumns = 3

export class NearestMembers {
  readonly #orders: { readonly column: number; readonly members: Int32Array; readonly amounts: Float64Array }[]

  /**
   * `columns` starts with the most distinctive ones. `was` is the logarithm of a member's previous amount, or NaN where
   * it was zero.
   */
  constructor(people: number, columns: readonly number[], was: (person: number, column: number) => number) {
    const all = Array.from({ length: people }, (_, person) => person)
    this.#orders = columns.slice(0, maxOrderedColumns).map((column) => {
      const ordered = all
        .filter((person) => !Number.isNaN(was(person, column)))
        .toSorted((a, b) => was(a, column) - was(b, column))
      return { column, members: Int32Array.from(ordered), amounts: Float64Array.from(ordered, (person) => was(person, column)) }
    })
  }

  /** `now` contains the amount by column; NaN where there is none. */
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

/** From this share on, the known amounts are not a coincidence. */
const minMatchedShare = 0.4
/** An amount shared by more members does not identify anybody. */
const maxSharedHolders = 3

/**
 * Returns the share of distinctive amounts in a column that any member had last month: high where only the order has
 * changed.
 */
export function getMatchedShare(current: Float64Array, previous: Float64Array): number {
  const [figures, holders] = [current.toSorted(), previous.toSorted()]
  let telling = 0
  let comparedCount = 0
  let at = 0
  for (let next = 0, holderCount = 0; next < figures.length; next++) {
    const figure = figures[next] ?? 0
    // Sorted arrays have NaN last.
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
