/**
 * An HTML page named .xls, which many web-based payroll systems export. All of its tables are placed below each other
 * on one sheet, as Excel opens it. Everything is text as the page displays it; scripts and styles are ignored. Runs in
 * the child process only.
 */
import { clipMerges, type Grid, type Merge } from '../../grid.ts'
import { trimRows } from '../trim.ts'
import { sheetLimits, UnreadableSheetError, unreadableMessages } from '../unreadable-error.ts'
import { parseMarkup, type Tag } from './tags.ts'

/** Tags that end a line, in a cell or outside of tables. */
const lineBreakTags = new Set(['br', 'p', 'div', 'li', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'caption'])
const maxRawText = sheetLimits.cell_signs * 8
const hiddenTags = new Set(['script', 'style', 'title', 'head', 'xml', 'object', 'select'])

/** The single sheet on which the tables of a page are placed one below the other. */
class HtmlSheet {
  readonly #rows: string[][] = []
  readonly #merges: Merge[] = []
  readonly #hidden_rows = new Set<number>()
  readonly #hidden_columns = new Set<number>()
  /** The remaining rows covered by a cell with a row span, by column. */
  #busy: number[] = []
  #row = -1
  #column = 0
  #cell: { row: number; column: number; text: string } | undefined
  /** Text between tables, which becomes a row with one cell. */
  #outside = ''

  get isInCell(): boolean {
    return this.#cell !== undefined
  }

  add(text: string): void {
    const cell = this.#cell
    if (!cell) this.#outside += text.slice(0, sheetLimits.cell_signs - this.#outside.length)
    // White space is collapsed later, so the raw text may be longer than the displayed one; without a limit it could be
    // the whole file.
    else if ((cell.text += text).length > maxRawText) throw new UnreadableSheetError(unreadableMessages.long_cell)
  }

  startTable(): void {
    this.endOutside()
    this.#busy = []
    this.#column = 0
  }

  endTable(): void {
    this.endCell()
    this.#row = Math.max(this.#row, this.#rows.length - 1)
  }

  startRow(tag: Tag): void {
    this.endRow()
    this.#row++
    this.#column = 0
    if (isHidden(tag)) this.#hidden_rows.add(this.#row)
  }

  endRow(): void {
    this.endCell()
    this.#outside = ''
  }

  startCell({ attributes }: Tag): void {
    this.endCell()
    if (this.#row < 0) this.#row = 0
    const row = this.#row
    while ((this.#busy[this.#column] ?? 0) > row) this.#column++
    const column = this.#column
    const right = column + parseSpan(attributes.get('colspan'), sheetLimits.columns + 1) - 1
    const bottom = row + parseSpan(attributes.get('rowspan'), sheetLimits.rows) - 1
    if (row <= sheetLimits.rows && column <= sheetLimits.columns) {
      this.#cell = { row, column, text: '' }
      if (right > column || bottom > row) this.#merges.push({ top: row, left: column, bottom, right })
      for (let at = column; at <= Math.min(right, sheetLimits.columns); at++) this.#busy[at] = bottom + 1
    }
    this.#column = right + 1
  }

  endCell(): void {
    const cell = this.#cell
    if (cell) (this.#rows[cell.row] ??= [])[cell.column] = collapseWhitespace(cell.text)
    this.#cell = undefined
  }

  endOutside(): void {
    const text = collapseWhitespace(this.#outside)
    if (text !== '') this.#rows[++this.#row] = [text]
    this.#outside = ''
  }

  columns(tag: Tag): void {
    for (let left = parseSpan(tag.attributes.get('span'), sheetLimits.columns); left > 0; left--, this.#column++)
      if (isHidden(tag)) this.#hidden_columns.add(this.#column)
  }

  grid(): Grid {
    const rows = Array.from(this.#rows, (cells) => (cells ? Array.from(cells, (value) => value ?? null) : undefined))
    trimRows(rows)
    return {
      name: 'Sheet1',
      hidden: false,
      rows,
      marks: new Map(),
      merges: clipMerges(this.#merges, rows.length, sheetLimits.columns),
      hidden_rows: this.#hidden_rows,
      hidden_columns: this.#hidden_columns,
    }
  }
}

/** Handles a tag within a table that is not nested in another table. */
function handleTableTag(sheet: HtmlSheet, tag: Tag): void {
  const { name, closing } = tag
  if (name === 'tr') {
    if (closing) sheet.endRow()
    else sheet.startRow(tag)
  } else if (name === 'td' || name === 'th') {
    if (closing) sheet.endCell()
    else sheet.startCell(tag)
  } else if (name === 'col' && !closing) sheet.columns(tag)
}

export function readHtmlTables(text: string): Grid[] {
  const sheet = new HtmlSheet()
  /** Nesting depth of tables. */
  let depth = 0
  let skipping = ''
  for (const token of parseMarkup(text, false)) {
    if (typeof token === 'string') {
      if (skipping === '') sheet.add(token)
      continue
    }
    const { name, closing } = token
    if (skipping !== '') {
      if (closing && name === skipping) skipping = ''
    } else if (hiddenTags.has(name) && !closing && !token.empty) skipping = name
    else if (lineBreakTags.has(name)) {
      if (!sheet.isInCell && (depth === 0 || name === 'caption')) sheet.endOutside()
      else sheet.add('\u2028')
    } else if (name === 'table') {
      depth += closing ? -1 : 1
      // A nested table is text of its cell.
      if (depth === 1 && !closing) sheet.startTable()
      else if (depth === 0 && closing) sheet.endTable()
    } else if (depth === 1) handleTableTag(sheet, token)
    else if (sheet.isInCell && (name === 'td' || name === 'tr')) sheet.add(' ')
  }
  sheet.endOutside()
  // A table without its end tag means that the file was cut off.
  if (depth !== 0) throw new UnreadableSheetError(unreadableMessages.damaged)
  const grid = sheet.grid()
  const isFilled = (value: unknown): boolean => value !== null && value !== ''
  // A failed download may be a sign-in or error page.
  if (grid.rows.filter((cells) => cells !== undefined && cells.filter(isFilled).length > 1).length < 2)
    throw new UnreadableSheetError(unreadableMessages.html)
  return [grid]
}

/** Collapses white space as a browser displays it; line breaks are preserved. */
const collapseWhitespace = (text: string) =>
  text
    .replace(/[ \t\r\n\f\u00a0]+/g, ' ')
    .replace(/ ?(?:\u2028 ?)+/g, '\n')
    .trim()

const parseSpan = (text: string | undefined, most: number) =>
  Math.min(Math.max(/^\s*\d{1,6}/.test(text ?? '') ? Number.parseInt(text ?? '', 10) : 1, 1), most)

const isHidden = ({ attributes }: Tag) => /display\s*:\s*none/i.test(attributes.get('style') ?? '') || attributes.has('hidden')
