/** Cells copied from Excel or WPS, as the clipboard has them: read, shown before they are sent, and written as a file again. */

/** Lines and cells of what was copied; a cell with a line break or a quote stands in quotes. */
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
      // A quote that is never closed is a quote.
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
  // Whole columns are copied with thousands of blank lines below.
  while (rows.length > 0 && rows.at(-1)?.every((value) => value === '')) rows.pop()
  return rows
}

/** Whether this is a piece of a sheet rather than a word that somebody copied. */
export const isTableData = (rows: readonly (readonly string[])[]): boolean => rows.length >= 2 || (rows[0]?.length ?? 0) >= 2

export type HorizontalMerge = { row: number; left: number; right: number }
/**
 * What stood over several columns is said of each of them, because a text file knows no merged cells: 应发 over 基本 and 绩效. Not
 * what stands over the whole table, which is a title; and not downwards, where an amount would be paid to two people.
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

/** Cells over several columns of the one table in this HTML; none where there are several or it has other lines than the text. */
export function findMergesInHtml(html: string, rowCount: number): HorizontalMerge[] {
  const tables = new DOMParser().parseFromString(html, 'text/html').querySelectorAll('table')
  const table = tables[0]
  if (!table || tables.length > 1 || table.rows.length < rowCount) return []
  const merges: HorizontalMerge[] = []
  /** How far down each column is still covered. */
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
/** The file that goes up; the mark at its beginning says how it is written. */
export const createPastedFile = (rows: readonly (readonly string[])[]): File =>
  new File([`\ufeff${rows.map((row) => row.map(quoteCell).join('\t')).join('\n')}\n`], pastedFileName, {
    type: 'text/tab-separated-values',
  })
