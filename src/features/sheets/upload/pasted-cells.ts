/** Cells copied from Excel or WPS, as in the clipboard: parsed, shown before the upload, and written to a file again. */

/** Parses copied text into rows and cells; a cell with a line break or a quote is quoted. */
export function parsePastedText(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let position = 0
  const endCell = () => {
    row.push(cell.trim())
    cell = ''
  }
  const endRow = () => {
    endCell()
    rows.push(row)
    row = []
  }
  const normalized = text.replace(/\r\n?/g, '\n')
  while (position < normalized.length) {
    const character = normalized[position]
    if (character === '"' && cell === '') {
      const close = /"(?=[\t\n]|$)/.exec(normalized.slice(position + 1).replaceAll('""', '\0\0'))
      // A quote that is never closed is a literal quote.
      if (close) {
        cell = normalized.slice(position + 1, position + 1 + close.index).replaceAll('""', '"')
        position += close.index + 2
        continue
      }
    }
    if (character === '\t') endCell()
    else if (character === '\n') endRow()
    else cell += character
    position++
  }
  if (cell !== '' || row.length > 0) endRow()
  // Copied whole columns contain thousands of empty rows at the end.
  while (rows.length > 0 && rows.at(-1)?.every((value) => value === '')) rows.pop()
  return rows
}

/** Returns whether this is part of a table rather than a single copied word. */
export const isTableData = (rows: readonly (readonly string[])[]): boolean => rows.length >= 2 || (rows[0]?.length ?? 0) >= 2

export type HorizontalMerge = { row: number; left: number; right: number }
/**
 * Repeats a cell merged over several columns in each of them, because a text file has no merged cells: 应发 over 基本 and
 * 绩效. A cell over the whole table is a title and is not repeated; nor is anything downwards, because that would pay an
 * amount to two employees.
 */
export function fillMergedCells(rows: readonly (readonly string[])[], merges: readonly HorizontalMerge[]): string[][] {
  const filled = rows.map((row) => [...row])
  const width = Math.max(0, ...rows.map((row) => row.length))
  for (const { row, left, right } of merges) {
    const filledRow = filled[row]
    if (!filledRow || right - left + 1 >= width) continue
    for (let column = left + 1; column <= right; column++) if (!filledRow[column]) filledRow[column] = filledRow[left] ?? ''
  }
  return filled
}

/** Finds cells merged over several columns in the only table of this HTML; none if there are several or too few rows. */
export function findMergesInHtml(html: string, rowCount: number): HorizontalMerge[] {
  const tables = new DOMParser().parseFromString(html, 'text/html').querySelectorAll('table')
  const table = tables[0]
  if (!table || tables.length > 1 || table.rows.length < rowCount) return []
  const merges: HorizontalMerge[] = []
  /** The row down to which each column is covered by a merged cell. */
  const coveredUntil: number[] = []
  for (const [row, tableRow] of [...table.rows].entries()) {
    let column = 0
    for (const cell of tableRow.cells) {
      while ((coveredUntil[column] ?? 0) > row) column++
      const right = column + cell.colSpan - 1
      if (right > column) merges.push({ row, left: column, right })
      for (; column <= right; column++) coveredUntil[column] = row + cell.rowSpan
    }
  }
  return merges
}

const quoteCell = (cell: string) => (/[\t\n"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
export const pastedFileName = '粘贴的表格.tsv'
/** Creates the file to upload; the byte order mark declares its encoding. */
export const createPastedFile = (rows: readonly (readonly string[])[]): File =>
  new File([`\ufeff${rows.map((row) => row.map(quoteCell).join('\t')).join('\n')}\n`], pastedFileName, {
    type: 'text/tab-separated-values',
  })
