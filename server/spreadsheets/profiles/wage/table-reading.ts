/** Reads one table: its header, its members, its column roles. */
import {
  identityRoles,
  isDeduction,
  isDepartment,
  isInfo,
  memberRoles,
  moneyRoles,
} from '../../../contract/sheets/column-roles.ts'
import { parseDecimal } from '../../../rules/decimal.ts'
import { isLikelyDate } from '../../cells.ts'
import { type Grid, getCell, getFilledColumns, getText, isErrorText } from '../../grid.ts'
import { isBillTable } from '../../recognise/bills.ts'
import { isLikelyName } from '../../recognise/identity-columns.ts'
import { wageLabels } from '../../recognise/label-meaning.ts'
import { transposePayslips } from '../../recognise/payslip-layout.ts'
import { listTitleTexts, mentionsPay, splitByMonth } from '../../recognise/sheet-title.ts'
import { mentionsPayTerms } from '../../recognise/synonyms.ts'
import { fillDown, recognizeTable } from '../../recognise/table.ts'
import { isRowPerItem, maxTables, pivotLongTable, splitTables } from '../../recognise/tables.ts'
import type { ClassifiedRows, Header, IdentityColumns } from '../../recognise/types.ts'
import { recognizeColumns } from './columns.ts'
import type { ColumnDraft, SheetKind, TableReading } from './types.ts'

const noRows: ClassifiedRows = { memberRows: [], ignoredRows: [], unlisted: 0, totals: [], unclaimed: [] }

/** Returns the tables of a sheet: payslips converted to one, several on the sheet, or a single one. */
export function readTables(sheet: Grid): TableReading[] {
  const transposed = transposePayslips(sheet) ?? pivotLongTable(sheet)
  if (transposed === 'one slip')
    return [createRejection(sheet, '这像是一个人的工资条（一项一行），不是一行一人的工资表；请上传全部人员的工资表')]
  if (transposed) return [{ ...readTable(transposed, sheet.name), isTransposed: true }]
  if (isRowPerItem(sheet))
    return [createRejection(sheet, '这张表一行是一个人的一个工资项目，不是一人一行；请先整理成一人一行、一列一个项目，再上传')]
  const tables = splitTables(sheet, wageLabels)
  if (tables.length > maxTables)
    return [createRejection(sheet, `这个工作表里有 ${maxTables} 张以上表头不同的表，请拆成几个工作表后重新上传`)]
  return tables.flatMap((table) => {
    const reading = readTable(table, sheet.name)
    return splitByMonth(reading)?.map(({ month, grid }) => ({ ...readTable(grid, sheet.name), month })) ?? [reading]
  })
}

function createRejection(grid: Grid, reason: string, sheet = grid.name): TableReading {
  return {
    name: grid.name,
    sheet,
    grid,
    kind: 'not_a_wage_sheet',
    reason: grid.rows.some((_, row) => getFilledColumns(grid, row).length > 0) ? reason : '这个工作表是空的',
    header: null,
    rows: noRows,
    columns: [],
    unassignedRows: [],
  }
}

function readTable(grid: Grid, sheet: string): TableReading {
  const table = recognizeTable(grid, wageLabels)
  if (!table) return createRejection(grid, '没有找到表头：表里要有一行写着「姓名」「实发工资」等列名', sheet)
  const { header, identity, rows, unassignedRows: unassigned } = table
  // A column of ID card numbers means that people are paid.
  if (identity.id_card === undefined && isBillTable(header.paths, ...listTitleTexts(grid, header)))
    return createRejection(grid, '这像是发票或账单，不是工资表；请上传一人一行的工资表', sheet)
  const isBlank = rows.memberRows.length === 0 && unassigned.length === 0
  if (
    !(
      hasIdentityColumn(identity) ||
      (isBlank && hasIdentityLabel(header)) ||
      canChooseIdentity(grid, header, identity, unassigned)
    )
  )
    return createRejection(grid, '没有姓名、工号或手机号这样的列，分不出每一行是谁', sheet)
  // Without recognized members, the rows with amounts still determine the column roles.
  const columns = recognizeColumns(grid, header, rows.memberRows.length > 0 ? rows.memberRows : unassigned)
  const department = columns.find(({ role }) => isDepartment(role))?.index
  const named = fillMergedIdentity(
    grid,
    [...rows.memberRows, ...unassigned].toSorted((a, b) => a - b),
    identity,
  )
  const filled = department === undefined ? named : fillDown(named, rows.memberRows, department)
  const kind = getSheetKind(columns, rows.memberRows, unassigned, mentionsPay(grid, header))
  if (kind === 'wage' && isAttendanceTable(grid, header, columns))
    return createRejection(grid, '这像是考勤记录：有出勤、请假或打卡的列，没有应发和实发，不是工资表；请上传工资表', sheet)
  if (kind === 'not_a_wage_sheet') return createRejection(grid, '没有工资、金额这样的列，也看不出每一行是哪一位员工', sheet)
  return { name: grid.name, sheet, grid: filled, kind, header, rows, columns, unassignedRows: unassigned }
}

/** A merged name applies to each of its rows: one member with several positions, projects or lines. */
function fillMergedIdentity(grid: Grid, rows: readonly number[], { names, employee_no, id_card, mobile }: IdentityColumns): Grid {
  const columns = [...names, employee_no, id_card, mobile].filter((column) => column !== undefined)
  return columns.reduce((filled, column) => fillDown(filled, rows, column, true), grid)
}

const attendancePattern =
  /考勤|出勤|打卡|签到|签退|上班|下班|迟到|早退|旷工|缺勤|缺卡|请假|事假|病假|年假|调休|加班|时段|应到|实到|班次|工时/
/**
 * A time clock export, even with a column of fines, is not a wage sheet. A sheet whose name or title is about pay is a
 * wage sheet nevertheless.
 */
function isAttendanceTable(grid: Grid, header: Header, columns: readonly ColumnDraft[]): boolean {
  const isPaid = ({ isAmount, profile, role }: ColumnDraft) =>
    isAmount && profile.amounts > 0 && !isDeduction(role) && !isInfo(role)
  if (columns.some(isPaid) || columns.every(({ profile }) => profile.filled === 0)) return false
  if (listTitleTexts(grid, header).some((text) => /工\s*资|薪|奖金|扣款|payroll|salar|wage/i.test(text))) return false
  const attendanceColumns = columns.filter(
    ({ label, isAmount, profile }) => attendancePattern.test(label) && !(isAmount && profile.amounts > 0),
  )
  const other = columns.filter((column) => !memberRoles.has(column.role) && !attendanceColumns.includes(column))
  return attendanceColumns.length >= 3 && attendanceColumns.length * 3 >= other.length * 2
}

/** Counts rows with a name and an amount: in an unread table they are probably pay. */
export const countNamesWithPay = ({ grid }: Pick<TableReading, 'grid'>): number =>
  grid.rows.filter(
    (cells, row) =>
      cells?.some((_, column) => isLikelyName(getText(grid, row, column))) &&
      cells.some((cell) => typeof cell === 'number' && Math.abs(cell) >= 100),
  ).length

const hasIdentityColumn = ({ names, employee_no, id_card, mobile }: IdentityColumns) =>
  names.length > 0 || employee_no !== undefined || id_card !== undefined || mobile !== undefined

/** 姓名：张三 is above the payslip of one person. */
const inlineNamePattern = /^\s*(?:姓\s*名|员工姓名|氏\s*名|성\s*명|이름|employee name|name|họ (?:và )?tên|фио)\s*[:：]\s*\p{L}/iu

/** Labels of tables whose rows count something other than people. */
const itemLabelPattern = /^(?:项\s*目|科\s*目|指标|摘要|栏次|行次|(?:报告|报表|统计|截止)?(?:日期?|期间|时间))$/
/**
 * Returns whether the user can select an identity column: several rows of pay, a header of words only, and a column
 * with a different value in each row.
 */
function canChooseIdentity(grid: Grid, header: Header, { money }: IdentityColumns, unassignedRows: readonly number[]): boolean {
  if (unassignedRows.length < 2 || money.length < 2 || !mentionsPayTerms(header)) return false
  if (grid.rows.some((cells) => cells?.some((cell) => typeof cell === 'string' && inlineNamePattern.test(cell)))) return false
  if (header.paths.some((path) => path.some((part) => parseDecimal(part) !== null || isErrorText(part)))) return false
  for (let column = header.left; column <= header.right; column++) {
    // 领款 sounds like an amount: if it contains none, it may be the payee.
    if (money.includes(column) && unassignedRows.some((row) => getCell(grid, row, column).decimal !== null)) continue
    const texts = new Set(unassignedRows.map((row) => getText(grid, row, column)))
    const label = header.paths[column - header.left]?.at(-1) ?? ''
    const isCount = label === '' && [...texts].every((text) => /^\d+$/.test(text))
    const isFraction = [...texts].some((text) => /^-?[\d,]+\.\d+$/.test(text))
    if (
      itemLabelPattern.test(label) ||
      isCount ||
      isFraction ||
      [...texts].every((text) => isLikelyDate(text.split('T')[0] ?? ''))
    )
      continue
    if (texts.size === unassignedRows.length && !texts.has('')) return true
  }
  return false
}

const hasIdentityLabel = ({ meanings }: Header) => meanings.some(({ role }) => identityRoles.has(role))

/** 条目1 条目2: labels that differ by a number are items. */
function hasNumberedLabels(columns: readonly ColumnDraft[]): boolean {
  const stems = columns.flatMap(({ label }) => /^(.*\D)\d+$/.exec(label.trim())?.[1] ?? [])
  return new Set(stems).size < stems.length && stems.length * 2 > columns.length
}

/**
 * A roster contains only personal data; an unknown column may be a payslip item if the sheet mentions pay or the
 * columns are numbered.
 */
function getSheetKind(
  columns: readonly ColumnDraft[],
  people: readonly number[],
  unassignedRows: readonly number[],
  isPay: boolean,
): SheetKind {
  // Sales are amounts, but not the employee's pay.
  const money = columns.some((column) => (column.isAmount && (isPay || !isInfo(column.role))) || moneyRoles.has(column.role))
  const unknown = columns.filter(
    (column) => column.meaning.nature === 'unknown' && !memberRoles.has(column.role) && column.label !== '',
  )
  const isMany = unknown.length >= 2 && unknown.length * 2 >= columns.length
  const wage = money || (isMany && (isPay || hasNumberedLabels(unknown)))
  const hasAmountLabel = columns.some(({ meaning }) => meaning.nature === 'money')
  if (people.length === 0 && unassignedRows.length > 0) return isPay || hasAmountLabel ? 'wage' : 'not_a_wage_sheet'
  if (people.length === 0) return wage || columns.some((column) => memberRoles.has(column.role)) ? 'template' : 'not_a_wage_sheet'
  return wage ? 'wage' : 'member_list'
}
