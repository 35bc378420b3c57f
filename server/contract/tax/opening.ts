/** Opening balances of a company that starts in the middle of a year, for all members at once. calls.md §10. */

import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { type CallOutput, defineChange } from '../call.ts'
import { fen, id, month } from '../shared/schemas.ts'
import { importedRow, importSummary } from './import.ts'

const payroll = requirePower('2')
const count = z.int()
/** An opening balance ends at the latest in November: December has no later month of its year. */
const lastMonth = z.coerce.number<number>().check(z.int(), z.gte(1, '请选择 1 到 11 月'), z.lte(11, '请选择 1 到 11 月'))

const openingRow = z.object({
  ...importedRow,
  income_fen: z.nullable(fen),
  special_fen: z.nullable(fen),
  withheld_fen: z.nullable(fen),
})
export type OpeningRow = z.infer<typeof openingRow>

const openingPlan = z.object({
  ...importSummary,
  /** The last month that the balances include; null where the file does not say and the user has to. */
  through_month: z.nullable(count),
  /** The first rows, those that cannot be imported first. */
  rows: z.array(openingRow),
  /** Open months of the year that must be computed again. */
  months_to_recompute: z.array(month),
})

export const importOpening = defineChange('POST /api/tax/importOpening', payroll, {
  summary:
    "Reads the year's sums of all members from the result file of the official withholding client; with `apply` it saves them as opening balances. A repeated import changes nothing.",
  requiredFeature: 'tax',
  rateLimit: 'costly',
  requestType: 'file',
  input: z.object({
    /** The first period that is computed here: the balances end before it. */
    period_id: id,
    /** Only where the file states no month. */
    through_month: z.optional(lastMonth),
    apply: z.optional(z.enum(['1'])),
  }),
  output: openingPlan,
  errors: ['not_found', 'unreadable_sheet'],
})
export type OpeningPlan = CallOutput<typeof importOpening>

export const importSentMonths = defineChange('POST /api/tax/importSentMonths', payroll, {
  summary:
    "Adds up the year's payslips that were sent before a period; with `apply` it saves the sums as opening balances. Members with a month without payslip are refused.",
  requiredFeature: 'tax',
  rateLimit: 'costly',
  input: z.object({
    period_id: id,
    batch_ids: z.array(id).check(z.minLength(1, '请至少选择一批工资条'), z.maxLength(60, '一次最多选择 60 批')),
    /** Wages are paid in the month itself (0), or in the month after it (1). */
    paid_after_months: z.int().check(z.gte(0), z.lte(1)),
    apply: z._default(z.boolean(), false),
  }),
  output: openingPlan,
  errors: ['not_found', 'wrong_state'],
})
