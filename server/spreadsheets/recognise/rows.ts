/** Classifies the rows below the header: members, and why the others are not. */

import { isLikelyIdCard } from '../../rules/id-card.ts'
import { parseMobile } from '../../rules/phone.ts'
import { isLikelyDate } from '../cells.ts'
import { type Grid, type GridCell, getCell, getFilledColumns, getText } from '../grid.ts'
import { isLikelyName, isPersonName } from './identity-columns.ts'
import { findFooterLabel, isColumnCodes, isNote, isSignature, isSignatureLabel } from './non-member-rows.ts'
import { getRowKey, isColumnExplanation, isOtherTableHeader, isPayslipTitle } from './other-rows.ts'
import { parseTitleMonth } from './sheet-title.ts'
import { normalizeHeader } from './synonyms.ts'
import type { ClassifiedRows, Header, IdentityColumns, IgnoredRow } from './types.ts'

/** Maximum number of listed rows; empty ones are listed only among the first 200. */
const maxListedRows = 1_000
const maxListedBlankRows = 200

export function classifyRows(grid: Grid, header: Header, identity: IdentityColumns): ClassifiedRows {
  const memberRows: number[] = []
  const totals: number[] = []
  const unclaimed: number[] = []
  const ignored: IgnoredRow[] = []
  let unlisted = 0
  const add = (row: number, why: string) => {
    if (ignored.length < maxListedRows) ignored.push({ row: row + 1, why })
    else unlisted++
  }

  for (let row = 0; row < header.top; row++) {
    const filled = getFilledColumns(grid, row)
    if (filled.length === 0) continue
    const isPay = isPayAboveHeader(grid, row, filled, identity)
    add(row, isPay ? '在表头之上，有金额' : describeRowAboveHeader(grid, row, filled))
    if (isPay) unclaimed.push(row)
  }
  const labels = new HeaderLabels(header)
  const titles = collectTitles(grid, header)
  const last = findLastFilledRow(grid)
  let blank: number[] = []
  let isLegend = false
  const rowsBelow = new RowsBelowHeader(grid, header, identity, labels)
  for (let row = header.bottom + 1; row <= last; row++) {
    const filled = getFilledColumns(grid, row)
    if (filled.length === 0) {
      blank.push(row)
      continue
    }
    isLegend ||= filled.length === 1 && legendPattern.test(getText(grid, row, filled[0] ?? 0))
    const classification = isRepeatedTitle(grid, titles, row, filled)
      ? { reason: '重复的标题' }
      : isLegend && filled.length * 2 < labels.count && !hasPay(grid, row, identity, false)
        ? { reason: '说明文字' }
        : classifyRow(grid, header, identity, labels, row, filled)
    if (blank.length > 0) {
      for (const at of blank.slice(0, Math.max(0, maxListedBlankRows - ignored.length))) add(at, '空行')
      blank = []
    }
    const other = rowsBelow.getExclusionReason(row, filled, memberRows, classification)
    if (classification === null && other === null) memberRows.push(row)
    else {
      add(row, other ?? classification?.reason ?? '')
      if (classification?.isTotal) totals.push(row)
      if (classification?.hasAmount && other === null) unclaimed.push(row)
    }
  }
  ignored.sort((a, b) => a.row - b.row)
  return { memberRows, ignoredRows: ignored, unlisted, totals, unclaimed }
}

const signatureRowText = '签字或审批行'

/** Maximum number of rows below the header that explain the columns. */
const maxExplanationRows = 3

/** Detects rows below the header that belong to something else; rows must be passed from top to bottom. */
class RowsBelowHeader {
  readonly #grid: Grid
  readonly #identity: IdentityColumns
  readonly #labels: HeaderLabels
  /** The first row with a member's amount; only the few rows above it can explain the columns. */
  readonly #firstPaid: number
  /** The last row with a member's amount. */
  readonly #lastPaid: number
  #isOtherTable = false
  #isSigned = false
  /** Members above the title of an individual payslip, by row key. */
  #listed: Map<string, number> | null = null

  constructor(grid: Grid, { bottom }: Header, who: IdentityColumns, labels: HeaderLabels) {
    this.#grid = grid
    const first = grid.rows.findIndex((_, row) => row > bottom && hasMemberName(grid, row, who) && hasPay(grid, row, who, true))
    this.#lastPaid = grid.rows.findLastIndex(
      (_, row) => row > bottom && hasMemberName(grid, row, who) && hasPay(grid, row, who, true),
    )
    this.#firstPaid = first - bottom <= maxExplanationRows + 1 ? first : -1
    this.#identity = who
    this.#labels = labels
  }

  /** Returns why a row is not a pay row although it may look like one; null if the classification `match` stands. */
  getExclusionReason(row: number, filled: number[], people: readonly number[], match: NonMemberRow | null): string | null {
    const grid = this.#grid
    if (match === null && row < this.#firstPaid && isColumnExplanation(grid, row, this.#identity))
      return '说明各列怎么填的行，没有金额'
    this.#isSigned ||= row > this.#lastPaid && match?.reason === signatureRowText
    // Names below 制表人 and 审核人 are signers.
    if (match === null && this.#isSigned && !hasStrongIdentity(grid, row, this.#identity)) return signatureRowText
    const [first = 0] = filled
    if (people.length > 1 && filled.length === 1 && isPayslipTitle(getText(grid, row, first)))
      this.#listed = new Map(people.map((person) => [getRowKey(grid, person, getFilledColumns(grid, person)), person]))
    const same = match === null ? this.#listed?.get(getRowKey(grid, row, filled)) : undefined
    if (same !== undefined) return `和第 ${same + 1} 行相同，是那个人的工资条`
    const isOwnHeader = () => filled.some((column) => this.#labels.has(column, getText(grid, row, column)))
    if (people.length > 0 && !match?.isTotal && isOtherTableHeader(grid, row, filled, this.#identity) && !isOwnHeader()) {
      this.#isOtherTable = true
      return '下面另一张表的表头'
    }
    // Members named there are still reported.
    return this.#isOtherTable && match?.hasAmount && !hasMemberName(grid, row, this.#identity) ? '下面另一张表的内容' : null
  }
}

const hasMemberName = (grid: Grid, row: number, { names }: IdentityColumns) =>
  names.some((column) => isPersonName(getCell(grid, row, column)))

/** Detects 图例, and below it 红色 | 试用期. */
const legendPattern = /^(?:图例|说明|备注|注|附注|(?:颜色|填表|填写)说明|legend|notes?)[:：]?$/i

interface NonMemberRow {
  reason: string
  isTotal?: true
  /** The row contains an amount that may belong to a member. */
  hasAmount?: true
}

/** Returns why a row is not a member; null if it is. Cheap checks first: nearly all of ten thousand rows are members. */
function classifyRow(
  grid: Grid,
  header: Header,
  identity: IdentityColumns,
  labels: HeaderLabels,
  row: number,
  filled: number[],
): NonMemberRow | null {
  if (isRepeatedHeader(grid, labels, row, filled) && !hasPay(grid, row, identity, false)) return { reason: '重复的表头' }
  const hasName = identity.names.some((column) => isPersonName(getCell(grid, row, column)))
  const footerLabel = findFooterLabel(grid, row, filled, identity)
  // Max and Sum are also names: a personal number confirms this.
  if (footerLabel && !(identity.names.length > 0 && hasStrongIdentity(grid, row, identity)))
    return { reason: footerLabel.kind === 'other' ? '统计行，不是员工' : `「${footerLabel.word}」行，不是员工`, isTotal: true }
  const isNumeric = filled.some((column) => typeof grid.rows[row]?.[column] === 'number')
  const hasNameText = hasName || identity.names.some((column) => getCell(grid, row, column).kind !== 'empty')
  const paid = hasPay(grid, row, identity, hasNameText)
  // A, B under 姓名 are column letters.
  const isLettered = hasName && identity.names.every((column) => /^[A-Z]{1,2}$/.test(getText(grid, row, column)))
  if (!hasName || !isNumeric || isLettered) {
    if (!paid && isSignature(grid, row, filled)) return { reason: signatureRowText }
    if (!paid && isNote(grid, row, filled)) return { reason: '说明文字' }
    if (isColumnCodes(header, grid, row, filled) && !hasLargePay(grid, row, identity)) return { reason: '列编号行' }
  }
  if (!paid && isSignatureLabel(grid, row, filled, identity.names) && !hasStrongIdentity(grid, row, identity))
    return { reason: signatureRowText }
  const toNonMember = (why: string): NonMemberRow => (paid ? { reason: why, hasAmount: paid } : { reason: why })
  if (identity.names.some((column) => labels.has(column, getText(grid, row, column))))
    return toNonMember('占位行：姓名一栏写的是表头')
  if (hasName && labels.count > 1 && filled.length === 1 && !paid && isGroupHeading(getText(grid, row, filled[0] ?? 0)))
    return { reason: '分组的标题' }
  if (hasName) return null
  const strong = hasStrongIdentity(grid, row, identity)
  if (identity.names.length === 0) return strong ? null : toNonMember('没有人员编号')
  if (hasNameText) return toNonMember('姓名一栏不是姓名')
  if (strong && identity.money.some((column) => getCell(grid, row, column).decimal !== null)) return null
  return toNonMember(paid ? '有金额但没有姓名' : '没有姓名')
}

/** Alone in its row, 华东大区 is a heading above its members, while 王伟 is an unpaid employee. */
const isGroupHeading = (text: string) =>
  /^[\u4e00-\u9fff]/.test(text) &&
  (!isLikelyName(text) || /(?:[区片线组队班店厂处科室站局院所]|中心|人员)$/.test(text.replace(/\s/g, '')))

/** Numbers of at least this size under an unknown label are amounts, smaller ones may count anything. */
const minUnknownAmount = 100

/**
 * Returns whether the row contains pay. Formulas that were filled down too far leave zeros, which are not pay.
 * `written`: whether text cells and formulas without a result count as well.
 */
function hasPay(grid: Grid, row: number, { money, unknown }: IdentityColumns, written: boolean): boolean {
  const isAmount = (column: number) => {
    const { decimal, uncached } = getCell(grid, row, column)
    return (decimal !== null && Number(decimal) !== 0) || (written && uncached === true)
  }
  const isLarge = (column: number) => Math.abs(Number(getCell(grid, row, column).decimal ?? 0)) >= minUnknownAmount
  return (
    money.some(isAmount) || unknown.some(isLarge) || money.some((column) => isWrittenAmount(getCell(grid, row, column), written))
  )
}

/** Matches 3000(现金), 5000元/月, 叁仟元 and 5k, which are readable as an amount, or meant to be one, in a row with a name. */
const writtenAmountPattern = /^[^\d]{0,4}[¥￥]?\d[\d,，]*(?:\.\d+)?\s*(?:[kKwW万千百元块圆/]|[（(]\D+[)）]).{0,12}$/
const chineseAmountPattern =
  /^[零一二两三四五六七八九十百千万壹贰叁肆伍陆柒捌玖拾佰仟萬]*[十百千万拾佰仟萬][零一二三四五六七八九壹贰叁肆伍陆柒捌玖]*[元圆块][整正]?$/
const isWrittenAmount = ({ kind, text, decimal }: GridCell, written: boolean) =>
  (written && kind === 'error') ||
  (kind === 'text' &&
    decimal === null &&
    !isLikelyDate(text) &&
    (writtenAmountPattern.test(text) || chineseAmountPattern.test(text)))

/** Column numbers are smaller than this. */
const hasLargePay = (grid: Grid, row: number, { money }: IdentityColumns) =>
  money.some((column) => Math.abs(Number(getCell(grid, row, column).decimal ?? 0)) > 300)

/** Detects a table row above its header: sorted with its header. A total above is labelled or recognized by its sums. */
function isPayAboveHeader(grid: Grid, row: number, filled: number[], identity: IdentityColumns): boolean {
  if (grid.hidden_rows.has(row) || findFooterLabel(grid, row, filled, identity)) return false
  const amounts = identity.money.map((column) => Math.abs(Number(getCell(grid, row, column).decimal ?? 0)))
  const isYear = (value: number) => Number.isInteger(value) && value >= 1990 && value < 2100
  const paid = amounts.filter((value) => value !== 0 && !isYear(value))
  const isNamed = identity.names.some((column) => isLikelyName(getText(grid, row, column)))
  return paid.some((value) => value > 300) && (paid.length > 1 || isNamed || hasStrongIdentity(grid, row, identity))
}

/** Returns the contents of the rows above the header, each as one text. */
function collectTitles(grid: Grid, header: Header): ReadonlySet<string> {
  const titles = new Set<string>()
  for (let row = 0; row < header.top; row++) {
    const [only, ...more] = new Set(getFilledColumns(grid, row).map((column) => getText(grid, row, column)))
    if (only !== undefined && more.length === 0) titles.add(only)
  }
  return titles
}

const payslipTitlePattern = /20\d\d\s*年.*月.*(?:工\s*资|薪|奖金)|(?:工\s*资|薪)\s*(?:单|条|表|明细)/

/** No title is longer. */
const maxTitleLength = 60

/** Detects a repeated title: 工资条 often repeat it above every member. It is alone in its row, unlike any name. */
function isRepeatedTitle(grid: Grid, titles: ReadonlySet<string>, row: number, filled: number[]): boolean {
  const only = getText(grid, row, filled[0] ?? 0)
  // Checked first, because hardly any row has the same text in every cell.
  if (!filled.every((column) => getText(grid, row, column) === only)) return false
  return titles.has(only) || (only.length <= maxTitleLength && payslipTitlePattern.test(only)) || parseTitleMonth(only) !== ''
}

function describeRowAboveHeader(grid: Grid, row: number, filled: number[]): string {
  if (grid.hidden_rows.has(row)) return '隐藏的行，在表头之上'
  const text = filled.map((column) => getText(grid, row, column)).join('')
  if (/^(?:column\d+|列\d+)+$/i.test(text)) return '表格自带的列名'
  if (filled.length > 1 || /单位\s*[:：]|日期\s*[:：]|说明|备注|^注/.test(text)) return '说明行，在表头之上'
  return '标题行'
}

/** The labels above each column, to recognize a repeated header. Only short texts are normalized; names are not worth it. */
class HeaderLabels {
  private readonly byColumn = new Map<number, ReadonlySet<string>>()
  /** Characters of a column's labels: a text that neither begins nor ends with one of them is a name or number. */
  private readonly charactersByColumn = new Map<number, ReadonlySet<string>>()
  private readonly longest: number
  /** In a list that contains only names, each row has one cell. */
  readonly count: number

  constructor({ paths, left }: Header) {
    paths.forEach((path, at) => {
      if (path.length === 0) return
      const labels = path.flatMap((part) => [part, normalizeHeader(part)])
      this.byColumn.set(left + at, new Set(labels))
      this.charactersByColumn.set(left + at, new Set(labels.join('')))
    })
    this.count = this.byColumn.size
    this.longest = Math.max(0, ...paths.flat().map((part) => part.length)) + 10
  }

  has(column: number, text: string): boolean {
    const labels = this.byColumn.get(column)
    if (!labels || text === '' || text.length > this.longest) return false
    if (labels.has(text)) return true
    const signs = this.charactersByColumn.get(column)
    return (signs?.has(text[0] ?? '') || signs?.has(text.at(-1) ?? '')) === true && labels.has(normalizeHeader(text))
  }
}

/** Detects the repeated header of 工资条 above every member, including each row of a two-row header. */
function isRepeatedHeader(grid: Grid, labels: HeaderLabels, row: number, filled: number[]): boolean {
  let same = 0
  let other = 0
  for (const column of filled) {
    const stored = grid.rows[row]?.[column]
    if (typeof stored === 'string' && labels.has(column, stored.trim())) same++
    else if (++other * 10 > filled.length * 3) return false
  }
  return same >= 2
}

export function hasStrongIdentity(grid: Grid, row: number, identity: IdentityColumns): boolean {
  const text = (column: number | undefined) => (column === undefined ? '' : getText(grid, row, column))
  if (parseMobile(text(identity.mobile)) !== null || isLikelyIdCard(text(identity.id_card))) return true
  const number = text(identity.employee_no).replace(/\s/g, '')
  // Without names the number is all there is; beside names a plain count (1, 2, 3) identifies nobody.
  return identity.names.length === 0 ? number !== '' && /[\d\p{L}]/u.test(number) : /^(?=.*\d)[A-Za-z\d-]{4,}$/.test(number)
}

function findLastFilledRow(grid: Grid): number {
  for (let row = grid.rows.length - 1; row >= 0; row--) if (getFilledColumns(grid, row).length > 0) return row
  return -1
}
