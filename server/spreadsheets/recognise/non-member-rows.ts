/**
 * Rows that are not members by their text (totals, statistics, signatures, notes, column numbers), and rows with
 * amounts that belong to no member: an unlabelled total, the second line of the member above, or a mistake that must be
 * reported.
 */
import { type Grid, getCell, getText, isEmptyCell } from '../grid.ts'
import { getCellFen } from '../profiles/wage/sums.ts'
import { type FooterLabel, parseFooterLabel } from './footer-labels.ts'
import { isLikelyName, isPersonName } from './identity-columns.ts'
import type { ClassifiedRows, Header, IdentityColumns } from './types.ts'

/**
 * Returns the footer label of a row from its leading cells: everything up to the name, and the first text. If another
 * cell of the row names a person, the label describes that person (差额 | 张三) and the row is not a footer.
 */
export function findFooterLabel(grid: Grid, row: number, filled: number[], identity: IdentityColumns): FooterLabel | undefined {
  const lastColumn = Math.max(...identity.names, filled[0] ?? 0)
  for (const [at, column] of filled.entries()) {
    if (column > lastColumn && at > 1) break
    const stored = grid.rows[row]?.[column]
    const label = typeof stored === 'string' ? parseFooterLabel(stored) : null
    if (label && !describesMember(grid, row, { ...label, column }, identity)) return label
  }
  return undefined
}

type PositionedLabel = FooterLabel & { readonly column: number }

/** A department may end in 合计, so a long label next to a name is ignored; a short one is a total next to any text. */
function describesMember(grid: Grid, row: number, { word, kind, column }: PositionedLabel, { names }: IdentityColumns): boolean {
  const others = names.filter((name) => name !== column)
  if (kind === 'other') return others.some((name) => isLikelyName(getText(grid, row, name)))
  return word.length > 4 && others.some((name) => isPersonName(getCell(grid, row, name)))
}

const signaturePattern =
  /制表|审核|复核|批准|核准|主管|领导|负责人|出纳|会计|经办|签字|签名|签章|盖章|总经理|董事长|财务经理|人事经理|填表|校对|prepared by|approved by|checked by|signature|작성자|승인|người lập|kế toán|бухгалтер|подпись/i

/** 制表人 and Prepared by indicate a signature at any position. */
const signerPattern =
  /^(?:(?:制表|制单|编制|填表|填报|审核|复核|核对|校对|批准|核准|审批|签批|签发|经办)(?:人|者|签字|签名|签章|盖章|意见|日期|时间)+|(?:prepared|checked|approved|verified|reviewed|received|authori[sz]ed|certified|audited|signed|submitted)\s+by\b.*|(?:authori[sz]ed\s+)?signator(?:y|ies)|(?:(?:employee|employer|manager|director)(?:'s)?\s+)?signature)$/i
/** 会计 and 总经理 request a signature only in the name column: next to a name they are positions. */
const signingPostPattern =
  /^(?:(?:财务|人事|人力资源|行政|部门|单位|公司|分管|业务|主管|总)*(?:制表|制单|编制|填表|填报|审核|复核|核对|校对|批准|核准|审批|签批|签发|经办|出纳|会计|负责人|主管|领导|经理|总监|董事长|总裁|厂长|校长|院长|签字|签名|签章|盖章|公章)(?:人|签字|签名|签章|意见|日期|时间)*|日期|年月日|date)$/i

/** Returns whether a row without amounts contains a signature label and names only the signer. `names`: the name columns. */
export function isSignatureLabel(grid: Grid, row: number, filled: readonly number[], names: readonly number[]): boolean {
  if (filled.some((column) => typeof grid.rows[row]?.[column] === 'number')) return false
  const getLabel = (column: number) => getText(grid, row, column).replace(/(?<=[^\w])\s+|\s+(?=[^\w])/g, '')
  const [first] = filled
  if (first !== undefined && signerPattern.test(getLabel(first))) return true
  return names.some((column) => signerPattern.test(getLabel(column)) || signingPostPattern.test(getLabel(column)))
}

/** Returns the text of a cell like `getCell`. */
const getCellText = (grid: Grid, row: number, column: number): string =>
  grid.marks.size === 0 ? getText(grid, row, column) : getCell(grid, row, column).text
const colonPattern = /[:：]/

export function isSignature(grid: Grid, row: number, filled: readonly number[]): boolean {
  // This pattern is checked first, because few rows contain one.
  if (!filled.some((column) => colonPattern.test(getCellText(grid, row, column)))) return false
  const cells = filled.map((column) => getCell(grid, row, column))
  const texts = cells.filter((cell) => cell.kind === 'text')
  if (texts.length === 0 || cells.some((cell) => cell.kind === 'number')) return false
  const signing = texts.filter(
    (cell) => signaturePattern.test(cell.text) && (colonPattern.test(cell.text) || cell.text.replace(/\s/g, '').length <= 8),
  )
  const colons = signing.filter((cell) => colonPattern.test(cell.text))
  return colons.length > 0 && signing.length * 2 >= texts.length
}

const notePattern = /^(?:注|备注|说明|附注|注意|温馨提示|填表说明|note|notes|ghi chú|비고|примечание)\s*\d*\s*[:：.、]/i
/** 备注 | 本表含补发: label and text are in separate cells. 以下空白 ends a table. */
const standaloneNotePattern =
  /^[—\-(（*]*(?:注|备注|说明|附注|注意|(?:以下|以上|下面)(?:为?空白|无正文)|此页无正文|本页(?:结束|完)|结束|完|end)[—\-)）*]*$/i
/** First characters of notes: few cells of a long table start with one of them. */
const noteFirstCharacters = new Set('注备说附温填以此本结完下—-(（*eEnNgG비пП')

export function isNote(grid: Grid, row: number, filled: readonly number[]): boolean {
  const [begins] = filled
  if (begins === undefined || (filled.length > 1 && !noteFirstCharacters.has(getCellText(grid, row, begins)[0] ?? '')))
    return false
  const cells = filled.map((column) => getCell(grid, row, column))
  const [first] = cells
  if (first?.kind !== 'text') return false
  if (cells.length === 1 && /^(?:第\s*\d+\s*页|page\s*\d+)/i.test(first.text)) return true
  if (standaloneNotePattern.test(first.text.replace(/\s/g, '')) && cells.every((cell) => cell.kind === 'text')) return true
  if (noteFirstCharacters.has(first.text[0] ?? '') && notePattern.test(first.text))
    return cells.every((cell) => cell.kind === 'text')
  return cells.length === 1 && (first.text.length > 20 || /[。；;]$/.test(first.text))
}

const columnCodePattern = /^(?:[A-Z]{1,2}\d*(?:\.\d+)*|[(（]\d{1,3}[)）]|[①-⑳]|\d{1,3}(?:=[\dA-Z+\-*/×()]+)|[A-Z]{1,2}=.{1,40})$/i
const chinesePattern = /^[\u4e00-\u9fff]/
/** Returns whether at least half of the cells, and three, are codes; stops as soon as this is impossible. */
function isMostlyCodes(grid: Grid, row: number, filled: readonly number[]): boolean {
  const needed = Math.max(3, filled.length / 2)
  let codes = 0
  let remaining = filled.length
  for (const column of filled) {
    if (codes + remaining < needed) return false
    remaining -= 1
    const text = getCellText(grid, row, column)
    if (
      !chinesePattern.test(text) &&
      columnCodePattern.test(text.replace(/\s/g, '')) &&
      getCell(grid, row, column).kind === 'text'
    )
      codes += 1
  }
  return codes >= needed
}

/** Detects the row that numbers the columns for their formulas: A1 · B1.1.1 · (3) · 5=3+4 · 1 2 3 … */
export function isColumnCodes(header: Header, grid: Grid, row: number, filled: readonly number[]): boolean {
  if (filled.length < 4) return false
  if (isMostlyCodes(grid, row, filled)) return true
  // Matches 1 2 3 4 … over (nearly) all columns.
  let next: number | null = null
  for (const column of filled) {
    const value = Number(getCell(grid, row, column).decimal ?? Number.NaN)
    if (!Number.isInteger(value) || (next !== null && value !== next)) return false
    next = value + 1
  }
  return filled.length >= Math.max(4, (header.right - header.left + 1) * 0.6) && (next ?? 0) - filled.length <= 1
}

/** This many matching columns are not a coincidence; neither is a single one if it is the sum of this many members. */
const minMatchingColumns = 2
const minRowsForSingleColumn = 3

export function classifyUnclaimed(
  grid: Grid,
  rows: ClassifiedRows,
  identity: IdentityColumns,
): { rows: ClassifiedRows; unassignedRows: number[] } {
  const { memberRows, unclaimed } = rows
  if (unclaimed.length === 0) return { rows, unassignedRows: [] }
  const reasons = new Map<number, string>()
  const unassigned: number[] = []
  const totals = [...rows.totals]
  /** Sums over all members so far, and over those since the last total. */
  const all = new ColumnSums(grid, identity.money)
  let block = new ColumnSums(grid, identity.money)
  let next = 0
  const overall = new ColumnSums(grid, identity.money)
  const [first = 0] = memberRows
  if (unclaimed.some((row) => row < first)) for (const memberRow of memberRows) overall.add(memberRow)
  const headTotals = findHeadTotals(grid, rows, identity)
  for (const row of unclaimed) {
    for (; next < memberRows.length && (memberRows[next] ?? 0) < row; next++) {
      const memberRow = memberRows[next] ?? 0
      if (totals.some((total) => total > (memberRows[next - 1] ?? 0) && total < memberRow))
        block = new ColumnSums(grid, identity.money)
      all.add(memberRow)
      block.add(memberRow)
    }
    if (headTotals.has(row) || all.isTotal(row) || block.isTotal(row) || (row < first && overall.isTotal(row))) {
      reasons.set(row, '合计行，没有写「合计」')
      totals.push(row)
      block = new ColumnSums(grid, identity.money)
      continue
    }
    unassigned.push(row)
    const above = memberRows[next - 1]
    if (above !== undefined && isMergedContinuation(grid, above, row, identity))
      reasons.set(row, `第 ${above + 1} 行${secondRowText}`)
  }
  const ignored = rows.ignoredRows.map((one) => ({ ...one, why: reasons.get(one.row - 1) ?? one.why }))
  return { rows: { ...rows, ignoredRows: ignored, totals: totals.toSorted((a, b) => a - b) }, unassignedRows: unassigned }
}

/** Finds total rows above their members, such as departments. Above one member it counts only if others are certain. */
function findHeadTotals(
  grid: Grid,
  { memberRows, unclaimed, totals }: ClassifiedRows,
  { money }: IdentityColumns,
): ReadonlySet<number> {
  const marks = [...unclaimed, ...totals].toSorted((a, b) => a - b)
  const headTotals = new Set<number>()
  const single: number[] = []
  let at = 0
  for (const [nth, row] of marks.entries()) {
    while (at < memberRows.length && (memberRows[at] ?? 0) < row) at++
    const sums = new ColumnSums(grid, money)
    const from = at
    for (; at < memberRows.length && (memberRows[at] ?? 0) < (marks[nth + 1] ?? Number.POSITIVE_INFINITY); at++)
      sums.add(memberRows[at] ?? 0)
    if (sums.isTotal(row)) headTotals.add(row)
    else if (at - from === 1 && sums.matchesAll(row)) single.push(row)
  }
  if (headTotals.size > 0) for (const row of single) headTotals.add(row)
  return headTotals
}

class ColumnSums {
  private readonly sumByColumn = new Map<number, number>()
  private rowCount = 0
  private readonly grid: Grid
  private readonly columns: readonly number[]

  constructor(grid: Grid, columns: readonly number[]) {
    this.grid = grid
    this.columns = columns
  }

  add(row: number) {
    this.rowCount++
    for (const column of this.columns)
      this.sumByColumn.set(column, (this.sumByColumn.get(column) ?? 0) + (getCellFen(this.grid, row, column) ?? 0))
  }

  /** Returns whether every amount of the row equals the sum. */
  matchesAll(row: number): boolean {
    return this.columns.every((column) => (getCellFen(this.grid, row, column) ?? 0) === (this.sumByColumn.get(column) ?? 0))
  }

  isTotal(row: number): boolean {
    const messages = this.columns.flatMap((column) => {
      const fen = getCellFen(this.grid, row, column) ?? 0
      return fen === 0 ? [] : [fen === (this.sumByColumn.get(column) ?? 0)]
    })
    const right = messages.filter(Boolean).length
    if (messages.length === 1) return right === 1 && this.rowCount >= minRowsForSingleColumn
    return this.rowCount > 1 && right >= minMatchingColumns && right * 2 > messages.length
  }
}

const secondRowText = '那个人的第二行'
/** Returns whether the row belongs to the member above it. */
export const isSecondRow = (why: string): boolean => why.endsWith(secondRowText)

/** Returns whether the name above is merged down over this row. */
const isMergedContinuation = (grid: Grid, above: number, row: number, identity: IdentityColumns) =>
  identity.names.some(
    (column) =>
      isEmptyCell(grid, row, column) &&
      grid.merges.some(({ top, bottom, left, right }) => top <= above && bottom >= row && left <= column && right >= column),
  )
