/** Which rows under the header are people, and why the others are not. */

import { looksLikeIdCard } from '../../rules/id-card.ts'
import { readMobile } from '../../rules/phone.ts'
import { looksLikeDate } from '../cells.ts'
import { cellAt, filledColumns, type Grid, type GridCell, textAt } from '../grid.ts'
import type { Header } from './header.ts'
import { findFootWord, isColumnCodes, isNote, isSignature, isSignatureLabel } from './nobody.ts'
import { explainsColumns, isPayslipTitle, rowText, startsOtherTable } from './other-rows.ts'
import { titleMonth } from './says.ts'
import { normaliseHeader } from './synonyms.ts'
import { isPersonName, looksLikeName } from './who.ts'

export interface Ignored {
  /** 1-based. */
  row: number
  /** A short Chinese sentence for the person who uploaded the sheet. */
  why: string
}

export interface RowsRead {
  /** 0-based rows that hold people. */
  people: number[]
  ignored: Ignored[]
  /** Rows that are nobody and were too many to list. */
  unlisted: number
  /** 0-based rows of totals over everything, the last one being the sheet's own total. */
  totals: number[]
  /** 0-based rows with amounts of which nobody can tell from the name whose they are. */
  unclaimed: number[]
}

/** 0-based columns that say who somebody is. */
export interface WhoColumns {
  names: number[]
  employee_no?: number | undefined
  id_card?: number | undefined
  mobile?: number | undefined
  /** Columns of amounts as far as the header tells. */
  money: number[]
  /** Columns whose label nobody knows: large numbers there are amounts too. */
  unknown: number[]
}

/** So many rows are listed; blank ones only among the first 200. */
const mostListed = 1_000
const mostBlank = 200

export function readRows(grid: Grid, header: Header, who: WhoColumns): RowsRead {
  const people: number[] = []
  const totals: number[] = []
  const unclaimed: number[] = []
  const ignored: Ignored[] = []
  let unlisted = 0
  const add = (row: number, why: string) => {
    if (ignored.length < mostListed) ignored.push({ row: row + 1, why })
    else unlisted++
  }

  for (let row = 0; row < header.top; row++) {
    const filled = filledColumns(grid, row)
    if (filled.length === 0) continue
    const isPay = isPayAbove(grid, row, filled, who)
    add(row, isPay ? '在表头之上，有金额' : aboveHeader(grid, row, filled))
    if (isPay) unclaimed.push(row)
  }
  const labels = new Labels(header)
  const titles = titlesOf(grid, header)
  const last = lastFilledRow(grid)
  let blank: number[] = []
  let isLegend = false
  const below = new Below(grid, header, who, labels)
  for (let row = header.bottom + 1; row <= last; row++) {
    const filled = filledColumns(grid, row)
    if (filled.length === 0) {
      blank.push(row)
      continue
    }
    isLegend ||= filled.length === 1 && legendWord.test(textAt(grid, row, filled[0] ?? 0))
    const found = isTitleAgain(grid, titles, row, filled)
      ? { why: '重复的标题' }
      : isLegend && filled.length * 2 < labels.count && !isPaid(grid, row, who, false)
        ? { why: '说明文字' }
        : judge(grid, header, who, labels, row, filled)
    if (blank.length > 0) {
      for (const at of blank.slice(0, Math.max(0, mostBlank - ignored.length))) add(at, '空行')
      blank = []
    }
    const other = below.explain(row, filled, people, found)
    if (found === null && other === null) people.push(row)
    else {
      add(row, other ?? found?.why ?? '')
      if (found?.total) totals.push(row)
      if (found?.paid && other === null) unclaimed.push(row)
    }
  }
  ignored.sort((a, b) => a.row - b.row)
  return { people, ignored, unlisted, totals, unclaimed }
}

const signatureRow = '签字或审批行'

/** So many lines under the header may explain the columns. */
const mostExplaining = 3

/** What of the rows under the header belongs to something else; rows come from the top. */
class Below {
  readonly #grid: Grid
  readonly #who: WhoColumns
  readonly #labels: Labels
  /** The first row with an amount of somebody; only the few above it can explain the columns. */
  readonly #firstPaid: number
  /** The last row with an amount of somebody. */
  readonly #lastPaid: number
  #isOtherTable = false
  #isSigned = false
  /** People above a title of somebody's own payslip, by how their rows read. */
  #listed: Map<string, number> | null = null

  constructor(grid: Grid, { bottom }: Header, who: WhoColumns, labels: Labels) {
    this.#grid = grid
    const first = grid.rows.findIndex((_, row) => row > bottom && isNamedIn(grid, row, who) && isPaid(grid, row, who, true))
    this.#lastPaid = grid.rows.findLastIndex(
      (_, row) => row > bottom && isNamedIn(grid, row, who) && isPaid(grid, row, who, true),
    )
    this.#firstPaid = first - bottom <= mostExplaining + 1 ? first : -1
    this.#who = who
    this.#labels = labels
  }

  /** Why the row is no row of pay though it may look like one; null where it is what `found` says. */
  explain(row: number, filled: number[], people: readonly number[], found: Nobody | null): string | null {
    const grid = this.#grid
    if (found === null && row < this.#firstPaid && explainsColumns(grid, row, this.#who)) return '说明各列怎么填的行，没有金额'
    this.#isSigned ||= row > this.#lastPaid && found?.why === signatureRow
    // Under 制表人 and 审核人 stand those who sign.
    if (found === null && this.#isSigned && !hasStrongIdentity(grid, row, this.#who)) return signatureRow
    const [first = 0] = filled
    if (people.length > 1 && filled.length === 1 && isPayslipTitle(textAt(grid, row, first)))
      this.#listed = new Map(people.map((person) => [rowText(grid, person, filledColumns(grid, person)), person]))
    const same = found === null ? this.#listed?.get(rowText(grid, row, filled)) : undefined
    if (same !== undefined) return `和第 ${same + 1} 行相同，是那个人的工资条`
    const isOwnHeader = () => filled.some((column) => this.#labels.has(column, textAt(grid, row, column)))
    if (people.length > 0 && !found?.total && startsOtherTable(grid, row, filled, this.#who) && !isOwnHeader()) {
      this.#isOtherTable = true
      return '下面另一张表的表头'
    }
    // Whoever is named there is still seen.
    return this.#isOtherTable && found?.paid && !isNamedIn(grid, row, this.#who) ? '下面另一张表的内容' : null
  }
}

const isNamedIn = (grid: Grid, row: number, { names }: WhoColumns) =>
  names.some((column) => isPersonName(cellAt(grid, row, column)))

/** 图例, and below it 红色 | 试用期. */
const legendWord = /^(?:图例|说明|备注|注|附注|(?:颜色|填表|填写)说明|legend|notes?)[:：]?$/i

interface Nobody {
  why: string
  total?: true
  /** There is an amount in it: it may be somebody's. */
  paid?: true
}

/** Why a row is nobody; null when it is a person. Cheap questions first: of ten thousand rows nearly all are people. */
function judge(grid: Grid, header: Header, who: WhoColumns, labels: Labels, row: number, filled: number[]): Nobody | null {
  if (isRepeatedHeader(grid, labels, row, filled) && !isPaid(grid, row, who, false)) return { why: '重复的表头' }
  const named = who.names.some((column) => isPersonName(cellAt(grid, row, column)))
  const foot = findFootWord(grid, row, filled, who)
  // Max and Sum are also what people are called: a number of his own says so.
  if (foot && !(who.names.length > 0 && hasStrongIdentity(grid, row, who)))
    return { why: foot.kind === 'other' ? '统计行，不是员工' : `「${foot.word}」行，不是员工`, total: true }
  const isNumeric = filled.some((column) => typeof grid.rows[row]?.[column] === 'number')
  const written = named || who.names.some((column) => cellAt(grid, row, column).kind !== 'empty')
  const paid = isPaid(grid, row, who, written)
  // A, B under 姓名: the letters of the columns.
  const isLettered = named && who.names.every((column) => /^[A-Z]{1,2}$/.test(textAt(grid, row, column)))
  if (!named || !isNumeric || isLettered) {
    if (!paid && isSignature(grid, row, filled)) return { why: signatureRow }
    if (!paid && isNote(grid, row, filled)) return { why: '说明文字' }
    if (isColumnCodes(header, grid, row, filled) && !isLargePaid(grid, row, who)) return { why: '列编号行' }
  }
  if (!paid && isSignatureLabel(grid, row, filled, who.names) && !hasStrongIdentity(grid, row, who)) return { why: signatureRow }
  const nobody = (why: string): Nobody => (paid ? { why, paid } : { why })
  if (who.names.some((column) => labels.has(column, textAt(grid, row, column)))) return nobody('占位行：姓名一栏写的是表头')
  if (named && labels.count > 1 && filled.length === 1 && !paid && isHeading(textAt(grid, row, filled[0] ?? 0)))
    return { why: '分组的标题' }
  if (named) return null
  const strong = hasStrongIdentity(grid, row, who)
  if (who.names.length === 0) return strong ? null : nobody('没有人员编号')
  if (written) return nobody('姓名一栏不是姓名')
  if (strong && who.money.some((column) => cellAt(grid, row, column).decimal !== null)) return null
  return nobody(paid ? '有金额但没有姓名' : '没有姓名')
}

/** Alone in its row: 华东大区 is a heading over its people, 王伟 is somebody who is not paid. */
const isHeading = (text: string) =>
  /^[\u4e00-\u9fff]/.test(text) &&
  (!looksLikeName(text) || /(?:[区片线组队班店厂处科室站局院所]|中心|人员)$/.test(text.replace(/\s/g, '')))

/** Numbers this large under an unknown label are amounts, smaller ones may count anything. */
const large = 100

/** Formulas that were dragged down too far leave zeros: those are nobody's pay. `written`: then a formula without its result counts too. */
function isPaid(grid: Grid, row: number, { money, unknown }: WhoColumns, written: boolean): boolean {
  const isAmount = (column: number) => {
    const { decimal, uncached } = cellAt(grid, row, column)
    return (decimal !== null && Number(decimal) !== 0) || (written && uncached === true)
  }
  const isLarge = (column: number) => Math.abs(Number(cellAt(grid, row, column).decimal ?? 0)) >= large
  return money.some(isAmount) || unknown.some(isLarge) || money.some((column) => isSaid(cellAt(grid, row, column), written))
}

/** 3000(现金), 5000元/月, 叁仟元, 5k: an amount for everybody who reads it; and what should have been one where somebody is written. */
const saidAmount = /^[^\d]{0,4}[¥￥]?\d[\d,，]*(?:\.\d+)?\s*(?:[kKwW万千百元块圆/]|[（(]\D+[)）]).{0,12}$/
const chineseAmount =
  /^[零一二两三四五六七八九十百千万壹贰叁肆伍陆柒捌玖拾佰仟萬]*[十百千万拾佰仟萬][零一二三四五六七八九壹贰叁肆伍陆柒捌玖]*[元圆块][整正]?$/
const isSaid = ({ kind, text, decimal }: GridCell, written: boolean) =>
  (written && kind === 'error') ||
  (kind === 'text' && decimal === null && !looksLikeDate(text) && (saidAmount.test(text) || chineseAmount.test(text)))

/** Columns are numbered below this. */
const isLargePaid = (grid: Grid, row: number, { money }: WhoColumns) =>
  money.some((column) => Math.abs(Number(cellAt(grid, row, column).decimal ?? 0)) > 300)

/** A row of the table over its header: somebody sorted the sheet and its header with it. A total up there says so or is known by its sums. */
function isPayAbove(grid: Grid, row: number, filled: number[], who: WhoColumns): boolean {
  if (grid.hidden_rows.has(row) || findFootWord(grid, row, filled, who)) return false
  const amounts = who.money.map((column) => Math.abs(Number(cellAt(grid, row, column).decimal ?? 0)))
  const isYear = (value: number) => Number.isInteger(value) && value >= 1990 && value < 2100
  const paid = amounts.filter((value) => value !== 0 && !isYear(value))
  const isNamed = who.names.some((column) => looksLikeName(textAt(grid, row, column)))
  return paid.some((value) => value > 300) && (paid.length > 1 || isNamed || hasStrongIdentity(grid, row, who))
}

/** What the rows over the header say, each in one text. */
function titlesOf(grid: Grid, header: Header): ReadonlySet<string> {
  const titles = new Set<string>()
  for (let row = 0; row < header.top; row++) {
    const [only, ...more] = new Set(filledColumns(grid, row).map((column) => textAt(grid, row, column)))
    if (only !== undefined && more.length === 0) titles.add(only)
  }
  return titles
}

const slipTitle = /20\d\d\s*年.*月.*(?:工\s*资|薪|奖金)|(?:工\s*资|薪)\s*(?:单|条|表|明细)/

/** No title is longer. */
const longestTitle = 60

/** 工资条 often bear their title again over every person: it stands alone, and nobody is called so. */
function isTitleAgain(grid: Grid, titles: ReadonlySet<string>, row: number, filled: number[]): boolean {
  const only = textAt(grid, row, filled[0] ?? 0)
  // Asked first: of hardly anybody every cell is the same.
  if (!filled.every((column) => textAt(grid, row, column) === only)) return false
  return titles.has(only) || (only.length <= longestTitle && slipTitle.test(only)) || titleMonth(only) !== ''
}

/** Said of the rows over the header. */
function aboveHeader(grid: Grid, row: number, filled: number[]): string {
  if (grid.hidden_rows.has(row)) return '隐藏的行，在表头之上'
  const text = filled.map((column) => textAt(grid, row, column)).join('')
  if (/^(?:column\d+|列\d+)+$/i.test(text)) return '表格自带的列名'
  if (filled.length > 1 || /单位\s*[:：]|日期\s*[:：]|说明|备注|^注/.test(text)) return '说明行，在表头之上'
  return '标题行'
}

/** The labels over each column, to know the header again. Short texts only are normalised: names are not worth it. */
class Labels {
  private readonly byColumn = new Map<number, ReadonlySet<string>>()
  /** The signs of a column's labels: what has none of them at its beginning or end is somebody's name or number. */
  private readonly signs = new Map<number, ReadonlySet<string>>()
  private readonly longest: number
  /** In a list of nothing but names each row has one cell. */
  readonly count: number

  constructor({ paths, left }: Header) {
    paths.forEach((path, at) => {
      if (path.length === 0) return
      const labels = path.flatMap((part) => [part, normaliseHeader(part)])
      this.byColumn.set(left + at, new Set(labels))
      this.signs.set(left + at, new Set(labels.join('')))
    })
    this.count = this.byColumn.size
    this.longest = Math.max(0, ...paths.flat().map((part) => part.length)) + 10
  }

  has(column: number, text: string): boolean {
    const labels = this.byColumn.get(column)
    if (!labels || text === '' || text.length > this.longest) return false
    if (labels.has(text)) return true
    const signs = this.signs.get(column)
    return (signs?.has(text[0] ?? '') || signs?.has(text.at(-1) ?? '')) === true && labels.has(normaliseHeader(text))
  }
}

/** 工资条: the header again before every person; also each row of a two-row header by itself. */
function isRepeatedHeader(grid: Grid, labels: Labels, row: number, filled: number[]): boolean {
  let same = 0
  let other = 0
  for (const column of filled) {
    const stored = grid.rows[row]?.[column]
    if (typeof stored === 'string' && labels.has(column, stored.trim())) same++
    else if (++other * 10 > filled.length * 3) return false
  }
  return same >= 2
}

export function hasStrongIdentity(grid: Grid, row: number, who: WhoColumns): boolean {
  const text = (column: number | undefined) => (column === undefined ? '' : textAt(grid, row, column))
  if (readMobile(text(who.mobile)) !== null || looksLikeIdCard(text(who.id_card))) return true
  const number = text(who.employee_no).replace(/\s/g, '')
  // Without names the number is all there is; beside names a bare count (1, 2, 3) identifies nobody.
  return who.names.length === 0 ? number !== '' && /[\d\p{L}]/u.test(number) : /^(?=.*\d)[A-Za-z\d-]{4,}$/.test(number)
}

function lastFilledRow(grid: Grid): number {
  for (let row = grid.rows.length - 1; row >= 0; row--) if (filledColumns(grid, row).length > 0) return row
  return -1
}
