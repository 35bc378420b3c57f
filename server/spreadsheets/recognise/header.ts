/** Finds the header and its labels: one to five rows, merged, stacked or plain, flattened to a path per column. */
import { isAnyName, isEmployeeNo, isName } from '../../contract/sheets/column-roles.ts'
import { type Grid, getCell, getFilledColumns, getText, type Merge } from '../grid.ts'
import { isHeaderOfNames, scoreHeaderRow } from './header-score.ts'
import { isPersonName } from './identity-columns.ts'
import { isDependentLabel, isRecognizedMeaning, type LabelDictionary } from './label-meaning.ts'
import { findContainedSynonym, normalizeHeader } from './synonyms.ts'
import type { Header } from './types.ts'

const maxHeaderRows = 5
/** Headers further down are not searched for. */
const maxSearchedRows = 100

export function findHeader(grid: Grid, dictionary: LabelDictionary): Header | null {
  const candidates: { row: number; score: number }[] = []
  let filledCount = 0
  for (let row = 0; row < grid.rows.length && filledCount < maxSearchedRows; row++) {
    const filled = getFilledColumns(grid, row)
    if (filled.length === 0) continue
    filledCount++
    const score = scoreHeaderRow(grid, row, filled, dictionary) * (grid.hidden_rows.has(row) ? 0.3 : 1)
    if (score >= minScore) candidates.push({ row, score })
  }
  const [best, ...others] = candidates.toSorted((a, b) => b.score - a.score || a.row - b.row)
  if (!best) return findNameHeader(grid, dictionary)
  const header = expandHeader(grid, best.row, dictionary)
  if (best.score >= minCertainScore && hasMemberColumns(header)) return header
  // A row of numbers and pay terms next to the table may score higher than its header: a header that identifies people
  // is preferred.
  for (const { row } of others.slice(0, maxHeaderRows)) {
    const other = expandHeader(grid, row, dictionary)
    if (hasMemberColumns(other) && hasNamesBelow(grid, other)) return other
  }
  return best.score >= minCertainScore || hasAmountsBelow(grid, header) ? header : null
}

/** Limit for the fallback used when nothing else on the sheet looks like a header. */
const maxFallbackRows = 10
function findNameHeader(grid: Grid, dictionary: LabelDictionary): Header | null {
  for (let row = 0; row < maxFallbackRows; row++) {
    const filled = getFilledColumns(grid, row)
    if (filled.length > 0 && isHeaderOfNames(grid, row, filled, dictionary)) return buildHeader(grid, dictionary, row, row)
  }
  return null
}

/** The header is certain by its labels alone; a lower score needs people or amounts below it. */
const minCertainScore = 2.5
const minScore = 1.9
const hasMemberColumns = ({ meanings }: Header) =>
  meanings.some(({ nature, confidence }) => nature === 'who' && confidence >= 0.8)
const checkedRowsBelow = 30

function hasNamesBelow(grid: Grid, { bottom, left, meanings }: Header): boolean {
  const names = meanings.flatMap(({ role }, at) => (isAnyName(role) ? [left + at] : []))
  for (let row = bottom + 1; row <= bottom + checkedRowsBelow; row++)
    if (names.some((column) => isPersonName(getCell(grid, row, column)))) return true
  return false
}

/** Returns whether at least two rows have numbers below the pay terms. */
function hasAmountsBelow(grid: Grid, { bottom, left, meanings }: Header): boolean {
  const money = meanings.flatMap(({ nature, confidence }, at) => (nature === 'money' && confidence > 0.9 ? [left + at] : []))
  let rows = 0
  for (let row = bottom + 1; row <= bottom + checkedRowsBelow; row++)
    if (money.length > 1 && money.every((column) => typeof grid.rows[row]?.[column] === 'number')) rows++
  return rows > 1
}

/** Matches titles of a table, as opposed to column labels. */
const titlePattern =
  /20\d\d\s*年.*(?:工\s*资|薪|奖金)|(?:工资|薪酬|薪资|奖金|津贴)(?:发放)?(?:明细|汇总)?[表单条](?:[（(].*)?$|.{3,}公司$|\bpayroll\b|\b(?:salary|wage) (?:sheet|slip|statement|register)\b/i

function expandHeader(grid: Grid, row: number, dictionary: LabelDictionary): Header {
  let top = row
  let bottom = row
  /** Vertical merges include their rows. */
  const includeMerges = () => {
    for (let changed = true; changed; ) {
      changed = false
      for (const merge of grid.merges) {
        if (merge.bottom === merge.top || merge.bottom - merge.top >= maxHeaderRows) continue
        if (merge.bottom < top || merge.top > bottom || (merge.top >= top && merge.bottom <= bottom)) continue
        const newTop = Math.min(top, merge.top)
        const newBottom = Math.max(bottom, merge.bottom)
        if (newBottom - newTop >= maxHeaderRows || isDataRow(grid, dictionary, row, { from: bottom + 1, to: newBottom })) continue
        top = newTop
        bottom = newBottom
        changed = true
      }
    }
  }
  includeMerges()
  while (top > 0 && bottom - top < maxHeaderRows - 1 && isGroupRow(grid, dictionary, top - 1, { top, bottom })) {
    top--
    includeMerges()
  }
  while (bottom - top < maxHeaderRows - 1 && hasNextHeaderRow(grid, dictionary, top, bottom)) {
    bottom++
    includeMerges()
  }
  return buildHeader(grid, dictionary, top, bottom)
}

/** Detects a row with a name under 姓名 and two amounts, which is not a header even if cells are merged. */
function isDataRow(
  grid: Grid,
  { labelMeaning }: LabelDictionary,
  top: number,
  { from, to }: { from: number; to: number },
): boolean {
  const names = getFilledColumns(grid, top).filter((column) => isName(labelMeaning(getText(grid, top, column)).role))
  for (let row = from; row <= to; row++) {
    const amounts = (grid.rows[row] ?? []).filter((cell) => typeof cell === 'number' && Math.abs(cell) >= 100)
    if (amounts.length > 1 && names.some((column) => isPersonName(getCell(grid, row, column)))) return true
  }
  return false
}

const isMetadata = (text: string) => /[:：]/.test(text.slice(0, -1)) || /^(?:单位|金额单位|编制单位|制表|日期)\s*[:：]/.test(text)
const groupLabelPattern =
  /应发|应扣|扣款|代扣|应缴|个人|单位|公司|企业|社保|保险|公积金|考勤|出勤|信息|工资|补贴|津贴|奖金|专项|收入|减项|加项|发放|earning|deduct|allowance|支給|控除|勤怠|지급|공제|thu nhập|khấu trừ|начисл|удерж/i

/**
 * Returns whether the row directly above the header contains group labels: several texts only, or texts merged over
 * some of the columns. Machine keys (id_no, pay_item_1) above Chinese labels are not groups.
 */
function isGroupRow(
  grid: Grid,
  { labelMeaning }: LabelDictionary,
  row: number,
  { top, bottom }: { top: number; bottom: number },
): boolean {
  if (grid.hidden_rows.has(row)) return false
  const filled = getFilledColumns(grid, row)
  if (filled.length === 0) return false
  const texts = filled.map((column) => getCell(grid, row, column))
  // payroll in the first cell of a row of groups is the table's title; the row is a row of groups nevertheless.
  const isTitle = (text: string) => titlePattern.test(text) && !(texts.length > 3 && text === texts[0]?.text)
  if (
    texts.some(
      (cell) =>
        cell.kind !== 'text' || cell.decimal !== null || isMetadata(cell.text) || cell.text.length > 40 || isTitle(cell.text),
    )
  )
    return false
  if (texts.every((cell) => /^[a-z\d_ .-]+$/i.test(cell.text)) && !/^[\x20-\x7e]*$/.test(getRowText(grid, top))) return false
  const width = Math.max(...getFilledColumns(grid, top), ...getFilledColumns(grid, bottom)) + 1
  const getWidth = (column: number) => {
    const merge = findMerge(grid, row, column)
    return merge ? merge.right - merge.left + 1 : 1
  }
  // A title spans all columns, even next to a text in the first column.
  if (width > 4 && filled.some((column) => getWidth(column) > width * 0.8)) return false
  // A lone title above the name column does as well, however far the sheet extends to the right of the table.
  const [only, ...more] = filled
  const over = only === undefined ? undefined : findMerge(grid, row, only)
  if (more.length === 0 && over)
    for (let column = over.left; column <= over.right; column++)
      for (let at = top; at <= bottom; at++) if (isName(labelMeaning(getText(grid, at, column)).role)) return false
  const merged = filled.filter((column) => getWidth(column) > 1)
  const meaningful = texts.filter(
    (cell) => groupLabelPattern.test(normalizeHeader(cell.text)) || isRecognizedMeaning(labelMeaning(cell.text)),
  )
  if (merged.length > 0 && meaningful.length > 0) return true
  if (filled.length < 2 || meaningful.length * 2 < filled.length) return false
  // If unmerged, its labels must be above labels, or where the header below has none.
  return filled.every(
    (column) =>
      getText(grid, top, column) !== '' ||
      getText(grid, bottom, column) !== '' ||
      isRecognizedMeaning(labelMeaning(getText(grid, row, column))),
  )
}

/**
 * Detects a header that repeats name and number in its second row and adds the items under EARNINGS and DEDUCTIONS. A
 * repeated header adds nothing.
 */
function isContinuedHeader(grid: Grid, { labelMeaning }: LabelDictionary, bottom: number, filled: readonly number[]): boolean {
  const isRepeated = (column: number) =>
    isSameLabel(normalizeLabel(getText(grid, bottom, column)), normalizeLabel(getText(grid, bottom + 1, column)))
  const people = filled.filter((column) => labelMeaning(getText(grid, bottom + 1, column)).nature === 'who')
  const newColumns = filled.filter((column) => !isRepeated(column))
  return (
    people.length > 0 &&
    people.every(isRepeated) &&
    newColumns.some((column) => groupLabelPattern.test(normalizeHeader(getText(grid, bottom, column))))
  )
}

const getRowText = (grid: Grid, row: number) =>
  getFilledColumns(grid, row)
    .map((column) => getText(grid, row, column))
    .join('')

/**
 * Returns whether the row below belongs to the header: leaf labels under a merged group, or the second half of stacked
 * words.
 */
function hasNextHeaderRow(grid: Grid, dictionary: LabelDictionary, top: number, bottom: number): boolean {
  const { labelMeaning, getMeaning } = dictionary
  const row = bottom + 1
  const filled = getFilledColumns(grid, row)
  if (filled.length === 0) return false
  const cells = filled.map((column) => getCell(grid, row, column))
  if (cells.some((cell) => cell.kind !== 'text' || cell.decimal !== null || cell.text.length > 40)) return false
  if (isUnitRow(grid, row)) return true
  const current = buildHeader(grid, dictionary, top, bottom)
  const person = current.meanings.findIndex((meaning) => isName(meaning.role) || isEmployeeNo(meaning.role))
  if (person >= 0 && filled.includes(current.left + person)) return isContinuedHeader(grid, dictionary, bottom, filled)
  const under = filled.filter((column) => {
    const merge = findMerge(grid, bottom, column)
    return merge !== undefined && merge.right > merge.left && merge.bottom === bottom
  })
  const labels = cells.filter(
    (cell) =>
      isRecognizedMeaning(labelMeaning(cell.text)) ||
      isDependentLabel(cell.text) ||
      findContainedSynonym(normalizeHeader(cell.text), ['money', 'info']),
  )
  if (under.length > 0 && (labels.length > 0 || under.length === filled.length)) return true
  if (labels.length * 2 < filled.length) return false
  const improved = filled.filter((column) => {
    const above = current.paths[column - current.left] ?? []
    return (
      above.length === 0 ||
      !isRecognizedMeaning(getMeaning(above)) ||
      groupLabelPattern.test(above.join('')) ||
      isDependentLabel(getText(grid, row, column))
    )
  })
  return filled.length >= 2 && improved.length * 2 >= filled.length
}

const findMerge = (grid: Grid, row: number, column: number): Merge | undefined =>
  grid.merges.find((merge) => merge.top <= row && merge.bottom >= row && merge.left <= column && merge.right >= column)

/** A TOTAL label below Total adds no information. */
const isSameLabel = (one: string, other: string): boolean => one === other || one.toLowerCase() === other.toLowerCase()

/** Collapses line breaks and spaces to one space, as the label is displayed. */
export const normalizeLabel = (text: string) => text.replace(/\s+/g, ' ').trim()

const yuanUnitPattern = /^[(（]?(?:单位[:：])?(?:元|人民币|人民币元|円|원|usd|cny|rmb|yuan)(?:[/／每](?:月|人|人月))?[)）]?$/i
/** 万元 under 基本工资 is the unit of that column, as if it were in brackets behind the label; 元/天 marks a rate. */
const largeUnitPattern = /^[(（]?(?:单位[:：])?([万萬千仟]元?|元[/／每][^月人()（）]{1,3})(?:[/／每](?:月|人))?[)）]?$/
const countUnitPattern = /^[(（](?:小?时|[天日次件个人分月年%]|分钟|小时数|天数)[)）]$|^[个人分月年]$/
const unitHeadPattern = /^(?:计量)?单位[:：]?$/

/**
 * Detects a row of units (元, 天, 万元) below the labels. Without ten thousands it carries no information about the columns
 * and counts as a non-member row, unless its first cell 单位 could be read as a name.
 */
function isUnitRow(grid: Grid, row: number): boolean {
  let hasHead = false
  const texts = getFilledColumns(grid, row).flatMap((column, at) => {
    const { kind, text } = getCell(grid, row, column)
    const own = text.replace(/\s+/g, '')
    hasHead ||= at === 0 && unitHeadPattern.test(own)
    return at === 0 && hasHead ? [] : [kind === 'text' ? own : '0']
  })
  const money = texts.filter((text) => yuanUnitPattern.test(text) || largeUnitPattern.test(text))
  const isCount = (text: string) => isDependentLabel(text) || countUnitPattern.test(text) || /^[-—–/]+$/.test(text)
  if (!texts.every((text) => money.includes(text) || isCount(text))) return false
  return money.some((text) => largeUnitPattern.test(text)) || (hasHead && money.length > 0)
}

function buildHeader(grid: Grid, { getMeaning, resolveMeanings }: LabelDictionary, top: number, bottom: number): Header {
  let left = Number.POSITIVE_INFINITY
  let right = -1
  for (let row = top; row <= bottom; row++) {
    const filled = getFilledColumns(grid, row)
    if (filled.length) {
      left = Math.min(left, filled[0] ?? left)
      right = Math.max(right, filled.at(-1) ?? right)
    }
  }
  for (const merge of grid.merges)
    if (merge.top >= top && merge.bottom <= bottom && getText(grid, merge.top, merge.left)) right = Math.max(right, merge.right)
  if (right < 0) left = 0
  right = excludeNeighbour(grid, { top, bottom, left, right })
  const near = grid.merges.filter((merge) => merge.bottom >= top && merge.top <= bottom)
  const unitRows = new Set<number>()
  for (let row = top + 1; row <= bottom; row++) if (isUnitRow(grid, row)) unitRows.add(row)
  const leafBottom = unitRows.has(bottom) ? bottom - 1 : bottom
  const paths: string[][] = []
  for (let column = left; column <= right; column++) {
    const path: string[] = []
    let last: Merge | undefined
    for (let row = top; row <= bottom; row++) {
      const merge = near.find((m) => m.top <= row && m.bottom >= row && m.left <= column && m.right >= column)
      if (merge && merge === last) continue
      last = merge
      const text = normalizeLabel(
        merge
          ? getText(grid, merge.top, merge.left)
          : getText(grid, row, column) || findGroupLabel(grid, row, column, leafBottom, near),
      )
      // 元 under 基本工资 is not a separate label.
      const above = path.at(-1)
      const unit = largeUnitPattern.exec(text)?.[1]
      if (unitRows.has(row) && /^(?:(?:计量)?单位[:：]?|[-—–/]+)$/.test(text)) continue
      // payroll in the first cell of a row of groups is the table's title.
      if (row < bottom && titlePattern.test(text) && getText(grid, bottom, column) !== '') continue
      if (text === '' || (above !== undefined && (isSameLabel(text, above) || yuanUnitPattern.test(text)))) continue
      if (above !== undefined && unit !== undefined) path[path.length - 1] = `${above}（${unit.replace(/^[万萬千仟]$/, '$&元')}）`
      else path.push(text)
    }
    paths.push(path)
  }
  const meanings = resolveMeanings(paths.map((path) => getMeaning(path)))
  const score = meanings.reduce(
    (sum, meaning) => sum + (isRecognizedMeaning(meaning) ? (meaning.nature === 'who' ? 2 : 1) : 0),
    0,
  )
  return { top, bottom, left, right, paths, meanings, score }
}

/**
 * An unmerged group label covers the empty cells to its right as long as there are leaf labels below; only in rows
 * without merges. A date below carries no information without its group.
 */
function findGroupLabel(grid: Grid, row: number, column: number, bottom: number, near: readonly Merge[]): string {
  // The lowest label below this row: in a header of three rows some columns have none in the last.
  const leafRow = (at: number) => {
    for (let below = bottom; below > row; below--) if (getText(grid, below, at) !== '') return below
    return undefined
  }
  const leaf = leafRow(column)
  if (row >= bottom || leaf === undefined) return ''
  if (near.some((merge) => merge.top <= row && merge.bottom >= row)) return ''
  for (let at = column - 1; at >= 0; at--) {
    const neighbourLeafRow = leafRow(at)
    if (neighbourLeafRow === undefined) return ''
    const text = getText(grid, row, at)
    if (text === '') continue
    const label = getText(grid, leaf, column)
    // 平时加班 above 小时 and 补贴: the amount belongs to the adjacent count.
    const isPart =
      isDependentLabel(label) ||
      (isDependentLabel(getText(grid, neighbourLeafRow, at)) && amountLabelPattern.test(normalizeHeader(label)))
    return isPart || isDateCell(grid, leaf, column) || groupLabelPattern.test(normalizeHeader(text)) ? text : ''
  }
  return ''
}
const amountLabelPattern = /^(?:工资|补贴|补助|津贴|奖金|费用?|扣款|小计)$/

/**
 * Excludes a neighbour such as Всего: | 1 behind two empty columns, with nothing below it while the other columns have
 * rows: it is not a column.
 */
function excludeNeighbour(
  grid: Grid,
  { top, bottom, left, right }: { top: number; bottom: number; left: number; right: number },
): number {
  const isBlank = (column: number, from: number, to: number) => {
    for (let row = from; row <= to; row++) if (getText(grid, row, column) !== '') return false
    return true
  }
  const columns = Array.from({ length: right - left + 1 }, (_, at) => left + at)
  const gap = columns.findLast((column) => isBlank(column, top, bottom) && isBlank(column + 1, top, bottom))
  if (gap === undefined) return right
  const [inner, outer] = [columns.filter((column) => column < gap), columns.filter((column) => column > gap + 1)]
  const isUsed = (some: readonly number[]) => some.some((column) => !isBlank(column, bottom + 1, bottom + checkedRowsBelow))
  return outer.length > 0 && isUsed(inner) && !isUsed(outer) && outer.length < inner.length ? gap - 1 : right
}

const isDateCell = (grid: Grid, row: number, column: number) =>
  grid.rows[row]?.[column] instanceof Date || /^20\d\d[-/.]\d{1,2}[-/.]\d{1,2}$/.test(getText(grid, row, column))
