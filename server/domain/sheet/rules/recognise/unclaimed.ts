/** Rows with amounts that nobody claims: a total that does not say so, the second line of somebody above, or a mistake that must be seen. */
import { type Grid, isEmptyAt } from '../grid.ts'
import type { RowsRead, WhoColumns } from './rows.ts'
import { fenAt } from './sums.ts'

/** So many columns that add up are no accident; a single one is none either where it is the sum of so many people. */
const enough = 2
const many = 3

export function judgeUnclaimed(grid: Grid, rows: RowsRead, who: WhoColumns): { rows: RowsRead; lost: number[] } {
  const { people, unclaimed } = rows
  if (unclaimed.length === 0) return { rows, lost: [] }
  const why = new Map<number, string>()
  const lost: number[] = []
  const totals = [...rows.totals]
  /** Over everybody so far, and over those since the last total. */
  const all = new Sums(grid, who.money)
  let block = new Sums(grid, who.money)
  let next = 0
  const everybody = new Sums(grid, who.money)
  const [first = 0] = people
  if (unclaimed.some((row) => row < first)) for (const person of people) everybody.add(person)
  for (const row of unclaimed) {
    for (; next < people.length && (people[next] ?? 0) < row; next++) {
      const person = people[next] ?? 0
      if (totals.some((total) => total > (people[next - 1] ?? 0) && total < person)) block = new Sums(grid, who.money)
      all.add(person)
      block.add(person)
    }
    if (all.isTotal(row) || block.isTotal(row) || (row < first && everybody.isTotal(row))) {
      why.set(row, '合计行，没有写“合计”')
      totals.push(row)
      block = new Sums(grid, who.money)
      continue
    }
    lost.push(row)
    const above = people[next - 1]
    if (above !== undefined && isContinued(grid, above, row, who)) why.set(row, `第 ${above + 1} 行那个人的第二行`)
  }
  const ignored = rows.ignored.map((one) => ({ ...one, why: why.get(one.row - 1) ?? one.why }))
  return { rows: { ...rows, ignored, totals: totals.toSorted((a, b) => a - b) }, lost }
}

class Sums {
  private readonly of = new Map<number, number>()
  private people = 0
  private readonly grid: Grid
  private readonly columns: readonly number[]

  constructor(grid: Grid, columns: readonly number[]) {
    this.grid = grid
    this.columns = columns
  }

  add(row: number) {
    this.people++
    for (const column of this.columns) this.of.set(column, (this.of.get(column) ?? 0) + (fenAt(this.grid, row, column) ?? 0))
  }

  isTotal(row: number): boolean {
    const said = this.columns.flatMap((column) => {
      const fen = fenAt(this.grid, row, column) ?? 0
      return fen === 0 ? [] : [fen === (this.of.get(column) ?? 0)]
    })
    const right = said.filter(Boolean).length
    if (said.length === 1) return right === 1 && this.people >= many
    return this.people > 1 && right >= enough && right * 2 > said.length
  }
}

/** The name above is merged down over this row. */
const isContinued = (grid: Grid, above: number, row: number, who: WhoColumns) =>
  who.names.some(
    (column) =>
      isEmptyAt(grid, row, column) &&
      grid.merges.some(({ top, bottom, left, right }) => top <= above && bottom >= row && left <= column && right >= column),
  )
