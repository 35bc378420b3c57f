/**
 * Several tables on one sheet: side by side, or a second header further down. Each becomes a grid of its own with the cells of the others taken
 * out, so that every cell keeps its place.
 */
import { cellId, filledColumns, type Grid, type Mark, type Stored } from '../grid.ts'
import { findHeader, type Header, headerScore } from '../header.ts'
import { normaliseHeader } from '../synonyms.ts'

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
  const under = below(header, grid)
  const areas = [...beside(header, (under[0]?.top ?? grid.rows.length) - 1), ...under]
  if (areas.length < 2) return [grid]
  return areas.slice(0, most).map((area, at) => ({
    ...cutOut(grid, area),
    name: at === 0 ? grid.name : `${grid.name} · 第 ${at + 1} 张表`,
  }))
}

const leaf = (path: readonly string[]) => path.map(normaliseHeader).join('/')

/** 序号 姓名 实发 | 序号 姓名 实发: the same labels again to the right. */
function beside(header: Header, bottom: number): Area[] {
  const labels = header.paths.map(leaf)
  const name = header.meanings.findIndex((meaning) => meaning.role === 'name')
  const whole: Area = { top: 0, bottom, left: 0, right: Number.POSITIVE_INFINITY }
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
      top: 0,
      bottom,
      left: areas.length === 0 ? 0 : header.left + first + from,
      right: header.left + first + from + width - 1,
    })
  return areas.length > 1 ? areas : [whole]
}

/** A row further down that is a header by itself and not the first one again. Rows of people hold numbers and are passed over quickly. */
function below(header: Header, grid: Grid): Area[] {
  const first = header.paths.flat().map(normaliseHeader)
  const known = new Set(first)
  const starts: number[] = []
  for (let row = header.bottom + 2; row < grid.rows.length && starts.length < most; row++) {
    const cells = grid.rows[row]
    if (!cells || !mayBeHeader(cells)) continue
    const filled = filledColumns(grid, row)
    if (filled.length < 3 || headerScore(grid, row, filled) < 4.5) continue
    const labels = filled.map((column) => normaliseHeader(String(cells[column])))
    const again = filled.filter((column, at) =>
      header.paths[column - header.left]?.some((part) => normaliseHeader(part) === labels[at]),
    )
    if (again.length * 10 >= filled.length * 7) continue
    // The second row of a repeated two-row header has the labels of the first.
    if (labels.filter((label) => known.has(label)).length === labels.length && filled.length < header.paths.length / 2) continue
    starts.push(row)
  }
  if (starts.length === 0) return []
  // Its title and its group labels stand over it, after a blank row or the last total.
  return starts.map((row, at) => ({
    top: topOf(grid, row),
    bottom: (starts[at + 1] === undefined ? grid.rows.length : topOf(grid, starts[at + 1] ?? 0)) - 1,
    left: 0,
    right: Number.POSITIVE_INFINITY,
  }))
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
