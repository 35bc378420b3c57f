/** A parsed wage sheet on its way into a batch. */
import type { SheetDifference, WageSheetInfo } from '../../../contract/sheets/sheet.ts'
import type { SheetLayout } from '../../../spreadsheets/index.ts'
import type { BatchRow } from '../access.ts'
import type { RecognizedSheet } from '../recognition.ts'
import type { BufferedRows } from './buffered-rows.ts'

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
  /** Called with the number of rows that are stored so far. */
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
