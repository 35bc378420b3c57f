/** Tax periods: created, filled, checked, computed, locked, reopened. calls.md §10. */

import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { type CallOutput, defineChange, defineRead, defineView } from '../call.ts'
import { emptyObject, fen, id, month, pageParams, paginatedList, requiredText, time } from '../shared/schemas.ts'
import { importedRow, listedSummary } from './import.ts'
import { amount, incomeKinds, periodSummary, periodTotals, taxAmounts, taxYear } from './schemas.ts'
import { taxIssueKinds, taxPeriodStatuses } from './statuses.ts'

const payroll = requirePower('2')
const periodRef = z.object({ period_id: id })

const issueCount = z.object({ kind: z.enum(taxIssueKinds), count: z.int() })
export type TaxIssueCount = z.infer<typeof issueCount>

export const getPeriodList = defineRead('POST /api/tax/getPeriodList', payroll, {
  summary: 'Lists the tax periods with their status, newest first.',
  input: z.object({ year: z.optional(taxYear), ...pageParams }),
  output: paginatedList(z.object(periodSummary)),
})

export const getPeriod = defineRead('POST /api/tax/getPeriod', payroll, {
  summary: 'Returns one tax period: status, sources of its incomes and its history.',
  isPolling: true,
  input: periodRef,
  output: z.object({
    ...periodSummary,
    /** All members of the period are within the user's scope: required to lock, reopen and export it. */
    covers_everyone: z.boolean(),
    /** Earlier months of the year that are not locked here: opening balances have to cover them. */
    uncovered_months: z.array(month),
    /** Batches that were imported; the title is null where the user may not view the batch. */
    sources: z.array(
      z.object({
        batch_id: z.nullable(id),
        title: z.nullable(z.string()),
        way: z.enum(incomeKinds),
        people: z.int(),
        taken_at: time,
      }),
    ),
    events: z.array(
      z.object({
        at: time,
        kind: z.enum(['created', 'locked', 'reopened']),
        by: z.string(),
        reason: z.nullable(z.string()),
      }),
    ),
  }),
  errors: ['not_found'],
})

export const createPeriod = defineChange('POST /api/tax/createPeriod', payroll, {
  summary: 'Creates a tax period.',
  requiredFeature: 'tax',
  input: z.object({ month }),
  output: periodRef,
})

export const clearPeriod = defineChange('POST /api/tax/clearPeriod', payroll, {
  summary: 'Deletes a tax period that was never locked.',
  input: periodRef,
  output: emptyObject,
  errors: ['not_found', 'wrong_state'],
})

export const saveIncome = defineChange('POST /api/tax/saveIncome', payroll, {
  summary: 'Changes the incomes of a tax period: from a pay run or its wage sheet, entered by hand, or removed.',
  rateLimit: 'costly',
  input: z.object({
    period_id: id,
    /** Imports a sent batch from its payslips, an unsent one from its checked wage sheet. A second import replaces the first. */
    from: z.optional(z.object({ batch_id: id, income_kind: z._default(z.enum(incomeKinds), 'wages') })),
    /** Removes the amounts imported from a batch; amounts entered manually stay. */
    remove_batch: z.optional(z.object({ batch_id: id })),
    rows: z.optional(
      z
        .array(
          z.object({
            member_id: id,
            /** Null: as in the batches. */
            amounts: z.nullable(z.object(taxAmounts)),
            /** 专项附加扣除 of the year up to this month, where it differs from the member's entries. */
            additional_cumulative_fen: z._default(z.nullable(amount), null),
            /** The tax actually withheld, where it differs from the result. */
            withheld_fen: z._default(z.nullable(amount), null),
          }),
        )
        .check(z.minLength(1, '请至少填写一个人'), z.maxLength(500, '一次最多保存 500 人')),
    ),
    remove: z.optional(z.array(id).check(z.minLength(1, '请选择要移出的人'), z.maxLength(500, '一次最多移出 500 人'))),
  }),
  output: z.object({
    /** Members now in the period, within the user's scope. */
    people: z.int(),
    saved: z.int(),
    removed: z.int(),
  }),
  errors: ['not_found', 'not_permitted', 'wrong_state'],
})

const incomeImportRow = z.object({
  ...importedRow,
  before_income_fen: z.nullable(fen),
  income_fen: z.nullable(fen),
  /** The employee's insurance and housing fund; null where the scheme computes them. */
  special_fen: z.nullable(fen),
  bonus_fen: z.nullable(fen),
})
export type IncomeImportRow = z.infer<typeof incomeImportRow>

export const importIncome = defineChange('POST /api/tax/importIncome', payroll, {
  summary:
    'Reads the incomes of a tax period from a list of the company and returns what would change row by row; with `apply` it saves them as entered by hand. A repeated import changes nothing.',
  requiredFeature: 'tax',
  rateLimit: 'costly',
  requestType: 'file',
  input: z.object({ period_id: id, apply: z.optional(z.enum(['1'])) }),
  output: z.object({ ...listedSummary, rows: z.array(incomeImportRow) }),
  errors: ['not_found', 'unreadable_sheet', 'wrong_state'],
})
export type IncomeImport = CallOutput<typeof importIncome>

export const checkPeriod = defineView('POST /api/tax/checkPeriod', payroll, {
  summary:
    'Compares a tax period with the month before, with the payslips and with the tax withheld by the wage sheets, and lists what a declaration lacks.',
  rateLimit: 'costly',
  input: z.object({ period_id: id, kind: z.optional(z.enum(taxIssueKinds)), ...pageParams }),
  output: z.object({
    ...paginatedList(
      z.object({
        kind: z.enum(taxIssueKinds),
        level: z.enum(['error', 'warning']),
        member_id: id,
        name: z.string(),
        message: z.string(),
        /** The value here, and the value it is compared with. */
        computed_fen: z.nullable(fen),
        declared_fen: z.nullable(fen),
      }),
    ).shape,
    kinds: z.array(z.extend(issueCount, { level: z.enum(['error', 'warning']) })),
    current: periodTotals,
    /** Totals of the previous month; null where there is no such period. */
    previous: z.nullable(z.extend(periodTotals, { month })),
    /** The tax withheld in the wage sheets, for members with such an amount. */
    sheet_tax_fen: z.nullable(fen),
  }),
  errors: ['not_found'],
})

export const computePeriod = defineChange('POST /api/tax/computePeriod', payroll, {
  summary: 'Starts, resumes or stops the job that computes a tax period.',
  requiredFeature: 'tax',
  input: z.object({
    period_id: id,
    /** With `again`, all members are computed again, including those already computed. */
    action: z._default(z.enum(['start', 'again', 'stop']), 'start'),
  }),
  output: z.object({ status: z.enum(taxPeriodStatuses), done: z.int(), people: z.int() }),
  errors: ['not_found', 'wrong_state'],
})

export const lockPeriod = defineChange('POST /api/tax/lockPeriod', payroll, {
  summary:
    'Locks a tax period. It cannot be changed any more, and later periods build on it. Refused with `data.open_issues` unless the request names exactly the open issues that `checkPeriod` counts.',
  input: z.object({
    period_id: id,
    /** The open issues that the user has seen and accepts, as counted by `checkPeriod`. */
    accepted_issues: z._default(z.array(issueCount).check(z.maxLength(taxIssueKinds.length)), []),
  }),
  output: z.object({ locked_at: time }),
  errors: ['not_found', 'not_permitted', 'wrong_state'],
})

export const reopenPeriod = defineChange('POST /api/tax/reopenPeriod', payroll, {
  summary: 'Reopens a locked tax period with a reason, which is stored.',
  input: z.object({ period_id: id, reason: requiredText(200, '请写明重新打开的原因') }),
  /** Later months that depend on it and must be computed again. */
  output: z.object({ months_to_recompute: z.array(month) }),
  errors: ['not_found', 'not_permitted', 'wrong_state'],
})
