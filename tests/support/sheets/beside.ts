/** Compares a file read by our reader and by another one, cell by cell, with the differences by kind. */
import * as xlsx from '@e965/xlsx'
import { type Grid, getCellId, isErrorText, type StoredValue } from '../../../server/spreadsheets/grid.ts'
import { readGrids } from '../../../server/spreadsheets/read/read-grids.ts'
import { sheetLimits, UnreadableSheetError, unreadableMessages } from '../../../server/spreadsheets/read/unreadable-error.ts'
import { readZipEntries } from '../../../server/spreadsheets/read/zip-guard.ts'

export interface Difference {
  /**
   * The kind of difference, with our value first: `number: number` (two different ones), `nothing: text`, `refused`.
   */
  kind: string
  where: string
  ours: string
  theirs: string
  /** The reader reports that the worksheet's link leads nowhere. */
  broken?: boolean
  /** The workbook has empty shared texts. */
  shifted?: boolean
}
export interface Comparison {
  cells: number
  sheets: number
  ms: number
  /** The message, if our reader rejects the file; `crashed` means that the error is not a message of ours. */
  refused: string | null
  crashed: boolean
  theirsFailed: boolean
  differences: Difference[]
}

/** The maximum number of differences stored for a file. */
const most = 20
const a_day = 86_400_000

export async function readComparison(bytes: Buffer): Promise<Comparison> {
  const match: Comparison = { cells: 0, sheets: 0, ms: 0, refused: null, crashed: false, theirsFailed: false, differences: [] }
  const began = performance.now()
  let ours: Grid[] = []
  try {
    ours = await readGrids(Buffer.from(bytes))
  } catch (error) {
    match.refused = error instanceof Error ? error.message : String(error)
    match.crashed = !(error instanceof UnreadableSheetError)
  }
  match.ms = performance.now() - began
  let theirs: xlsx.WorkBook
  try {
    theirs = xlsx.read(bytes, {
      type: 'buffer',
      cellDates: false,
      cellText: false,
      cellHTML: false,
    })
  } catch {
    match.theirsFailed = true
    return match
  }
  if (match.refused !== null && match.refused !== unreadableMessages.no_data) return match
  const from1904 = theirs.Workbook?.WBProps?.date1904 === true
  const shifted = hasEmptyTexts(bytes)
  let broken = false
  const format = (kind: string, where: string, own: unknown, other: unknown) => {
    if (match.differences.length < most)
      match.differences.push({ kind, where, ours: String(own).slice(0, 60), theirs: String(other).slice(0, 60), broken, shifted })
  }
  for (const [at, name] of theirs.SheetNames.entries()) {
    const sheet = theirs.Sheets[name]
    const own = ours.find((grid) => grid.name === name) ?? (ours.length === theirs.SheetNames.length ? ours[at] : undefined)
    if (!sheet) continue
    const cells = Object.keys(sheet).filter(
      (position) => /^[A-Z]+\d+$/.test(position) && isRead(xlsx.utils.decode_cell(position)),
    )
    if (!own) {
      if (cells.some((position) => theirValue(sheet[position] as xlsx.CellObject) !== null) && sheet['!type'] === undefined)
        format('no sheet', name, ours.map((grid) => grid.name).join(), cells.length)
      continue
    }
    match.sheets++
    broken = own.broken === true
    const viewed = new Set<number>()
    for (const position of cells) {
      const { r, c } = xlsx.utils.decode_cell(position)
      viewed.add(getCellId(r, c))
      match.cells++
      const value = ourValue(own, r, c, from1904)
      const other = theirValue(sheet[position] as xlsx.CellObject)
      if (!same(value, other)) format(`${getKind(value)}: ${getKind(other)}`, `${name}!${position}`, value, other)
    }
    own.rows.forEach((row, r) => {
      row?.forEach((_, c) => {
        if (viewed.has(getCellId(r, c))) return
        const value = ourValue(own, r, c, from1904)
        if (value !== null) format(`${getKind(value)}: nothing`, `${name}!${xlsx.utils.encode_cell({ r, c })}`, value, null)
      })
    })
  }
  return match
}

function hasEmptyTexts(bytes: Buffer): boolean {
  if (bytes[0] !== 0x50) return false
  const part = readZipEntries(bytes).find(({ name }) => name.toLowerCase().endsWith('sharedstrings.xml'))
  return part !== undefined && /<si>\s*<\/si>|<si\s*\/>/.test(part.read().toString('utf8'))
}

const isRead = ({ r, c }: xlsx.CellAddress) => r < sheetLimits.rows && c < sheetLimits.columns

type Value = number | string | boolean | null

function ourValue(grid: Grid, row: number, column: number, from1904: boolean): Value {
  const stored: StoredValue = grid.rows[row]?.[column]
  if (stored === null || stored === undefined) return null
  if (stored instanceof Date) return getSerial(stored, from1904)
  if (typeof stored === 'string') return isErrorText(stored) ? stored : plain(stored)
  return stored
}

/** Returns the serial number of a point in time as the file stores it. Excel's 1900 has a nonexistent 29 February. */
function getSerial(date: Date, from1904: boolean): number {
  if (from1904) return (date.getTime() - Date.UTC(1904, 0, 1)) / a_day
  const days = (date.getTime() - Date.UTC(1899, 11, 31)) / a_day
  return days >= 60 ? days + 1 : days
}

const plain = (text: string): string | null => {
  const clean = text.replace(/\r\n?/g, '\n').replace(
    // oxlint-disable-next-line no-control-regex -- ours takes out what nobody can write out afterwards
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufffd]|[\ud800-\udbff](?![\udc00-\udfff])/g,
    '',
  )
  return clean.trim() === '' ? null : clean
}

function theirValue(cell: xlsx.CellObject | undefined): Value {
  if (!cell || cell.t === 'z' || cell.v === undefined || cell.v === null) return null
  if (cell.t === 'e') return cell.w ?? errors[cell.v as number] ?? '#ERR!'
  if (cell.v instanceof Date) return getSerial(cell.v, false)
  return typeof cell.v === 'string' ? plain(cell.v) : cell.v
}
const errors: Record<number, string> = {
  0: '#NULL!',
  7: '#DIV/0!',
  15: '#VALUE!',
  23: '#REF!',
  29: '#NAME?',
  36: '#NUM!',
  42: '#N/A',
  43: '#GETTING_DATA',
}

/**
 * Compares two values. Times of day are exact to the millisecond. 60 is the nonexistent 29 February 1900, which our
 * reader reads as the 28th.
 */
function same(a: Value, b: Value): boolean {
  if (Object.is(a, b) || a === b) return true
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) <= Math.max(2e-8, Math.abs(a) * 1e-15)
  return false
}

const getKind = (value: Value): string =>
  value === null ? 'nothing' : typeof value === 'string' ? (isErrorText(value) ? 'error' : 'text') : typeof value
