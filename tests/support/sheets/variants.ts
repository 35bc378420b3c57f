/** Wage sheets from a seeded generator, and a table of the results: right, asked, or wrong without a question. */
import type { Merge, StoredValue } from '../../../server/spreadsheets/grid.ts'

/** Random numbers from a seed (mulberry32): the same variants in every run. */
export class Draw {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  private next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** Returns an integer between both values, inclusive. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<T>(list: readonly [T, ...T[]]): T {
    return list[this.integer(0, list.length - 1)] ?? list[0]
  }

  shuffle<T>(list: readonly T[]): T[] {
    const left = [...list]
    return list.flatMap(() => left.splice(this.integer(0, left.length - 1), 1))
  }
}

export const someNames = [
  '林昭宁',
  '周叙白',
  '何知微',
  '陈望舒',
  '许怀瑾',
  '赵清和',
  '孙以宁',
  '吴砚秋',
  '郑南枝',
  '沈知夏',
] as const

/** A column of a generated wage sheet: its header labels, and its value for each employee. */
export interface RenderedColumn {
  path: string[]
  cells: StoredValue[]
}

/**
 * Draws a header with as many rows as the longest path has labels, with groups merged horizontally and single labels
 * vertically, and the employees below.
 */
export function drawSheet(
  columns: readonly RenderedColumn[],
  top: readonly StoredValue[][] = [],
): { rows: StoredValue[][]; merges: Merge[] } {
  const depth = Math.max(...columns.map(({ path }) => path.length))
  const merges: Merge[] = []
  const rows: StoredValue[][] = [...top, ...Array.from({ length: depth }, () => columns.map((): StoredValue => null))]
  columns.forEach(({ path }, column) => {
    path.forEach((label, at) => {
      const isSame = (other: number) => columns[other]?.path.slice(0, at + 1).join() === path.slice(0, at + 1).join()
      if (at < path.length - 1 && column > 0 && isSame(column - 1)) return
      const row = rows[top.length + at]
      if (row) row[column] = label
      let right = column
      while (at < path.length - 1 && isSame(right + 1)) right++
      const bottom = at === path.length - 1 ? depth - 1 : at
      if (right > column || bottom > at) merges.push({ top: top.length + at, left: column, bottom: top.length + bottom, right })
    })
  })
  const people = Math.max(...columns.map(({ cells }) => cells.length))
  for (let person = 0; person < people; person++) rows.push(columns.map(({ cells }) => cells[person] ?? null))
  return { rows, merges }
}

export type Outcome = 'right' | 'asked' | 'silent wrong'

export function printOutcomes(title: string, outcomes: readonly Outcome[]): void {
  const count = (requested: Outcome) => outcomes.filter((one) => one === requested).length
  process.stdout.write(
    `    ${title}: ${outcomes.length} probes, ${count('asked')} asked, ${count('right')} right, ${count('silent wrong')} silent wrong\n`,
  )
}
