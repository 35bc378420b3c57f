/** Wage sheets as values for tests of the rules. */
import type { RowCells } from '../../../server/rules/amounts.ts'
import { type PackedRows, unpackCells } from '../../../server/rules/packed-row.ts'
import { streamRowPages } from '../../../server/spreadsheets/child/response.ts'
import { type CellMark, type Grid, getCellId, type Merge, type StoredValue } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'

export interface Extra {
  name?: string
  merges?: Merge[]
  marks?: [row: number, column: number, CellMark][]
  hidden_rows?: number[]
  hidden_columns?: number[]
  hidden?: boolean
}

export function grid(
  rows: StoredValue[][],
  { name = 'Sheet1', merges = [], marks = [], hidden_rows = [], hidden_columns = [], hidden = false }: Extra = {},
): Grid {
  return {
    name,
    hidden,
    rows,
    merges,
    marks: new Map(marks.map(([row, column, mark]) => [getCellId(row, column), mark])),
    hidden_rows: new Set(hidden_rows),
    hidden_columns: new Set(hidden_columns),
  }
}

export type Read = ReturnType<typeof recognizeWorkbook>['recognition']
export const read = (rows: StoredValue[][], extra?: Extra): Read => recognizeWorkbook([grid(rows, extra)]).recognition

/** The rows of a page as the child process returns it. */
export type RowRead = { row: number; cells: RowCells }
export const rowsIn = (page: string): RowRead[] =>
  (JSON.parse(page) as PackedRows).map(([row, cells]) => ({ row, cells: unpackCells(cells) }))
/** Returns all rows of employees that the child process would return. */
export const everyRow = (grids: readonly Grid[], understanding: Read): RowRead[] =>
  [...streamRowPages(grids, understanding)].flatMap(rowsIn)
