/**
 * Rows that are nobody by what they say (totals, statistics, signatures, notes, the numbers of the columns), and rows with amounts that nobody claims:
 * a total that does not say so, the second line of somebody above, or a mistake that must be seen.
 */
import { cellAt, type Grid, isEmptyAt, textAt } from '../grid.ts'
import { fenAt } from '../profiles/wage/sums.ts'
import type { Header } from './header.ts'
import type { RowsRead, WhoColumns } from './rows.ts'
import { isPersonName } from './who.ts'

const totalWords =
  /^(?:(?:本页|本部门|部门|公司|单位|全部|人数|各项|以上)?(?:合计|小计|总计|共计|累计|总数|总额|汇总)(?:人数|金额|数|行)?|.{1,12}(?:小计|合计|总计)|(?:grand|sub)?total|sum|合計|小計|総計|합계|소계|총계|총합계|계|tổng(?:cộng|số)?|cộng|итого|всего)[:：]?$/iu
const statisticsWords =
  /^(?:平均|平均值|平均数|均值|最大|最大值|最高|最小|最小值|最低|中位数|人数|max|min|maximum|minimum|average|avg|mean|median|count|平均額|평균|trungbình|среднее)[:：]?$/iu

/** The word of a total row, from its leading cells: everything up to the name, and the first text. */
export function totalWordOf(grid: Grid, row: number, filled: number[], who: WhoColumns): string | undefined {
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

/** The text of a cell, as `cellAt` says it. */
const saidAt = (grid: Grid, row: number, column: number): string =>
  grid.marks.size === 0 ? textAt(grid, row, column) : cellAt(grid, row, column).text
const colon = /[:：]/

export function isSignature(grid: Grid, row: number, filled: readonly number[]): boolean {
  // Asked first: in few rows there is one.
  if (!filled.some((column) => colon.test(saidAt(grid, row, column)))) return false
  const cells = filled.map((column) => cellAt(grid, row, column))
  const texts = cells.filter((cell) => cell.kind === 'text')
  if (texts.length === 0 || cells.some((cell) => cell.kind === 'number')) return false
  const signing = texts.filter(
    (cell) => signatureWords.test(cell.text) && (colon.test(cell.text) || cell.text.replace(/\s/g, '').length <= 8),
  )
  const colons = signing.filter((cell) => colon.test(cell.text))
  return colons.length > 0 && signing.length * 2 >= texts.length
}

const noteWords = /^(?:注|备注|说明|附注|注意|温馨提示|填表说明|note|notes|ghi chú|비고|примечание)\s*\d*\s*[:：.、]/i
/** How these begin: few cells of a long table do. */
const noteSigns = new Set('注备说附温填nNgG비пП')

export function isNote(grid: Grid, row: number, filled: readonly number[]): boolean {
  const [begins] = filled
  if (begins === undefined || (filled.length > 1 && !noteSigns.has(saidAt(grid, row, begins)[0] ?? ''))) return false
  const cells = filled.map((column) => cellAt(grid, row, column))
  const [first] = cells
  if (first?.kind !== 'text') return false
  if (cells.length === 1 && /^(?:第\s*\d+\s*页|page\s*\d+)/i.test(first.text)) return true
  if (noteSigns.has(first.text[0] ?? '') && noteWords.test(first.text)) return cells.every((cell) => cell.kind === 'text')
  return cells.length === 1 && (first.text.length > 20 || /[。；;]$/.test(first.text))
}

const code = /^(?:[A-Z]{1,2}\d*(?:\.\d+)*|[(（]\d{1,3}[)）]|[①-⑳]|\d{1,3}(?:=[\dA-Z+\-*/×()]+)|[A-Z]{1,2}=.{1,40})$/i
const plainChinese = /^[\u4e00-\u9fff]/
/** Half of the cells, and three, are codes; asked no further than it can still come to that. */
function codesIn(grid: Grid, row: number, filled: readonly number[]): boolean {
  const needed = Math.max(3, filled.length / 2)
  let codes = 0
  let left = filled.length
  for (const column of filled) {
    if (codes + left < needed) return false
    left -= 1
    const text = saidAt(grid, row, column)
    if (!plainChinese.test(text) && code.test(text.replace(/\s/g, '')) && cellAt(grid, row, column).kind === 'text') codes += 1
  }
  return codes >= needed
}

/** A1 · B1.1.1 · (3) · 5=3+4 · 1 2 3 … : the row that numbers the columns for their formulas. */
export function isColumnCodes(header: Header, grid: Grid, row: number, filled: readonly number[]): boolean {
  if (filled.length < 4) return false
  if (codesIn(grid, row, filled)) return true
  // 1 2 3 4 … over (nearly) all columns
  let next: number | null = null
  for (const column of filled) {
    const value = Number(cellAt(grid, row, column).decimal ?? Number.NaN)
    if (!Number.isInteger(value) || (next !== null && value !== next)) return false
    next = value + 1
  }
  return filled.length >= Math.max(4, (header.right - header.left + 1) * 0.6) && (next ?? 0) - filled.length <= 1
}

/** So many columns that add up are no accident; a single one is none either where it is the sum of so many people. */
const enough = 2
const many = 3

export function judgeUnclaimed(grid: Grid, rows: RowsRead, who: WhoColumns): { rows: RowsRead; lost: number[] } {
  const { people, unclaimed } = rows
  if (unclaimed.length === 0) return { rows, lost: [] }
  const why = new Map<number, string>()
  const lost: number[] = []
  const totals = [...rows.totals]
  /** Over everybody so far, and over those since the last total. */
  const all = new Sums(grid, who.money)
  let block = new Sums(grid, who.money)
  let next = 0
  const everybody = new Sums(grid, who.money)
  const [first = 0] = people
  if (unclaimed.some((row) => row < first)) for (const person of people) everybody.add(person)
  const heads = headsOf(grid, rows, who)
  for (const row of unclaimed) {
    for (; next < people.length && (people[next] ?? 0) < row; next++) {
      const person = people[next] ?? 0
      if (totals.some((total) => total > (people[next - 1] ?? 0) && total < person)) block = new Sums(grid, who.money)
      all.add(person)
      block.add(person)
    }
    if (heads.has(row) || all.isTotal(row) || block.isTotal(row) || (row < first && everybody.isTotal(row))) {
      why.set(row, '合计行，没有写「合计」')
      totals.push(row)
      block = new Sums(grid, who.money)
      continue
    }
    lost.push(row)
    const above = people[next - 1]
    if (above !== undefined && isContinued(grid, above, row, who)) why.set(row, `第 ${above + 1} 行${second_row}`)
  }
  const ignored = rows.ignored.map((one) => ({ ...one, why: why.get(one.row - 1) ?? one.why }))
  return { rows: { ...rows, ignored, totals: totals.toSorted((a, b) => a - b) }, lost }
}

/** Rows over the people they are the sums of, as a department over its own. Over a single person only where others are plain. */
function headsOf(grid: Grid, { people, unclaimed, totals }: RowsRead, { money }: WhoColumns): ReadonlySet<number> {
  const marks = [...unclaimed, ...totals].toSorted((a, b) => a - b)
  const found = new Set<number>()
  const single: number[] = []
  let at = 0
  for (const [nth, row] of marks.entries()) {
    while (at < people.length && (people[at] ?? 0) < row) at++
    const sums = new Sums(grid, money)
    const from = at
    for (; at < people.length && (people[at] ?? 0) < (marks[nth + 1] ?? Number.POSITIVE_INFINITY); at++) sums.add(people[at] ?? 0)
    if (sums.isTotal(row)) found.add(row)
    else if (at - from === 1 && sums.isWhole(row)) single.push(row)
  }
  if (found.size > 0) for (const row of single) found.add(row)
  return found
}

class Sums {
  private readonly of = new Map<number, number>()
  private people = 0
  private readonly grid: Grid
  private readonly columns: readonly number[]

  constructor(grid: Grid, columns: readonly number[]) {
    this.grid = grid
    this.columns = columns
  }

  add(row: number) {
    this.people++
    for (const column of this.columns) this.of.set(column, (this.of.get(column) ?? 0) + (fenAt(this.grid, row, column) ?? 0))
  }

  /** Every amount of the row is the sum. */
  isWhole(row: number): boolean {
    return this.columns.every((column) => (fenAt(this.grid, row, column) ?? 0) === (this.of.get(column) ?? 0))
  }

  isTotal(row: number): boolean {
    const said = this.columns.flatMap((column) => {
      const fen = fenAt(this.grid, row, column) ?? 0
      return fen === 0 ? [] : [fen === (this.of.get(column) ?? 0)]
    })
    const right = said.filter(Boolean).length
    if (said.length === 1) return right === 1 && this.people >= many
    return this.people > 1 && right >= enough && right * 2 > said.length
  }
}

const second_row = '那个人的第二行'
/** Whose row it is stands above it. */
export const isSecondRow = (why: string): boolean => why.endsWith(second_row)

/** The name above is merged down over this row. */
const isContinued = (grid: Grid, above: number, row: number, who: WhoColumns) =>
  who.names.some(
    (column) =>
      isEmptyAt(grid, row, column) &&
      grid.merges.some(({ top, bottom, left, right }) => top <= above && bottom >= row && left <= column && right >= column),
  )
