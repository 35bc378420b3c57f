/** From a file to a checked, arranged batch. calls.md §5, first half. Power 2 for his own batches and what is shared with him. */
import * as z from 'zod/mini'
import { call } from './call.ts'
import { key } from './payslip.ts'
import { holders } from './who.ts'
import {
  batchStatus,
  cell,
  cellKinds,
  columnRole,
  fen,
  fixes,
  id,
  listOf,
  month,
  nothing,
  pageInput,
  problemKinds,
  titleKinds,
  words,
  wordsOrNone,
} from './words.ts'

export * from './arrange.ts'
export { type Slip, slip } from './payslip.ts'

const payroll = holders('2')
const ofBatch = z.object({ batch_id: id })

export const column = z.object({
  /** Stable within the batch: `c` and the 0-based index of the column. */
  key,
  /** The letter that Excel shows. */
  col: z.string(),
  /** Header cells from the top, e.g. 应发 → 基本工资. */
  path: z.array(z.string()),
  label: z.string(),
  role: columnRole,
  kind: z.enum(cellKinds),
  samples: z.array(z.string()),
  /** 0 to 1; what is uncertain is asked. */
  confidence: z.number(),
  reason: z.string(),
  hidden: z.boolean(),
})
export type Column = z.infer<typeof column>

/** What was understood of an uploaded sheet. */
export const sheetInfo = z.object({
  batch_id: id,
  status: batchStatus,
  file_name: z.string(),
  title: z.nullable(z.object({ title_id: id, title: z.string(), month, kind: z.enum(titleKinds) })),
  sheets: z.array(z.object({ name: z.string(), rows: z.int(), hidden: z.boolean(), chosen: z.boolean() })),
  header: z.object({ rows: z.array(z.int()), first_data_row: z.nullable(z.int()), last_data_row: z.nullable(z.int()) }),
  columns: z.array(column),
  /** Rows that hold people. */
  rows: z.int(),
  ignored: z.array(z.object({ row: z.int(), why: z.string() })),
  /** Which columns add up to the net pay, and in how many of the rows. */
  formula: z.nullable(z.object({ plus: z.array(key), minus: z.array(key), net: key, holds: z.int(), of: z.int() })),
  totals_row: z.nullable(z.object({ row: z.int(), net_fen: z.nullable(fen), agrees: z.nullable(z.boolean()) })),
  warnings: z.array(z.string()),
  /** The first rows of the sheet as they stand, for the drawing; `merges` are 1-based and inclusive. */
  grid: z.object({
    rows: z.array(z.object({ row: z.int(), hidden: z.boolean(), cells: z.array(z.string()) })),
    merges: z.array(z.object({ top: z.int(), left: z.int(), bottom: z.int(), right: z.int() })),
  }),
  /** The last title whose sheet had the same header: its roles and arrangement were taken over. */
  remembered: z.nullable(z.object({ title: z.string(), month })),
})
export type SheetInfo = z.infer<typeof sheetInfo>

export const uploadWageExcel = call('POST /api/wage/uploadWageExcel', {
  does: 'Upload a wage sheet, or choose another sheet of one that was uploaded (batch_id and sheet, no file)',
  who: payroll,
  once: true,
  audit: 'change',
  rate: 'costly',
  takes: 'file',
  gives: 'json',
  input: z.object({ sheet: z.optional(z.string().check(z.maxLength(100))), title_id: z.optional(id), batch_id: z.optional(id) }),
  output: sheetInfo,
  refuses: ['unreadable_sheet', 'not_found', 'wrong_state'],
})

export const getTitleInfo = call('POST /api/wage/getTitleInfo', {
  does: 'What was understood of the sheet, after edits',
  who: payroll,
  once: false,
  audit: 'view',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: ofBatch,
  output: sheetInfo,
  refuses: ['not_found'],
})

export const sheetRow = z.object({
  row: z.int(),
  member_id: z.nullable(id),
  skipped: z.boolean(),
  cells: z.record(z.string(), cell),
  problems: z.array(z.string()),
})
export const getDetailUpload = call('POST /api/wage/getDetailUpload', {
  does: 'The rows as read, with the ids of their problems',
  who: payroll,
  once: false,
  audit: 'view',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: z.object({ batch_id: id, only: z.optional(z.literal('problems')), ...pageInput }),
  output: listOf(sheetRow),
  refuses: ['not_found'],
})

export const insertBatchTitle = call('POST /api/wage/insertBatchTitle', {
  does: 'Name the pay run of a batch; a title of the same name and month is joined',
  who: payroll,
  once: true,
  audit: 'change',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: z.object({ batch_id: id, title: words(40, '请填写标题'), month, kind: z._default(z.enum(titleKinds), 'monthly') }),
  output: z.object({ title_id: id }),
  refuses: ['not_found', 'wrong_state'],
})

export const clearBatchTitle = call('POST /api/wage/clearBatchTitle', {
  does: 'Delete a batch that was not sent, with its file',
  who: payroll,
  once: true,
  audit: 'change',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: ofBatch,
  output: nothing,
  refuses: ['not_found', 'wrong_state'],
})

export const getLastBatchTitleInfo = call('POST /api/wage/getLastBatchTitleInfo', {
  does: 'The last title, to be offered again',
  who: payroll,
  once: false,
  audit: 'none',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: nothing,
  output: z.object({
    last: z.nullable(z.object({ title_id: id, title: z.string(), month, kind: z.enum(titleKinds), batch_id: z.nullable(id) })),
  }),
  refuses: [],
})

export const checkRequireColumnData = call('POST /api/wage/checkRequireColumnData', {
  does: 'Set what columns are for; says what is missing and how many people match nobody',
  who: payroll,
  once: false,
  audit: 'change',
  rate: 'normal',
  takes: 'json',
  gives: 'json',
  input: z.object({ batch_id: id, columns: z.array(z.object({ key, role: columnRole })).check(z.maxLength(300)) }),
  output: z.object({ ok: z.boolean(), missing: z.array(z.enum(['name', 'mobile', 'net'])), unmatched: z.int() }),
  refuses: ['not_found', 'wrong_state'],
})

export const problem = z.object({
  /** `row:kind:column`, the same as long as the cell is the same. */
  id: z.string(),
  row: z.int(),
  name: z.string(),
  column: z.nullable(key),
  level: z.enum(['error', 'warning']),
  kind: z.enum(problemKinds),
  message: z.string(),
  fix: z.array(z.enum(fixes)),
  /** People it could be. */
  candidates: z.array(z.object({ member_id: id, name: z.string(), mobile_masked: z.string(), departments: z.string() })),
})
export type Problem = z.infer<typeof problem>

const totals = z.object({ people: z.int(), gross_fen: z.nullable(fen), tax_fen: z.nullable(fen), net_fen: z.nullable(fen) })
export const counts = z.object({
  status: batchStatus,
  rows: z.int(),
  skipped: z.int(),
  errors: z.int(),
  warnings: z.int(),
  totals,
  last: z.nullable(z.extend(totals, { title: z.string(), month })),
  kinds: z.array(z.object({ kind: z.enum(problemKinds), level: z.enum(['error', 'warning']), count: z.int() })),
})

export const checkWageData = call('POST /api/wage/checkWageData', {
  does: 'Check every row: problems, totals beside those of last month, who joined and who is missing',
  who: payroll,
  once: false,
  audit: 'view',
  rate: 'costly',
  takes: 'json',
  gives: 'json',
  input: ofBatch,
  output: z.object({
    counts,
    /** The first 500; `counts.kinds` counts all of them. */
    problems: z.array(problem),
    joined: z.array(z.object({ name: z.string() })),
    missing: z.array(z.object({ member_id: id, name: z.string() })),
    /** Rows left out by hand, the first 200; `counts.skipped` counts all of them. */
    skipped: z.array(z.object({ row: z.int(), name: z.string() })),
  }),
  refuses: ['not_found'],
})

export const dealWithSalaryList = call('POST /api/wage/dealWithSalaryList', {
  does: 'Fix problems one by one, or all of a kind; bring skipped rows back',
  who: payroll,
  once: true,
  audit: 'change',
  rate: 'costly',
  takes: 'json',
  gives: 'json',
  input: z.object({
    batch_id: id,
    actions: z
      .array(
        z.object({
          /** What is meant: one problem, all of a kind, or with `restore` a row; `restore` alone means every skipped row. */
          problem_id: z.optional(z.string().check(z.maxLength(80))),
          kind: z.optional(z.enum(problemKinds)),
          row: z.optional(z.int().check(z.gte(1), z.lte(2_000_000))),
          fix: z.enum(fixes),
          member_id: z.optional(id),
          value: z.optional(wordsOrNone(200)),
        }),
      )
      .check(z.minLength(1), z.maxLength(500)),
  }),
  output: z.object({ counts, done: z.int() }),
  refuses: ['not_found', 'wrong_state'],
})
