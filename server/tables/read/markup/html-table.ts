/**
 * A web page that calls itself .xls: what many web-based payroll systems export. All its tables stand below each other on one sheet,
 * as Excel opens it. Everything is text as the page shows it; scripts and styles are not looked at. Runs in the child only.
 */
import { clipMerges, type Grid, type Merge } from '../../grid.ts'
import { trim } from '../trim.ts'
import { limits, SheetUnreadable, sentences } from '../unreadable.ts'
import { markup, type Tag } from './tags.ts'

/** Tags that end a line of what stands in a cell or outside of tables. */
const breaks = new Set(['br', 'p', 'div', 'li', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'caption'])
const most_raw = limits.cell_signs * 8
const unseen = new Set(['script', 'style', 'title', 'head', 'xml', 'object', 'select'])

export function readHtml(text: string): Grid[] {
  const rows: string[][] = []
  const merges: Merge[] = []
  const hidden_rows = new Set<number>()
  const hidden_columns = new Set<number>()
  /** How far down a cell reaches into each column. */
  let busy: number[] = []
  let row = -1
  let depth = 0
  let cell: { row: number; column: number; text: string } | undefined
  let outside = ''
  let skipping = ''
  let column = 0

  const endCell = () => {
    if (cell) (rows[cell.row] ??= [])[cell.column] = shown(cell.text)
    cell = undefined
  }
  const endOutside = () => {
    if (outside === '') return
    const text = shown(outside)
    if (text !== '') rows[++row] = [text]
    outside = ''
  }
  const startCell = ({ attributes }: Tag) => {
    endCell()
    if (row < 0) row = 0
    while ((busy[column] ?? 0) > row) column++
    const right = column + span(attributes.get('colspan'), limits.columns + 1) - 1
    const bottom = row + span(attributes.get('rowspan'), limits.rows) - 1
    if (row <= limits.rows && column <= limits.columns) {
      cell = { row, column, text: '' }
      if (right > column || bottom > row) merges.push({ top: row, left: column, bottom, right })
      for (let at = column; at <= Math.min(right, limits.columns); at++) busy[at] = bottom + 1
    }
    column = right + 1
  }

  const add = (text: string) => {
    if (!cell) outside += text.slice(0, limits.cell_signs - outside.length)
    // Blanks are folded afterwards, so it may be longer than what is shown; without an end it would be all of the file.
    else if ((cell.text += text).length > most_raw) throw new SheetUnreadable(sentences.long_cell)
  }

  for (const token of markup(text, false)) {
    if (typeof token === 'string') {
      if (skipping === '') add(token)
      continue
    }
    const { name, closing } = token
    if (skipping !== '') {
      if (closing && name === skipping) skipping = ''
    } else if (unseen.has(name) && !closing && !token.empty) skipping = name
    else if (breaks.has(name)) {
      if (!cell && (depth === 0 || name === 'caption')) endOutside()
      else add('\u2028')
    } else if (name === 'table') {
      depth += closing ? -1 : 1
      // A table within a cell is text of that cell.
      if (depth === 1 && !closing) {
        endOutside()
        busy = []
        column = 0
      } else if (depth === 0 && closing) {
        endCell()
        row = Math.max(row, rows.length - 1)
      }
    } else if (depth !== 1) {
      if (cell && (name === 'td' || name === 'tr')) add(' ')
    } else if (name === 'tr') {
      endCell()
      outside = ''
      if (closing) continue
      row++
      column = 0
      if (isHidden(token)) hidden_rows.add(row)
    } else if (name === 'td' || name === 'th') {
      if (closing) endCell()
      else startCell(token)
    } else if (name === 'col' && !closing) {
      for (let left = span(token.attributes.get('span'), limits.columns); left > 0; left--, column++)
        if (isHidden(token)) hidden_columns.add(column)
    }
  }
  endOutside()
  // A table without its end is a file without its end.
  if (depth !== 0) throw new SheetUnreadable(sentences.damaged)
  const filled = Array.from(rows, (cells) => (cells ? Array.from(cells, (value) => value ?? null) : undefined))
  trim(filled)
  const isTable = filled.filter(
    (cells) => cells !== undefined && cells.filter((value) => value !== null && value !== '').length > 1,
  )
  // A page of a login or an error comes when a download has failed.
  if (isTable.length < 2) throw new SheetUnreadable(sentences.html)
  return [
    {
      name: 'Sheet1',
      hidden: false,
      rows: filled,
      marks: new Map(),
      merges: clipMerges(merges, filled.length, limits.columns),
      hidden_rows,
      hidden_columns,
    },
  ]
}

/** Blanks count once, as a browser shows them; what breaks a line stays one. */
const shown = (text: string) =>
  text
    .replace(/[ \t\r\n\f\u00a0]+/g, ' ')
    .replace(/ ?(?:\u2028 ?)+/g, '\n')
    .trim()

const span = (text: string | undefined, most: number) =>
  Math.min(Math.max(/^\s*\d{1,6}/.test(text ?? '') ? Number.parseInt(text ?? '', 10) : 1, 1), most)

const isHidden = ({ attributes }: Tag) => /display\s*:\s*none/i.test(attributes.get('style') ?? '') || attributes.has('hidden')
