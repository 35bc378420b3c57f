/** Cells copied from Excel or WPS, as the clipboard has them: read, shown before they are sent, and written as a file again. */

/** Lines and cells of what was copied; a cell with a line break or a quote stands in quotes. */
export function cellsOf(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let at = 0
  const endCell = () => {
    row.push(cell.trim())
    cell = ''
  }
  const endRow = () => {
    endCell()
    rows.push(row)
    row = []
  }
  const clean = text.replace(/\r\n?/g, '\n')
  while (at < clean.length) {
    const letter = clean[at]
    if (letter === '"' && cell === '') {
      const close = /"(?=[\t\n]|$)/.exec(clean.slice(at + 1).replaceAll('""', '\0\0'))
      // A quote that is never closed is a quote.
      if (close) {
        cell = clean.slice(at + 1, at + 1 + close.index).replaceAll('""', '"')
        at += close.index + 2
        continue
      }
    }
    if (letter === '\t') endCell()
    else if (letter === '\n') endRow()
    else cell += letter
    at++
  }
  if (cell !== '' || row.length > 0) endRow()
  // Whole columns are copied with thousands of blank lines below.
  while (rows.length > 0 && rows.at(-1)?.every((one) => one === '')) rows.pop()
  return rows
}

/** Whether this is a piece of a sheet rather than a word that somebody copied. */
export const isTable = (rows: readonly (readonly string[])[]): boolean => rows.length >= 2 || (rows[0]?.length ?? 0) >= 2

export type Across = { row: number; left: number; right: number }
/**
 * What stood over several columns is said of each of them, because a text file knows no merged cells: 应发 over 基本 and 绩效. Not
 * what stands over the whole table, which is a title; and not downwards, where an amount would be paid to two people.
 */
export function spread(rows: readonly (readonly string[])[], merges: readonly Across[]): string[][] {
  const filled = rows.map((row) => [...row])
  const width = Math.max(0, ...rows.map((row) => row.length))
  for (const { row, left, right } of merges) {
    const line = filled[row]
    if (!line || right - left + 1 >= width) continue
    for (let at = left + 1; at <= right; at++) if (!line[at]) line[at] = line[left] ?? ''
  }
  return filled
}

/** Cells over several columns of the one table in this HTML; none where there are several or it has other lines than the text. */
export function mergesIn(html: string, lines: number): Across[] {
  const tables = new DOMParser().parseFromString(html, 'text/html').querySelectorAll('table')
  const table = tables[0]
  if (!table || tables.length > 1 || table.rows.length < lines) return []
  const found: Across[] = []
  /** How far down each column is still covered. */
  const covered: number[] = []
  for (const [row, line] of [...table.rows].entries()) {
    let at = 0
    for (const cell of line.cells) {
      while ((covered[at] ?? 0) > row) at++
      const right = at + cell.colSpan - 1
      if (right > at) found.push({ row, left: at, right })
      for (; at <= right; at++) covered[at] = row + cell.rowSpan
    }
  }
  return found
}

const written = (cell: string) => (/[\t\n"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
export const pastedName = '粘贴的表格.tsv'
/** The file that goes up; the mark at its beginning says how it is written. */
export const fileOf = (rows: readonly (readonly string[])[]): File =>
  new File([`\ufeff${rows.map((row) => row.map(written).join('\t')).join('\n')}\n`], pastedName, {
    type: 'text/tab-separated-values',
  })
