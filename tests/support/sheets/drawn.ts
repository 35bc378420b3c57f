/** A wage sheet drawn as text, and a summary of its recognition result in a few lines. */
import { listRowsToStore } from '../../../server/spreadsheets/child/response.ts'
import type { Merge, StoredValue } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { type Extra, everyRow, grid, type Read } from '../files/grid.ts'

/**
 * Parses `张三 | 5000 | '001 | 2026-10-01`: numbers are numbers, a leading apostrophe marks text, a date is a date. A
 * line of dashes separates worksheets.
 */
export function getCells(text: string): { rows: StoredValue[][]; merges: Merge[] } {
  const merges: Merge[] = []
  const lines = text.replace(/^\n|\n\s*$/g, '').split('\n')
  const rows = lines.map((line, row) => {
    const cells = line.split('|').map((cell) => cell.trim())
    cells.forEach((cell, column) => {
      // `<` merges with the cell on the left, `^` with the cell above.
      if (cell !== '<' && cell !== '^') return
      const existing = merges.find(({ top, bottom, left, right }) =>
        cell === '<' ? top === row && right === column - 1 : left === column && bottom === row - 1,
      )
      if (existing) Object.assign(existing, cell === '<' ? { right: column } : { bottom: row })
      else
        merges.push({ top: cell === '^' ? row - 1 : row, left: cell === '<' ? column - 1 : column, bottom: row, right: column })
    })
    return cells.map(stored)
  })
  return { rows, merges }
}

function stored(cell: string): StoredValue {
  if (cell === '' || cell === '<' || cell === '^') return null
  if (cell.startsWith("'")) return cell.slice(1)
  if (/^-?\d+(?:\.\d+)?$/.test(cell)) return Number(cell)
  if (/^\d{4}-\d\d-\d\d$/.test(cell)) return new Date(`${cell}T00:00:00Z`)
  return cell.replaceAll('⏎', '\n')
}

/** Returns the recognition result by the labels that tests use. */
export function messageOf(match: Read): Record<string, string> {
  const numbers = (rows: readonly number[]) => rows.join(' ')
  return {
    是: match.kind,
    表头: numbers(match.header.rows),
    人员: numbers(match.data_rows),
    归谁: numbers(match.unclaimed),
    忽略: match.ignored.map(({ row, why }) => `${row} ${why}`).join('；'),
    列: match.columns.map(({ label, col, role }) => `${label || col}=${role}`).join(' '),
    必答: match.questions.flatMap(({ must, id, suggested }) => (must ? [`${id}→${suggested || '无建议'}`] : [])).join(' '),
    可答: match.questions.flatMap(({ must, id, suggested }) => (must ? [] : [`${id}→${suggested || '无建议'}`])).join(' '),
    实发: match.net_sum_fen === null ? '无' : String(match.net_sum_fen / 100),
    原因: match.reason ?? '',
    月份: match.says.month ?? '',
    表: match.parts.map(({ sheet, people_rows }) => `${sheet} ${people_rows}`).join('；'),
    提醒: match.warnings.join('；'),
    合计: match.totals_row ? `${match.totals_row.row} ${match.totals_row.agrees === false ? '不符' : '相符'}` : '无',
    算法: match.formula ? `${match.formula.plus.join('+')}-${match.formula.minus.join('-')}` : '无',
    小计: match.subtotals
      .map(({ key, plus, minus }) => `${key}=${[...plus, ...minus.map((one) => `-${one}`)].join('+')}`)
      .join(' '),
  }
}

export const getSheets = (text: string, extra: Extra) =>
  text.split(/\n\s*-{4,}\s*\n/).map((sheet, at) => {
    const { rows, merges } = getCells(sheet)
    return grid(rows, { name: at === 0 ? 'Sheet1' : `Sheet${at + 1}`, merges, ...extra })
  })
export const readLayout = (text: string, extra: Extra = {}): Read => recognizeWorkbook(getSheets(text, extra)).recognition

/**
 * Returns what is stored of every row as its employee would see it: `张三：工号 A1，基本工资 5000`; a `?` marks an unmatched
 * employee.
 */
export function storedOf(text: string, extra: Extra = {}, requested?: readonly string[]): string[] {
  const { recognition, grids } = recognizeWorkbook(getSheets(text, extra), requested)
  const { columns, data_rows } = recognition
  const name = columns.find(({ role }) => role === 'name')?.key ?? ''
  const people = new Set(data_rows)
  const stored = everyRow(grids, recognition)
  if (stored.length !== listRowsToStore(recognition).length) throw new Error('a row is missing')
  return stored.map(({ row, cells }) => {
    const items = columns.flatMap(({ key, label, col }) => {
      const { value = '' } = cells[key] ?? {}
      return key === name || value === '' ? [] : [`${label || col} ${value}`]
    })
    return `${people.has(row) ? '' : '?'}${cells[name]?.value ?? ''}：${items.join('，')}`
  })
}

/** Returns only the expected parts of the recognition result: a line `人员 2 3` asks for all employee rows. */
export function asExpected(expected: string, match: Read): string {
  const message = messageOf(match)
  return getLines(expected)
    .map((line) => {
      const [word = ''] = line.split(' ', 1)
      const text = message[word]
      if (text === undefined) return `没有这个词：${word}`
      // An expected part after an ellipsis may occur anywhere in the text.
      const part = line.slice(word.length + 1)
      if (part.startsWith('…')) return text.includes(part.slice(1)) ? line : `${word} ${text}`
      return `${word} ${text}`.trim()
    })
    .join('\n')
}
export const getLines = (text: string): string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim())
