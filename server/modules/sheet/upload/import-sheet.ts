/**
 * An opened sheet on its way to a batch of its own, or to the place of another: whose it is; then what is set up for it (`setup.ts`), beside a sheet that it
 * replaces (`corrected.ts`); then it is stored (`store.ts`). Each hands it on to the next.
 */

import { can } from '../../../contract/shared/statuses.ts'
import type { SheetDifference, WageSheetInfo } from '../../../contract/sheets/sheet.ts'
import { assertAllowed, fail, type HandlerContext } from '../../../http/handler.ts'
import type { SheetLayout } from '../../../spreadsheets/index.ts'
import { type BatchRow, requireAdminId, requireBatch } from '../access.ts'
import { requireTitle } from '../names/title.ts'
import type { RecognizedSheet } from '../recognition.ts'
import type { BufferedRows, BufferedSheet } from './buffered-rows.ts'
import { replaceSheet } from './replace.ts'
import { setUpSheet } from './setup.ts'

export type UploadSource = {
  readonly file_name: string
  readonly bytes: Buffer
  /** The kept file that it was read from; null where it was not kept yet. */
  readonly file_id: string | null
  /** It came just now, and is not the file that the batch has. */
  readonly is_new: boolean
}
export type ImportOptions = {
  readonly title_id?: string | undefined
  readonly batch_id?: string | undefined
  /** Only tells the difference. */
  readonly compare: boolean
  /** Hears how many rows are kept. */
  readonly onRowsSaved: (rows: number) => void
}
export type ImportedSheet = WageSheetInfo & { difference: SheetDifference | null }

/** As it was read, and what it is to become. */
export type IncomingSheet = {
  readonly source: UploadSource
  readonly options: ImportOptions
  /** Whose sheet it replaces. */
  readonly previousBatch: BatchRow | null
  readonly title_id: string | null
  readonly owner_id: string
  /** Of its header, keyed. */
  readonly fingerprint: string
  readonly recognition: RecognizedSheet
  readonly sheetLayout: SheetLayout
  readonly rows: BufferedRows
}

export async function importSheet(
  ctx: HandlerContext,
  read: BufferedSheet,
  source: UploadSource,
  options: ImportOptions,
): Promise<ImportedSheet> {
  const admin_id = requireAdminId(ctx)
  const previousBatch = options.batch_id ? await requireBatch(ctx, options.batch_id, 'manage') : null
  if (previousBatch) assertAllowed(can.arrange(previousBatch.status), { status: previousBatch.status })
  // Another sheet of the old file must not stand under the new one.
  if (previousBatch && !source.is_new && previousBatch.file_id !== source.file_id)
    throw fail('wrong_state', '这一批的工资表刚刚换过，请刷新后重试', { status: previousBatch.status })
  const title_id = options.title_id ? (await requireTitle(ctx, options.title_id)).id : (previousBatch?.title_id ?? null)
  const incoming: IncomingSheet = {
    source,
    options: options,
    previousBatch: previousBatch,
    title_id,
    owner_id: previousBatch?.owner_id ?? admin_id,
    fingerprint: ctx.vault.blindIndex('header', read.recognition.fingerprint).toString('hex'),
    recognition: toRecognizedSheet(read),
    sheetLayout: read.sheetLayout,
    rows: read.rows,
  }
  return previousBatch ? replaceSheet(ctx, incoming, previousBatch) : setUpSheet(ctx, incoming)
}

function toRecognizedSheet({ recognition }: BufferedSheet): RecognizedSheet {
  const {
    sheets,
    parts: sourceTables,
    says,
    header,
    columns,
    data_rows,
    ignored,
    formula,
    subtotals,
    totals_row,
    total_rows,
    warnings,
    questions,
    net_readings,
  } = recognition
  const toDetectedFormula = (sum: typeof formula) => sum && { ...sum, by: 'found' as const }
  const detectedFormula = toDetectedFormula(formula)
  return {
    sheets,
    parts: sourceTables,
    says,
    header,
    columns,
    rows: data_rows.length,
    ignored,
    formula: detectedFormula,
    subtotals,
    totals_row,
    total_rows,
    warnings,
    questions,
    remembered: null,
    expected: null,
    read: {
      roles: Object.fromEntries(columns.map(({ key, role }) => [key, role])),
      formula: detectedFormula,
      questions,
      totals_row,
      ...(net_readings.length > 0 && {
        net_readings: net_readings.map((reading) => ({ ...reading, formula: toDetectedFormula(reading.formula) })),
      }),
    },
  }
}
