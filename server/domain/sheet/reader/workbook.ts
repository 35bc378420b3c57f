/** Workbooks to grids: .xlsx and .xlsm by our own reader, .xls and .ods by hucre. Runs in the child only, behind the guard. */
import type { Sheet } from 'hucre'
import { cellId, clipMerges, type Grid, isErrorText, type Mark, type Stored } from '../rules/grid.ts'
import { hiddenInOds } from './ods-hidden.ts'
import { trim } from './trim.ts'
import { limits, SheetUnreadable, sentences } from './unreadable.ts'
import { showFormats } from './xls/formats.ts'
import { type Hidden, hiddenParts } from './xls/hidden.ts'
import { readBook } from './xlsx/book.ts'
import { pack, unzip } from './zip-guard.ts'

export async function readZip(file: Buffer): Promise<Grid[]> {
  const parts = unzip(file)
  const has = (name: string) => parts.some((part) => part.name === name)
  if (has('xl/workbook.bin')) throw new SheetUnreadable(sentences.old)
  if (has('word/document.xml') || has('ppt/presentation.xml')) throw new SheetUnreadable(sentences.word)
  const isOds =
    has('content.xml') && parts.some((part) => part.name === 'mimetype' && part.read().toString('latin1').includes('spreadsheet'))
  // Two kinds in one: every program would see another table.
  if (isOds && has('[Content_Types].xml')) throw new SheetUnreadable(sentences.damaged)
  if (!isOds && !has('[Content_Types].xml')) throw new SheetUnreadable(sentences.word)
  if (!isOds) {
    // A wrong checksum anywhere is a broken file; the large parts are checked while they are read.
    for (const part of parts) if (part.size <= small) part.read()
    return parsed(() => readBook(parts))
  }
  if (parts.reduce((sum, part) => sum + part.size, 0) > limits.part_bytes) throw new SheetUnreadable(sentences.too_big_inside)
  const content = parts.find(({ name }) => name === 'content.xml')
  if (!content) throw new SheetUnreadable(sentences.damaged)
  // Strict about the XML, which the parser is not.
  const hidden = hiddenInOds(content.read().toString('utf8'))
  const { readOds } = await import('hucre/ods')
  const { sheets } = await parsed(() => readOds(pack(parts)))
  return sheets.map((sheet, at) => withHidden(gridOf(sheet), hidden[at]))
}

const small = 1024 * 1024

export async function readCfb(file: Buffer): Promise<Grid[]> {
  // Names in the container's directory are UTF-16.
  const names = (name: string) => file.includes(Buffer.from(name, 'utf16le'))
  if (names('EncryptedPackage')) throw new SheetUnreadable(sentences.encrypted)
  if (!names('Workbook') && !names('Book')) throw new SheetUnreadable(names('WordDocument') ? sentences.word : sentences.old)
  const { readXls } = await import('hucre/xlsx')
  const workbook = await parsed(() => readXls(file))
  const hidden = hiddenParts(file)
  const grids = workbook.sheets.map((sheet, at) => withHidden(gridOf(sheet), hidden[at]))
  showFormats(file, grids)
  return grids
}

const withHidden = (grid: Grid, own: Hidden | undefined): Grid =>
  own
    ? {
        ...grid,
        hidden: own.sheet,
        hidden_rows: own.rows,
        hidden_columns: own.columns,
        ...(own.widths.size > 0 && { widths: own.widths }),
      }
    : grid

async function parsed<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof SheetUnreadable) throw error
    const said = error instanceof Error ? error.message : ''
    if (/limit|cells/.test(said)) throw new SheetUnreadable(sentences.too_big_inside)
    if (/BIFF|Unsupported/.test(said)) throw new SheetUnreadable(sentences.old)
    if (/password|encrypt/i.test(said)) throw new SheetUnreadable(sentences.encrypted)
    throw new SheetUnreadable(sentences.damaged)
  }
}

function gridOf(sheet: Sheet): Grid {
  const marks = new Map<number, Mark>()
  const masters = new Map<number, { formula: string; row: number; column: number }>()
  const rows = sheet.rows as (Stored[] | undefined)[]
  for (const [place, cell] of sheet.cells ?? []) {
    const comma = place.indexOf(',')
    const row = Number(place.slice(0, comma))
    const column = Number(place.slice(comma + 1))
    if (row > limits.rows || column > limits.columns) continue
    const { formula, formulaSharedIndex: shared } = cell
    if (formula && shared !== undefined && cell.formulaRef) masters.set(shared, { formula, row, column })
    const uncached = formula !== undefined && (cell.value === null || cell.value === undefined)
    const error = cell.type === 'error' || (formula !== undefined && typeof cell.value === 'string' && isErrorText(cell.value))
    if (!uncached && !error) continue
    const mark: Mark = uncached ? { uncached: true } : { error: true }
    if (formula) mark.formula = formula
    const master = shared === undefined ? undefined : masters.get(shared)
    if (formula === '' && master) mark.shared = { formula: master.formula, down: row - master.row, right: column - master.column }
    marks.set(cellId(row, column), mark)
  }
  trim(rows)
  const hidden_rows = new Set<number>()
  for (const [row, { hidden }] of sheet.rowDefs ?? []) if (hidden) hidden_rows.add(row)
  const hidden_columns = new Set<number>()
  const widths = new Map<number, number>()
  sheet.columns?.slice(0, limits.columns).forEach(({ hidden, width }, column) => {
    if (hidden) hidden_columns.add(column)
    if (width !== undefined) widths.set(column, width)
  })
  const merges = (sheet.merges ?? []).map((m) => ({ top: m.startRow, left: m.startCol, bottom: m.endRow, right: m.endCol }))
  return {
    name: sheet.name,
    hidden: sheet.hidden === true || sheet.veryHidden === true,
    rows,
    marks,
    merges: clipMerges(merges, rows.length, limits.columns),
    hidden_rows,
    hidden_columns,
    widths,
  }
}
