/**
 * Lists with amounts per member that a company keeps itself: contribution bases, and the incomes of a tax period. Cells
 * are only validated for their format here; assigning rows to members and checking values happens elsewhere.
 */
import { decimalToFen, parseDecimal, parseRate } from '../../../rules/decimal.ts'
import { normalizeText } from '../../../rules/text.ts'
import { type Grid, getFilledColumns, getText, isErrorText, toColumnLetters } from '../../grid.ts'
import {
  findMemberAmountLabel,
  isAmountLabel,
  isRateLabel,
  type MemberAmountKind,
  type MemberAmountLabel,
  type MemberAmountName,
} from './labels.ts'

export type { MemberAmountKind, MemberAmountName } from './labels.ts'

export interface MemberAmountRow {
  sheet: string
  /** 1-based. */
  row: number
  name: string
  id_card: string | null
  employee_no: string | null
  mobile: string | null
  city: string | null
  /** Amounts in fen; missing columns and empty cells are absent. */
  fen: Partial<Record<MemberAmountName, number>>
  /** Parts per million. */
  housing_fund_ppm: number | null
  supplementary_ppm: number | null
  /** The first cell with an invalid value, such as `D5`. */
  error: { cell: string; reason: string } | null
}
export interface MemberAmountList {
  rows: MemberAmountRow[]
  /** Amounts that have a column. */
  columns: MemberAmountName[]
  /** Labels of columns that are not read. */
  unread_columns: string[]
  /** The reason why the file cannot be used, in Chinese. */
  reason: string | null
  /** Sheets that are not such a list. */
  other_sheets: string[]
}

/** The header is within the first rows. */
const maxHeaderRow = 12
/** Rows below a list that are no member, by their first cell. */
const notePattern = /^(?:合计|总计|小计|说明|填表|注[:：]|备注[:：]|制表|审核|复核|负责人)/
/** Columns that carry no amount by their nature. */
const uselessLabels = new Set(['序号', '编号', '备注', '部门'])

type ListHeader = {
  readonly row: number
  readonly columns: ReadonlyMap<MemberAmountLabel, number>
  readonly unread: readonly string[]
  /** A label that two columns have: neither may be preferred silently. */
  readonly repeated: string | null
}

function findHeader(kind: MemberAmountKind, grid: Grid): ListHeader | null {
  for (let row = 0; row < Math.min(grid.rows.length, maxHeaderRow); row += 1) {
    const columns = new Map<MemberAmountLabel, number>()
    const unread: string[] = []
    let repeated: string | null = null
    for (const column of getFilledColumns(grid, row)) {
      const text = normalizeText(getText(grid, row, column)).replace(/^\*\s?/, '')
      const label = findMemberAmountLabel(kind, text)
      if (label === undefined) {
        if (!uselessLabels.has(text)) unread.push(text)
      } else if (columns.has(label)) repeated ??= text
      else columns.set(label, column)
    }
    if (columns.has('name') && [...columns.keys()].some(isAmountLabel)) return { row, columns, unread, repeated }
  }
  return null
}

function readRow(grid: Grid, row: number, { columns }: ListHeader): MemberAmountRow {
  const getLabelText = (label: MemberAmountLabel) => {
    const column = columns.get(label)
    return column === undefined ? '' : normalizeText(getText(grid, row, column))
  }
  let error: MemberAmountRow['error'] = null
  const reject = (label: MemberAmountLabel, reason: string) => {
    error ??= { cell: `${toColumnLetters(columns.get(label) ?? 0)}${row + 1}`, reason }
    return null
  }
  const fen: MemberAmountRow['fen'] = {}
  for (const label of columns.keys()) {
    if (!isAmountLabel(label)) continue
    const text = getLabelText(label)
    if (text === '' || /^[-–—]+$/.test(text)) continue
    const amount = isErrorText(text) ? null : decimalToFen(parseDecimal(text))
    if (amount === null) reject(label, `「${text}」不是金额，请写成数字`)
    else if (amount < 0) reject(label, '金额是负数，请核对')
    else fen[label] = amount
  }
  const readRate = (label: MemberAmountLabel) => {
    const text = getLabelText(label)
    if (text === '' || !isRateLabel(label)) return null
    return parseRate(text) ?? reject(label, `「${text}」不是比例，请写成 7%`)
  }
  const name = getLabelText('name')
  if (name === '') reject('name', '没有姓名，无法匹配员工')
  return {
    sheet: grid.name,
    row: row + 1,
    name,
    id_card: getLabelText('id_card').replace(/\s/g, '').toUpperCase() || null,
    employee_no: getLabelText('employee_no') || null,
    mobile: getLabelText('mobile').replace(/^\+?86[\s-]?(?=1)|[\s-]/g, '') || null,
    city: getLabelText('city') || null,
    fen,
    housing_fund_ppm: readRate('housing_fund_rate'),
    supplementary_ppm: readRate('supplementary_rate'),
    error,
  }
}

const hasValues = ({ name, fen }: MemberAmountRow): boolean => name !== '' || Object.values(fen).some((one) => one !== 0)

const subjects: Readonly<Record<MemberAmountKind, { readonly title: string; readonly columns: string }>> = {
  bases: { title: '缴费基数表', columns: '「社保基数」「公积金基数」，或「养老基数」「医疗基数」等列' },
  incomes: { title: '收入表', columns: '「本期收入」等列' },
}

export function readMemberAmountList(kind: MemberAmountKind, grids: readonly Grid[]): MemberAmountList {
  const list: MemberAmountList = { rows: [], columns: [], unread_columns: [], reason: null, other_sheets: [] }
  const { title, columns } = subjects[kind]
  let headers = 0
  for (const grid of grids) {
    const header = findHeader(kind, grid)
    if (!header) {
      if (!grid.hidden) list.other_sheets.push(grid.name)
      continue
    }
    headers += 1
    if (header.repeated !== null) {
      list.reason = `「${grid.name}」里有两列「${header.repeated}」，不知道以哪一列为准；请只留一列`
      return list
    }
    list.columns = [...new Set([...list.columns, ...[...header.columns.keys()].filter(isAmountLabel)])]
    list.unread_columns = [...new Set([...list.unread_columns, ...header.unread])]
    for (let row = header.row + 1; row < grid.rows.length; row += 1) {
      const [first] = getFilledColumns(grid, row)
      if (first === undefined || notePattern.test(normalizeText(getText(grid, row, first)))) continue
      const read = readRow(grid, row, header)
      if (hasValues(read)) list.rows.push(read)
    }
  }
  if (headers === 0) list.reason = `没有找到${title}：表里要有「姓名」和${columns}；可以下载模板填写`
  else if (list.rows.length === 0) list.reason = '表里只有表头，没有人员；请填好以后再上传'
  return list
}
