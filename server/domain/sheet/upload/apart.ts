/**
 * A wage sheet taken apart: opened as any other, and rows of it written into a file of their own, which is then read as if somebody had uploaded it. Keeps
 * nothing itself (docs/decisions/20261123-use-separate-drafts-for-split-wage-sheets.md).
 */
import type { ColumnRole } from '../../../contract/words/words.ts'
import type { RowCell } from '../../../rules/amounts.ts'
import type { Outdoors } from '../../../runtime/data/outdoors.ts'
import { openXlsx, type XlsxValue } from '../../../runtime/files/xlsx.ts'
import { type Ctx, refuse, type Upload } from '../../../runtime/handle.ts'
import { SheetUnreadable } from '../../../tables/index.ts'
import type { NewRow } from '../rows/written-rows.ts'
import { HeldRows, type SheetHeld } from './held-rows.ts'
import { keep } from './keep.ts'
import { openSheet } from './upload.ts'

export type WageTable = {
  readonly sheet: string
  /** Of the whole file: those with rows. */
  readonly sheets: readonly string[]
  readonly columns: readonly { readonly key: string; readonly label: string; readonly role: ColumnRole }[]
  readonly rows: readonly NewRow[]
}
type Options = { readonly owner: string; readonly signal: AbortSignal; readonly sheet?: string }

/** All of it lies in the memory at once. */
const most_rows = 20_000

async function held(outdoors: Outdoors, file: Upload, options: Options): Promise<SheetHeld> {
  try {
    const read = await openSheet(outdoors, { ...file, file_id: null, is_new: true }, options)
    return { ...read, rows: await HeldRows.from(read) }
  } catch (error) {
    throw error instanceof SheetUnreadable ? refuse('unreadable_sheet', error.message) : error
  }
}

export async function openWage(outdoors: Outdoors, file: Upload, options: Options): Promise<WageTable> {
  const { understanding, rows } = await held(outdoors, file, options)
  const { sheet, sheets, columns, data_rows } = understanding
  if (data_rows.length > most_rows)
    throw refuse('unreadable_sheet', `这张表有 ${data_rows.length} 行，一次最多拆 ${most_rows} 行；请先分成几个文件`)
  const all: NewRow[] = []
  for await (const some of rows.rows()) all.push(...some)
  return {
    sheet,
    sheets: sheets.filter((one) => one.rows > 0 && !one.hidden).map(({ name }) => name),
    columns: columns.map(({ key, label, role }) => ({ key, label, role })),
    rows: all,
  }
}

/** What a cell said is never made better: of what was damaged or had no result it is written that it was so, and the check finds it. */
function written(cell: RowCell | undefined): XlsxValue {
  if (!cell) return null
  if (cell.flaw === 'damaged') return `${cell.value}（数字已失真）`
  if (cell.flaw === 'uncached') return `${cell.value}（公式没有结果）`
  return cell.fen !== undefined && cell.kind === 'money' ? { fen: cell.fen } : cell.value
}

/** These rows under the header of their table, as a file. */
export async function cutOut({ sheet, columns }: Omit<WageTable, 'rows'>, rows: readonly NewRow[]): Promise<Buffer> {
  const writer = openXlsx({ sheet })
  await writer.row(
    columns.map(({ label }) => label),
    'head',
  )
  for (const { cells } of rows) await writer.row(columns.map(({ key }) => written(cells[key])))
  return writer.finish()
}

/** The file of one company, read; what keeps it is a transaction of that company. */
export async function readPart(
  outdoors: Outdoors,
  file: Upload,
  options: Options,
): Promise<(inner: Ctx) => Promise<{ batch_id: string; rows: number }>> {
  const read = await held(outdoors, file, options)
  return async (inner) => {
    const source = { ...file, file_id: null, is_new: true }
    return keep(inner, read, source, { compare: false, kept: () => undefined })
  }
}
