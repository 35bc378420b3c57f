/**
 * Several tables on one sheet: in adjacent columns, or with another header further down. Each one becomes a separate
 * grid without the cells of the others, so that every cell keeps its position.
 */
import { isEmployeeNo, isName, isTotal } from '../../contract/sheets/column-roles.ts'
import { parseDecimal } from '../../rules/decimal.ts'
import {
  type CellMark,
  type Grid,
  getCell,
  getCellId,
  getFilledColumns,
  getText,
  isEmptyCell,
  type StoredValue,
} from '../grid.ts'
import { findHeader } from './header.ts'
import { scoreHeaderRow } from './header-score.ts'
import { getWageLabelMeaning, isRecognizedMeaning, type LabelDictionary, wageLabels } from './label-meaning.ts'
import { buildGrid, type GridPosition } from './payslip-layout.ts'
import { normalizeHeader } from './synonyms.ts'
import type { Header } from './types.ts'

interface TableArea {
  top: number
  bottom: number
  left: number
  right: number
}

/**
 * Maximum number of tables of one sheet that are read together; a sheet with more is rejected instead of being read in
 * part.
 */
export const maxTables = 30
const maxHeaders = maxTables + 1

export function splitTables(grid: Grid, dictionary: LabelDictionary): Grid[] {
  const header = findHeader(grid, dictionary)
  if (!header) return [grid]
  const starts = findHeaderRows(header, grid, dictionary)
  const areas = starts.flatMap((row, at) => {
    const next = starts[at + 1]
    const area: TableArea = {
      top: at === 0 ? 0 : findTitleTop(grid, row, dictionary),
      bottom: (next === undefined ? grid.rows.length : findTitleTop(grid, next, dictionary)) - 1,
      left: 0,
      right: Number.POSITIVE_INFINITY,
    }
    if (row !== header.top) return [area]
    const same = findRepeatedAreas(header, area)
    return same.length > 1 ? same : splitByBlankColumns(grid, header, area)
  })
  if (areas.length < 2) return [grid]
  return areas.map((area, at) => ({
    ...extractArea(grid, area),
    name: at === 0 ? grid.name : `${grid.name} · 第 ${at + 1} 张表`,
  }))
}

const getLabelKey = (path: readonly string[]) => path.map(normalizeHeader).join('/')

/** Finds areas with the same labels to the right: 序号 姓名 实发 | 序号 姓名 实发. */
function findRepeatedAreas(header: Header, area: TableArea): TableArea[] {
  const labels = header.paths.map(getLabelKey)
  const name = header.meanings.findIndex((meaning) => isName(meaning.role))
  const again = name < 0 ? -1 : labels.indexOf(labels[name] ?? '', name + 1)
  if (again < 0) return [area]
  const period = again - name
  const [first = 0] = labels.flatMap((label, at) => (label === '' ? [] : [at]))
  const width =
    period -
    labels
      .slice(first, first + period)
      .toReversed()
      .findIndex((label) => label !== '')
  const same = (from: number) => {
    for (let at = first; at < first + width; at++) if (labels[at] !== labels[at + from]) return false
    return true
  }
  if (width < 3 || !same(period)) return [area]
  const areas: TableArea[] = []
  for (let from = 0; from + first < labels.length && same(from); from += period)
    areas.push({
      ...area,
      left: areas.length === 0 ? 0 : header.left + first + from,
      right: header.left + first + from + width - 1,
    })
  return areas.length > 1 ? areas : [area]
}

/** Content next to the table behind empty columns is another table: its columns are not items of these members. */
function splitByBlankColumns(grid: Grid, header: Header, area: TableArea): TableArea[] {
  const rows = grid.rows.flatMap((cells, row) => (cells && row >= header.top && row <= area.bottom ? [row] : []))
  const isBlank = (column: number) => rows.every((row) => isEmptyCell(grid, row, column))
  const widest = Math.min(Math.max(0, ...rows.map((row) => grid.rows[row]?.length ?? 0)), maxCheckedColumns)
  const blocks: { left: number; right: number }[] = []
  for (let column = 0; column < widest; column++) {
    if (isBlank(column)) continue
    const last = blocks.at(-1)
    if (last && last.right === column - 1) last.right = column
    else blocks.push({ left: column, right: column })
  }
  const matchesRole = (predicate: (meaning: Header['meanings'][number]) => boolean) => (block: { left: number; right: number }) =>
    header.meanings.some((meaning, at) => predicate(meaning) && header.left + at >= block.left && header.left + at <= block.right)
  const isPeople = matchesRole(({ nature, confidence }) => nature === 'who' && confidence > 0.8)
  const isPaid = matchesRole(({ role: of }) => isTotal(of))
  const main = blocks.find((block) => isPeople(block) && isPaid(block))
  if (!main || blocks.length < 2) return [area]
  const filledRows = ({ left, right }: { left: number; right: number }) =>
    rows.filter(
      (row) =>
        row > header.bottom &&
        Array.from({ length: right - left + 1 }, (_, at) => left + at).some((at) => !isEmptyCell(grid, row, at)),
    )
  const getLabels = ({ left, right }: { left: number; right: number }) =>
    header.paths.slice(Math.max(0, left - header.left), Math.max(0, right - header.left + 1)).map(getLabelKey)
  const people = filledRows(main).length
  const isAnother = (block: { left: number; right: number }) => {
    const gap = block.left > main.right ? block.left - main.right - 1 : main.left - block.right - 1
    const labels = getLabels(block).filter((one) => one !== '')
    const twice = labels.some((one) => getLabels(main).includes(one))
    return gap > 1 || labels.length === 0 || twice || filledRows(block).length * 2 < people
  }
  const others = blocks.filter((block) => block !== main && isAnother(block))
  if (others.length === 0) return [area]
  const left = Math.max(-1, ...others.filter((block) => block.right < main.left).map((block) => block.right)) + 1
  const right = Math.min(...others.filter((block) => block.left > main.right).map((block) => block.left - 1), widest)
  return [{ ...area, left, right }, ...others.map((block) => ({ ...area, ...block }))]
}

const maxCheckedColumns = 300

/**
 * Finds the start rows of all headers on the sheet, including the given one. Another header is a row that qualifies by
 * itself, is not a repetition, and, if it is above, has amounts or personal numbers below it. Member rows contain
 * numbers and are skipped quickly.
 */
function findHeaderRows(header: Header, grid: Grid, dictionary: LabelDictionary): number[] {
  const existingLabels = new Set(header.paths.flat().map(normalizeHeader))
  const isAnother = (row: number) => {
    const cells = grid.rows[row]
    if (!cells || !canBeHeader(cells)) return false
    const filled = getFilledColumns(grid, row)
    if (filled.length < 3 || scoreHeaderRow(grid, row, filled, dictionary) < 4.5) return false
    const labels = filled.map((column) => normalizeHeader(String(cells[column])))
    const again = filled.filter((column, at) =>
      header.paths[column - header.left]?.some((part) => normalizeHeader(part) === labels[at]),
    )
    // A different item in a known column means another table: its amounts would otherwise be assigned to our label.
    const isOther = filled.some((column, at) => {
      const path = header.paths[column - header.left] ?? []
      return path.length > 0 && !again.includes(column) && isRecognizedMeaning(dictionary.labelMeaning(labels[at] ?? ''))
    })
    if (again.length * 10 >= filled.length * 7 && !isOther) return false
    // The second row of a repeated two-row header has the labels of the first one.
    return labels.some((label) => !existingLabels.has(label)) || filled.length >= header.paths.length / 2
  }
  const above: number[] = []
  let isUnder = false
  for (let row = header.top - 1; row >= 0 && above.length < maxHeaders; row--)
    if (isUnder && isAnother(row)) above.unshift(row)
    else
      isUnder ||=
        grid.rows[row]?.some(
          (cell) => typeof cell === 'number' || (typeof cell === 'string' && memberNumberPattern.test(cell)),
        ) ?? false
  const under: number[] = []
  for (let row = header.bottom + 2; row < grid.rows.length && under.length < maxHeaders; row++)
    if (isAnother(row)) under.push(row)
  return [...above, header.top, ...under]
}

/** A phone or ID card number stored as text indicates a member row. */
const memberNumberPattern = /^(?:1[3-9]\d{9}|\d{17}[\dXx])$/

const canBeHeader = (cells: readonly StoredValue[]) => {
  let texts = 0
  for (const cell of cells)
    if (typeof cell === 'number' || cell instanceof Date) return false
    else if (typeof cell === 'string' && cell !== '') {
      if (memberNumberPattern.test(cell)) return false
      texts++
    }
  return texts >= 3
}

/** Extends the header upwards over at most three rows that contain only text. */
function findTitleTop(grid: Grid, header: number, dictionary: LabelDictionary): number {
  let top = header
  while (top > 0 && header - top < 3) {
    const cells = grid.rows[top - 1]
    const filled = getFilledColumns(grid, top - 1)
    if (filled.length === 0 || !cells || filled.some((column) => typeof cells[column] !== 'string')) break
    if (
      filled.length > 1 &&
      scoreHeaderRow(grid, top - 1, filled, dictionary) <= 0 &&
      !grid.merges.some((merge) => merge.top === top - 1)
    )
      break
    top--
  }
  return top
}

function extractArea(grid: Grid, { top, bottom, left, right }: TableArea): Grid {
  const rows = grid.rows.slice(0, bottom + 1).map((cells, row) => {
    if (!cells || row < top) return undefined
    if (left === 0 && right >= cells.length - 1) return cells
    return Array.from({ length: Math.min(cells.length, right + 1) }, (_, column) => (column < left ? null : cells[column]))
  })
  const inside = (row: number, column: number) => row >= top && row <= bottom && column >= left && column <= right
  const stride = getCellId(1, 0)
  const marks = new Map<number, CellMark>()
  for (const [id, mark] of grid.marks) if (inside(Math.floor(id / stride), id % stride)) marks.set(id, mark)
  const merges = grid.merges.filter((merge) => inside(merge.top, merge.left) && inside(merge.bottom, merge.right))
  return { ...grid, rows, marks, merges }
}

/**
 * Converts a table with one line per item and member (name, item, amount) to one row per member; null if the sheet is
 * different.
 */
export function pivotLongTable(grid: Grid): Grid | null {
  const header = findHeader(grid, wageLabels)
  const at = header?.meanings.findIndex(({ role }) => isName(role) || isEmployeeNo(role)) ?? -1
  if (!header || at < 0 || header.paths.length > 12) return null
  const rows = grid.rows.flatMap((_, row) => (row > header.bottom && isItemRow(grid, row) ? [row] : []))
  const name = header.left + at
  const named = rows.map((row) => getText(grid, row, name)).filter((text) => text !== '')
  if (named.length < 4 || new Set(named).size * 2 > named.length) return null
  const columns = header.paths.map((_, index) => header.left + index)
  const most = (column: number, is: (row: number) => boolean) =>
    rows.filter((row) => is(row)).length * 10 >= rows.length * 7 && column !== name
  const isItem = (column: number) =>
    most(column, (row) => {
      const { text, kind, decimal } = getCell(grid, row, column)
      return (
        kind === 'text' &&
        decimal === null &&
        isRecognizedMeaning(getWageLabelMeaning(text)) &&
        getWageLabelMeaning(text).nature === 'money'
      )
    })
  const item = columns.find(isItem)
  const amounts = columns.filter(
    (column) =>
      most(column, (row) => getCell(grid, row, column).decimal !== null) &&
      header.meanings[column - header.left]?.nature === 'money',
  )
  const [amount, ...more] = amounts
  if (item === undefined || amount === undefined || more.length > 0) return null
  return pivotItems(grid, header, {
    rows,
    columns: columns.filter((column) => column !== item && column !== amount),
    item,
    amount,
    name,
  })
}

/** Minimum number of rows, in total and on average per member, that shows that each row is one item of one member. */
const minItemRows = 4
const minItemsPerPerson = 2
const maxItemRows = 200

/**
 * Returns whether every row is one pay item of one member, as payroll systems export them: items in a column, and
 * members that repeat with other items.
 */
export function isRowPerItem(grid: Grid): boolean {
  const header = findHeader(grid, wageLabels)
  if (!header || header.meanings.some(({ role }) => isTotal(role))) return false
  // The amounts of all items are in one column.
  if (header.meanings.filter(({ nature }) => nature === 'money').length > 1) return false
  const under = Math.min(grid.rows.length, header.bottom + 1 + maxItemRows) - header.bottom - 1
  const rows = Array.from({ length: Math.max(0, under) }, (_, at) => header.bottom + 1 + at).filter((row) => isItemRow(grid, row))
  if (rows.length < minItemRows) return false
  const columns = header.paths.map((_, at) => header.left + at)
  const isPayItem = (text: string) => parseDecimal(text) === null && getWageLabelMeaning(text).nature === 'money'
  const item = columns.find((column) => {
    const texts = rows.map((row) => getText(grid, row, column))
    const items = new Set(texts).size
    return items > 1 && texts.length >= items * 2 && texts.filter(isPayItem).length * 10 >= rows.length * 9
  })
  if (item === undefined) return false
  return columns.some((column) => {
    if (column === item) return false
    const people = new Set(rows.map((row) => getText(grid, row, column)))
    const pairs = new Set(rows.map((row) => `${getText(grid, row, column)}|${getText(grid, row, item)}`))
    return people.size > 1 && rows.length >= people.size * minItemsPerPerson && pairs.size === rows.length && !people.has('')
  })
}

/** A note in a single cell is not a row; a number alone is an unassigned amount. */
function isItemRow(grid: Grid, row: number): boolean {
  const [only, ...more] = getFilledColumns(grid, row)
  return only !== undefined && (more.length > 0 || getCell(grid, row, only).decimal !== null)
}

type LongTable = { rows: number[]; columns: number[]; item: number; amount: number; name: number }

function pivotItems(grid: Grid, header: Header, { rows, columns, item, amount, name }: LongTable): Grid {
  const people = new Map<string, { first: number; items: Map<string, GridPosition> }>()
  const items = new Map<string, string>()
  const identityColumns = columns.filter((column) => header.meanings[column - header.left]?.nature === 'who')
  for (const row of rows) {
    // Lines without a member are not merged with each other.
    const key =
      getText(grid, row, name) === '' ? `row ${row}` : identityColumns.map((column) => getText(grid, row, column)).join('|')
    const person = people.get(key) ?? { first: row, items: new Map<string, GridPosition>() }
    people.set(key, person)
    const label = getText(grid, row, item) || '未写项目'
    let time = 1
    while (person.items.has(`${label} ${time}`)) time++
    person.items.set(`${label} ${time}`, { row, column: amount })
    items.set(`${label} ${time}`, label)
  }
  const labels = columns.map((column) => header.paths[column - header.left]?.join(' ') ?? '')
  return buildGrid(grid, header.top, [
    [...labels, ...items.values()],
    ...[...people.values()].map((person) => [
      ...columns.map((column) => ({ row: person.first, column })),
      ...[...items.keys()].map((key) => person.items.get(key) ?? null),
    ]),
  ])
}
