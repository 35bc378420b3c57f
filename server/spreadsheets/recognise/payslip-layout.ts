/**
 * Converts payslips one below the other with a label next to each value (姓名 张三 / 基本工资 5000), and transposed tables (a
 * member per column), to rows of members, so that everything else reads them like any sheet. The rows are renumbered.
 */
import { isDepartment, isName } from '../../contract/sheets/column-roles.ts'
import { type CellMark, type Grid, getCell, getCellId, getFilledColumns, getText, type StoredValue } from '../grid.ts'
import { isLikelyName, isPersonName } from './identity-columns.ts'
import { getWageLabelMeaning, isRecognizedMeaning, type LabelMeaning } from './label-meaning.ts'

interface LabeledValue {
  row: number
  column: number
  /** Column of the value. */
  valueColumn: number
  label: string
  meaning: LabelMeaning
  value: StoredValue
}

/** Sheets of payslips are short: a longer sheet is a table. */
const maxSearchedRows = 20_000
const minSimilarShare = 0.8
/** `Name of the Employee` is the longest label of a name. */
const maxNameLabelLength = 20

/** Returns title, header, then a row per member; null if the sheet is a table. */
export function transposePayslips(grid: Grid): Grid | 'one slip' | null {
  if (grid.rows.length > maxSearchedRows) return null
  const name = findFirstName(grid)
  if (!name) return null
  return transposeSideways(grid, name) ?? readPayslips(grid, name)
}

/** A plain number is a value next to its label (出勤天数 21), even if it could be a day of the month. */
const getCertainMeaning = (text: string) => {
  if (text === '' || text.length > 30 || /^\d+$/.test(text)) return null
  const meaning = getWageLabelMeaning(text)
  return isRecognizedMeaning(meaning) && meaning.confidence >= 0.7 ? meaning : null
}

/**
 * Returns whether the text is the next label, which leaves the current one without a value. 生产车间 behind 部门 is its
 * value, although it is a label elsewhere.
 */
const isNextLabel = ({ role }: LabelMeaning, text: string) => {
  const next = getCertainMeaning(text)
  return next !== null && !(isDepartment(role) && isDepartment(next.role))
}
const isValue = (grid: Grid, row: number, column: number) => {
  const before = getCertainMeaning(getText(grid, row, column - 1))
  return isDepartment(before?.role) && !isNextLabel(before, getText(grid, row, column))
}

/** Finds 姓名 with a name to its right instead of another label. */
function findFirstName(grid: Grid): { row: number; column: number } | null {
  for (let row = 0; row < Math.min(grid.rows.length, 60); row++)
    for (const column of getFilledColumns(grid, row))
      if (isNameWithValue(grid, row, column) || isTransposedCorner(grid, row, column)) return { row, column }
  return null
}

/** Detects 项目 | 张三 | 李四 above 基本工资 | 5000 | 6000: the corner labels the column below it, and names are to its right. */
function isTransposedCorner(grid: Grid, row: number, column: number): boolean {
  if (!/^(?:工资|薪资)?(?:项目|科目|内容|明细|名称|类别)$/.test(getText(grid, row, column).replace(/\s/g, ''))) return false
  const columnsRight = getFilledColumns(grid, row).filter((at) => at > column && !totalPattern.test(getText(grid, row, at)))
  const named = columnsRight.filter((at) => isLikelyName(getText(grid, row, at)))
  if (named.length < 2 || named.length * 2 < columnsRight.length) return false
  const paid = [1, 2, 3, 4, 5, 6].filter(
    (down) =>
      getCertainMeaning(getText(grid, row + down, column))?.nature === 'money' &&
      named.some((at) => getCell(grid, row + down, at).decimal !== null),
  )
  return paid.length >= 2
}

/** The last column of a transposed table. */
const totalPattern = /^(?:合计|小计|总计|共计|total|sum)$/i

export function isNameWithValue(grid: Grid, row: number, column: number): boolean {
  const text = getText(grid, row, column)
  if (text.length > maxNameLabelLength || !isName(getWageLabelMeaning(text).role) || getWageLabelMeaning(text).confidence < 0.9)
    return false
  const right = getCell(grid, row, column + 1)
  // Below 姓名 of a table there is a name, whereas below that of a payslip there is the next label.
  const under = getCell(grid, row + 1, column)
  const labels = getFilledColumns(grid, row).filter((at) => getCertainMeaning(getText(grid, row, at)) !== null)
  if (
    under.kind !== 'empty' &&
    !isRecognizedMeaning(getWageLabelMeaning(under.text)) &&
    (labels.length < 2 || isLikelyName(under.text))
  )
    return false
  // In a row of a payslip every label is followed by its value; in a header labels are followed by labels.
  const isPayslipRow = getFilledColumns(grid, row).every((at) => {
    const label = getCertainMeaning(getText(grid, row, at))
    if (!label || totalPattern.test(getText(grid, row, at)) || isValue(grid, row, at)) return true
    const value = getCell(grid, row, at + 1)
    return value.kind !== 'empty' && !isNextLabel(label, value.text)
  })
  return isPayslipRow && isPersonName(right) && right.text.length <= 20 && !isRecognizedMeaning(getWageLabelMeaning(right.text))
}

/** Converts 姓名 张三 李四 王五 above 基本工资 5000 6000 7000; further members are below in another band. */
function transposeSideways(grid: Grid, { row: top, column }: { row: number; column: number }): Grid | null {
  const last = Math.min(grid.rows.length, top + maxLines)
  const tops = [top]
  for (let row = top + 1; row < last; row++) if (isNameLabel(getText(grid, row, column))) tops.push(row)
  // Rows above the names (部门, 工号) belong to them.
  const leadingRows = [1, 2, 3].findIndex((up) => getCertainMeaning(getText(grid, top - up, column))?.nature !== 'who')
  const starts = tops.map((at) => at - Math.max(0, leadingRows))
  const bands = tops.map((at, band) => readBand(grid, column, at, { start: starts[band] ?? at, end: starts[band + 1] ?? last }))
  const [first] = bands
  if (!first || first.named < 2 || first.paid < 2) return null
  const names = new Map<string, string>()
  const people = bands.flatMap(({ lines, people: columns }) => {
    const labels = lines.map((row) =>
      tops.includes(row) && !isNameLabel(getText(grid, row, column)) ? '姓名' : getText(grid, row, column),
    )
    const named = numberDuplicates(labels)
    named.forEach((key, line) => void names.set(key, labels[line] ?? ''))
    return columns.map((at) => new Map(named.map((key, line) => [key, { row: lines[line] ?? 0, column: at }])))
  })
  return buildMemberGrid(grid, starts[0] ?? top, names, people)
}

const maxLines = 100
const isNameLabel = (text: string) =>
  text !== '' &&
  text.length <= maxNameLabelLength &&
  isName(getWageLabelMeaning(text).role) &&
  getWageLabelMeaning(text).confidence >= 0.9

/** Returns the member columns of a band, and its rows with a label or a number for one of them. */
function readBand(grid: Grid, column: number, top: number, { start, end }: { start: number; end: number }) {
  const rows = Array.from({ length: end - start }, (_, at) => start + at)
  const widest = Math.max(...rows.map((row) => grid.rows[row]?.length ?? 0))
  const people: number[] = []
  for (let at = column + 1; at < widest; at++) {
    const cell = getCell(grid, top, at)
    if (cell.text !== '' && (isRecognizedMeaning(getWageLabelMeaning(cell.text)) || totalPattern.test(cell.text))) break
    // A column without a name may contain amounts nevertheless.
    const isPaid = rows.some(
      (row) =>
        getCertainMeaning(getText(grid, row, column))?.nature === 'money' && Number(getCell(grid, row, at).decimal ?? 0) !== 0,
    )
    if (isPersonName(cell) || (people.length > 0 && (cell.text !== '' || isPaid))) people.push(at)
    else if (people.length === 0) break
  }
  const lines: number[] = []
  let paid = 0
  for (const row of rows) {
    const text = getText(grid, row, column)
    const meaning = getCertainMeaning(text)
    const numbers = people.filter((at) => getCell(grid, row, at).decimal !== null).length
    if (!meaning && numbers === 0 && row !== top) continue
    if (meaning?.nature === 'money' && numbers > 0) paid++
    lines.push(row)
  }
  return { people, named: people.filter((at) => isPersonName(getCell(grid, top, at))).length, lines, paid }
}

/** Numbers duplicate labels: the nth 其他 is a separate column, because one may be an earning and another a deduction. */
function numberDuplicates(labels: readonly string[]): string[] {
  const times = new Map<string, number>()
  return labels.map((label) => {
    times.set(label, (times.get(label) ?? 0) + 1)
    return `${label} ${times.get(label)}`
  })
}

const buildMemberGrid = (
  grid: Grid,
  top: number,
  names: ReadonlyMap<string, string>,
  people: readonly ReadonlyMap<string, GridPosition>[],
): Grid =>
  buildGrid(grid, top, [
    [...names.values()],
    ...people.map((places) => [...names.keys()].map((name) => places.get(name) ?? null)),
  ])

/** The payslip of one member, from its first row and column. */
interface PayslipBlock {
  column: number
  pairs: LabeledValue[]
}

function readPayslips(grid: Grid, first: { row: number; column: number }): Grid | 'one slip' | null {
  const leadingRows = countLeadingRows(grid, first.row)
  const { blocks, top } = findBlocks(grid, first, leadingRows)
  const getAmounts = ({ pairs }: PayslipBlock) =>
    pairs.filter(({ meaning, value }) => meaning.nature === 'money' && isAmount(value))
  const paid = blocks.filter((block) => getAmounts(block).length >= 2)
  if (paid.length === 0 || paid.length * 2 < blocks.length) return null
  if (blocks.length === 1) return 'one slip'
  const times = new Map<string, number>()
  for (const { pairs } of blocks)
    for (const label of new Set(pairs.map((pair) => pair.label))) times.set(label, (times.get(label) ?? 0) + 1)
  const isCommon = ({ label }: LabeledValue) => (times.get(label) ?? 0) > 1
  // A single individual item does not make a different kind of payslip.
  const countUncommon = ({ pairs }: PayslipBlock) => pairs.filter((pair) => !isCommon(pair)).length
  if (paid.some((block) => countUncommon(block) > Math.max(1, block.pairs.length * (1 - minSimilarShare)))) return null
  const names = new Map<string, string>()
  // Nobody is left out: a member with one amount, none, or no name appears in the check.
  const people = blocks.flatMap(({ pairs }, at) => {
    const isTotal = (pair: LabeledValue) => at === blocks.length - 1 && totalPattern.test(pair.label) && !isCommon(pair)
    const own = pairs.filter((pair) => !isTotal(pair))
    const keys = numberDuplicates(own.map(({ label }) => label))
    const places = new Map(keys.map((key, pair) => [key, getValuePosition(own[pair])]))
    keys.forEach((key, pair) => void names.set(key, own[pair]?.label ?? ''))
    return [places, ...pairs.filter(isTotal).map((pair) => toTotalRow(pair, names))]
  })
  return buildMemberGrid(grid, top, names, people)
}

const getValuePosition = (pair: LabeledValue | undefined): GridPosition => ({
  row: pair?.row ?? 0,
  column: pair?.valueColumn ?? 0,
})

/** Converts 合计 below the last payslip, which belongs to no member, to a separate row with its label in the name column. */
function toTotalRow(pair: LabeledValue, names: Map<string, string>): Map<string, GridPosition> {
  const [name = ''] = [...names].find(([, label]) => isNameLabel(label)) ?? []
  names.set(`${pair.label} 1`, pair.label)
  return new Map([
    [name, { row: pair.row, column: pair.column }],
    [`${pair.label} 1`, getValuePosition(pair)],
  ])
}

/** Returns the number of rows such as 工号 A1 directly above 姓名 张三 that belong to 张三. */
function countLeadingRows(grid: Grid, name: number): number {
  let rows = 0
  while (rows < 3 && name - rows > 0) {
    const pairs = getLabeledValues(grid, name - rows - 1)
    if (pairs.length === 0 || pairs.some(({ meaning }) => meaning.nature === 'money')) break
    rows++
  }
  return rows
}

/** The next payslip begins where 姓名 reappears in one of its columns, regardless of the adjacent cell. */
function findBlocks(
  grid: Grid,
  first: { row: number; column: number },
  leadingRows: number,
): { blocks: PayslipBlock[]; top: number } {
  const nameColumns = new Set<number>([first.column])
  const isStart = (row: number, column: number) => {
    if (!isNameLabel(getText(grid, row, column))) return false
    if (isNameWithValue(grid, row, column)) nameColumns.add(column)
    return nameColumns.has(column) && !getCertainMeaning(getText(grid, row, column + 1))
  }
  const startsAt = (row: number) => getFilledColumns(grid, row).filter((column) => isStart(row, column))
  const marks = (row: number) => getLabeledValues(grid, row).map(({ label }) => label)
  const leading = Array.from({ length: leadingRows }, (_, at) => marks(first.row - leadingRows + at).join())
  const leadsTo = (row: number) =>
    leading.every((labels, at) => marks(row - leadingRows + at).join() === labels) ? row - leadingRows : row
  const blocks: PayslipBlock[] = []
  let band: PayslipBlock[] = []
  let left = 0
  for (let row = first.row - leadingRows; row < grid.rows.length; row++) {
    const rowOffset = [0, 1, 2, 3]
      .slice(0, leadingRows + 1)
      .find((rows) => startsAt(row + rows).length > 0 && leadsTo(row + rows) === row)
    if (rowOffset !== undefined) {
      const starts = startsAt(row + rowOffset)
      const columns = Array.from({ length: rowOffset + 1 }, (_, at) => getFilledColumns(grid, row + at)[0] ?? 0)
      left = (starts[0] ?? 0) - Math.min(...columns)
      band = starts.map((column) => ({ column: column - left, pairs: [] }))
      blocks.push(...band)
    }
    for (const pair of getLabeledValues(grid, row))
      (band.findLast(({ column }) => column <= pair.column) ?? band[0])?.pairs.push(pair)
  }
  return { blocks, top: first.row - leadingRows }
}

/** Returns each label of a row with the adjacent value; a number behind a value is a second one for the same label. */
function getLabeledValues(grid: Grid, row: number): LabeledValue[] {
  const pairs: LabeledValue[] = []
  const filled = getFilledColumns(grid, row)
  for (let at = 0; at < filled.length; at++) {
    const column = filled[at] ?? 0
    const { text, decimal } = getCell(grid, row, column)
    const last = pairs.at(-1)
    if (decimal !== null && last?.valueColumn === column - 1) {
      pairs.push({ ...last, valueColumn: column, value: grid.rows[row]?.[column] })
      continue
    }
    const isUnnamed = isNameLabel(text)
    const right = getCell(grid, row, column + 1)
    const meaning =
      decimal === null ? (getCertainMeaning(text) ?? (right.decimal === null ? null : getWageLabelMeaning(text))) : null
    if (!meaning || text.length > 30) continue
    if (
      !isUnnamed &&
      (right.kind === 'empty' || (right.kind === 'text' && right.decimal === null && isNextLabel(meaning, right.text)))
    )
      continue
    pairs.push({ row, column, valueColumn: column + 1, label: text, meaning, value: grid.rows[row]?.[column + 1] })
    if (right.kind !== 'empty') at++
  }
  return pairs
}

const isAmount = (value: StoredValue) =>
  typeof value === 'number' || (typeof value === 'string' && /^[¥￥]?-?[\d,]+(?:\.\d+)?元?$/.test(value.trim()))

export type GridPosition = { row: number; column: number }

/** Rearranges cells into a new grid with their marks. The longest text above the first member remains the title. */
export function buildGrid(grid: Grid, top: number, lines: readonly (string | GridPosition | null)[][]): Grid {
  let title = ''
  for (let row = 0; row < top; row++)
    for (const column of getFilledColumns(grid, row))
      if (getText(grid, row, column).length > title.length) title = getText(grid, row, column)
  const marks = new Map<number, CellMark>()
  const rows = lines.map((line, at) =>
    line.map((cell, column): StoredValue => {
      if (cell === null || typeof cell === 'string') return cell
      const mark = grid.marks.get(getCellId(cell.row, cell.column))
      if (mark) marks.set(getCellId(at + 1, column), mark)
      return grid.rows[cell.row]?.[cell.column]
    }),
  )
  return { ...grid, rows: [[title], ...rows], marks, merges: [], hidden_rows: new Set(), hidden_columns: new Set() }
}
