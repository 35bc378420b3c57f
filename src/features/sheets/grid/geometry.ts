/**
 * The positions of a rendered wage sheet in lines and pixels. A line is a rendered line; a row is a row number of the
 * sheet. In a batch of several sheets, each sheet starts with an additional line that shows its name.
 */
import { rowsPerSheet } from '../../../../server/contract/shared/schemas.ts'

export const lineHeight = 32
export const rowsPerWindow = 200

export type MergedArea = { top: number; left: number; bottom: number; right: number }
export type GridLine = { sheetIndex: number; row: number | null }
export type GridLines = {
  count: number
  getLine: (line: number) => GridLine
  /** Returns the line of a row, or the nearest one if there is none. */
  getLineOfRow: (row: number) => number
}

export function createGridLines(sections: readonly { last_row: number }[]): GridLines {
  const headerLines = sections.length > 1 ? 1 : 0
  const firstLines: number[] = []
  let count = 0
  sections.forEach(({ last_row }, index) => {
    firstLines.push(count)
    count += headerLines + Math.max(0, last_row - index * rowsPerSheet)
  })
  return {
    count,
    getLine(line) {
      let part = 0
      while (part + 1 < firstLines.length && (firstLines[part + 1] ?? 0) <= line) part++
      const inside = line - (firstLines[part] ?? 0) - headerLines
      return { sheetIndex: part, row: inside < 0 ? null : part * rowsPerSheet + inside + 1 }
    },
    getLineOfRow(row) {
      const part = Math.min(Math.max(0, Math.floor((row - 1) / rowsPerSheet)), Math.max(0, sections.length - 1))
      const from = (firstLines[part] ?? 0) + headerLines
      const to = (firstLines[part + 1] ?? count) - 1
      return Math.max(0, Math.min(to, from + row - part * rowsPerSheet - 1))
    },
  }
}

export type RowWindow = { from: number; count: number }
/** Returns the row windows to load to render these lines: whole windows, so that each is requested only once. */
export function getRowWindows(
  lines: GridLines,
  sections: readonly { last_row: number }[],
  from: number,
  to: number,
): RowWindow[] {
  const windows = new Map<number, RowWindow>()
  for (let line = from; line < to; line++) {
    const { sheetIndex, row } = lines.getLine(line)
    if (row === null) continue
    const window = getRowWindow(row, sections[sheetIndex]?.last_row ?? row)
    windows.set(window.from, window)
    // Skips to the next line that can be in another window.
    line = Math.max(line, lines.getLineOfRow(window.from + window.count - 1))
  }
  return [...windows.values()]
}
export function getRowWindow(row: number, last_row: number): RowWindow {
  const base = Math.floor((row - 1) / rowsPerSheet) * rowsPerSheet
  const from = base + Math.floor((row - base - 1) / rowsPerWindow) * rowsPerWindow + 1
  return { from, count: Math.max(1, Math.min(rowsPerWindow, last_row - from + 1)) }
}

/** Returns the left offsets of the columns, plus a last one with the total width. */
export function getOffsets(widths: readonly number[]): number[] {
  const offsets = [0]
  for (const width of widths) offsets.push((offsets.at(-1) ?? 0) + width)
  return offsets
}
/** Finds the column at a distance from the left. */
export function findColumnAt(offsets: readonly number[], x: number): number {
  let low = 0
  let high = Math.max(0, offsets.length - 2)
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((offsets[middle] ?? 0) <= x) low = middle
    else high = middle - 1
  }
  return low
}

export type GridRange = { from: number; to: number; left: number; right: number }
/** Returns the lines and columns to render: the visible ones and a margin, in steps, so that most scrolling adds nothing. */
export function getVisibleRange(
  view: { top: number; left: number; width: number; height: number },
  count: number,
  offsets: readonly number[],
): GridRange {
  const step = 8
  const first = Math.floor(view.top / lineHeight)
  const last = Math.ceil((view.top + view.height) / lineHeight)
  const columns = offsets.length - 1
  return {
    from: Math.max(0, Math.floor(first / step) * step - step),
    to: Math.min(count, Math.ceil(last / step) * step + step),
    left: Math.max(0, findColumnAt(offsets, view.left) - 2),
    right: Math.min(columns, findColumnAt(offsets, view.left + view.width) + 3),
  }
}

/** Estimates the width of a text at 14 px. */
export const estimateTextWidth = (text: string): number =>
  [...text].reduce((sum, letter) => sum + (/[⺀-￿]/.test(letter) ? 14 : 8), 0)
/** Returns a column width that fits the name and typical values, within limits. */
export const getColumnWidth = (texts: readonly string[]): number =>
  Math.min(220, Math.max(112, ...texts.map((text) => estimateTextWidth(text) + 20)))

const toColumnLetters = (at: number): string =>
  (at < 26 ? '' : toColumnLetters(Math.floor(at / 26) - 1)) + String.fromCharCode(65 + (at % 26))
/** Formats a column index: 0 → A, 26 → AA. */
export const formatColumnLetters = toColumnLetters
/** Parses the index of a column from its key, `c5`; null if invalid. */
export function parseColumnKey(key: string): number | null {
  const index = /^c(\d{1,5})$/.exec(key)?.[1]
  return index === undefined ? null : Number(index)
}

export type GridCellPosition = { line: number; col: number }
/** The column header is the line above the first. */
export const headerLine = -1
const stepByKey: Record<string, [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}
/** Returns the position that a key leads to, or null. `mergedBlock`: of a merged cell; the cursor leaves at its edge. */
export function moveCell(
  key: string,
  ctrl: boolean,
  cell: GridCellPosition,
  size: { lines: number; columns: number; page: number },
  mergedBlock: { top: number; bottom: number; left: number; right: number },
): GridCellPosition | null {
  const last = { line: size.lines - 1, col: size.columns - 1 }
  const clamp = (line: number, col: number): GridCellPosition => ({
    line: Math.max(headerLine, Math.min(last.line, line)),
    col: Math.max(0, Math.min(last.col, col)),
  })
  const step = stepByKey[key]
  if (step) {
    const [down, right] = step
    if (ctrl) return clamp(down === 0 ? cell.line : down * 1e9, right === 0 ? cell.col : right * 1e9)
    return clamp(
      down < 0 ? mergedBlock.top - 1 : down > 0 ? mergedBlock.bottom + 1 : cell.line,
      right < 0 ? mergedBlock.left - 1 : right > 0 ? mergedBlock.right + 1 : cell.col,
    )
  }
  if (key === 'Home') return ctrl ? { line: headerLine, col: 0 } : clamp(cell.line, 0)
  if (key === 'End') return ctrl ? clamp(last.line, last.col) : clamp(cell.line, last.col)
  if (key === 'PageUp') return clamp(cell.line - size.page, cell.col)
  if (key === 'PageDown') return clamp(cell.line + size.page, cell.col)
  return null
}
