/**
 * Reads the content of an .ods to grids (ODF 1.3 part 3, chapter 9): rows at any level (print titles, groups), repeated
 * rows, values by type, texts by paragraph, and hidden parts (19.749, 20.405).
 */
import { type CellMark, clipMerges, type Grid, getCellId, isErrorText, type Merge, type StoredValue } from '../grid.ts'
import { parseMarkup, type Tag } from './markup/tags.ts'
import { trimRows } from './trim.ts'
import { sheetLimits } from './unreadable-error.ts'
import { parseTimeFormat } from './xlsx/times.ts'
import { parseIsoDate, serialToDate } from './xlsx/worksheet.ts'

/** Parses the entire file, so that a truncated file or a DTD is detected. */
export function readOds(content: string): Grid[] {
  const sheets: OdsSheet[] = []
  const unseen = new Set<string>()
  const open: string[] = []
  let style = ''
  let sheet: OdsSheet | undefined
  for (const tag of parseMarkup(content, true)) {
    if (typeof tag === 'string') {
      sheet?.addText(tag)
      continue
    }
    const { name, closing, empty } = tag
    if (closing) {
      open.pop()
      sheet?.close(name, open.at(-1) ?? '')
      if (name === 'table' && open.at(-1) === 'spreadsheet') sheet = undefined
      continue
    }
    if (name === 'style') style = getAttribute(tag, 'style:name')
    else if (name === 'table-properties' && getAttribute(tag, 'table:display') === 'false') unseen.add(style)
    else if (name === 'table' && open.at(-1) === 'spreadsheet')
      sheets.push((sheet = new OdsSheet(getAttribute(tag, 'table:name'), unseen.has(getAttribute(tag, 'table:style-name')))))
    else sheet?.open(tag, open.at(-1) ?? '')
    if (empty) sheet?.close(name, open.at(-1) ?? '')
    else open.push(name)
  }
  return sheets.map((one) => one.grid())
}

const getAttribute = ({ attributes }: Tag, name: string) => attributes.get(name) ?? ''
const getRepeatCount = (tag: Tag, name: string) => Math.max(1, Number.parseInt(getAttribute(tag, name), 10) || 1)

class OdsSheet {
  private readonly name: string
  private readonly hidden: boolean
  private readonly rows: (StoredValue[] | undefined)[] = []
  private readonly marks = new Map<number, CellMark>()
  private readonly merges: Merge[] = []
  private readonly hidden_rows = new Set<number>()
  private readonly hidden_columns = new Set<number>()
  private row = 0
  private column = 0
  private columns = 0
  private repeated = 1
  private cells: StoredValue[] = []
  private cell: Tag | null = null
  private paragraphs: string[] = []
  /** Whether the parser is in a paragraph of the open cell; texts of notes and shapes do not count. */
  private inText = false

  constructor(name: string, hidden: boolean) {
    this.name = name
    this.hidden = hidden
  }

  open(tag: Tag, parent: string): void {
    const { name } = tag
    if (name === 'table-column') this.columns = this.hide(this.hidden_columns, tag, this.columns, 'columns')
    else if (name === 'table-row') {
      this.repeated = getRepeatCount(tag, 'table:number-rows-repeated')
      this.hide(this.hidden_rows, tag, this.row, 'rows')
      this.column = 0
      this.cells = []
    } else if ((name === 'table-cell' || name === 'covered-table-cell') && parent === 'table-row') {
      this.cell = tag
      this.paragraphs = []
    } else if (name === 'p' && parent === this.cell?.name) {
      this.paragraphs.push('')
      this.inText = true
    } else if (name === 'annotation' || name === 'frame') this.inText = false
    else if (this.inText && name === 's') this.add(' '.repeat(Math.min(getRepeatCount(tag, 'text:c'), sheetLimits.cell_signs)))
    else if (this.inText && name === 'tab') this.add('\t')
    else if (this.inText && name === 'line-break') this.add('\n')
  }

  addText(text: string): void {
    if (this.inText) this.add(text.replace(/[ \t\r\n]+/g, ' '))
  }

  close(name: string, parent: string): void {
    if (name === 'p' && parent === this.cell?.name) this.inText = false
    else if (name === this.cell?.name && parent === 'table-row') {
      this.storeCell(this.cell)
      this.cell = null
    } else if (name === 'table-row') this.endRow()
  }

  private add(text: string) {
    this.paragraphs.push(`${this.paragraphs.pop() ?? ''}${text}`)
  }

  private storeCell(tag: Tag) {
    const times = getRepeatCount(tag, 'table:number-columns-repeated')
    const text = this.paragraphs.join('\n')
    const value = parseValue(tag, text)
    const mark = createMark(tag, value, text)
    // For an error, the displayed text is used, regardless of its name in the file.
    const stored = mark?.error ? text : value
    const isFilled = (stored !== null && stored !== '') || mark !== null
    const across = getRepeatCount(tag, 'table:number-columns-spanned')
    const down = getRepeatCount(tag, 'table:number-rows-spanned')
    if (across * down > 1)
      this.merges.push({ top: this.row, left: this.column, bottom: this.row + down - 1, right: this.column + across - 1 })
    // Reads one column more than allowed, to distinguish "too many" from "exactly as many".
    if (isFilled)
      for (let at = this.column; at < Math.min(this.column + times, sheetLimits.columns + 1); at++) {
        while (this.cells.length < at) this.cells.push(null)
        this.cells[at] = stored
        if (mark)
          for (let row = this.row; row < Math.min(this.row + this.repeated, sheetLimits.rows); row++)
            this.marks.set(getCellId(row, at), mark)
      }
    this.column += times
  }

  private endRow() {
    if (this.cells.length > 0)
      for (let row = this.row; row < Math.min(this.row + this.repeated, sheetLimits.rows + 1); row++) {
        while (this.rows.length < row) this.rows.push(undefined)
        this.rows[row] = row === this.row ? this.cells : [...this.cells]
      }
    this.row += this.repeated
  }

  /** Returns the position of the next row or column. */
  private hide(hidden: Set<number>, tag: Tag, from: number, what: 'rows' | 'columns'): number {
    const to = from + getRepeatCount(tag, `table:number-${what}-repeated`)
    if (/^(?:collapse|filter)$/.test(getAttribute(tag, 'table:visibility')))
      for (let at = from; at < Math.min(to, sheetLimits[what]); at++) hidden.add(at)
    return to
  }

  grid(): Grid {
    const { name, hidden, rows, marks, hidden_rows, hidden_columns } = this
    trimRows(rows)
    return {
      name,
      hidden,
      rows,
      marks,
      merges: clipMerges(this.merges, rows.length, sheetLimits.columns),
      hidden_rows,
      hidden_columns,
    }
  }
}

function parseValue(tag: Tag, text: string): StoredValue {
  switch (getAttribute(tag, 'office:value-type')) {
    case 'float':
    case 'currency':
    case 'percentage': {
      const value = getAttribute(tag, 'office:value')
      const number = Number(value)
      return value.trim() === '' || Number.isNaN(number) ? text || null : number
    }
    case 'date':
      return parseIsoDate(getAttribute(tag, 'office:date-value'), false) ?? (text || null)
    case 'time': {
      const days = parseDuration(tag)
      return days === null ? text || null : serialToDate(days, false)
    }
    case 'boolean':
      return getAttribute(tag, 'office:boolean-value') === 'true'
    default:
      return tag.attributes.get('office:string-value') ?? (text === '' ? null : text)
  }
}

/** Converts a duration (`PT36H15M00S`) to days; null if there is none. */
function parseDuration(tag: Tag): number | null {
  const [, sign, ...sections] =
    /^(-)?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)S)?)?$/.exec(getAttribute(tag, 'office:time-value')) ?? []
  if (sections.every((part) => part === undefined)) return null
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = sections.map((part) => Number(part?.replace(',', '.') ?? 0))
  return (sign ? -1 : 1) * (days + ((hours * 60 + minutes) * 60 + seconds) / 86_400)
}

const formatElapsed = parseTimeFormat('[h]:mm')
const formatElapsedSeconds = parseTimeFormat('[h]:mm:ss')
/** Formats a time as the sheet displays it. If the file contains no text, durations over a day are formatted in hours. */
function formatDisplayTime(tag: Tag, text: string): string | null {
  const days = parseDuration(tag)
  if (days === null) return null
  if (text.trim() !== '') return text.trim()
  if (days >= 0 && days < 1) return null
  return (Math.round(days * 86_400) % 60 === 0 ? formatElapsed : formatElapsedSeconds)?.(days) ?? null
}

function createMark(tag: Tag, stored: StoredValue, text: string): CellMark | null {
  const formula = getAttribute(tag, 'table:formula').replace(/^[a-z]+:?=|^=/, '')
  const isError = getAttribute(tag, 'calcext:value-type') === 'error' || (formula !== '' && isErrorText(text))
  if (isError) return { error: true, ...(formula && { formula }) }
  if (formula !== '' && stored === null && getAttribute(tag, 'office:value-type') === '') return { uncached: true, formula }
  const visible = getAttribute(tag, 'office:value-type') === 'time' ? formatDisplayTime(tag, text) : null
  if (visible !== null) return { displayText: visible }
  if (getAttribute(tag, 'office:value-type') === 'percentage' && typeof stored === 'number' && text !== '')
    return { displayText: text }
  return null
}
