/**
 * The result file of the official withholding client (税款计算): a row per person with monthly and annual values as the
 * client computed them (tax-rules §13.5). Cells are only validated for their format here; assigning rows to members and
 * checking values happens elsewhere.
 */
import { decimalToFen, parseDecimal, parseRate } from '../../../rules/decimal.ts'
import { normalizeText } from '../../../rules/text.ts'
import { type Grid, getFilledColumns, getText, toColumnLetters } from '../../grid.ts'
import { normalizeHeader } from '../../recognise/synonyms.ts'
import { parseDate } from '../roster/cells.ts'

/** Text columns, then amounts in fen, then the rate; each with the client's labels in different versions. */
const withholdingLabels = [
  ['name', '姓名 纳税人姓名'],
  ['id_card', '证件号码 身份证号 身份证件号码'],
  ['employee_no', '工号'],
  ['from', '税款所属期起 所得期间起'],
  ['to', '税款所属期止 所得期间止'],
  ['item', '所得项目'],
  ['income', '本期收入'],
  ['exempt', '本期免税收入'],
  ['pension', '本期基本养老保险费 本期基本养老保险'],
  ['medical', '本期基本医疗保险费 本期基本医疗保险'],
  ['unemployment', '本期失业保险费 本期失业保险'],
  ['housing_fund', '本期住房公积金'],
  ['cum_income', '累计收入额 累计收入'],
  ['cum_exempt', '累计免税收入'],
  ['cum_basic', '累计减除费用'],
  ['cum_special', '累计专项扣除'],
  ['child_education', '累计子女教育 累计子女教育支出扣除'],
  ['continuing_education', '累计继续教育 累计继续教育支出扣除'],
  ['housing_loan', '累计住房贷款利息 累计住房贷款利息支出扣除'],
  ['housing_rent', '累计住房租金 累计住房租金支出扣除'],
  ['elderly', '累计赡养老人 累计赡养老人支出扣除'],
  ['infant_care', '累计3岁以下婴幼儿照护 累计3岁以下婴幼儿照护支出扣除'],
  ['personal_pension', '累计个人养老金'],
  ['cum_other', '累计其他扣除'],
  ['cum_donation', '累计准予扣除的捐赠 累计准予扣除的捐赠额'],
  ['cum_taxable', '累计应纳税所得额 应纳税所得额'],
  ['quick', '速算扣除数'],
  ['full_tax', '累计应纳税额 应纳税额'],
  ['cum_reduction', '累计减免税额 减免税额'],
  ['cum_tax', '累计应扣缴税额 应扣缴税额'],
  ['cum_withheld', '已缴税额 累计已预缴税额 累计已缴税额'],
  ['due', '应补(退)税额 累计应补(退)税额 本期应补(退)税额 应补退税额'],
  ['rate', '税率 税率/预扣率 预扣率'],
] as const
type WithholdingLabel = (typeof withholdingLabels)[number][0]
const textLabels = ['name', 'id_card', 'employee_no', 'from', 'to', 'item', 'rate'] as const
export type WithholdingAmount = Exclude<WithholdingLabel, (typeof textLabels)[number]>
const isAmountLabel = (label: WithholdingLabel): label is WithholdingAmount => !textLabels.some((one) => one === label)
const amountLabels = withholdingLabels.map(([label]) => label).filter(isAmountLabel)

const labelByText = new Map(
  withholdingLabels.flatMap(([label, labels]) =>
    labels.split(' ').map((word): [string, WithholdingLabel] => [normalizeHeader(word), label]),
  ),
)

export interface WithholdingRow {
  sheet: string
  /** 1-based. */
  row: number
  name: string
  id_card: string | null
  employee_no: string | null
  /** The month, if the row contains one. */
  month: string | null
  /** 所得项目 as written. */
  item: string
  /** Amounts in fen; missing columns and empty cells are absent. */
  fen: Partial<Record<WithholdingAmount, number>>
  /** Parts per million. */
  rate_ppm: number | null
  /** A cell with an invalid value, by its column letter. */
  error: { column: string; reason: string } | null
}
export interface WithholdingResult {
  rows: WithholdingRow[]
  /** The reason why nothing was found, in Chinese. */
  reason: string | null
  other_sheets: string[]
}

/** The header is within the first rows. */
const maxHeaderRow = 12
type WithholdingHeader = { readonly row: number; readonly columns: ReadonlyMap<WithholdingLabel, number> }

function findHeader(grid: Grid): WithholdingHeader | null {
  for (let row = 0; row < Math.min(grid.rows.length, maxHeaderRow); row += 1) {
    const at = new Map<WithholdingLabel, number>()
    for (const column of getFilledColumns(grid, row)) {
      const label = labelByText.get(normalizeHeader(getText(grid, row, column)))
      if (label && !at.has(label)) at.set(label, column)
    }
    // A result is recognized by the amounts that the client computed; otherwise it is a list to be imported there.
    if (at.has('name') && at.has('due') && at.has('income')) return { row, columns: at }
  }
  return null
}

function readRow(grid: Grid, row: number, { columns }: WithholdingHeader): WithholdingRow {
  const text = (label: WithholdingLabel) => {
    const column = columns.get(label)
    return column === undefined ? '' : normalizeText(getText(grid, row, column))
  }
  let bad: WithholdingRow['error'] = null
  const wrong = (label: WithholdingLabel, why: string) => {
    bad ??= { column: toColumnLetters(columns.get(label) ?? 0), reason: why }
    return null
  }
  const fen: WithholdingRow['fen'] = {}
  for (const label of amountLabels) {
    const getLabelText = text(label)
    if (getLabelText === '' || getLabelText === '--' || getLabelText === '-') continue
    const decimal = parseDecimal(getLabelText)
    const amount = decimalToFen(decimal)
    if (amount === null) wrong(label, '不是金额，请核对')
    else fen[label] = amount
  }
  const day = text('from')
  const { value, error } = day === '' ? { value: null } : parseDate(day, 'unknown')
  if (error !== undefined) wrong('from', error)
  return {
    sheet: grid.name,
    row: row + 1,
    name: text('name'),
    id_card: text('id_card').replace(/\s/g, '').toUpperCase() || null,
    employee_no: text('employee_no') || null,
    month: value?.slice(0, 7) ?? null,
    item: text('item'),
    fen,
    rate_ppm: text('rate') === '' ? null : (parseRate(text('rate')) ?? wrong('rate', '不是税率，请核对')),
    error: bad,
  }
}

export function readWithholdingResult(grids: readonly Grid[]): WithholdingResult {
  const rows: WithholdingRow[] = []
  const other_sheets: string[] = []
  let supportedHeader = 0
  for (const grid of grids) {
    const header = findHeader(grid)
    if (!header) {
      if (!grid.hidden) other_sheets.push(grid.name)
      continue
    }
    supportedHeader += 1
    const name = header.columns.get('name') ?? 0
    for (let row = header.row + 1; row < grid.rows.length; row += 1) {
      const resultRows = normalizeText(getText(grid, row, name))
      if (resultRows === '' || /^(?:合计|总计|小计|说明)/.test(resultRows)) continue
      rows.push(readRow(grid, row, header))
    }
  }
  const reason =
    supportedHeader === 0
      ? '这不是扣缴端的税款计算结果：表里要有「姓名」「本期收入」「应补(退)税额」等列；请在扣缴端的「税款计算」里导出明细'
      : rows.length === 0
        ? '表里只有表头，没有人员；请重新导出'
        : null
  return { rows, reason, other_sheets }
}
