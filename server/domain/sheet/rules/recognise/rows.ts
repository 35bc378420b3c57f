/** Which rows under the header are people, and why the others are not. */
import { looksLikeIdCard, readMobile } from '../cells.ts'
import { cellAt, filledColumns, type Grid, type GridCell, textAt } from '../grid.ts'
import type { Header } from './header.ts'
import { exactSynonym, normaliseHeader } from './synonyms.ts'

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
    if (filled.length > 0) add(row, aboveHeader(grid, row, filled))
  }
  const labels = new Labels(header)
  const titles = titlesOf(grid, header)
  const last = lastFilledRow(grid)
  let blank: number[] = []
  for (let row = header.bottom + 1; row <= last; row++) {
    const filled = filledColumns(grid, row)
    if (filled.length === 0) {
      blank.push(row)
      continue
    }
    const found = isTitleAgain(grid, titles, row, filled) ? { why: '重复的标题' } : judge(grid, header, who, labels, row, filled)
    if (blank.length > 0) {
      for (const at of blank.slice(0, Math.max(0, mostBlank - ignored.length))) add(at, '空行')
      blank = []
    }
    if (found === null) people.push(row)
    else {
      add(row, found.why)
      if (found.total) totals.push(row)
      if (found.paid) unclaimed.push(row)
    }
  }
  ignored.sort((a, b) => a.row - b.row)
  return { people, ignored, unlisted, totals, unclaimed }
}

interface Nobody {
  why: string
  total?: true
  /** There is an amount in it: it may be somebody's. */
  paid?: true
}

/** Why a row is nobody; null when it is a person. Cheap questions first: of ten thousand rows nearly all are people. */
function judge(grid: Grid, header: Header, who: WhoColumns, labels: Labels, row: number, filled: number[]): Nobody | null {
  if (isRepeatedHeader(grid, labels, row, filled)) return { why: '重复的表头' }
  const named = who.names.some((column) => isPersonName(cellAt(grid, row, column)))
  const totalWord = totalWordOf(grid, row, filled, who)
  // Max and Min are also what people are called: a number of his own says so.
  if (totalWord && !(named && totalWord === '统计' && hasStrongIdentity(grid, row, who)))
    return { why: totalWord === '统计' ? '统计行，不是员工' : `“${totalWord}”行，不是员工`, total: true }
  const isNumeric = filled.some((column) => typeof grid.rows[row]?.[column] === 'number')
  const written = who.names.some((column) => cellAt(grid, row, column).kind !== 'empty')
  const paid = isPaid(grid, row, who, written)
  if (!named || !isNumeric) {
    const cells = filled.map((column) => cellAt(grid, row, column))
    if (!paid && isSignature(cells)) return { why: '签字或审批行' }
    if (!paid && isNote(cells)) return { why: '说明文字' }
    if (isColumnCodes(header, filled, cells)) return { why: '列编号行' }
  }
  const nobody = (why: string): Nobody => (paid ? { why, paid } : { why })
  if (who.names.some((column) => labels.has(column, textAt(grid, row, column)))) return nobody('占位行：姓名一栏写的是表头')
  if (named) return null
  const strong = hasStrongIdentity(grid, row, who)
  if (who.names.length === 0) return strong ? null : nobody('没有人员编号')
  if (written) return nobody('姓名一栏不是姓名')
  if (strong && who.money.some((column) => cellAt(grid, row, column).decimal !== null)) return null
  return nobody(paid ? '有金额但没有姓名' : '没有姓名')
}

/** Numbers this large under an unknown label are amounts, smaller ones may count anything. */
const large = 100

/** Formulas that were dragged down too far leave zeros: those are nobody's pay. `written`: then a formula without its result counts too. */
function isPaid(grid: Grid, row: number, { money, unknown }: WhoColumns, written: boolean): boolean {
  const isAmount = (column: number) => {
    const { decimal, uncached } = cellAt(grid, row, column)
    return (decimal !== null && Number(decimal) !== 0) || (written && uncached === true)
  }
  const isLarge = (column: number) => Math.abs(Number(cellAt(grid, row, column).decimal ?? 0)) >= large
  return money.some(isAmount) || unknown.some(isLarge)
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
  const isTitle = titles.has(only) || (only.length <= longestTitle && slipTitle.test(only))
  return isTitle && filled.every((column) => textAt(grid, row, column) === only)
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
  private readonly byColumn = new Map<number, Set<string>>()
  private readonly longest: number
  /** The signs of all labels: what has none of them at its beginning or end is somebody's name or number. */
  private readonly signs: ReadonlySet<string>

  constructor({ paths, left }: Header) {
    paths.forEach((path, at) => {
      if (path.length > 0) this.byColumn.set(left + at, new Set(path.flatMap((part) => [part, normaliseHeader(part)])))
    })
    this.longest = Math.max(0, ...paths.flat().map((part) => part.length)) + 10
    this.signs = new Set([...this.byColumn.values()].flatMap((labels) => [...labels].flatMap((one) => [...one])))
  }

  has(column: number, text: string): boolean {
    const labels = this.byColumn.get(column)
    if (!labels || text === '' || text.length > this.longest) return false
    if (labels.has(text)) return true
    return (this.signs.has(text[0] ?? '') || this.signs.has(text.at(-1) ?? '')) && labels.has(normaliseHeader(text))
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

const totalWords =
  /^(?:(?:本页|本部门|部门|公司|单位|全部|人数|各项|以上)?(?:合计|小计|总计|共计|累计|总数|总额|汇总)(?:人数|金额|数|行)?|.{1,12}(?:小计|合计|总计)|(?:grand|sub)?total|sum|合計|小計|総計|합계|소계|총계|총합계|계|tổng(?:cộng|số)?|cộng|итого|всего)[:：]?$/iu
const statisticsWords =
  /^(?:平均|平均值|平均数|均值|最大|最大值|最高|最小|最小值|最低|中位数|人数|max|min|maximum|minimum|average|avg|mean|median|count|平均額|평균|trungbình|среднее)[:：]?$/iu

/** The word of a total row, from its leading cells: everything up to the name, and the first text. */
function totalWordOf(grid: Grid, row: number, filled: number[], who: WhoColumns): string | undefined {
  const reach = Math.max(...who.names, filled[0] ?? 0)
  for (const [at, column] of filled.entries()) {
    if (column > reach && at > 1) break
    const stored = grid.rows[row]?.[column]
    if (typeof stored !== 'string' || stored.length > 60) continue
    const word = stored.replace(/\s+/g, '')
    if (word.length > 20) continue
    if (statisticsWords.test(word)) return '统计'
    // A department that ends in 合计 is only a total where no person is named.
    if (
      totalWords.test(word) &&
      (word.length <= 4 || !who.names.some((name) => name !== column && isPersonName(cellAt(grid, row, name))))
    )
      return word
  }
  return undefined
}

const signatureWords =
  /制表|审核|复核|批准|核准|主管|领导|负责人|出纳|会计|经办|签字|签名|签章|盖章|总经理|董事长|财务经理|人事经理|填表|校对|prepared by|approved by|checked by|signature|작성자|승인|người lập|kế toán|бухгалтер|подпись/i

function isSignature(cells: GridCell[]): boolean {
  const texts = cells.filter((cell) => cell.kind === 'text')
  if (texts.length === 0 || cells.some((cell) => cell.kind === 'number')) return false
  const signing = texts.filter(
    (cell) => signatureWords.test(cell.text) && (/[:：]/.test(cell.text) || cell.text.replace(/\s/g, '').length <= 8),
  )
  const colons = signing.filter((cell) => /[:：]/.test(cell.text))
  return colons.length > 0 && signing.length * 2 >= texts.length
}

function isNote(cells: GridCell[]): boolean {
  const [first] = cells
  if (first?.kind !== 'text') return false
  const note = /^(?:注|备注|说明|附注|注意|温馨提示|填表说明|note|notes|ghi chú|비고|примечание)\s*\d*\s*[:：.、]/i.test(
    first.text,
  )
  if (note) return cells.every((cell) => cell.kind === 'text')
  return cells.length === 1 && (first.text.length > 20 || /[。；;]$/.test(first.text))
}

/** A1 · B1.1.1 · (3) · 5=3+4 · 1 2 3 … : the row that numbers the columns for their formulas. */
function isColumnCodes(header: Header, filled: number[], cells: GridCell[]): boolean {
  if (filled.length < 4) return false
  const code = /^(?:[A-Z]{1,2}\d*(?:\.\d+)*|[(（]\d{1,3}[)）]|[①-⑳]|\d{1,3}(?:=[\dA-Z+\-*/×()]+)|[A-Z]{1,2}=.{1,40})$/i
  const codes = cells.filter((cell) => cell.kind === 'text' && code.test(cell.text.replace(/\s/g, '')))
  if (codes.length * 2 >= filled.length && codes.length >= 3) return true
  // 1 2 3 4 … over (nearly) all columns
  let next: number | null = null
  for (const cell of cells) {
    const value = Number(cell.decimal ?? Number.NaN)
    if (!Number.isInteger(value) || (next !== null && value !== next)) return false
    next = value + 1
  }
  return filled.length >= Math.max(4, (header.right - header.left + 1) * 0.6) && (next ?? 0) - filled.length <= 1
}

const notNames =
  /^(?:姓名|员工|无|空|空白|空缺|待定|未知|暂无|无此人|不详|示例|样例|例|n\/a|null|none|nil|tbd|unknown|xxx+|某某某?|合计|小计|总计)$/i
/** A department in the place of a name is nobody; 阿部 and 长谷部 are. */
const unit =
  /(?:财务|人事|人力资源?|行政|销售|生产|市场|技术|研发|采购|仓储|物流|客服|运营|工程|质检|后勤|管理|综合|设计|品质|维修|安全|总务|业务|企划|法务|信息|项目|储运|餐饮|保安|保洁|事业)[一二三四五六七八九十\d]*部$|车间$|公司$|办公室$|中心$|班组$|门店$|分店$/

/** 基本工资 in the place of a name: the table lies on its side. */
const isPayWord = (text: string) => /^[\u4e00-\u9fff]/.test(text) && exactSynonym(text)?.nature === 'money'

/** A name has letters and no colon; 15 is no name, 3adad is one. */
export function isPersonName(cell: GridCell): boolean {
  if (cell.kind !== 'text' || cell.decimal !== null || cell.text.length > 60) return false
  const text = cell.text
  const joined = text.replace(/\s/g, '')
  return /\p{L}/u.test(text) && !/[:：]/.test(text) && !notNames.test(joined) && !unit.test(joined) && !isPayWord(joined)
}

function hasStrongIdentity(grid: Grid, row: number, who: WhoColumns): boolean {
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
