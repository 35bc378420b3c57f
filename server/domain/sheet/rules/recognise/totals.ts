/** Sums over the people, how many they are, and what the sheet's own total row says. */
import { rows_a_part } from '../../../../contract/row-number.ts'
import { filledColumns, type Grid, textAt } from '../grid.ts'
import type { Draft } from './columns.ts'
import type { Pool } from './pool.ts'
import type { Reading } from './reading.ts'
import { fenAt } from './sums.ts'

export function sumOf(grid: Grid, people: readonly number[], column: number): { fen: number; read: number; blank: number } {
  let fen = 0
  let read = 0
  let blank = 0
  for (const row of people) {
    const value = fenAt(grid, row, column)
    if (value === null) blank++
    else if (value !== undefined) {
      fen += value
      read++
    }
  }
  return { fen, read, blank }
}

/** By number and name where there is a number, else every row is somebody: two people may share a name. */
export function countPeople(grid: Grid, people: readonly number[], columns: readonly Draft[]): number {
  const at = (role: string) => columns.find((column) => column.role === role)?.index
  const names = [at('name'), at('last_name'), at('first_name')].filter((column) => column !== undefined)
  const strong = [at('id_card'), at('employee_no'), at('mobile'), at('email'), at('bank_account')].filter(
    (column) => column !== undefined,
  )
  const seen = new Set<string>()
  for (const row of people) {
    const name = names.map((column) => textAt(grid, row, column).replace(/\s+/g, '').toLowerCase()).join('|')
    const number = strong.map((column) => textAt(grid, row, column).trim()).find((text) => text !== '')
    seen.add(number === undefined ? `row ${row}` : `${number}|${name}`)
  }
  return seen.size
}

/** The sheet's own total row, its amount under the net pay, and whether that is the sum of the people. */
export interface TotalsRow {
  row: number
  net_fen: number | null
  agrees: boolean | null
}

const totalWord = /合计|总计|共计|total|합계|tổng|итого/i

/**
 * Of several tables: the row of the last one that has one; its amount over everything where it says so, else the sum of theirs where each has one.
 */
export function totalsOf(chosen: readonly Reading[], pool: Pool, net: Draft | undefined, sum: number | null): TotalsRow | null {
  const found = chosen.flatMap(({ grid, rows: { people, totals } }, part) => {
    const named = totals.filter((row) =>
      filledColumns(grid, row)
        .slice(0, 4)
        .some((column) => totalWord.test(textAt(grid, row, column).replace(/\s/g, ''))),
    )
    const row = named.findLast((at) => at > (people.at(-1) ?? -1)) ?? named.at(-1)
    if (row === undefined) return []
    const column = net === undefined ? undefined : pool.places[part]?.get(net.key)
    const said = column === undefined ? undefined : fenAt(grid, row, column)
    const own = column === undefined ? null : sumOf(grid, people, column).fen
    return [{ row: part * rows_a_part + row + 1, said: typeof said === 'number' ? said : null, own }]
  })
  const last = found.at(-1)
  if (!last) return null
  const judged = (net_fen: number | null) => ({
    row: last.row,
    net_fen,
    agrees: net_fen === null || sum === null ? null : net_fen === sum,
  })
  if (chosen.length === 1 || (last.said !== null && last.said === sum)) return judged(last.said)
  if (found.length === chosen.length && found.every(({ said }) => said !== null))
    return judged(found.reduce((all, { said }) => all + (said ?? 0), 0))
  const spoken = found.filter(({ said }) => said !== null)
  return { row: last.row, net_fen: null, agrees: spoken.length === 0 ? null : spoken.every(({ said, own }) => said === own) }
}
