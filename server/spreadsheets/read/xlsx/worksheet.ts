/** Reads one sheet of a workbook from the bytes of its XML to a grid. Values are read, formatting is not. */
import { type CellMark, getCellId, isErrorText, type Merge, parseColumnLetters, type StoredValue } from '../../grid.ts'
import { sheetLimits, UnreadableSheetError, unreadableMessages } from '../unreadable-error.ts'
import type { CellStyles } from './styles.ts'
import { decodeEscapes, XmlScanner } from './xml.ts'

export type WorkbookContext = {
  readonly sharedStrings: readonly string[]
  readonly styles: CellStyles
  readonly from1904: boolean
}

/** Maximum number of cells whose format is evaluated; a sheet with more is a table of rates and not a wage sheet. */
const maxFormattedCells = 50_000
/** One row and one column more than allowed are read, to distinguish "too many" from "exactly as many". */
const maxRow = sheetLimits.rows
const maxColumn = sheetLimits.columns

/** The number format of XML; `0x10` and other JavaScript notations are text. */
const decimalPattern = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i
const powersOfTen = Array.from({ length: 16 }, (_, power) => 10 ** power)

export class Worksheet extends XmlScanner {
  readonly rows: (StoredValue[] | undefined)[] = []
  readonly marks = new Map<number, CellMark>()
  readonly merges: Merge[] = []
  readonly hidden_rows = new Set<number>()
  readonly hidden_columns = new Set<number>()
  readonly widths = new Map<number, number>()

  private readonly book: WorkbookContext
  private readonly masters = new Map<number, { formula: string; row: number; column: number }>()
  private formattedCount = 0
  private part: 'before' | 'columns' | 'rows' | 'row' | 'cell' | 'after' | 'merges' = 'before'
  /** Rows are counted from 1, as in the file. */
  private rowNumber = 0
  private row = 0
  private column = 0

  private type = ''
  private style = -1
  /** The value is a rich value: a picture, or an error with details. */
  private isRich = false
  private inside: '' | 'v' | 'f' | 't' = ''
  private value = ''
  /** The value if it is a plain number, so that no string is created for it. */
  private number = Number.NaN
  private inline = ''
  /** The current rich text run, and the text of the preceding ones. */
  private run: string | null = null
  private runs: string | null = null
  private inInline = false
  /** Phonetic text is not part of the value. */
  private inReading = false
  private formula = ''
  private shared = -1
  private isMaster = false

  constructor(book: WorkbookContext) {
    super()
    this.book = book
  }

  protected open(name: string): void {
    if (this.part === 'cell') this.openInCell(name)
    else if (name === 'c' && this.part === 'row') this.openCell()
    else if (name === 'row' && this.part === 'rows') this.openRow()
    else if (name === 'sheetData') this.part = 'rows'
    else if (name === 'cols') this.part = 'columns'
    else if (name === 'col' && this.part === 'columns') this.columns()
    else if (name === 'mergeCells') this.part = 'merges'
    else if (name === 'mergeCell' && this.part === 'merges') this.merge(this.attribute('ref') ?? '')
  }

  protected close(name: string): void {
    if (this.part === 'cell') {
      if (name === 'c') {
        this.storeCell()
        this.column++
        this.part = 'row'
      } else this.closeInCell(name)
    } else if (name === 'row' && this.part === 'row') this.part = 'rows'
    else if (name === 'cols' || name === 'sheetData' || name === 'mergeCells') this.part = 'after'
  }

  private openRow() {
    this.part = 'row'
    const rowNumber = Number(this.attribute('r'))
    this.rowNumber = rowNumber || this.rowNumber + 1
    this.column = 0
    if (rowNumber > 0 && this.isOn('hidden')) this.hidden_rows.add(rowNumber - 1)
  }

  private openCell() {
    this.part = 'cell'
    const position = this.find('r')
    if (position < 0 || this.from(position) === this.to(position)) this.row = this.rowNumber - 1
    else this.readReference(this.from(position), this.to(position))
    const style = this.find('s')
    this.style = style < 0 ? -1 : this.digits(this.from(style), this.to(style))
    const type = this.find('t')
    this.type = type < 0 ? '' : this.typeAt(type)
    this.isRich = this.type === 'e' && this.find('vm') >= 0
    this.value = this.inline = this.formula = ''
    this.number = Number.NaN
    this.run = this.runs = null
    this.inInline = this.inReading = this.isMaster = false
    this.shared = -1
  }

  private typeAt(attribute: number): string {
    const from = this.from(attribute)
    const to = this.to(attribute)
    return to - from === 1 && this.bytes[from] === 115 ? 's' : this.decoded(from, to)
  }

  private openInCell(name: string) {
    if (name === 'v' || name === 'f') this.listen(name)
    else if (name === 'is') this.inInline = true
    else if (name === 'rPh') this.inReading = true
    else if (name === 't') this.listen(this.inInline && !this.inReading ? 't' : '')
    else if (name === 'r' && this.inInline) this.run = ''
    if (name !== 'f') return
    if (this.attribute('t') === 'shared') this.shared = Number(this.attribute('si') ?? -1)
    this.isMaster = this.shared >= 0 && this.find('ref') >= 0
  }

  private closeInCell(name: string) {
    if (name === 'is') this.inInline = false
    else if (name === 'rPh') this.inReading = false
    else if (name === 'r' && this.run !== null) {
      this.runs = (this.runs ?? '') + decodeEscapes(this.run)
      this.run = null
    }
    this.listen('')
  }

  private listen(to: '' | 'v' | 'f' | 't') {
    this.inside = to
    this.listening = to !== ''
  }

  protected text(from: number, to: number, last: boolean): void {
    if (last && this.inside === 'v' && this.value === '' && this.type !== 'str') {
      this.number = this.digits(from, to)
      if (!Number.isNaN(this.number)) return
    }
    this.verbatim(this.decoded(from, to))
  }

  protected verbatim(text: string): void {
    if (this.inside === 'v') this.value += text
    else if (this.inside === 'f') this.formula += text
    else if (this.run !== null) this.run += text
    else this.inline += text
  }

  /** Parses a decimal of at most 15 digits exactly: both operands are integers, so it is rounded once. Else NaN. */
  private digits(from: number, to: number): number {
    const { bytes } = this
    let at = from
    const negative = bytes[at] === 45
    if (negative) at++
    let full = 0
    let count = 0
    let point = -1
    for (; at < to; at++) {
      const digit = (bytes[at] ?? 0) - 48
      if (digit >= 0 && digit <= 9) {
        full = full * 10 + digit
        count++
      } else if (digit === -2 && point < 0) point = at
      else return Number.NaN
    }
    if (count === 0 || count > 15) return Number.NaN
    const value = point < 0 ? full : full / (powersOfTen[to - point - 1] ?? Number.NaN)
    return negative ? -value : value
  }

  /** Parses a reference such as `AB12`: letters are the column, digits the row. */
  private readReference(from: number, to: number) {
    const { bytes } = this
    let at = from
    let column = 0
    for (; at < to; at++) {
      const letter = (bytes[at] ?? 0) & 0xdf
      if (letter < 65 || letter > 90) break
      column = column * 26 + letter - 64
    }
    let row = 0
    for (; at < to; at++) {
      const digit = (bytes[at] ?? 0) - 48
      if (digit < 0 || digit > 9) throw new UnreadableSheetError(unreadableMessages.damaged)
      row = row * 10 + digit
    }
    this.row = row - 1
    this.column = column - 1
  }

  private stored(): StoredValue {
    switch (this.type) {
      case 's': {
        // An empty value means no text; an index without a text may have been anything.
        if (Number.isNaN(this.number) && this.value.trim() === '') return null
        const text = this.book.sharedStrings[Number.isNaN(this.number) ? Number(this.value) : this.number]
        if (text === undefined) throw new UnreadableSheetError(unreadableMessages.damaged)
        return text
      }
      case 'd':
        return parseIsoDate(this.value, this.book.from1904) ?? (this.value || null)
      case 'str':
        return decodeEscapes(this.value)
      case 'inlineStr':
        return decodeEscapes(this.inline) + (this.runs ?? '')
      case 'b': {
        const value = Number.isNaN(this.number) ? this.value.toLowerCase() : this.number
        return value === 1 || value === 'true' ? true : value === 0 || value === 'false' ? false : this.value || null
      }
      case 'e':
        // A formula without a value has no stored result.
        return this.value === '' && (this.formula !== '' || this.shared >= 0) ? null : this.value
    }
    if (Number.isNaN(this.number)) {
      if (this.value.trim() === '') return null
      const number = decimalPattern.test(this.value) ? Number(this.value) : Number.NaN
      if (Number.isNaN(number)) return this.value
      this.number = number
    }
    return this.style >= 0 && this.book.styles.isDate(this.style) ? serialToDate(this.number, this.book.from1904) : this.number
  }

  private storeCell() {
    const { row, column } = this
    const value = this.stored()
    if (row < 0 || column < 0 || row > maxRow || column > maxColumn) return
    const { rows } = this
    while (rows.length <= row) rows.push(undefined)
    let cells = rows[row]
    if (!cells) rows[row] = cells = []
    while (cells.length < column) cells.push(null)
    cells[column] = value
    const isFormula = this.formula !== '' || this.shared >= 0
    if (this.isRich && !isFormula) {
      this.marks.set(getCellId(row, column), { picture: true })
      return
    }
    if (isFormula || this.type === 'e') this.mark(value, isFormula)
    if (this.style >= 0 && this.book.styles.isHiddenValue(this.style, value) && this.formattedCount++ < maxFormattedCells)
      this.marks.set(getCellId(row, column), { ...this.marks.get(getCellId(row, column)), invisible: true })
    const show = this.style >= 0 ? this.book.styles.getFormatter(this.style) : null
    if (!show) return
    const text = show(
      value,
      value instanceof Date && Number.isNaN(this.number) ? dateToSerial(value, this.book.from1904) : this.number,
    )
    if (text === null) return
    if (this.formattedCount++ < maxFormattedCells)
      this.marks.set(getCellId(row, column), { ...this.marks.get(getCellId(row, column)), displayText: text })
    // Hours beyond a day are not a date: as text they need no mark.
    else if (value instanceof Date) cells[column] = text
  }

  private mark(value: StoredValue, isFormula: boolean) {
    const { row, column, formula } = this
    if (this.isMaster && formula !== '') this.masters.set(this.shared, { formula, row, column })
    const uncached = isFormula && value === null
    if (!uncached && this.type !== 'e' && !(typeof value === 'string' && isErrorText(value))) return
    const mark: CellMark = uncached ? { uncached: true } : { error: true }
    if (formula !== '') mark.formula = formula
    const master = isFormula && formula === '' ? this.masters.get(this.shared) : undefined
    if (master) mark.shared = { formula: master.formula, down: row - master.row, right: column - master.column }
    this.marks.set(getCellId(row, column), mark)
  }

  private columns() {
    const first = Math.max(1, Math.trunc(Number(this.attribute('min') ?? 1)) || 1)
    const last = Math.min(sheetLimits.columns, Math.trunc(Number(this.attribute('max') ?? 0)) || 0)
    const width = Number(this.attribute('width') || Number.NaN)
    const hidden = this.isOn('hidden')
    for (let column = first - 1; column < last; column++) {
      if (hidden) this.hidden_columns.add(column)
      if (!Number.isNaN(width)) this.widths.set(column, width)
    }
  }

  private merge(ref: string) {
    const [start = '', end = start] = ref.split(':')
    const [top, left] = parseCellReference(start)
    const [bottom, right] = parseCellReference(end)
    this.merges.push({ top, left, bottom, right })
  }
}

function parseCellReference(text: string): [row: number, column: number] {
  const letters = /^[A-Za-z]*/.exec(text)?.[0] ?? ''
  return [Number(text.slice(letters.length)) - 1, parseColumnLetters(letters)]
}

const dayMs = 86_400_000
/** Converts a serial number to calendar time in UTC. Excel's 1900 has a nonexistent 29 February, number 60. */
export function serialToDate(serial: number, from1904: boolean): Date {
  if (from1904) return new Date(Date.UTC(1904, 0, 1) + Math.round(serial * dayMs))
  if (Math.floor(serial) === 60) return serialToDate(serial - 1, false)
  return new Date(Date.UTC(1899, 11, 31) + Math.round((serial > 60 ? serial - 1 : serial) * dayMs))
}

export function dateToSerial(date: Date, from1904: boolean): number {
  if (from1904) return (date.getTime() - Date.UTC(1904, 0, 1)) / dayMs
  const days = (date.getTime() - Date.UTC(1899, 11, 31)) / dayMs
  return days < 60 ? days : days + 1
}

/** Parses 2021-12-31, 2021-12-31T23:44:51.894Z, 23:44:51: a cell of type "d" stores its time as text. */
export function parseIsoDate(text: string, from1904: boolean): Date | null {
  const [, day, time = '0:00'] = /^\s*(\d{4}-\d\d-\d\d)?(?:T|^)?(\d\d?:\d\d(?::\d\d(?:\.\d+)?)?)?Z?\s*$/.exec(text) ?? []
  if (day === undefined && time === '0:00') return null
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  const ms = Math.round(((hours * 60 + minutes) * 60 + seconds) * 1000)
  const start = day === undefined ? serialToDate(0, from1904).getTime() : Date.parse(day)
  return Number.isNaN(start) ? null : new Date(start + ms)
}
