/**
 * How an .xls shows its numbers. The parser knows the dates of English programs only: the built-in formats 27 to 36 and 50 to 58 are
 * dates of Chinese ones, and 0.08 in a cell that shows 8% is a percentage. Reads five kinds of records ([MS-XLS] 2.4).
 */
import { cellId, type Grid, type Stored } from '../../rules/grid.ts'
import { isDateCode, isDateId, type Show, showAs } from '../xlsx/styles.ts'
import { dateOf } from '../xlsx/worksheet.ts'
import { workbookStream } from './hidden.ts'

const record = {
  sheet: 0x85,
  begin: 0x809,
  from1904: 0x22,
  format: 0x41e,
  style: 0xe0,
  formula: 0x06,
  number: 0x203,
  rk: 0x27e,
  rks: 0xbd,
} as const

interface Style {
  isDate: boolean
  shows: Show | null
}

/** Puts dates and how percentages and months are shown into grids that were read from this file, by their position. */
export function showFormats(file: Buffer, grids: readonly Grid[]): void {
  try {
    read(workbookStream(file), grids)
  } catch (error) {
    // A file that is not as expected is shown without its formats; what is broken the parser has said.
    if (!(error instanceof RangeError)) throw error
  }
}

function read(stream: Buffer, grids: readonly Grid[]): void {
  const codes = new Map<number, string>()
  const styles: (Style | null)[] = []
  const starts = new Map<number, Grid | undefined>()
  let from1904 = false
  let grid: Grid | undefined

  const show = (row: number, column: number, style: Style | null | undefined) => {
    const cells = grid?.rows[row] as Stored[] | undefined
    if (!style || !grid || !cells) return
    const stored = cells[column]
    if (style.isDate && typeof stored === 'number') cells[column] = dateOf(stored, from1904)
    const text = style.shows?.(cells[column])
    const id = cellId(row, column)
    if (typeof text === 'string') grid.marks.set(id, { ...grid.marks.get(id), shown: text })
  }

  for (let at = 0; at + 4 <= stream.length; ) {
    const kind = stream.readUInt16LE(at)
    const length = stream.readUInt16LE(at + 2)
    const data = stream.subarray(at + 4, at + 4 + length)
    const word = (place: number) => data.readUInt16LE(place)
    if (kind === record.sheet && length >= 6) starts.set(data.readUInt32LE(0), grids[starts.size])
    else if (kind === record.begin) grid = starts.has(at) ? starts.get(at) : grid
    else if (kind === record.from1904 && length >= 2) from1904 = word(0) === 1
    else if (kind === record.format && length >= 5) codes.set(word(0), textOf(data.subarray(2)))
    else if (kind === record.style && length >= 4) styles.push(styleOf(word(2), codes.get(word(2))))
    else if ((kind === record.number || kind === record.rk || kind === record.formula) && length >= 6)
      show(word(0), word(2), styles[word(4)])
    else if (kind === record.rks)
      for (let place = 4, column = word(2); place + 8 <= length; place += 6, column++) show(word(0), column, styles[word(place)])
    at += 4 + length
  }
}

function styleOf(id: number, code: string | undefined): Style | null {
  const isDate = code ? isDateCode(code) : isDateId(id)
  const shows = showAs(id === 9 ? '0%' : id === 10 ? '0.00%' : (code ?? ''))
  return isDate || shows ? { isDate, shows } : null
}

/** A text with its length in front, in one or two bytes a sign. */
const textOf = (data: Buffer) =>
  (data[2] ?? 0) & 1
    ? data.toString('utf16le', 3, 3 + data.readUInt16LE(0) * 2)
    : data.toString('latin1', 3, 3 + data.readUInt16LE(0))
