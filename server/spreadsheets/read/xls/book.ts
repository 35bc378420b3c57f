/**
 * Reads a workbook of Excel 97 to 2003 (.xls) to grids: the records of [MS-XLS] 2.4 that contain values, formats and
 * hidden parts. Charts are embedded in the records of a sheet and have cells of their own, which do not belong to the
 * sheet.
 */
import { type CellMark, clipMerges, type Grid, getCellId, isErrorText, type Merge, type StoredValue } from '../../grid.ts'
import { trimRows } from '../trim.ts'
import { sheetLimits, UnreadableSheetError, unreadableMessages } from '../unreadable-error.ts'
import {
  getFormatter,
  type HiddenNumberTest,
  isDateFormatCode,
  isDateFormatId,
  parseHiddenNumbers,
  type ValueFormatter,
} from '../xlsx/styles.ts'
import { serialToDate } from '../xlsx/worksheet.ts'
import { RecordReader, readSharedStrings, readText } from './texts.ts'

const recordTypes = {
  begin: 0x809,
  end: 0x0a,
  more: 0x3c,
  password: 0x2f,
  sheet: 0x85,
  texts: 0xfc,
  from1904: 0x22,
  format: 0x41e,
  style: 0xe0,
  row: 0x208,
  columns: 0x7d,
  merges: 0xe5,
  textOfNumber: 0xfd,
  text: 0x204,
  richText: 0xd6,
  number: 0x203,
  rk: 0x27e,
  rks: 0xbd,
  boolean: 0x205,
  formula: 0x06,
  oldFormula: 0x206,
  olderFormula: 0x406,
  result: 0x207,
} as const

interface XlsStyle {
  isDate: boolean
  shows: ValueFormatter | null
  hides: HiddenNumberTest | null
}
interface SheetEntry {
  name: string
  start: number
  hidden: boolean
}
interface XlsBook {
  sheets: SheetEntry[]
  sharedStrings: string[]
  styles: (XlsStyle | null)[]
  from1904: boolean
}

const errorTexts: Readonly<Record<number, string>> = {
  0x00: '#NULL!',
  0x07: '#DIV/0!',
  0x0f: '#VALUE!',
  0x17: '#REF!',
  0x1d: '#NAME?',
  0x24: '#NUM!',
  0x2a: '#N/A',
}

export function readXlsWorkbook(stream: Buffer): Grid[] {
  const book = readGlobals(stream)
  return book.sheets.map(({ name, start, hidden }) => {
    const sheet = new XlsSheet(book)
    for (const one of iterateRecords(stream, start)) sheet.handleRecord(one)
    trimRows(sheet.rows)
    const { rows, marks, merges, hidden_rows, hidden_columns, widths } = sheet
    return {
      name,
      hidden,
      rows,
      marks,
      merges: clipMerges(merges, rows.length, sheetLimits.columns),
      hidden_rows,
      hidden_columns,
      widths,
    }
  })
}

type XlsRecord = { readonly kind: number; readonly data: Buffer; readonly continuations: Buffer[] }

/** Iterates from one BOF record to its EOF, without nested substreams. */
function* iterateRecords(stream: Buffer, start: number): Generator<XlsRecord> {
  let depth = 0
  let waiting: XlsRecord | undefined
  if (stream.readUInt16LE(start) !== recordTypes.begin) throw new UnreadableSheetError(unreadableMessages.damaged)
  if (stream.readUInt16LE(start + 4) !== 0x600) throw new UnreadableSheetError(unreadableMessages.old)
  for (let at = start; ; ) {
    // A workbook that ends before its EOF record was truncated.
    const kind = stream.readUInt16LE(at)
    const data = stream.subarray(at + 4, at + 4 + stream.readUInt16LE(at + 2))
    if (kind === recordTypes.begin) depth++
    else if (kind === recordTypes.end && --depth === 0) {
      if (waiting) yield waiting
      return
    } else if (depth === 1 && kind === recordTypes.more) waiting?.continuations.push(data)
    else if (depth === 1) {
      if (waiting) yield waiting
      waiting = { kind, data, continuations: [] }
    }
    at += 4 + stream.readUInt16LE(at + 2)
  }
}

function readGlobals(stream: Buffer): XlsBook {
  const book: XlsBook = { sheets: [], sharedStrings: [], styles: [], from1904: false }
  const codes = new Map<number, string>()
  for (const { kind, data, continuations } of iterateRecords(stream, 0)) {
    if (kind === recordTypes.password) throw new UnreadableSheetError(unreadableMessages.encrypted)
    // Charts and macro sheets have no rows.
    if (kind === recordTypes.sheet && data[5] === 0) {
      const name = new RecordReader([data.subarray(8)]).readCharacters(data[6] ?? 0, ((data[7] ?? 0) & 1) === 1)
      book.sheets.push({ name, start: data.readUInt32LE(0), hidden: ((data[4] ?? 0) & 3) !== 0 })
    } else if (kind === recordTypes.texts) book.sharedStrings = readSharedStrings([data, ...continuations])
    else if (kind === recordTypes.from1904) book.from1904 = data.readUInt16LE(0) === 1
    else if (kind === recordTypes.format)
      codes.set(data.readUInt16LE(0), readText(new RecordReader([data.subarray(2), ...continuations])))
    else if (kind === recordTypes.style) book.styles.push(createStyle(data.readUInt16LE(2), codes.get(data.readUInt16LE(2))))
  }
  return book
}

function createStyle(id: number, code: string | undefined): XlsStyle | null {
  const isDate = code ? isDateFormatCode(code) : isDateFormatId(id)
  const shows = getFormatter(id, code)
  const hides = parseHiddenNumbers(code)
  return isDate || shows || hides ? { isDate, shows, hides } : null
}

class XlsSheet {
  readonly rows: (StoredValue[] | undefined)[] = []
  readonly marks = new Map<number, CellMark>()
  readonly merges: Merge[] = []
  readonly hidden_rows = new Set<number>()
  readonly hidden_columns = new Set<number>()
  readonly widths = new Map<number, number>()
  private readonly book: XlsBook
  /** The formula whose text result is still to come; records of the formula may be in between. */
  private open: [row: number, column: number] | null = null

  constructor(book: XlsBook) {
    this.book = book
  }

  handleRecord({ kind, data, continuations }: XlsRecord): void {
    const setPosition = (): [number, number, number] => [data.readUInt16LE(0), data.readUInt16LE(2), data.readUInt16LE(4)]
    switch (kind) {
      case recordTypes.textOfNumber: {
        const text = this.book.sharedStrings[data.readUInt32LE(6)]
        // An empty cell would be a guess.
        if (text === undefined) throw new UnreadableSheetError(unreadableMessages.damaged)
        return this.setCell(setPosition(), text)
      }
      case recordTypes.text:
      case recordTypes.richText:
        return this.setCell(setPosition(), readText(new RecordReader([data.subarray(6), ...continuations])))
      case recordTypes.number:
        return this.setCell(setPosition(), data.readDoubleLE(6))
      case recordTypes.rk:
        return this.setCell(setPosition(), decodeRk(data.readInt32LE(6)))
      case recordTypes.rks:
        for (let at = 4, column = data.readUInt16LE(2); at + 8 <= data.length; at += 6, column++)
          this.setCell([data.readUInt16LE(0), column, data.readUInt16LE(at)], decodeRk(data.readInt32LE(at + 2)))
        return
      case recordTypes.boolean:
        return this.setCell(setPosition(), data[7] ? getErrorText(data[6]) : data[6] === 1)
      case recordTypes.formula:
      case recordTypes.oldFormula:
      case recordTypes.olderFormula:
        return this.formula(setPosition(), data)
      case recordTypes.result:
        if (this.open) this.setCell([...this.open, 0], readText(new RecordReader([data, ...continuations])))
        this.open = null
        return
      case recordTypes.merges:
        for (let at = 2; at + 8 <= data.length; at += 8) {
          const [top, bottom, left, right] = [0, 2, 4, 6].map((by) => data.readUInt16LE(at + by))
          this.merges.push({ top: top ?? 0, left: left ?? 0, bottom: bottom ?? 0, right: right ?? 0 })
        }
        return
      case recordTypes.row:
        if ((data[12] ?? 0) & 0x20) this.hidden_rows.add(data.readUInt16LE(0))
        return
      case recordTypes.columns:
        return this.columns(data)
    }
  }

  /** The result is in eight bytes: a number, or another type if the last two bytes are set. */
  private formula(position: [row: number, column: number, style: number], data: Buffer) {
    this.open = null
    if (data.readUInt16LE(12) !== 0xffff) return this.setCell(position, data.readDoubleLE(6))
    if (data[6] === 0) this.open = [position[0], position[1]]
    else this.setCell(position, data[6] === 1 ? data[8] === 1 : data[6] === 2 ? getErrorText(data[8]) : '')
  }

  private columns(data: Buffer) {
    for (let column = data.readUInt16LE(0); column <= Math.min(data.readUInt16LE(2), sheetLimits.columns - 1); column++) {
      this.widths.set(column, data.readUInt16LE(4) / 256)
      if ((data[8] ?? 0) & 1) this.hidden_columns.add(column)
    }
  }

  private setCell([row, column, style]: [row: number, column: number, style: number], value: StoredValue) {
    const { rows, book } = this
    const { isDate, shows, hides } = book.styles[style] ?? { isDate: false, shows: null, hides: null }
    const stored = isDate && typeof value === 'number' ? serialToDate(value, book.from1904) : value
    while (rows.length <= row) rows.push(undefined)
    const cells = (rows[row] ??= [])
    while (cells.length < column) cells.push(null)
    cells[column] = stored
    const visible = shows?.(stored, typeof value === 'number' ? value : Number.NaN)
    if (typeof visible === 'string') this.marks.set(getCellId(row, column), { displayText: visible })
    if (typeof stored === 'number' && hides?.(stored)) this.marks.set(getCellId(row, column), { invisible: true })
    if (typeof value === 'string' && isErrorText(value)) this.marks.set(getCellId(row, column), { error: true })
  }
}

const getErrorText = (code: number | undefined) => errorTexts[code ?? 0] ?? '#ERR!'

/** Decodes a number in four bytes: an integer or the upper half of a double, as it is or in hundredths. */
function decodeRk(rk: number): number {
  let value = rk >> 2
  if (!(rk & 2)) {
    const bytes = Buffer.alloc(8)
    bytes.writeInt32LE(rk & ~3, 4)
    value = bytes.readDoubleLE(0)
  }
  return rk & 1 ? value / 100 : value
}
