/** Warnings in Chinese for the user who uploads a sheet. */

import { isIdCard, isLeadingName, isMobile, isNet } from '../../../contract/sheets/column-roles.ts'
import { rowsPerSheet } from '../../../contract/sheets/row-number.ts'
import { type Grid, getCell, getCellId, getText } from '../../grid.ts'
import { isSecondRow } from '../../recognise/non-member-rows.ts'
import { normalizeHeader } from '../../recognise/synonyms.ts'
import { getCellFen } from './sums.ts'
import type { CombinedTable, TableReading } from './types.ts'

export function createWarnings(
  { grid, memberRows, columns, getRowNumber }: CombinedTable,
  blank_nets: number,
  tableCount: number,
): string[] {
  const warnings: string[] = []
  const rows = (wrong: (row: number) => boolean) => memberRows.filter(wrong)
  const location = (row: number) => {
    const number = getRowNumber(row)
    const part = Math.floor(number / rowsPerSheet)
    return `${tableCount > 1 ? `表 ${part + 1} 的 ` : ''}${number - part * rowsPerSheet}`
  }
  const formatRowList = (list: readonly number[]) =>
    `第 ${list.slice(0, 5).map(location).join('、')} 行${list.length > 5 ? `等 ${list.length} 行` : ''}`
  for (const column of columns) {
    const { quote } = column
    if (column.isAmount && column.profile.filled > 0) {
      const bad = rows(
        (row) =>
          getCellFen(grid, row, column.index) === undefined &&
          getCell(grid, row, column.index).uncached === undefined &&
          !/^[-—–/\\]+$/.test(getText(grid, row, column.index)),
      )
      if (bad.length > 0) warnings.push(`${quote}列有读不成金额的内容：${formatRowList(bad)}`)
    }
    if (grid.marks.size > 0) {
      const missing = rows((row) => getCell(grid, row, column.index).uncached === true)
      if (missing.length > 0)
        warnings.push(`${quote}列的公式没有保存计算结果：${formatRowList(missing)}，请用 Excel 打开后保存再上传`)
      const pictures = rows((row) => grid.marks.get(getCellId(row, column.index))?.picture === true)
      if (pictures.length > 0 && column.profile.filled === 0) warnings.push(`${quote}列是图片，没有读入`)
      else if (pictures.length > 0) warnings.push(`${quote}列里有图片，没有读入：${formatRowList(pictures)}`)
      const computed = rows((row) => getCell(grid, row, column.index).computed === true)
      if (computed.length > 0 && isNet(column.role)) warnings.push(`${quote}列的公式没有保存计算结果，已按公式算出，请核对`)
    }
    if (column.profile.damaged > 0) warnings.push(`${quote}列的长号码被存成了数字，末尾几位已经丢失，请改成文本后重新填写`)
    if (isMobile(column.role) && column.profile.filled > column.profile.mobiles)
      warnings.push(`${quote}列有不是 11 位手机号的内容`)
    if (isIdCard(column.role) && column.profile.filled > column.profile.id_cards) warnings.push(`${quote}列有格式不对的身份证号`)
  }
  if (blank_nets > 0) warnings.push(`有 ${blank_nets} 行没有实发金额`)
  if (!columns.some((column) => isLeadingName(column.role))) warnings.push('没有姓名列，只能按编号认人')
  const labels = new Set<string>()
  const twice = new Set<string>()
  for (const column of columns) {
    const text = normalizeHeader(column.label)
    if (text !== '' && labels.has(text)) twice.add(column.label)
    labels.add(text)
  }
  if (twice.size > 0) warnings.push(`有重复的列名：${[...twice].slice(0, 5).join('、')}`)
  const aside = columns.filter(({ isAside }) => isAside)
  if (aside.length > 0)
    warnings.push(
      `${aside
        .slice(0, 5)
        .map(({ quote }) => quote)
        .join('、')}在表格旁边，不是每个人都有内容，没有导入；要导入请改它的用途`,
    )
  const hidden = columns.filter((column) => column.hidden)
  if (hidden.length > 0)
    warnings.push(
      `有隐藏的列：${hidden
        .slice(0, 5)
        .map(({ label, col, isInvisible }) => `${label || col}${isInvisible ? '（单元格格式不显示数字）' : ''}`)
        .join('、')}`,
    )
  return warnings
}

/** Maximum length of a sheet name in Excel. */
export const maxSheetNameLength = 31

/** Warns about unassigned amounts, and about rows numbered differently from the file. */
export function createUnassignedWarnings(readings: readonly TableReading[]): string[] {
  const warnings: string[] = []
  for (const { name, unassignedRows: all, isTransposed, rows: read } of readings) {
    const second = new Set(read.ignoredRows.flatMap(({ row, why }) => (isSecondRow(why) ? [row - 1] : [])))
    const lost = all.filter((row) => !second.has(row))
    const where = readings.length > 1 ? `「${name.trim()}」的` : ''
    const rows = `第 ${lost
      .slice(0, 5)
      .map((row) => row + 1)
      .join('、')} 行${lost.length > 5 ? `等 ${lost.length} 行` : ''}`
    if (lost.length > 0) warnings.push(`${where}${rows}有金额，但看不出是谁的：核对时请指定是谁，或确认不发`)
    if (isTransposed) warnings.push(`${where}工资条一人一块，已转成一行一人；这里的行号是转换之后的`)
  }
  return warnings
}

/** Warns about sheets that were not examined. */
export const createSkippedSheetWarnings = (grids: readonly Grid[], mostSheets: number): string[] => [
  ...(grids.length > mostSheets
    ? [`文件里有 ${grids.length} 个工作表，只看了前 ${mostSheets} 个；其余的请另存为一个文件上传`]
    : []),
  ...grids.flatMap(({ broken, name }) =>
    broken ? [`工作表「${name.trim().slice(0, maxSheetNameLength)}」已损坏，没有读入；请用 Excel 打开核对`] : [],
  ),
]

export const createOtherTablesWarning = (others: readonly TableReading[], { name }: TableReading) =>
  `另有 ${others.length} 个工作表也像工资表（${others
    .slice(0, 3)
    .map((other) => other.name.trim())
    .join('、')}${others.length > 3 ? '等' : ''}），本次只读取「${name.trim()}」`
