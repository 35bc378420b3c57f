/**
 * Imports a parsed wage sheet as a new batch or as the replacement of one: access check here, then setup (`setup.ts`),
 * with a sheet that it replaces (`replace.ts`), then storage (`store.ts`). Each step calls the next.
 */

import { can } from '../../../contract/shared/statuses.ts'
import type { SheetDifference, WageSheetInfo } from '../../../contract/sheets/sheet.ts'
import { assertAllowed, fail, type HandlerContext } from '../../../http/handler.ts'
import type { SheetLayout } from '../../../spreadsheets/index.ts'
import { type BatchRow, requireAdminId, requireBatch } from '../access.ts'
import { requireTitle } from '../names/title.ts'
import { type RecognizedSheet, toRecognizedSheet } from '../recognition.ts'
import type { BufferedRows, BufferedSheet } from './buffered-rows.ts'
import { replaceSheet } from './replace.ts'
import { setUpSheet } from './setup.ts'

export type UploadSource = {
  readonly file_name: string
  readonly bytes: Buffer
  /** The stored file it was read from; null if it was not stored yet. */
  readonly file_id: string | null
  /** The file was just uploaded and is not the file of the batch. */
  readonly is_new: boolean
}
export type ImportOptions = {
  readonly title_id?: string | undefined
  readonly batch_id?: string | undefined
  /** Only computes the difference. */
  readonly compare: boolean
  /** Called with the number of rows stored so far. */
  readonly onRowsSaved: (rows: number) => void
}
export type ImportedSheet = WageSheetInfo & { difference: SheetDifference | null }

/** A parsed wage sheet and its destination. */
export type IncomingSheet = {
  readonly source: UploadSource
  readonly options: ImportOptions
  /** The batch whose wage sheet is replaced. */
  readonly previousBatch: BatchRow | null
  readonly title_id: string | null
  readonly owner_id: string
  /** Keyed hash of the header. */
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
  // Prevents another sheet of the old file from replacing the new one.
  if (previousBatch && !source.is_new && previousBatch.file_id !== source.file_id)
    throw fail('wrong_state', '这一批的工资表刚刚换过，请刷新后重试', { status: previousBatch.status })
  const title_id = options.title_id ? (await requireTitle(ctx, options.title_id)).id : (previousBatch?.title_id ?? null)
  const incoming: IncomingSheet = {
    source,
    options,
    previousBatch,
    title_id,
    owner_id: previousBatch?.owner_id ?? admin_id,
    fingerprint: ctx.vault.blindIndex('header', read.recognition.fingerprint).toString('hex'),
    recognition: toRecognizedSheet(read.recognition),
    sheetLayout: read.sheetLayout,
    rows: read.rows,
  }
  return previousBatch ? replaceSheet(ctx, incoming, previousBatch) : setUpSheet(ctx, incoming)
}
