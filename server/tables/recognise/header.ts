/** Where the header stands and what it says: one to five rows, merged, stacked or plain, flattened to a path per column. */
import { cellAt, filledColumns, type Grid, type Merge, textAt } from '../grid.ts'
import { headerScore, isOverNames } from './header-score.ts'
import { isKnown, isPartLabel, type Meaning, type Words } from './meaning.ts'
import { containedSynonym, normaliseHeader } from './synonyms.ts'
import { isPersonName } from './who.ts'

export interface Header {
  /** 0-based, inclusive. */
  top: number
  bottom: number
  left: number
  right: number
  /** Labels from the top per column, from `left` to `right`; none where nothing stands over the column. */
  paths: string[][]
  meanings: Meaning[]
  /** How sure: known labels, people counting most. */
  score: number
}

const mostRows = 5
/** A header further down than this is not looked for. */
const searched = 100

export function findHeader(grid: Grid, words: Words): Header | null {
  const candidates: { row: number; score: number }[] = []
  let seen = 0
  for (let row = 0; row < grid.rows.length && seen < searched; row++) {
    const filled = filledColumns(grid, row)
    if (filled.length === 0) continue
    seen++
    const score = headerScore(grid, row, filled, words) * (grid.hidden_rows.has(row) ? 0.3 : 1)
    if (score >= weakest) candidates.push({ row, score })
  }
  const [best, ...others] = candidates.toSorted((a, b) => b.score - a.score || a.row - b.row)
  if (!best) return overNames(grid, words)
  const header = headerAround(grid, best.row, words)
  if (best.score >= enough && namesPeople(header)) return header
  // A row of figures and words of pay beside the table may look better than its header: one that names people is preferred.
  for (const { row } of others.slice(0, mostRows)) {
    const other = headerAround(grid, row, words)
    if (namesPeople(other) && hasNamesUnder(grid, other)) return other
  }
  return best.score >= enough || hasAmountsUnder(grid, header) ? header : null
}

/** In the first rows only: where nothing else on the sheet looks like a header. */
const first_rows = 10
function overNames(grid: Grid, words: Words): Header | null {
  for (let row = 0; row < first_rows; row++) {
    const filled = filledColumns(grid, row)
    if (filled.length > 0 && isOverNames(grid, row, filled, words)) return flatten(grid, words, row, row)
  }
  return null
}

/** Sure by its labels alone; less needs people or amounts under it. */
const enough = 2.5
const weakest = 1.9
const namesPeople = ({ meanings }: Header) => meanings.some(({ nature, confidence }) => nature === 'who' && confidence >= 0.8)
const under = 30
const namesOf: ReadonlySet<string> = new Set(['name', 'last_name', 'first_name'])

function hasNamesUnder(grid: Grid, { bottom, left, meanings }: Header): boolean {
  const names = meanings.flatMap(({ role }, at) => (namesOf.has(role) ? [left + at] : []))
  for (let row = bottom + 1; row <= bottom + under; row++)
    if (names.some((column) => isPersonName(cellAt(grid, row, column)))) return true
  return false
}

/** Two rows at least with numbers under the words of pay. */
function hasAmountsUnder(grid: Grid, { bottom, left, meanings }: Header): boolean {
  const money = meanings.flatMap(({ nature, confidence }, at) => (nature === 'money' && confidence > 0.9 ? [left + at] : []))
  let rows = 0
  for (let row = bottom + 1; row <= bottom + under; row++)
    if (money.length > 1 && money.every((column) => typeof grid.rows[row]?.[column] === 'number')) rows++
  return rows > 1
}

/** What stands over a table and not over a column. */
const title =
  /20\d\d\s*年.*(?:工\s*资|薪|奖金)|(?:工资|薪酬|薪资|奖金|津贴)(?:发放)?(?:明细|汇总)?[表单条](?:[（(].*)?$|.{3,}公司$|\bpayroll\b|\b(?:salary|wage) (?:sheet|slip|statement|register)\b/i

function headerAround(grid: Grid, row: number, words: Words): Header {
  let top = row
  let bottom = row
  /** Vertical merges pull their rows in. */
  const widen = () => {
    for (let changed = true; changed; ) {
      changed = false
      for (const merge of grid.merges) {
        if (merge.bottom === merge.top || merge.bottom - merge.top >= mostRows) continue
        if (merge.bottom < top || merge.top > bottom || (merge.top >= top && merge.bottom <= bottom)) continue
        const newTop = Math.min(top, merge.top)
        const newBottom = Math.max(bottom, merge.bottom)
        if (newBottom - newTop >= mostRows || isBody(grid, words, row, { from: bottom + 1, to: newBottom })) continue
        top = newTop
        bottom = newBottom
        changed = true
      }
    }
  }
  widen()
  while (top > 0 && bottom - top < mostRows - 1 && isGroupRow(grid, words, top - 1, { top, bottom })) {
    top--
    widen()
  }
  while (bottom - top < mostRows - 1 && isContinued(grid, words, top, bottom)) {
    bottom++
    widen()
  }
  return flatten(grid, words, top, bottom)
}

/** Somebody's name under 姓名 and two amounts: no merge makes a header of such a row. */
function isBody(grid: Grid, { labelMeaning }: Words, top: number, { from, to }: { from: number; to: number }): boolean {
  const names = filledColumns(grid, top).filter((column) => labelMeaning(textAt(grid, top, column)).role === 'name')
  for (let row = from; row <= to; row++) {
    const amounts = (grid.rows[row] ?? []).filter((cell) => typeof cell === 'number' && Math.abs(cell) >= 100)
    if (amounts.length > 1 && names.some((column) => isPersonName(cellAt(grid, row, column)))) return true
  }
  return false
}

const isMeta = (text: string) => /[:：]/.test(text.slice(0, -1)) || /^(?:单位|金额单位|编制单位|制表|日期)\s*[:：]/.test(text)
const groupWords =
  /应发|应扣|扣款|代扣|应缴|个人|单位|公司|企业|社保|保险|公积金|考勤|出勤|信息|工资|补贴|津贴|奖金|专项|收入|减项|加项|发放|earning|deduct|allowance|支給|控除|勤怠|지급|공제|thu nhập|khấu trừ|начисл|удерж/i

/**
 * A row of group labels right over the header: texts only, several of them, or merged over a part of the columns. Machine keys
 * (id_no, pay_item_1) over Chinese labels are none.
 */
function isGroupRow(grid: Grid, { labelMeaning }: Words, row: number, { top, bottom }: { top: number; bottom: number }): boolean {
  if (grid.hidden_rows.has(row)) return false
  const filled = filledColumns(grid, row)
  if (filled.length === 0) return false
  const texts = filled.map((column) => cellAt(grid, row, column))
  // payroll in the first cell of a row of groups is the name of the table, in a row of groups all the same.
  const isTitle = (text: string) => title.test(text) && !(texts.length > 3 && text === texts[0]?.text)
  if (
    texts.some(
      (cell) => cell.kind !== 'text' || cell.decimal !== null || isMeta(cell.text) || cell.text.length > 40 || isTitle(cell.text),
    )
  )
    return false
  if (texts.every((cell) => /^[a-z\d_ .-]+$/i.test(cell.text)) && !/^[\x20-\x7e]*$/.test(rowText(grid, top))) return false
  const width = Math.max(...filledColumns(grid, top), ...filledColumns(grid, bottom)) + 1
  const across = (column: number) => {
    const merge = mergeAt(grid, row, column)
    return merge ? merge.right - merge.left + 1 : 1
  }
  // A title reaches over everything, also beside a word in the first column.
  if (width > 4 && filled.some((column) => across(column) > width * 0.8)) return false
  // So does one alone over the column of names, however far the sheet reaches beside the table.
  const [only, ...more] = filled
  const over = only === undefined ? undefined : mergeAt(grid, row, only)
  if (more.length === 0 && over)
    for (let column = over.left; column <= over.right; column++)
      for (let at = top; at <= bottom; at++) if (labelMeaning(textAt(grid, at, column)).role === 'name') return false
  const merged = filled.filter((column) => across(column) > 1)
  const speaking = texts.filter((cell) => groupWords.test(normaliseHeader(cell.text)) || isKnown(labelMeaning(cell.text)))
  if (merged.length > 0 && speaking.length > 0) return true
  if (filled.length < 2 || speaking.length * 2 < filled.length) return false
  // Unmerged: its labels must stand over labels, or where the header below has none.
  return filled.every(
    (column) =>
      textAt(grid, top, column) !== '' || textAt(grid, bottom, column) !== '' || isKnown(labelMeaning(textAt(grid, row, column))),
  )
}

/** Name and number stand in both rows of a header whose second row says what stands under EARNINGS and DEDUCTIONS. A header that is repeated says nothing new. */
function isSecondHalf(grid: Grid, { labelMeaning }: Words, bottom: number, filled: readonly number[]): boolean {
  const isRepeated = (column: number) => isSameLabel(label(textAt(grid, bottom, column)), label(textAt(grid, bottom + 1, column)))
  const people = filled.filter((column) => labelMeaning(textAt(grid, bottom + 1, column)).nature === 'who')
  const fresh = filled.filter((column) => !isRepeated(column))
  return (
    people.length > 0 &&
    people.every(isRepeated) &&
    fresh.some((column) => groupWords.test(normaliseHeader(textAt(grid, bottom, column))))
  )
}

const rowText = (grid: Grid, row: number) =>
  filledColumns(grid, row)
    .map((column) => textAt(grid, row, column))
    .join('')

/** Is the row below part of the header: leaves under a merged group, or the second half of stacked words? */
function isContinued(grid: Grid, words: Words, top: number, bottom: number): boolean {
  const { labelMeaning, meaningOf } = words
  const row = bottom + 1
  const filled = filledColumns(grid, row)
  if (filled.length === 0) return false
  const cells = filled.map((column) => cellAt(grid, row, column))
  if (cells.some((cell) => cell.kind !== 'text' || cell.decimal !== null || cell.text.length > 40)) return false
  // A row of units says nothing of the columns, unless one of them counts in ten thousands.
  const isBig = cells.some(({ text }) => bigUnit.test(text))
  if (isBig && cells.every(({ text }) => unitWord.test(text) || bigUnit.test(text) || isPartLabel(text))) return true
  const here = flatten(grid, words, top, bottom)
  const person = here.meanings.findIndex((meaning) => meaning.role === 'name' || meaning.role === 'employee_no')
  if (person >= 0 && filled.includes(here.left + person)) return isSecondHalf(grid, words, bottom, filled)
  const under = filled.filter((column) => {
    const merge = mergeAt(grid, bottom, column)
    return merge !== undefined && merge.right > merge.left && merge.bottom === bottom
  })
  const labels = cells.filter(
    (cell) =>
      isKnown(labelMeaning(cell.text)) ||
      isPartLabel(cell.text) ||
      containedSynonym(normaliseHeader(cell.text), ['money', 'info']),
  )
  if (under.length > 0 && (labels.length > 0 || under.length === filled.length)) return true
  if (labels.length * 2 < filled.length) return false
  const better = filled.filter((column) => {
    const above = here.paths[column - here.left] ?? []
    return (
      above.length === 0 ||
      !isKnown(meaningOf(above)) ||
      groupWords.test(above.join('')) ||
      isPartLabel(textAt(grid, row, column))
    )
  })
  return filled.length >= 2 && better.length * 2 >= filled.length
}

const mergeAt = (grid: Grid, row: number, column: number): Merge | undefined =>
  grid.merges.find((merge) => merge.top <= row && merge.bottom >= row && merge.left <= column && merge.right >= column)

/** TOTAL below Total says nothing more. */
const isSameLabel = (one: string, other: string): boolean => one === other || one.toLowerCase() === other.toLowerCase()

/** Line breaks and runs of blanks to one blank, as the label is shown. */
export const label = (text: string) => text.replace(/\s+/g, ' ').trim()

const unitWord = /^[(（]?(?:元|人民币|人民币元|円|원|usd|cny|rmb|yuan)[)）]?$/i
/** 万元 under 基本工资 is the unit of that column, as if it stood in brackets behind the label. */
const bigUnit = /^[(（]?(?:单位[:：])?(万元|千元)[)）]?$/

function flatten(grid: Grid, { meaningOf, together }: Words, top: number, bottom: number): Header {
  let left = Number.POSITIVE_INFINITY
  let right = -1
  for (let row = top; row <= bottom; row++) {
    const filled = filledColumns(grid, row)
    if (filled.length) {
      left = Math.min(left, filled[0] ?? left)
      right = Math.max(right, filled.at(-1) ?? right)
    }
  }
  for (const merge of grid.merges)
    if (merge.top >= top && merge.bottom <= bottom && textAt(grid, merge.top, merge.left)) right = Math.max(right, merge.right)
  if (right < 0) left = 0
  right = withoutBeside(grid, { top, bottom, left, right })
  const near = grid.merges.filter((merge) => merge.bottom >= top && merge.top <= bottom)
  const paths: string[][] = []
  for (let column = left; column <= right; column++) {
    const path: string[] = []
    let last: Merge | undefined
    for (let row = top; row <= bottom; row++) {
      const merge = near.find((m) => m.top <= row && m.bottom >= row && m.left <= column && m.right >= column)
      if (merge && merge === last) continue
      last = merge
      const text = label(
        merge
          ? textAt(grid, merge.top, merge.left)
          : textAt(grid, row, column) || groupToTheLeft(grid, row, column, bottom, near),
      )
      // 元 under 基本工资 is no word of its own.
      const above = path.at(-1)
      const unit = bigUnit.exec(text)?.[1]
      // payroll in the first cell of a row of groups is the name of the table.
      if (row < bottom && title.test(text) && textAt(grid, bottom, column) !== '') continue
      if (text === '' || (above !== undefined && (isSameLabel(text, above) || unitWord.test(text)))) continue
      if (above !== undefined && unit !== undefined) path[path.length - 1] = `${above}（${unit}）`
      else path.push(text)
    }
    paths.push(path)
  }
  const meanings = together(paths.map((path) => meaningOf(path)))
  const score = meanings.reduce((sum, meaning) => sum + (isKnown(meaning) ? (meaning.nature === 'who' ? 2 : 1) : 0), 0)
  return { top, bottom, left, right, paths, meanings, score }
}

/**
 * An unmerged group label covers the blanks to its right as long as leaves stand below; only in rows without any merge. A day below says nothing
 * by itself, whatever stands over it.
 */
function groupToTheLeft(grid: Grid, row: number, column: number, bottom: number, near: readonly Merge[]): string {
  // The lowest label under this row: in three rows some columns have none in the last.
  const leafRow = (at: number) => {
    for (let below = bottom; below > row; below--) if (textAt(grid, below, at) !== '') return below
    return undefined
  }
  const leaf = leafRow(column)
  if (row >= bottom || leaf === undefined) return ''
  if (near.some((merge) => merge.top <= row && merge.bottom >= row)) return ''
  for (let at = column - 1; at >= 0; at--) {
    const beside = leafRow(at)
    if (beside === undefined) return ''
    const text = textAt(grid, row, at)
    if (text === '') continue
    const label = textAt(grid, leaf, column)
    // 平时加班 over 小时 and 补贴: the amount belongs to what is counted beside it.
    const isPart = isPartLabel(label) || (isPartLabel(textAt(grid, beside, at)) && plainAmount.test(normaliseHeader(label)))
    return isPart || isDay(grid, leaf, column) || groupWords.test(normaliseHeader(text)) ? text : ''
  }
  return ''
}
const plainAmount = /^(?:工资|补贴|补助|津贴|奖金|费用?|扣款|小计)$/

/** Всего: | 1 behind two blank columns, with nothing below while there are rows below the others: of no column. */
function withoutBeside(
  grid: Grid,
  { top, bottom, left, right }: { top: number; bottom: number; left: number; right: number },
): number {
  const isBlank = (column: number, from: number, to: number) => {
    for (let row = from; row <= to; row++) if (textAt(grid, row, column) !== '') return false
    return true
  }
  const columns = Array.from({ length: right - left + 1 }, (_, at) => left + at)
  const gap = columns.findLast((column) => isBlank(column, top, bottom) && isBlank(column + 1, top, bottom))
  if (gap === undefined) return right
  const [own, beside] = [columns.filter((column) => column < gap), columns.filter((column) => column > gap + 1)]
  const isUsed = (some: readonly number[]) => some.some((column) => !isBlank(column, bottom + 1, bottom + under))
  return beside.length > 0 && isUsed(own) && !isUsed(beside) && beside.length < own.length ? gap - 1 : right
}

const isDay = (grid: Grid, row: number, column: number) =>
  grid.rows[row]?.[column] instanceof Date || /^20\d\d[-/.]\d{1,2}[-/.]\d{1,2}$/.test(textAt(grid, row, column))
