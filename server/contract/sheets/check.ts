/** Issues of a wage sheet, their correction, and the comparison of a corrected wage sheet with the one before. calls.md §5. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineChange, defineView } from '../call.ts'
import { columnKey } from '../payslips/payslip.ts'
import { batchStatus, emptyObject, fen, id, issueFixes, issueKinds, month, optionalText, rowNumber } from '../shared/schemas.ts'

const payroll = requirePower('2')

/** The changes of a corrected wage sheet, employee by employee; amounts as the sheets show them. */
export const sheetDifference = z.object({
  unchanged_count: z.int(),
  changed_count: z.int(),
  /** The first 200 of each. */
  changed: z.array(
    z.object({
      row: z.int(),
      name: z.string(),
      cells: z.array(z.object({ label: z.string(), from: z.string(), to: z.string() })),
    }),
  ),
  added_count: z.int(),
  added: z.array(z.object({ row: z.int(), name: z.string() })),
  removed_count: z.int(),
  removed: z.array(z.object({ row: z.int(), name: z.string() })),
  columns_added: z.array(z.string()),
  columns_removed: z.array(z.string()),
})
export type SheetDifference = z.infer<typeof sheetDifference>

export const issue = z.object({
  /** `row:kind:column`, stable as long as the cell is the same. */
  id: z.string(),
  row: z.int(),
  name: z.string(),
  column: z.nullable(columnKey),
  level: z.enum(['error', 'warning']),
  kind: z.enum(issueKinds),
  message: z.string(),
  fix: z.array(z.enum(issueFixes)),
  /** The value of the cell expected from the other cells of its row, in yuan. */
  expected_fen: z.optional(fen),
  /** The other of two swapped rows. */
  other_row: z.optional(z.int()),
  /** Members that the row may belong to. */
  candidates: z.array(z.object({ member_id: id, name: z.string(), mobile_masked: z.string(), departments: z.string() })),
})
export type Issue = z.infer<typeof issue>
const issueWithRow = z.extend(issue, {
  /** The content of the cell; null where the issue does not concern a cell. */
  value: z.nullable(z.string()),
  /** The employee of the row (by the wage sheet, else the roster) and its pay; null where it concerns the whole sheet. */
  row_summary: z.nullable(
    z.object({
      mobile: z.string(),
      /** Whether an active member of the roster has this phone already; asked only where the roster could take it over. */
      is_mobile_used: z.boolean(),
      department: z.string(),
      gross_fen: z.nullable(fen),
      net_fen: z.nullable(fen),
    }),
  ),
})
export type IssueWithRow = z.infer<typeof issueWithRow>

const totals = z.object({ people: z.int(), gross_fen: z.nullable(fen), tax_fen: z.nullable(fen), net_fen: z.nullable(fen) })
export const checkSummary = z.object({
  status: batchStatus,
  rows: z.int(),
  skipped: z.int(),
  errors: z.int(),
  warnings: z.int(),
  totals,
  previous: z.nullable(z.extend(totals, { title: z.string(), month })),
  kinds: z.array(z.object({ kind: z.enum(issueKinds), level: z.enum(['error', 'warning']), count: z.int() })),
})

export const checkWageData = defineView('POST /api/wage/checkWageData', payroll, {
  summary: 'Checks every row: issues, totals compared with last month, new and missing employees.',
  rateLimit: 'costly',
  input: z.object({
    batch_id: id,
    /** Filters: by kind, by level, or by text in name, row or message. */
    kind: z.optional(z.enum(issueKinds)),
    level: z.optional(z.enum(['error', 'warning'])),
    query: z.optional(optionalText(40)),
    page: z._default(z.int().check(z.gte(1), z.lte(10_000)), 1),
  }),
  output: z.object({
    counts: checkSummary,
    /** A page of 500; the first 50 of every kind come before all others. `counts.kinds` counts all of them. */
    problems: z.array(issueWithRow),
    /** The number of matching issues on all pages. */
    problem_count: z.int(),
    /** Number of cells corrected here since the wage sheet was uploaded. */
    edited_cell_count: z.int(),
    /** The last correction that can be undone: its employee and cell, and how many cells in all. */
    last_edit: z.nullable(
      z.object({
        edit_id: id,
        kind: z.enum(['edit', 'swap']),
        /** The first two rows of the correction. */
        rows: z.array(z.int()),
        cells: z.int(),
        name: z.string(),
        column: columnKey,
        from: z.string(),
        to: z.string(),
      }),
    ),
    new_members: z.array(z.object({ name: z.string() })),
    missing_members: z.array(z.object({ member_id: id, name: z.string() })),
    /** The employees whose net pay changed most since last month, the largest change first; at most five. */
    largest_changes: z.array(z.object({ row: z.int(), name: z.string(), net_fen: fen, previous_net_fen: fen })),
    /** Rows skipped by the administrator, the first 200; `counts.skipped` counts all of them. */
    skipped: z.array(z.object({ row: z.int(), name: z.string() })),
    /** Employees whose rows become one payslip, the first 200, with all their rows. */
    combined: z.array(z.object({ row: z.int(), name: z.string(), net_fen: z.nullable(fen), rows: z.array(z.int()) })),
  }),
  errors: ['not_found'],
})

export const dealWithSalaryList = defineChange('POST /api/wage/dealWithSalaryList', payroll, {
  summary: 'Resolves issues one by one or all of a kind, and restores skipped rows.',
  rateLimit: 'costly',
  input: z.object({
    batch_id: id,
    actions: z
      .array(
        z.object({
          /**
           * The target: one issue, all of a kind, any cell of a row with `edit`, or a row with `restore` and
           * `separate`; `restore` alone means every skipped row.
           */
          problem_id: z.optional(z.string().check(z.maxLength(80))),
          kind: z.optional(z.enum(issueKinds)),
          row: z.optional(rowNumber),
          column: z.optional(columnKey),
          fix: z.enum(issueFixes),
          member_id: z.optional(id),
          value: z.optional(optionalText(200)),
        }),
      )
      .check(z.minLength(1), z.maxLength(500)),
  }),
  /** `remaining_count`: members still to be created; repeating the same actions continues with them. */
  output: z.object({ counts: checkSummary, done: z.int(), remaining_count: z.int() }),
  errors: ['not_found', 'wrong_state'],
})

export const undoEdit = defineChange('POST /api/wage/undoEdit', payroll, {
  summary: 'Undoes the last correction of a wage sheet, a cell or a swap, unless there was a later correction. Its record stays.',
  rateLimit: 'costly',
  input: z.object({ batch_id: id, edit_id: id }),
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
})
