/**
 * Several tables on one sheet: side by side, or a second header further down. Each becomes a grid of its own with the cells of the others taken
 * out, so that every cell keeps its place.
 */
import { cellId, filledColumns, type Grid, type Mark, type Stored } from '../grid.ts'
import { findHeader, type Header, headerScore } from './header.ts'
import { normaliseHeader } from './synonyms.ts'

interface Area {
  top: number
  bottom: number
  left: number
  right: number
}

/** Tables of one sheet at most; more are slips, and slips repeat their header. */
const most = 6

export function tablesOf(grid: Grid): Grid[] {
  const header = findHeader(grid)
  if (!header) return [grid]
  const starts = headerRows(header, grid)
  const areas = starts.flatMap((row, at) => {
    const next = starts[at + 1]
    const area: Area = {
      top: at === 0 ? 0 : topOf(grid, row),
      bottom: (next === undefined ? grid.rows.length : topOf(grid, next)) - 1,
      left: 0,
      right: Number.POSITIVE_INFINITY,
    }
    return row === header.top ? beside(header, area) : [area]
  })
  if (areas.length < 2) return [grid]
  return areas.slice(0, most).map((area, at) => ({
    ...cutOut(grid, area),
    name: at === 0 ? grid.name : `${grid.name} · 第 ${at + 1} 张表`,
  }))
}

const leaf = (path: readonly string[]) => path.map(normaliseHeader).join('/')

/** 序号 姓名 实发 | 序号 姓名 实发: the same labels again to the right. */
function beside(header: Header, whole: Area): Area[] {
  const labels = header.paths.map(leaf)
  const name = header.meanings.findIndex((meaning) => meaning.role === 'name')
  const again = name < 0 ? -1 : labels.indexOf(labels[name] ?? '', name + 1)
  if (again < 0) return [whole]
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
  if (width < 3 || !same(period)) return [whole]
  const areas: Area[] = []
  for (let from = 0; from + first < labels.length && same(from); from += period)
    areas.push({
      ...whole,
      left: areas.length === 0 ? 0 : header.left + first + from,
      right: header.left + first + from + width - 1,
    })
  return areas.length > 1 ? areas : [whole]
}

/**
 * Where the headers of the sheet begin, the given one among them. Another one is a row that is a header by itself, not this one again, and, where
 * it stands above, has amounts under it. Rows of people hold numbers and are passed over quickly.
 */
function headerRows(header: Header, grid: Grid): number[] {
  const known = new Set(header.paths.flat().map(normaliseHeader))
  const isAnother = (row: number) => {
    const cells = grid.rows[row]
    if (!cells || !mayBeHeader(cells)) return false
    const filled = filledColumns(grid, row)
    if (filled.length < 3 || headerScore(grid, row, filled) < 4.5) return false
    const labels = filled.map((column) => normaliseHeader(String(cells[column])))
    const again = filled.filter((column, at) =>
      header.paths[column - header.left]?.some((part) => normaliseHeader(part) === labels[at]),
    )
    if (again.length * 10 >= filled.length * 7) return false
    // The second row of a repeated two-row header has the labels of the first.
    return labels.some((label) => !known.has(label)) || filled.length >= header.paths.length / 2
  }
  const above: number[] = []
  let numbers = false
  for (let row = header.top - 1; row >= 0 && above.length < most; row--)
    if (numbers && isAnother(row)) above.unshift(row)
    else numbers ||= grid.rows[row]?.some((cell) => typeof cell === 'number') ?? false
  const under: number[] = []
  for (let row = header.bottom + 2; row < grid.rows.length && under.length < most; row++) if (isAnother(row)) under.push(row)
  return [...above, header.top, ...under]
}

const mayBeHeader = (cells: readonly Stored[]) => {
  let texts = 0
  for (const cell of cells)
    if (typeof cell === 'number' || cell instanceof Date) return false
    else if (typeof cell === 'string' && cell !== '') texts++
  return texts >= 3
}

/** Up over the rows of texts right above it, three at most. */
function topOf(grid: Grid, header: number): number {
  let top = header
  while (top > 0 && header - top < 3) {
    const cells = grid.rows[top - 1]
    const filled = filledColumns(grid, top - 1)
    if (filled.length === 0 || !cells || filled.some((column) => typeof cells[column] !== 'string')) break
    if (filled.length > 1 && headerScore(grid, top - 1, filled) <= 0 && !grid.merges.some((merge) => merge.top === top - 1)) break
    top--
  }
  return top
}

function cutOut(grid: Grid, { top, bottom, left, right }: Area): Grid {
  const rows = grid.rows.slice(0, bottom + 1).map((cells, row) => {
    if (!cells || row < top) return undefined
    if (left === 0 && right >= cells.length - 1) return cells
    return Array.from({ length: Math.min(cells.length, right + 1) }, (_, column) => (column < left ? null : cells[column]))
  })
  const inside = (row: number, column: number) => row >= top && row <= bottom && column >= left && column <= right
  const stride = cellId(1, 0)
  const marks = new Map<number, Mark>()
  for (const [id, mark] of grid.marks) if (inside(Math.floor(id / stride), id % stride)) marks.set(id, mark)
  const merges = grid.merges.filter((merge) => inside(merge.top, merge.left) && inside(merge.bottom, merge.right))
  return { ...grid, rows, marks, merges }
}
