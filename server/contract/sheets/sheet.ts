/**
 * The calls from an uploaded file to a checked batch with a layout. calls.md §5, first half. Power 2, for own and
 * shared batches.
 */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineChange, defineRead, defineView } from '../call.ts'
import { columnKey } from '../payslips/payslip.ts'
import {
  batchStatus,
  cell,
  cellKinds,
  columnRole,
  emptyObject,
  fen,
  id,
  month,
  optionalText,
  pageParams,
  paginatedList,
  questionKinds,
  requiredText,
  titleKinds,
} from '../shared/schemas.ts'
import { sheetDifference } from './check.ts'

export { type Payslip, payslip } from '../payslips/payslip.ts'
export * from './check.ts'
export * from './grid.ts'
export * from './layout.ts'
export * from './templates.ts'
export * from './titles.ts'

const payroll = requirePower('2')
const ofBatch = z.object({ batch_id: id })

export const readColumn = z.object({
  /** The key is stable within the batch: `c` and the 0-based index of the column. */
  key: columnKey,
  /** The column letter in Excel. */
  col: z.string(),
  /** Header cells from the top, e.g. 应发 → 基本工资. */
  path: z.array(z.string()),
  label: z.string(),
  role: columnRole,
  kind: z.enum(cellKinds),
  samples: z.array(z.string()),
  /** 0 to 1; uncertain columns become questions. */
  confidence: z.number(),
  reason: z.string(),
  hidden: z.boolean(),
})
/** A column as it is read and stored. */
export type ReadColumn = z.infer<typeof readColumn>

/** `name`: the shortest label that distinguishes the column, as shown on pages and payslips (`getColumnNames`). */
export const column = z.extend(readColumn, { name: z.string() })
export type Column = z.infer<typeof column>

/** How columns add up to another: plus and minus are column keys; `holds` of the `of` rows with an amount there satisfy it. */
const columnSumWithMatches = z.object({ plus: z.array(columnKey), minus: z.array(columnKey), holds: z.int(), of: z.int() })

/** A question that must be answered before the wage sheet is used. */
export const question = z.object({
  /** Stable as long as the question is the same. */
  id: z.string(),
  kind: z.enum(questionKinds),
  /** Whether an answer is required. */
  must: z.boolean(),
  message: z.string(),
  /** The column in question. */
  key: z.nullable(columnKey),
  /** The rows in question, the first 50. */
  rows: z.array(z.int()),
  /** The possible answers: roles of a column, or keywords such as `keep` and `skip`. */
  choices: z.array(z.object({ value: z.string(), label: z.string() })),
  /** The suggested answer, which applies until the user answers. */
  suggested: z.string(),
  answer: z.nullable(z.string()),
  /** Sheets left out that may belong to the wage sheet. The answer `all` also requires selecting them (`uploadWageExcel`). */
  sheets: z.optional(z.array(z.string())),
})
export type Question = z.infer<typeof question>

/** The recognition result of an uploaded wage sheet. */
export const wageSheetInfo = z.object({
  batch_id: id,
  status: batchStatus,
  file_name: z.string(),
  title: z.nullable(z.object({ title_id: id, title: z.string(), month, kind: z.enum(titleKinds) })),
  /** The title and month that the wage sheet states: `{ title: '2026年10月工资表', month: '2026-10' }`. */
  says: z.object({
    title: z.nullable(z.string()),
    month: z.nullable(month),
    /** Several months that the sheet names, or one without a year: `2026-10`, `-10`. Only the user can decide between them. */
    months: z.optional(z.array(z.string())),
  }),
  /**
   * The month in the file name: `2026-11`, or `-11` without a year; all of them where there are several. `is_date`:
   * taken from a full date, which may be the pay date.
   */
  file_month: z.object({ month: z.nullable(z.string()), months: z.array(z.string()), is_date: z.boolean() }),
  /** The sheets of the file; several may be chosen. `like`: its header equals that of the chosen one. */
  sheets: z.array(z.object({ name: z.string(), rows: z.int(), hidden: z.boolean(), chosen: z.boolean(), like: z.boolean() })),
  /** The sheets that make up the batch, in order: row numbers of the nth begin at n × 1,000,000. */
  parts: z.array(
    z.object({
      sheet: z.string(),
      header_rows: z.array(z.int()),
      first_data_row: z.nullable(z.int()),
      last_data_row: z.nullable(z.int()),
      /** The last displayed row. */
      last_row: z.int(),
      people_rows: z.int(),
    }),
  ),
  header: z.object({ rows: z.array(z.int()), first_data_row: z.nullable(z.int()), last_data_row: z.nullable(z.int()) }),
  columns: z.array(column),
  rows: z.int(),
  ignored: z.array(z.object({ row: z.int(), why: z.string() })),
  /** Which columns add up to net pay. `by`: found in the rows, taken over from last time, or set by a user. */
  formula: z.nullable(z.extend(columnSumWithMatches, { net: columnKey, by: z.enum(['found', 'remembered', 'person']) })),
  /** Which columns add up to gross pay, to total deductions and to other subtotals. */
  subtotals: z.array(z.extend(columnSumWithMatches, { key: columnKey })),
  totals_row: z.nullable(z.object({ row: z.int(), net_fen: z.nullable(fen), agrees: z.nullable(z.boolean()) })),
  warnings: z.array(z.string()),
  questions: z.array(question),
  /** The column mapping that was taken over, and how this wage sheet differs from the one it was saved from. */
  remembered: z.nullable(
    z.object({
      template_id: id,
      name: z.nullable(z.string()),
      title: z.nullable(z.string()),
      month: z.nullable(month),
      sent: z.optional(z.boolean()),
      fresh: z.array(columnKey),
      missing: z.array(z.object({ label: z.string(), role: columnRole })),
      renamed: z.array(z.object({ key: columnKey, from: z.string() })),
    }),
  ),
})
export type WageSheetInfo = z.infer<typeof wageSheetInfo>

export const uploadWageExcel = defineChange('POST /api/wage/uploadWageExcel', payroll, {
  summary:
    'Uploads a wage sheet, selects other worksheets of an uploaded one (`batch_id` and `sheet`, no file), or replaces it with a corrected file.',
  rateLimit: 'costly',
  requestType: 'file',
  input: z.object({
    /** Sheet names, one per line: several sheets with the same header become one batch. */
    sheet: z.optional(z.string().check(z.maxLength(6_000))),
    /** Adds the new batch to this pay run. */
    title_id: z.optional(id),
    /**
     * The draft whose wage sheet is replaced. Decisions made for it (matched members, skipped rows, column roles) stay
     * where row and employee are the same.
     */
    batch_id: z.optional(id),
    /** With `batch_id` and a file, the call only returns the difference and stores nothing. */
    compare_only: z.optional(z.literal('1')),
    /** Chosen by the browser to poll `getUploadProgress`. An upload with this id continues after its page is closed. */
    upload_id: z.optional(id),
    /** With `upload_id` alone, the call continues an upload that is not being processed. */
    resume: z.optional(z.literal('1')),
  }),
  /** `difference`: from the previous wage sheet, if there was one. With `compare_only` the rest is as it would become. */
  output: z.extend(wageSheetInfo, { difference: z.nullable(sheetDifference) }),
  errors: ['unreadable_sheet', 'not_found', 'wrong_state'],
})

export const getTitleInfo = defineView('POST /api/wage/getTitleInfo', payroll, {
  summary: 'Returns the recognition result of a wage sheet, including edits.',
  input: ofBatch,
  /** `unsent_count`: once the sending has begun, the recipients who have no payslip yet. */
  output: z.extend(wageSheetInfo, { unsent_count: z.int() }),
  errors: ['not_found'],
})

export const sheetRow = z.object({
  row: z.int(),
  member_id: z.nullable(id),
  skipped: z.boolean(),
  cells: z.record(z.string(), cell),
  problem_ids: z.array(z.string()),
})
export const getDetailUpload = defineView('POST /api/wage/getDetailUpload', payroll, {
  summary: 'Returns the rows as read, with the ids of their issues.',
  rateLimit: 'costly',
  input: z.object({ batch_id: id, only: z.optional(z.literal('problems')), ...pageParams }),
  output: paginatedList(sheetRow),
  errors: ['not_found'],
})

export const insertBatchTitle = defineChange('POST /api/wage/insertBatchTitle', payroll, {
  summary: 'Names the pay run of a batch. It joins a title of the same name and month.',
  input: z.object({
    batch_id: id,
    title: requiredText(40, '请填写标题'),
    month,
    kind: z._default(z.enum(titleKinds), 'monthly'),
  }),
  output: z.object({ title_id: id }),
  errors: ['not_found', 'wrong_state'],
})

export const clearBatchTitle = defineChange('POST /api/wage/clearBatchTitle', payroll, {
  summary: 'Deletes a batch that was not sent, with its file.',
  input: ofBatch,
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
})

export const getLastBatchTitleInfo = defineRead('POST /api/wage/getLastBatchTitleInfo', payroll, {
  summary: 'Returns the last title as a suggestion.',
  input: emptyObject,
  output: z.object({
    last: z.nullable(z.object({ title_id: id, title: z.string(), month, kind: z.enum(titleKinds), batch_id: z.nullable(id) })),
  }),
})

export const checkRequireColumnData = defineChange('POST /api/wage/checkRequireColumnData', payroll, {
  summary:
    'Sets column roles, answers questions, sets the formula or applies a template. Returns what is missing and how many rows match no member.',
  idempotent: false,
  input: z.object({
    batch_id: id,
    columns: z.array(z.object({ key: columnKey, role: columnRole })).check(z.maxLength(300)),
    /** Answers to questions; an empty value clears an answer. */
    answers: z.optional(
      z.array(z.object({ id: z.string().check(z.maxLength(80)), value: optionalText(40) })).check(z.maxLength(300)),
    ),
    /** The columns that add up to net pay; null: none, and sums are not checked. */
    formula: z.optional(
      z.nullable(
        z.object({ plus: z.array(columnKey).check(z.maxLength(300)), minus: z.array(columnKey).check(z.maxLength(300)) }),
      ),
    ),
    /** Applies the settings of this template. */
    template_id: z.optional(id),
  }),
  output: z.object({
    ok: z.boolean(),
    missing: z.array(z.enum(['name', 'mobile', 'net'])),
    unmatched: z.int(),
    /** Number of required questions that are not answered. */
    open_question_count: z.int(),
  }),
  errors: ['not_found', 'wrong_state'],
})
