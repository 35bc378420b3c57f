/** Workbooks (.xlsx .xlsm .xls .ods) to grids, by hucre. Runs in the child only, behind the guard. */
import type { Sheet, Workbook } from 'hucre'
import { readXls, readXlsx } from 'hucre/xlsx'
import { cellId, clipMerges, type Grid, isErrorText, type Mark, type Stored } from '../rules/grid.ts'
import { hiddenParts } from './biff-hidden.ts'
import { onlyDateFormats, shownFormats } from './formats.ts'
import { limits, SheetUnreadable, sentences } from './unreadable.ts'
import { type Part, pack, unzip } from './zip-guard.ts'

/** One row and one column more than allowed, to tell "too many" from "exactly as many". */
const range = `A1:KO${limits.rows + 1}`

export async function readZip(file: Buffer): Promise<Grid[]> {
  const parts = unzip(file)
  const has = (name: string) => parts.some((part) => part.name === name)
  if (has('xl/workbook.bin')) throw new SheetUnreadable(sentences.old)
  if (has('word/document.xml') || has('ppt/presentation.xml')) throw new SheetUnreadable(sentences.word)
  const ods =
    has('content.xml') && parts.some((part) => part.name === 'mimetype' && part.bytes.toString('latin1').includes('spreadsheet'))
  if (!ods && !has('[Content_Types].xml')) throw new SheetUnreadable(sentences.word)
  const plain = pack(parts.map(quickStyles))
  const workbook = await parsed(async () => (ods ? (await import('hucre/ods')).readOds(plain) : readXlsx(plain, { range })))
  const grids = workbook.sheets.map(gridOf)
  if (!ods) showFormats(parts, grids)
  return grids
}

const quickStyles = (part: Part): Part =>
  part.name === 'xl/styles.xml' ? { name: part.name, bytes: Buffer.from(onlyDateFormats(part.bytes.toString('utf8'))) } : part

export async function readCfb(file: Buffer): Promise<Grid[]> {
  // Names in the container's directory are UTF-16.
  const names = (name: string) => file.includes(Buffer.from(name, 'utf16le'))
  if (names('EncryptedPackage')) throw new SheetUnreadable(sentences.encrypted)
  if (!names('Workbook') && !names('Book')) throw new SheetUnreadable(names('WordDocument') ? sentences.word : sentences.old)
  const workbook = await parsed(() => readXls(file))
  const hidden = hiddenParts(file)
  return workbook.sheets.map((sheet, at) => {
    const grid = gridOf(sheet)
    const own = hidden[at]
    return own ? { ...grid, hidden: own.sheet, hidden_rows: own.rows, hidden_columns: own.columns, widths: own.widths } : grid
  })
}

async function parsed(read: () => Promise<Workbook>): Promise<Workbook> {
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

const isBlank = (stored: Stored) =>
  stored === null || stored === undefined || (typeof stored === 'string' && stored.trim() === '')

/** Drops blank rows at the end and what stands far away; refuses what really is too much. */
function trim(rows: (Stored[] | undefined)[]) {
  const filled = (row: number) => rows[row]?.some((cell) => !isBlank(cell)) ?? false
  if (rows.length > limits.rows && filled(limits.rows) && filled(limits.rows - 1))
    throw new SheetUnreadable(sentences.too_many_rows)
  rows.length = Math.min(rows.length, limits.rows)
  while (rows.length > 0 && !filled(rows.length - 1)) rows.pop()
  let wide = 0
  for (const row of rows.slice(0, 200)) if (row && !isBlank(row[limits.columns]) && !isBlank(row[limits.columns - 1])) wide++
  if (wide > 0) throw new SheetUnreadable(sentences.too_many_columns)
  for (const row of rows) if (row && row.length > limits.columns) row.length = limits.columns
}

function showFormats(parts: readonly Part[], grids: readonly Grid[]) {
  const shown = shownFormats(parts)
  for (const grid of grids)
    for (const [id, format] of shown.get(grid.name) ?? []) {
      const stored = grid.rows[Math.floor(id / cellId(1, 0))]?.[id % cellId(1, 0)]
      const text = format(stored)
      if (text !== null) grid.marks.set(id, { ...grid.marks.get(id), shown: text })
    }
}
