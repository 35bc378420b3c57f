/** Scores how much a row looks like the header of a table. */
import { isName } from '../../contract/sheets/column-roles.ts'
import { type Grid, type GridCell, getCell, getText, isEmptyCell } from '../grid.ts'
import { isLikelyName, isPersonName } from './identity-columns.ts'
import { isRecognizedMeaning, type LabelDictionary } from './label-meaning.ts'
import { isNameWithValue } from './payslip-layout.ts'

/** Known labels count for a header, numbers and dates against it; a repeated label counts once. */
export function scoreHeaderRow(grid: Grid, row: number, filled: readonly number[], dictionary: LabelDictionary): number {
  const labels = new Set<string>()
  let memberLabels = 0
  let score = 0
  let comparedCount = 0
  if (isFormLine(grid, row, filled)) return 0
  let before = Number.NaN
  const days = new Set<number>()
  for (const column of filled) {
    const cell = getCell(grid, row, column)
    if (cell.kind !== 'text' || cell.decimal !== null) {
      // The days of a month, 1 2 3 … or dates, occur in headers as well: once, or repeated under each group.
      const stored = grid.rows[row]?.[column]
      const value = stored instanceof Date ? stored.getTime() : Number(cell.decimal)
      const isSequence = stored instanceof Date ? value > before || days.has(value) : value === before + 1
      before = value
      if (stored instanceof Date) days.add(value)
      if (isInOtherTable(grid, row, filled, column)) continue
      score -= isSequence ? 0.05 : 0.7
      continue
    }
    if (cell.text.length > 60 || labels.has(cell.text)) continue
    // Detects 姓名 张三 部门 财务: a form about one person.
    if (isNameWithValue(grid, row, column) && (dictionary.hasForms || isLikelyName(getText(grid, row, column + 1)))) return 0
    labels.add(cell.text)
    const meaning = dictionary.labelMeaning(cell.text)
    // Machine keys (pay_item_1) are not labels for readers.
    const weight = /^[a-z]+(?:_[a-z0-9]+)+$/.test(cell.text) ? 0.7 : 1
    if (!isRecognizedMeaning(meaning)) score += 0.05
    else {
      comparedCount++
      if (meaning.nature === 'who' && meaning.confidence > 0.9) memberLabels++
      score += weight * (meaning.nature === 'who' ? (meaning.confidence > 0.9 ? 2 : 0.7) : meaning.confidence > 0.9 ? 1 : 0.6)
    }
  }
  if (comparedCount < 2) return 0
  return memberLabels > 0 ? score + 1 : score
}

/**
 * Returns whether a cell belongs to another table next to this one: behind two empty columns, with hardly any labels
 * near it.
 */
function isInOtherTable(grid: Grid, row: number, filled: readonly number[], column: number): boolean {
  const at = filled.indexOf(column)
  let from = at
  while (from > 0 && (filled[from] ?? 0) - (filled[from - 1] ?? 0) <= 2) from--
  if (from === 0) return false
  let to = at
  while (to < filled.length - 1 && (filled[to + 1] ?? 0) - (filled[to] ?? 0) <= 2) to++
  return filled.slice(from, to + 1).filter((one) => getCell(grid, row, one).decimal === null).length < 2
}

/** Detects 姓名： 岗位： 工时：, each followed by an empty cell: a line of a form and not a header. */
function isFormLine(grid: Grid, row: number, filled: readonly number[]): boolean {
  const isPrompt = (cell: GridCell) => cell.kind === 'text' && /[:：]$/.test(cell.text)
  const prompts = filled.filter((column) => isPrompt(getCell(grid, row, column)))
  return (
    prompts.length > 1 &&
    prompts.length * 2 >= filled.length &&
    prompts.every((column) => !isPrompt(getCell(grid, row, column + 1))) &&
    prompts.some((column) => isEmptyCell(grid, row, column + 1))
  )
}

/** Minimum number of rows in a list that contains only names. */
const minNames = 2
const maxCheckedRows = 30

/** Detects a lone 姓名 with nothing but names below it. */
export function isHeaderOfNames(grid: Grid, row: number, filled: readonly number[], dictionary: LabelDictionary): boolean {
  const [name, ...more] = filled
  if (name === undefined || more.length > 0) return false
  const { role, confidence } = dictionary.labelMeaning(getText(grid, row, name))
  if (!isName(role) || confidence <= 0.9) return false
  let nameCount = 0
  for (let below = row + 1; below <= row + maxCheckedRows && below < grid.rows.length; below++) {
    if (isEmptyCell(grid, below, name)) continue
    if (!isPersonName(getCell(grid, below, name))) return false
    nameCount++
  }
  return nameCount >= minNames
}
