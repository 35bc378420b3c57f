/**
 * The official lists of 专项附加扣除 as people fill them in or the client of the tax office hands them out: a sheet a kind, a row a child, parent, loan …
 * What a cell says is taken or refused by its place; whose it is and whether the law allows it is decided by others.
 */
import type { DeductionItem } from '../../../contract/tax/deductions.ts'
import type { Grid } from '../../grid.ts'
import { getFilledColumns, getText, toColumnLetters } from '../../grid.ts'
import { type DeductionLabel, detectDeductionList, getDeductionLabel } from './labels.ts'
import { readDeductionRow } from './rows.ts'

/** A cell that cannot be taken as it stands. */
export interface DeductionCellError {
  /** By its letter. */
  column: string
  /** A Chinese sentence: what is wrong with it. */
  reason: string
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
  errors: DeductionCellError[]
  /** The column of the name, for what is found out about the person. */
  name_column: string
}
export interface DeductionLists {
  rows: DeductionRow[]
  /** Why there is nothing: a Chinese sentence. */
  reason: string | null
  /** Sheets that are none of the lists. */
  other_sheets: string[]
}

/** A header stands among the first rows. */
const maxHeaderRow = 12
type DeductionHeader = { readonly row: number; readonly columns: ReadonlyMap<DeductionLabel, number> }

function findHeader(grid: Grid): DeductionHeader | null {
  for (let row = 0; row < Math.min(grid.rows.length, maxHeaderRow); row += 1) {
    const at = new Map<DeductionLabel, number>()
    for (const column of getFilledColumns(grid, row)) {
      const label = getDeductionLabel(getText(grid, row, column))
      // Of a child's or a spouse's number with the same words the first column is the person's own.
      if (label && !at.has(label)) at.set(label, column)
    }
    if (at.has('name') && at.size > 1) return { row, columns: at }
  }
  return null
}

export function readDeductionLists(grids: readonly Grid[]): DeductionLists {
  const rows: DeductionRow[] = []
  const other_sheets: string[] = []
  let lists = 0
  for (const grid of grids) {
    const header = findHeader(grid)
    const list = header && detectDeductionList((label) => header.columns.has(label))
    if (!header || !list) {
      if (!grid.hidden) other_sheets.push(grid.name)
      continue
    }
    lists += 1
    const name_column = toColumnLetters(header.columns.get('name') ?? 0)
    for (let row = header.row + 1; row < grid.rows.length; row += 1) {
      const text = (label: DeductionLabel) => {
        const column = header.columns.get(label)
        return column === undefined ? '' : getText(grid, row, column)
      }
      // Hints under the header, sums and empty rows are nobody.
      if (text('name') === '' || /^(?:合计|总计|填表说明|说明|示例|必填|选填)/.test(text('name'))) continue
      const letter = (label: DeductionLabel) => toColumnLetters(header.columns.get(label) ?? header.columns.get('name') ?? 0)
      const { item, errors } = readDeductionRow(list, text, letter)
      rows.push({
        sheet: grid.name,
        row: row + 1,
        name: text('name'),
        id_card: text('id_card').replace(/\s/g, '').toUpperCase() || null,
        employee_no: text('employee_no') || null,
        mobile: text('mobile') || null,
        item: errors.length === 0 ? item : null,
        errors,
        name_column,
      })
    }
  }
  const reason =
    lists === 0
      ? '没有找到专项附加扣除的表：请上传个人所得税扣缴客户端的专项附加扣除信息表，表里要有「姓名」和「子女姓名」「首次还款日期」「租赁期起」「被赡养人姓名」等列'
      : rows.length === 0
        ? '表里只有表头，没有人员；请填好以后再上传'
        : null
  return { rows, reason, other_sheets }
}
