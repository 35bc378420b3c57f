/**
 * Splits a wage sheet: it is opened like any other, and some of its rows are written to a separate file, which is then
 * read as if it had been uploaded. Stores nothing itself
 * (docs/decisions/20261123-use-separate-drafts-for-split-wage-sheets.md).
 */
import type { ColumnRole } from '../../../contract/shared/schemas.ts'
import type { NoTransaction } from '../../../database/no-transaction.ts'
import { createXlsxWriter, type XlsxValue } from '../../../files/xlsx-writer.ts'
import { fail, type HandlerContext, type UploadedFile } from '../../../http/handler.ts'
import type { RowCell } from '../../../rules/amounts.ts'
import { UnreadableSheetError } from '../../../spreadsheets/index.ts'
import type { NewRow } from '../rows/written-rows.ts'
import { BufferedRows, type BufferedSheet } from './buffered-rows.ts'
import { importSheet } from './import-sheet.ts'
import { readWageSheet } from './upload.ts'

export type WageTable = {
  readonly sheet: string
  readonly sheets: readonly string[]
  readonly columns: readonly { readonly key: string; readonly label: string; readonly role: ColumnRole }[]
  readonly rows: readonly NewRow[]
}
type SplitOptions = { readonly owner: string; readonly signal: AbortSignal; readonly sheet?: string }

/** The memory holds all rows at once. */
const maxSplitRows = 20_000

async function readBufferedSheet(external: NoTransaction, file: UploadedFile, options: SplitOptions): Promise<BufferedSheet> {
  try {
    const read = await readWageSheet(external, { ...file, file_id: null, is_new: true }, options)
    return { ...read, rows: await BufferedRows.from(read) }
  } catch (error) {
    throw error instanceof UnreadableSheetError ? fail('unreadable_sheet', error.message) : error
  }
}

export async function openWageTable(external: NoTransaction, file: UploadedFile, options: SplitOptions): Promise<WageTable> {
  const { recognition, rows } = await readBufferedSheet(external, file, options)
  const { sheet, sheets, columns, data_rows } = recognition
  if (data_rows.length > maxSplitRows)
    throw fail('unreadable_sheet', `这张表有 ${data_rows.length} 行，一次最多拆 ${maxSplitRows} 行；请先分成几个文件`)
  const all: NewRow[] = []
  for await (const page of rows.rows()) all.push(...page)
  return {
    sheet,
    sheets: sheets.filter((one) => one.rows > 0 && !one.hidden).map(({ name }) => name),
    columns: columns.map(({ key, label, role }) => ({ key, label, role })),
    rows: all,
  }
}

/** Cell values are never repaired: damaged cells and cells without a result are written as such, and the check reports them. */
function toXlsxValue(cell: RowCell | undefined): XlsxValue {
  if (!cell) return null
  if (cell.flaw === 'damaged') return `${cell.value}（数字已失真）`
  if (cell.flaw === 'uncached') return `${cell.value}（公式没有结果）`
  return cell.fen !== undefined && cell.kind === 'money' ? { fen: cell.fen } : cell.value
}

/** Writes these rows to a file below the header of their table. */
export async function writeCompanyFile({ sheet, columns }: Omit<WageTable, 'rows'>, rows: readonly NewRow[]): Promise<Buffer> {
  const writer = createXlsxWriter({ sheet })
  await writer.row(
    columns.map(({ label }) => label),
    'head',
  )
  for (const { cells } of rows) await writer.row(columns.map(({ key }) => toXlsxValue(cells[key])))
  return writer.finish()
}

/** Reads the file of one company; storing it is done in a transaction of that company. */
export async function readCompanyFile(
  external: NoTransaction,
  file: UploadedFile,
  options: SplitOptions,
): Promise<(inner: HandlerContext) => Promise<{ batch_id: string; rows: number }>> {
  const read = await readBufferedSheet(external, file, options)
  return async (inner) => {
    const source = { ...file, file_id: null, is_new: true }
    return importSheet(inner, read, source, { compare: false, onRowsSaved: () => undefined })
  }
}
