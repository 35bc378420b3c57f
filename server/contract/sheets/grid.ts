/** The wage sheet as a grid, one window at a time; upload progress; the sheet with its issues written into it. calls.md §5. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineRead, defineView } from '../call.ts'
import { emptyObject, id, rowNumber } from '../shared/schemas.ts'

const payroll = requirePower('2')

export const mergedRange = z.object({ top: z.int(), left: z.int(), bottom: z.int(), right: z.int() })

export const getSheetGrid = defineView('POST /api/wage/getSheetGrid', payroll, {
  summary: 'Returns rows of an uploaded wage sheet as they are, with how each was recognized.',
  input: z.object({ batch_id: id, from: rowNumber, count: z.int().check(z.gte(1), z.lte(500)) }),
  output: z.object({
    rows: z.array(
      z.object({
        row: z.int(),
        hidden: z.boolean(),
        /** `left`: neither header nor employee; the reason is in `ignored`. */
        kind: z.enum(['header', 'person', 'skipped', 'left', 'blank']),
        /** Cells start from column A; empty cells at the end are omitted. */
        cells: z.array(z.string()),
      }),
    ),
    /** Merged ranges that touch the rows: 1-based, inclusive, and complete even where they begin above. */
    merges: z.array(mergedRange),
  }),
  errors: ['not_found'],
})

export const getSheetRow = defineView('POST /api/wage/getSheetRow', payroll, {
  summary: 'Returns one row of a wage sheet by its columns, as corrected.',
  input: z.object({ batch_id: id, row: rowNumber }),
  output: z.object({
    /** The cell of each column; columns that are empty in this row are omitted. */
    cells: z.record(z.string(), z.string()),
    /** Columns of cells corrected here. */
    edited: z.array(z.string()),
  }),
  errors: ['not_found'],
})

export const uploadStages = ['waiting', 'reading', 'keeping', 'done', 'refused'] as const
export const getUploadProgress = defineRead('POST /api/wage/getUploadProgress', payroll, {
  summary:
    'Returns the progress of an upload of the caller: by its id, for a batch, or the last one without a batch. Polled while it runs.',
  input: z.object({ upload_id: z.optional(id), batch_id: z.optional(id) }),
  output: z.object({
    /** The value is null where there is none, or where the id is not known yet because the upload is waiting. */
    upload_id: z.nullable(id),
    /** The batch whose wage sheet is replaced, or the batch that was created. */
    batch_id: z.nullable(id),
    file_name: z.string(),
    bytes: z.int(),
    /** The name of the uploading administrator; empty for the current user. */
    by: z.string(),
    /** Why the upload was refused, when no client was connected to receive the error. */
    said: z.string(),
    /** Whether the upload is being processed. An own upload that is not can be continued by `uploadWageExcel` with `resume`. */
    is_running: z.boolean(),
    stage: z.enum(uploadStages),
    /** Employee rows stored so far, and their total; 0 until known. While waiting, `total` is the number of files ahead of it. */
    done: z.int(),
    total: z.int(),
    /** The recognition result as soon as it is available: the name of the sheet and its column labels. */
    sheet: z.string(),
    labels: z.array(z.string()),
  }),
  errors: ['not_found'],
})

export const clearUpload = defineRead('POST /api/wage/clearUpload', payroll, {
  summary: 'Discards an upload of the caller that has no batch yet, with its file. A finished one is removed from the list.',
  input: z.object({ upload_id: id }),
  output: emptyObject,
})

export const exportIssues = defineView('POST /api/wage/exportProblems', payroll, {
  summary: 'Exports the uploaded wage sheet as corrected, with each issue as a comment on its cell. Returns a download ticket.',
  rateLimit: 'costly',
  input: z.object({ batch_id: id }),
  output: z.object({ oss_path: z.string(), file_name: z.string(), problems: z.int(), edited_cell_count: z.int() }),
  errors: ['not_found', 'wrong_state', 'unreadable_sheet'],
})
