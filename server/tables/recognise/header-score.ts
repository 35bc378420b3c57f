/** How much a row looks like the header of a table. */
import { cellAt, type Grid, type GridCell, isEmptyAt, textAt } from '../grid.ts'
import { isKnown, type Words } from './meaning.ts'
import { isNamePair } from './slips.ts'
import { isPersonName, looksLikeName } from './who.ts'

/** Known labels speak for a header, numbers and dates against it; a label that stands twice counts once. */
export function headerScore(grid: Grid, row: number, filled: readonly number[], words: Words): number {
  const labels = new Set<string>()
  let people = 0
  let score = 0
  let known = 0
  if (isFormLine(grid, row, filled)) return 0
  let before = Number.NaN
  const days = new Set<number>()
  for (const column of filled) {
    const cell = cellAt(grid, row, column)
    if (cell.kind !== 'text' || cell.decimal !== null) {
      // The days of a month, 1 2 3 … or dates, stand in headers too: once, or again under each group.
      const stored = grid.rows[row]?.[column]
      const value = stored instanceof Date ? stored.getTime() : Number(cell.decimal)
      const counts = stored instanceof Date ? value > before || days.has(value) : value === before + 1
      before = value
      if (stored instanceof Date) days.add(value)
      if (isBeside(grid, row, filled, column)) continue
      score -= counts ? 0.05 : 0.7
      continue
    }
    if (cell.text.length > 60 || labels.has(cell.text)) continue
    // 姓名 张三 部门 财务: a form about one person.
    if (isNamePair(grid, row, column) && (words.hasForms || looksLikeName(textAt(grid, row, column + 1)))) return 0
    labels.add(cell.text)
    const meaning = words.labelMeaning(cell.text)
    // Machine keys (pay_item_1) are not what people read.
    const weight = /^[a-z]+(?:_[a-z0-9]+)+$/.test(cell.text) ? 0.7 : 1
    if (!isKnown(meaning)) score += 0.05
    else {
      known++
      if (meaning.nature === 'who' && meaning.confidence > 0.9) people++
      score += weight * (meaning.nature === 'who' ? (meaning.confidence > 0.9 ? 2 : 0.7) : meaning.confidence > 0.9 ? 1 : 0.6)
    }
  }
  if (known < 2) return 0
  return people > 0 ? score + 1 : score
}

/** Behind two blank columns, in company of hardly a word: of another table beside this one. */
function isBeside(grid: Grid, row: number, filled: readonly number[], column: number): boolean {
  const at = filled.indexOf(column)
  let from = at
  while (from > 0 && (filled[from] ?? 0) - (filled[from - 1] ?? 0) <= 2) from--
  if (from === 0) return false
  let to = at
  while (to < filled.length - 1 && (filled[to + 1] ?? 0) - (filled[to] ?? 0) <= 2) to++
  return filled.slice(from, to + 1).filter((one) => cellAt(grid, row, one).decimal === null).length < 2
}

/** 姓名：    岗位：    工时：, each with a blank to write in: a line of a form, and no header. */
function isFormLine(grid: Grid, row: number, filled: readonly number[]): boolean {
  const asks = (cell: GridCell) => cell.kind === 'text' && /[:：]$/.test(cell.text)
  const asked = filled.filter((column) => asks(cellAt(grid, row, column)))
  return (
    asked.length > 1 &&
    asked.length * 2 >= filled.length &&
    asked.every((column) => !asks(cellAt(grid, row, column + 1))) &&
    asked.some((column) => isEmptyAt(grid, row, column + 1))
  )
}

/** So few rows in a list of nothing but names. */
const fewest = 2
const looked = 30

/** 姓名 alone, and nothing but names under it. */
export function isOverNames(grid: Grid, row: number, filled: readonly number[], words: Words): boolean {
  const [name, ...more] = filled
  if (name === undefined || more.length > 0) return false
  const { role, confidence } = words.labelMeaning(textAt(grid, row, name))
  if (role !== 'name' || confidence <= 0.9) return false
  let people = 0
  for (let below = row + 1; below <= row + looked && below < grid.rows.length; below++) {
    if (isEmptyAt(grid, below, name)) continue
    if (!isPersonName(cellAt(grid, below, name))) return false
    people++
  }
  return people >= fewest
}
