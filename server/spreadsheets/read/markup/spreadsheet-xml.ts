/**
 * Excel 2003 XML ("XML 电子表格 2003", .xml or .xls), which many payroll and HR systems export. Cells state their type,
 * dates are ISO, formulas are in R1C1 notation and may have no result. Runs in the child process only.
 */
import { type CellMark, clipMerges, type Grid, getCellId, type Merge, type StoredValue, toColumnLetters } from '../../grid.ts'
import { trimRows } from '../trim.ts'
import { sheetLimits, UnreadableSheetError, unreadableMessages } from '../unreadable-error.ts'
import {
  type HiddenNumberTest,
  isDateFormatCode,
  parseFormatter,
  parseHiddenNumbers,
  type ValueFormatter,
} from '../xlsx/styles.ts'
import { dateToSerial, serialToDate } from '../xlsx/worksheet.ts'
import { parseMarkup, type Tag } from './tags.ts'

export const isSpreadsheetXml = (head: string) =>
  /<(?:\w+:)?Workbook[\s>]/.test(head) && head.includes('urn:schemas-microsoft-com:office:spreadsheet')

interface SheetState {
  grid: Grid & {
    rows: StoredValue[][]
    merges: Merge[]
    hidden_rows: Set<number>
    hidden_columns: Set<number>
    widths: Map<number, number>
  }
  row: number
  column: number
  /** Index of the next `<Column>`. */
  next: number
}

type XmlStyle = { readonly show: ValueFormatter | null; readonly hides: HiddenNumberTest | null; readonly isDate: boolean }
type XmlStyles = { readonly byName: Map<string, XmlStyle>; from1904: boolean }

export function readSpreadsheetXml(text: string): Grid[] {
  const styles: XmlStyles = { byName: new Map(), from1904: false }
  const sheets: SheetState[] = []
  const path: string[] = []
  let sheet: SheetState | undefined
  let style = ''
  let cell: { tag: Tag; type: string; text: string | null } | undefined

  for (const token of parseMarkup(text, true)) {
    if (typeof token === 'string') {
      const parent = path.indexOf('Data')
      if (cell && parent > 0 && path[parent - 1] === 'Cell') cell.text = (cell.text ?? '') + token
      else if (path.at(-1) === 'Visible' && path.at(-2) === 'WorksheetOptions' && sheet)
        sheet.grid.hidden = token !== 'SheetVisible'
      continue
    }
    const { name, attributes } = token
    if (token.closing) {
      path.pop()
      if (name === 'Cell' && sheet && cell) {
        setCell(sheet, cell, styles)
        cell = undefined
      }
      continue
    }
    const parent = path.at(-1)
    if (name === 'Style' && parent === 'Styles') style = attributes.get('ID') ?? ''
    else if (name === 'NumberFormat' && parent === 'Style') addStyle(styles.byName, style, attributes.get('Format') ?? '')
    else if (name === 'Date1904' && parent === 'ExcelWorkbook') styles.from1904 = true
    else if (name === 'Worksheet' && parent === 'Workbook')
      sheets.push((sheet = createSheetState(attributes.get('Name') ?? 'Sheet')))
    else if (name === 'Column' && parent === 'Table' && sheet) readColumns(sheet, attributes)
    else if (name === 'Row' && parent === 'Table' && sheet) startRow(sheet, attributes)
    else if (name === 'Cell' && parent === 'Row' && sheet) {
      cell = { tag: token, type: '', text: null }
      sheet.column = parseIndex(attributes, sheet.column)
    } else if (name === 'Data' && parent === 'Cell' && cell) {
      cell.type = attributes.get('Type') ?? ''
      cell.text = ''
    }
    if (!token.empty) path.push(name)
    else if (name === 'Cell' && sheet && cell) {
      setCell(sheet, cell, styles)
      cell = undefined
    }
  }
  if (sheets.length === 0) throw new UnreadableSheetError(unreadableMessages.damaged)
  return sheets.map(({ grid }) => {
    trimRows(grid.rows)
    return { ...grid, merges: clipMerges(grid.merges, grid.rows.length, sheetLimits.columns) }
  })
}

const createSheetState = (name: string): SheetState => ({
  grid: {
    name,
    hidden: false,
    rows: [],
    marks: new Map(),
    merges: [],
    hidden_rows: new Set(),
    hidden_columns: new Set(),
    widths: new Map(),
  },
  row: -1,
  column: 0,
  next: 0,
})

const parseInteger = (text: string | undefined) => (text !== undefined && /^\d{1,7}$/.test(text) ? Number(text) : undefined)

/** Returns the 0-based position given by `ss:Index`, or the next one. Going back would overwrite earlier cells. */
function parseIndex(attributes: ReadonlyMap<string, string>, next: number): number {
  const index = parseInteger(attributes.get('Index'))
  if (index === undefined) return next
  if (index - 1 < next) throw new UnreadableSheetError(unreadableMessages.damaged)
  return index - 1
}

function readColumns(sheet: SheetState, attributes: ReadonlyMap<string, string>): void {
  const first = parseIndex(attributes, sheet.next)
  const last = first + (parseInteger(attributes.get('Span')) ?? 0)
  const width = Number(attributes.get('Width'))
  for (let column = first; column <= Math.min(last, sheetLimits.columns - 1); column++) {
    if (attributes.get('Hidden') === '1') sheet.grid.hidden_columns.add(column)
    // Converts points to characters of the standard font.
    if (width > 0) sheet.grid.widths.set(column, Math.round((width / 5.25) * 100) / 100)
  }
  sheet.next = last + 1
}

function startRow(sheet: SheetState, attributes: ReadonlyMap<string, string>): void {
  const first = parseIndex(attributes, sheet.row + 1)
  sheet.row = first + (parseInteger(attributes.get('Span')) ?? 0)
  sheet.column = 0
  if (attributes.get('Hidden') === '1')
    for (let row = first; row <= Math.min(sheet.row, sheetLimits.rows); row++) sheet.grid.hidden_rows.add(row)
}

/** Number formats that are referred to by name; dates have a uniform display anyway. */
const formatCodeByName: Readonly<Record<string, string>> = {
  Percent: '0.00%',
  'Short Time': 'h:mm',
  'Medium Time': 'h:mm AM/PM',
  'Long Time': 'h:mm:ss',
  'General Date': 'yyyy/m/d h:mm',
  'Short Date': 'yyyy/m/d',
  'Medium Date': 'yyyy/m/d',
  'Long Date': 'yyyy/m/d',
}
const plainFormatNames = new Set([
  '',
  'General',
  'General Number',
  'Fixed',
  'Standard',
  'Currency',
  'Euro Currency',
  'Scientific',
])

function addStyle(styles: Map<string, XmlStyle>, style: string, format: string): void {
  if (plainFormatNames.has(format)) return
  const code = formatCodeByName[format] ?? format
  const show = parseFormatter(code)
  const isDate = isDateFormatCode(code)
  const hides = parseHiddenNumbers(code)
  if (show || hides || isDate) styles.set(style, { show, hides, isDate })
}

function setCell(
  sheet: SheetState,
  { tag: { attributes }, type, text }: { tag: Tag; type: string; text: string | null },
  { byName, from1904 }: XmlStyles,
): void {
  const { grid, row, column } = sheet
  const across = parseInteger(attributes.get('MergeAcross')) ?? 0
  const down = parseInteger(attributes.get('MergeDown')) ?? 0
  sheet.column = column + across + 1
  if (row > sheetLimits.rows || column > sheetLimits.columns) return
  if (across + down > 0) grid.merges.push({ top: row, left: column, bottom: row + down, right: column + across })
  const formula = attributes.get('Formula')
  if (text === null && formula === undefined) return
  const mark: CellMark = {}
  if (formula !== undefined) mark.formula = toA1Formula(formula, row, column)
  const style = byName.get(attributes.get('StyleID') ?? '')
  const message = text === null ? null : parseValue(type, text)
  const value = typeof message === 'number' && style?.isDate ? serialToDate(message, from1904) : message
  if (formula !== undefined && (value === null || value === '')) mark.uncached = true
  if (type === 'Error') mark.error = true
  // `Date` turns the day that exists only in Excel into 1 March.
  const days = message instanceof Date ? dateToSerial(message, from1904) - (text?.startsWith('1900-02-29T') ? 1 : 0) : Number.NaN
  const serial = typeof message === 'number' ? message : days
  const displayText = style?.show?.(value, serial)
  if (typeof displayText === 'string') mark.displayText = displayText
  if (typeof value === 'number' && style?.hides?.(value)) mark.invisible = true
  if (mark.uncached || mark.error || mark.invisible || mark.displayText !== undefined)
    grid.marks.set(getCellId(row, column), mark)
  const cells = (grid.rows[row] ??= [])
  while (cells.length < column) cells.push(null)
  cells[column] = value
}

/** Returns exactly the written value, or text if it is not valid for its type. */
function parseValue(type: string, text: string): StoredValue {
  if (type === 'Number') return /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?\s*$/.test(text) ? Number(text) : text
  if (type === 'Boolean') return text === '1' ? true : text === '0' ? false : text
  if (type === 'DateTime') {
    const date = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?$/.test(text) ? new Date(`${text}Z`) : null
    return date && !Number.isNaN(date.getTime()) ? date : text
  }
  return text
}

/** Converts `=RC[-2]+R[1]C` relative to a cell to A1 notation, without the equals sign. */
function toA1Formula(formula: string, row: number, column: number): string {
  const reference = (from: number, relative: string | undefined, absolute: string | undefined) =>
    absolute !== undefined ? Number(absolute) - 1 : from + Number(relative ?? 0)
  return formula
    .replace(/^=/, '')
    .replace(
      /"[^"]*"|'[^']*'|(?<![\w.])R(?:\[(-?\d{1,7})\]|(\d{1,7}))?C(?:\[(-?\d{1,5})\]|(\d{1,5}))?(?![\w([])/g,
      (full, down?: string, toRow?: string, right?: string, toColumn?: string) => {
        if (!full.startsWith('R')) return full
        const [r, c] = [reference(row, down, toRow), reference(column, right, toColumn)]
        return r < 0 || c < 0 ? full : `${toColumnLetters(c)}${r + 1}`
      },
    )
}
