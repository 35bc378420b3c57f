/** Wage sheets for programs with an API key: from the file to a checked batch. */
import * as z from 'zod/mini'
import { requireKey } from '../access.ts'
import { defineChange, defineView } from '../call.ts'
import {
  batchStatus,
  cellKinds,
  columnRole,
  fen,
  id,
  issueFixes,
  issueKinds,
  month,
  questionKinds,
  rowNumber,
  titleKinds,
} from '../shared/schemas.ts'
import { checkRequireColumnData, insertBatchTitle } from '../sheets/sheet.ts'
import { batchNames, batchParam, cursorParams, employeeNames, externalId, paginate } from './shared.ts'

const payroll = requireKey('2')

const wageSheet = z.object({
  ...batchNames,
  status: batchStatus,
  file_name: z.string(),
  title: z.nullable(z.string()),
  month: z.nullable(month),
  kind: z.nullable(z.enum(titleKinds)),
  /** The title and the month that the file states, as a suggestion. */
  suggested_title: z.nullable(z.string()),
  suggested_month: z.nullable(month),
  rows: z.int(),
  columns: z.array(z.object({ key: z.string(), label: z.string(), role: columnRole, kind: z.enum(cellKinds) })),
  /** Those with `required` must be answered before the sheet can be sent. */
  questions: z.array(
    z.object({
      question_id: z.string(),
      kind: z.enum(questionKinds),
      required: z.boolean(),
      message: z.string(),
      column: z.nullable(z.string()),
      rows: z.array(z.int()),
      choices: z.array(z.object({ value: z.string(), label: z.string() })),
      suggested: z.string(),
      answer: z.nullable(z.string()),
    }),
  ),
  warnings: z.array(z.string()),
})

export const uploadWageSheet = defineChange('POST /api/v1/wage-sheets', payroll, {
  summary: 'Uploads a wage sheet (.xlsx, .xls or .csv) and returns how it was recognised.',
  rateLimit: 'costly',
  requestType: 'file',
  input: z.object({
    external_id: z.optional(externalId),
    /** Names of the worksheets, one per line; by default the one that looks most like a wage sheet. */
    worksheets: z.optional(z.string().check(z.maxLength(6_000))),
    /** Replaces the file of this draft; what was answered for the same rows stays. */
    batch_id: z.optional(id),
  }),
  output: wageSheet,
  errors: ['unreadable_sheet', 'not_found', 'wrong_state'],
})

export const getWageSheet = defineView('GET /api/v1/wage-sheets/:batch_id', payroll, {
  summary: 'Returns how a wage sheet was recognised, with its questions.',
  input: z.object(batchParam),
  output: wageSheet,
  errors: ['not_found'],
})

export const answerWageSheet = defineChange('POST /api/v1/wage-sheets/:batch_id/answers', payroll, {
  summary: 'Names the pay run, answers questions and sets the roles of columns.',
  input: z.object({
    ...batchParam,
    title: z.optional(insertBatchTitle.input.shape.title),
    month: z.optional(month),
    kind: z.optional(z.enum(titleKinds)),
    answers: z.optional(
      z
        .array(z.object({ question_id: z.string().check(z.maxLength(80)), value: z.string().check(z.maxLength(40)) }))
        .check(z.maxLength(300)),
    ),
    columns: z.optional(checkRequireColumnData.input.shape.columns),
  }),
  output: z.object({
    ...batchNames,
    /** Nothing is missing; the issues of the rows are found by the check. */
    complete: z.boolean(),
    missing: z.array(z.enum(['title', 'name', 'mobile', 'net'])),
    open_question_count: z.int(),
    /** Rows that belong to nobody on the roster. */
    unmatched_row_count: z.int(),
  }),
  errors: ['not_found', 'wrong_state'],
})

const totals = z.object({ people: z.int(), gross_fen: z.nullable(fen), tax_fen: z.nullable(fen), net_fen: z.nullable(fen) })

export const checkWageSheet = defineView('POST /api/v1/wage-sheets/:batch_id/check', payroll, {
  summary: 'Checks every row and compares the totals with the last pay run. `ready` is true once it can be sent.',
  rateLimit: 'costly',
  input: z.object(batchParam),
  output: z.object({
    ...batchNames,
    status: batchStatus,
    ready: z.boolean(),
    row_count: z.int(),
    skipped_row_count: z.int(),
    error_count: z.int(),
    warning_count: z.int(),
    totals,
    previous: z.nullable(z.extend(totals, { title: z.string(), month })),
  }),
  errors: ['not_found'],
})

export const listWageSheetIssues = defineView('GET /api/v1/wage-sheets/:batch_id/issues', payroll, {
  summary: 'Lists the issues of a wage sheet.',
  rateLimit: 'costly',
  input: z.object({
    ...batchParam,
    kind: z.optional(z.enum(issueKinds)),
    level: z.optional(z.enum(['error', 'warning'])),
    ...cursorParams,
  }),
  output: paginate(
    z.object({
      /** Stable as long as the cell is the same. */
      issue_id: z.string(),
      row: z.int(),
      name: z.string(),
      column: z.nullable(z.string()),
      level: z.enum(['error', 'warning']),
      kind: z.enum(issueKinds),
      message: z.string(),
      value: z.nullable(z.string()),
      fixes: z.array(z.enum(issueFixes)),
      /** The employees that the row may belong to: which of them is decided by whoever resolves the issue. */
      candidates: z.array(z.extend(employeeNames, { mobile_masked: z.string(), departments: z.string() })),
    }),
  ),
  errors: ['not_found'],
})

export const resolveWageSheetIssues = defineChange('POST /api/v1/wage-sheets/:batch_id/resolutions', payroll, {
  summary: 'Resolves issues one by one, or all of a kind.',
  rateLimit: 'costly',
  input: z.object({
    ...batchParam,
    resolutions: z
      .array(
        z.object({
          issue_id: z.optional(z.string().check(z.maxLength(80))),
          kind: z.optional(z.enum(issueKinds)),
          row: z.optional(rowNumber),
          column: z.optional(z.string().check(z.maxLength(80))),
          fix: z.enum(issueFixes),
          employee_id: z.optional(id),
          value: z.optional(z.string().check(z.maxLength(200))),
        }),
      )
      .check(z.minLength(1, '请至少填写一项'), z.maxLength(500, '一次最多 500 项')),
  }),
  output: z.object({
    ...batchNames,
    status: batchStatus,
    resolved_count: z.int(),
    /** Employees still to be created: repeat the call with the same resolutions. */
    remaining_count: z.int(),
    error_count: z.int(),
    warning_count: z.int(),
  }),
  errors: ['not_found', 'wrong_state'],
})
