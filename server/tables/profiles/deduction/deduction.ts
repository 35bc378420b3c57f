/**
 * The official lists of 专项附加扣除 as people fill them in or the client of the tax office hands them out: a sheet a kind, a row a child, parent, loan …
 * What a cell says is taken or refused by its place; whose it is and whether the law allows it is decided by others.
 */
import type { DeductionItem } from '../../../contract/wage/deductions.ts'
import type { Grid } from '../../grid.ts'
import { columnLetters, filledColumns, textAt } from '../../grid.ts'
import { readDeductionRow } from './rows.ts'
import { type DeductionLabel, labelOf, listOfSheet } from './words.ts'

/** A cell that cannot be taken as it stands. */
export interface BadDeductionCell {
  /** By its letter. */
  column: string
  /** A Chinese sentence: what is wrong with it. */
  why: string
}
export interface DeductionRow {
  sheet: string
  /** 1-based. */
  row: number
  name: string
  id_card: string | null
  employee_no: string | null
  mobile: string | null
  /** Null where a cell cannot be taken. */
  item: DeductionItem | null
  bad: BadDeductionCell[]
  /** The column of the name, for what is found out about the person. */
  name_column: string
}
export interface DeductionsRead {
  rows: DeductionRow[]
  /** Why there is nothing: a Chinese sentence. */
  reason: string | null
  /** Sheets that are none of the lists. */
  other_sheets: string[]
}

/** A header stands among the first rows. */
const header_within = 12
type Header = { readonly row: number; readonly at: ReadonlyMap<DeductionLabel, number> }

function headerOf(grid: Grid): Header | null {
  for (let row = 0; row < Math.min(grid.rows.length, header_within); row += 1) {
    const at = new Map<DeductionLabel, number>()
    for (const column of filledColumns(grid, row)) {
      const label = labelOf(textAt(grid, row, column))
      // Of a child's or a spouse's number with the same words the first column is the person's own.
      if (label && !at.has(label)) at.set(label, column)
    }
    if (at.has('name') && at.size > 1) return { row, at }
  }
  return null
}

export function deductionsOf(grids: readonly Grid[]): DeductionsRead {
  const rows: DeductionRow[] = []
  const other_sheets: string[] = []
  let known = 0
  for (const grid of grids) {
    const header = headerOf(grid)
    const list = header && listOfSheet((label) => header.at.has(label))
    if (!header || !list) {
      if (!grid.hidden) other_sheets.push(grid.name)
      continue
    }
    known += 1
    const name_column = columnLetters(header.at.get('name') ?? 0)
    for (let row = header.row + 1; row < grid.rows.length; row += 1) {
      const text = (label: DeductionLabel) => {
        const column = header.at.get(label)
        return column === undefined ? '' : textAt(grid, row, column)
      }
      // Hints under the header, sums and empty rows are nobody.
      if (text('name') === '' || /^(?:合计|总计|填表说明|说明|示例|必填|选填)/.test(text('name'))) continue
      const letter = (label: DeductionLabel) => columnLetters(header.at.get(label) ?? header.at.get('name') ?? 0)
      const { item, bad } = readDeductionRow(list, text, letter)
      rows.push({
        sheet: grid.name,
        row: row + 1,
        name: text('name'),
        id_card: text('id_card').replace(/\s/g, '').toUpperCase() || null,
        employee_no: text('employee_no') || null,
        mobile: text('mobile') || null,
        item: bad.length === 0 ? item : null,
        bad,
        name_column,
      })
    }
  }
  const reason =
    known === 0
      ? '没有找到专项附加扣除的表：请上传个人所得税扣缴客户端的专项附加扣除信息表，表里要有「姓名」和「子女姓名」「首次还款日期」「租赁期起」「被赡养人姓名」等列'
      : rows.length === 0
        ? '表里只有表头，没有人员；请填好以后再上传'
        : null
  return { rows, reason, other_sheets }
}
