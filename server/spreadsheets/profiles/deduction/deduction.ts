/**
 * The official lists of 专项附加扣除 as employees fill them in or as the tax office's client exports them: one sheet per
 * kind, one row per child, parent, loan … Cells are only validated for their format here; assigning rows to members and
 * applying the law happens elsewhere.
 */
import type { DeductionItem } from '../../../contract/tax/deductions.ts'
import { type Grid, getFilledColumns, getText, toColumnLetters } from '../../grid.ts'
import { type DeductionLabel, detectDeductionList, getDeductionLabel } from './labels.ts'
import { type DeductionCellError, readDeductionRow } from './rows.ts'

export interface DeductionRow {
  sheet: string
  /** 1-based. */
  row: number
  name: string
  id_card: string | null
  employee_no: string | null
  mobile: string | null
  /** The value is null if a cell is invalid. */
  item: DeductionItem | null
  errors: DeductionCellError[]
  /** The column of the name, for errors about the member. */
  name_column: string
}
export interface DeductionLists {
  rows: DeductionRow[]
  /** The reason why nothing was found, in Chinese. */
  reason: string | null
  /** Sheets that are not one of the lists. */
  other_sheets: string[]
}

/** The header is within the first rows. */
const maxHeaderRow = 12
type DeductionHeader = { readonly row: number; readonly columns: ReadonlyMap<DeductionLabel, number> }

function findHeader(grid: Grid): DeductionHeader | null {
  for (let row = 0; row < Math.min(grid.rows.length, maxHeaderRow); row += 1) {
    const at = new Map<DeductionLabel, number>()
    for (const column of getFilledColumns(grid, row)) {
      const label = getDeductionLabel(getText(grid, row, column))
      // If the numbers of a child or spouse have the same label, the first column is the employee's own.
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
      // Hints below the header, totals and empty rows are not people.
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
