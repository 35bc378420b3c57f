/**
 * Where everything of a drawn sheet stands, in lines and pixels. A line is what is drawn below another; a row is what the sheet
 * counts. Where a batch was made of several sheets, each begins with a line of its own that says its name.
 */
import { rows_a_part } from '../../../../server/contract/words/words.ts'

export const lineHeight = 32
export const windowRows = 200

export type MergedArea = { top: number; left: number; bottom: number; right: number }
export type Line = { part: number; row: number | null }
export type Lines = {
  count: number
  at: (line: number) => Line
  /** The line of a row; the nearest one where there is none. */
  of: (row: number) => number
}

export function linesOf(parts: readonly { last_row: number }[]): Lines {
  const several = parts.length > 1 ? 1 : 0
  const first: number[] = []
  let count = 0
  parts.forEach(({ last_row }, n) => {
    first.push(count)
    count += several + Math.max(0, last_row - n * rows_a_part)
  })
  return {
    count,
    at(line) {
      let part = 0
      while (part + 1 < first.length && (first[part + 1] ?? 0) <= line) part++
      const inside = line - (first[part] ?? 0) - several
      return { part, row: inside < 0 ? null : part * rows_a_part + inside + 1 }
    },
    of(row) {
      const part = Math.min(Math.max(0, Math.floor((row - 1) / rows_a_part)), Math.max(0, parts.length - 1))
      const from = (first[part] ?? 0) + several
      const to = (first[part + 1] ?? count) - 1
      return Math.max(0, Math.min(to, from + row - part * rows_a_part - 1))
    },
  }
}

export type Window = { from: number; count: number }
/** What has to be asked for so that these lines can be drawn: whole windows, so that the same question is asked once. */
export function windowsOf(lines: Lines, parts: readonly { last_row: number }[], from: number, to: number): Window[] {
  const found = new Map<number, Window>()
  for (let line = from; line < to; line++) {
    const { part, row } = lines.at(line)
    if (row === null) continue
    const window = windowOf(row, parts[part]?.last_row ?? row)
    found.set(window.from, window)
    // The next line that can be in another window.
    line = Math.max(line, lines.of(window.from + window.count - 1))
  }
  return [...found.values()]
}
export function windowOf(row: number, last_row: number): Window {
  const base = Math.floor((row - 1) / rows_a_part) * rows_a_part
  const from = base + Math.floor((row - base - 1) / windowRows) * windowRows + 1
  return { from, count: Math.max(1, Math.min(windowRows, last_row - from + 1)) }
}

/** Where columns begin; one more than there are, so that the last says how wide all are. */
export function offsetsOf(widths: readonly number[]): number[] {
  const offsets = [0]
  for (const width of widths) offsets.push((offsets.at(-1) ?? 0) + width)
  return offsets
}
/** The column at this distance from the left. */
export function columnAt(offsets: readonly number[], x: number): number {
  let low = 0
  let high = Math.max(0, offsets.length - 2)
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((offsets[middle] ?? 0) <= x) low = middle
    else high = middle - 1
  }
  return low
}

export type Range = { from: number; to: number; left: number; right: number }
/** Lines and columns to draw: what is seen and a margin, in steps, so that most of scrolling draws nothing anew. */
export function rangeOf(
  view: { top: number; left: number; width: number; height: number },
  count: number,
  offsets: readonly number[],
): Range {
  const step = 8
  const first = Math.floor(view.top / lineHeight)
  const last = Math.ceil((view.top + view.height) / lineHeight)
  const columns = offsets.length - 1
  return {
    from: Math.max(0, Math.floor(first / step) * step - step),
    to: Math.min(count, Math.ceil(last / step) * step + step),
    left: Math.max(0, columnAt(offsets, view.left) - 2),
    right: Math.min(columns, columnAt(offsets, view.left + view.width) + 3),
  }
}

/** About as wide as a text is in 14 px. */
export const widthOf = (text: string): number => [...text].reduce((sum, letter) => sum + (/[⺀-￿]/.test(letter) ? 14 : 8), 0)
/** Wide enough for the name and what is usual in it, never so wide that it pushes the others away. */
export const columnWidth = (texts: readonly string[]): number =>
  Math.min(220, Math.max(112, ...texts.map((text) => widthOf(text) + 20)))

const letters = (at: number): string => (at < 26 ? '' : letters(Math.floor(at / 26) - 1)) + String.fromCharCode(65 + (at % 26))
/** 0 → A, 26 → AA. */
export const columnLetters = letters
/** The place of a column by its key, `c5`; null for what is none. */
export function columnNamed(key: string): number | null {
  const at = /^c(\d{1,5})$/.exec(key)?.[1]
  return at === undefined ? null : Number(at)
}

export type CellAt = { line: number; col: number }
/** The head of the columns is the line above the first. */
export const headLine = -1
const keys: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }
/**
 * Where a key leads from here; null where it does nothing. `block` is what the cell covers where cells are merged: one leaves it at
 * its edge.
 */
export function moved(
  key: string,
  ctrl: boolean,
  at: CellAt,
  size: { lines: number; columns: number; page: number },
  block: { top: number; bottom: number; left: number; right: number },
): CellAt | null {
  const last = { line: size.lines - 1, col: size.columns - 1 }
  const within = (line: number, col: number): CellAt => ({
    line: Math.max(headLine, Math.min(last.line, line)),
    col: Math.max(0, Math.min(last.col, col)),
  })
  const step = keys[key]
  if (step) {
    const [down, right] = step
    if (ctrl) return within(down === 0 ? at.line : down * 1e9, right === 0 ? at.col : right * 1e9)
    return within(
      down < 0 ? block.top - 1 : down > 0 ? block.bottom + 1 : at.line,
      right < 0 ? block.left - 1 : right > 0 ? block.right + 1 : at.col,
    )
  }
  if (key === 'Home') return ctrl ? { line: headLine, col: 0 } : within(at.line, 0)
  if (key === 'End') return ctrl ? within(last.line, last.col) : within(at.line, last.col)
  if (key === 'PageUp') return within(at.line - size.page, at.col)
  if (key === 'PageDown') return within(at.line + size.page, at.col)
  return null
}
