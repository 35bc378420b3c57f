/** Rows with amounts and nobody's name: a total that does not say so, the second line of somebody above, or a mistake that must be seen. */
import { type Grid, isEmptyAt } from '../grid.ts'
import type { RowsRead, WhoColumns } from './rows.ts'
import { fenAt } from './sums.ts'

/** So many columns that add up are no accident. */
const enough = 2

export function judgeUnnamed(grid: Grid, rows: RowsRead, who: WhoColumns): { rows: RowsRead; lost: number[] } {
  const { people, unnamed } = rows
  if (unnamed.length === 0) return { rows, lost: [] }
  const why = new Map<number, string>()
  const lost: number[] = []
  const totals = [...rows.totals]
  const sums = new Map<number, number>(who.money.map((column) => [column, 0]))
  let next = 0
  for (const row of unnamed) {
    for (; next < people.length && (people[next] ?? 0) < row; next++)
      for (const column of who.money) sums.set(column, (sums.get(column) ?? 0) + (fenAt(grid, people[next] ?? 0, column) ?? 0))
    const said = who.money
      .map((column) => [fenAt(grid, row, column) ?? 0, sums.get(column) ?? 0] as const)
      .filter(([fen]) => fen !== 0)
    if (said.length === 0) continue
    const right = said.filter(([fen, sum]) => fen === sum).length
    if (next > 1 && right >= enough && right * 2 > said.length) {
      why.set(row, '合计行，没有写“合计”')
      totals.push(row)
      continue
    }
    lost.push(row)
    const above = people[next - 1]
    if (above !== undefined && isContinued(grid, above, row, who)) why.set(row, `第 ${above + 1} 行那个人的第二行，没有读入`)
  }
  const ignored = rows.ignored.map((one) => ({ ...one, why: why.get(one.row - 1) ?? one.why }))
  return { rows: { ...rows, ignored, totals: totals.toSorted((a, b) => a - b) }, lost }
}

/** The name above is merged down over this row. */
const isContinued = (grid: Grid, above: number, row: number, who: WhoColumns) =>
  who.names.some(
    (column) =>
      isEmptyAt(grid, row, column) &&
      grid.merges.some(({ top, bottom, left, right }) => top <= above && bottom >= row && left <= column && right >= column),
  )
