/** Results of tax periods: the year's amounts and each step per member, and the file for the tax office. calls.md §10. */

import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { type CallOutput, defineChange, defineView } from '../call.ts'
import { fen, id, month, optionalText, pageParams, paginatedList } from '../shared/schemas.ts'
import { deductionItem } from './deductions.ts'
import { insuranceEntry } from './insurance.ts'
import { amountOrZero, incomeKinds, periodSummary, periodTotals, taxYear } from './schemas.ts'
import { taxPeriodStatuses } from './statuses.ts'

const payroll = requirePower('2')

export const getHistoryList = defineView('POST /api/tax/getHistoryList', payroll, {
  summary: 'Lists the tax periods with their totals.',
  input: z.object({ year: z.optional(taxYear), status: z.optional(z.enum(taxPeriodStatuses)), ...pageParams }),
  /** Totals are returned only to administrators with all members of the month in scope, and only once it is computed. */
  output: paginatedList(z.object({ ...periodSummary, totals: z.nullable(periodTotals) })),
})

/** A member's month: the input, the year's sums, the result. */
const memberTaxResult = z.object({
  member_id: id,
  name: z.string(),
  employee_no: z.string(),
  departments: z.string(),
  left: z.boolean(),
  /** Amounts for this month were entered manually. */
  is_manual: z.boolean(),
  income_fen: fen,
  bonus_fen: fen,
  /** The tax withheld in the wage sheets; null where they have no such column. */
  sheet_tax_fen: z.nullable(fen),
  /** The value is null if nothing was computed since the last change. */
  result: z.nullable(
    z.object({
      /** Why nothing could be computed; null if it was. */
      refused: z.nullable(z.string()),
      months_counted: z.int(),
      cum_income_fen: fen,
      cum_basic_fen: fen,
      cum_special_fen: fen,
      cum_additional_fen: fen,
      cum_other_fen: fen,
      cum_taxable_fen: fen,
      rate_ppm: z.int(),
      quick_fen: fen,
      cum_tax_fen: fen,
      cum_withheld_fen: fen,
      tax_fen: fen,
      credit_fen: fen,
      bonus_tax_fen: fen,
      withheld_fen: fen,
    }),
  ),
})

export const getHistoryDetail = defineView('POST /api/tax/getHistoryDetail', payroll, {
  summary: 'Lists the members of a tax period with cumulative amounts and withheld tax.',
  input: z.object({
    period_id: id,
    name: z.optional(optionalText(50)),
    department_id: z.optional(id),
    ...pageParams,
  }),
  output: z.object({ ...paginatedList(memberTaxResult).shape, totals: z.nullable(periodTotals) }),
  errors: ['not_found'],
})

const opening = z.object({
  through_month: z.int().check(z.gte(1, '月份应在 1 到 11 之间'), z.lte(11, '月份应在 1 到 11 之间')),
  income_fen: amountOrZero,
  exempt_fen: amountOrZero,
  special_fen: amountOrZero,
  additional_fen: amountOrZero,
  other_fen: amountOrZero,
  donation_fen: amountOrZero,
  reduction_fen: amountOrZero,
  withheld_fen: amountOrZero,
})
/** Tax facts about a member for a whole year. */
const taxYearFields = {
  first_income_of_year: z.boolean(),
  prior_year_under_60000: z.boolean(),
  /** The year's sums up to a month, for a company that starts mid-year. */
  opening: z.nullable(opening),
}
const taxAmountsOutput = {
  income_fen: fen,
  exempt_fen: fen,
  pension_fen: z.nullable(fen),
  medical_fen: z.nullable(fen),
  unemployment_fen: z.nullable(fen),
  housing_fund_fen: z.nullable(fen),
  social_fen: fen,
  annuity_fen: fen,
  health_fen: fen,
  other_fen: fen,
  donation_fen: fen,
  reduction_fen: fen,
  bonus_fen: fen,
}

export const getMemberTaxDetail = defineView('POST /api/tax/getPersonTax', payroll, {
  summary:
    'Returns one member in a tax period: where the figures come from, each step with its legal paragraph, and the months of the year.',
  input: z.object({ period_id: id, member_id: id }),
  output: z.object({
    ...memberTaxResult.shape,
    hire_month: z.nullable(month),
    leave_month: z.nullable(month),
    /** The effective amounts: entered manually, otherwise the sum of the batches. */
    amounts: z.object(taxAmountsOutput),
    additional_cumulative_fen: z.nullable(fen),
    withheld_fen: z.nullable(fen),
    sources: z.array(
      z.object({
        batch_id: id,
        way: z.enum(incomeKinds),
        amounts: z.object(taxAmountsOutput),
        sheet_tax_fen: z.nullable(fen),
      }),
    ),
    /** The calculation in Chinese; empty where it was not computed. */
    steps: z.array(z.string()),
    bonus_steps: z.array(z.string()),
    /** Which deductions and insurance count, and why. */
    notes: z.array(z.string()),
    /** The year's locked months before this one. */
    months: z.array(
      z.object({ month, income_fen: fen, cum_taxable_fen: fen, tax_fen: fen, withheld_fen: fen, cum_tax_fen: fen }),
    ),
    ...taxYearFields,
  }),
  errors: ['not_found'],
})

export const saveTaxYear = defineChange('POST /api/tax/saveTaxYear', payroll, {
  summary:
    'Saves what applies to a member for a whole tax year: first wage, 60,000 rule, and amounts from before this product was used.',
  input: z.object({ member_id: id, tax_year: taxYear, ...taxYearFields }),
  /** Open months of that year that must be computed again. */
  output: z.object({ months_to_recompute: z.array(month) }),
  errors: ['not_found'],
})

/** `steps` is for reviewers, not for the client: the calculation of each member's tax, one line per step. */
export const declarationKinds = ['wages', 'bonus', 'people', 'steps'] as const
/** Import layouts of client versions, by their number of columns; the default 29 has a column for everything stored here. */
export const declarationLayouts = ['33', '29', '28', '24'] as const

export const exportDeclaration = defineView('POST /api/tax/exportDeclaration', payroll, {
  summary: 'Exports a computed tax period in the import format of the official withholding client, or its steps to read.',
  requiredFeature: 'tax',
  rateLimit: 'costly',
  input: z.object({
    period_id: id,
    kind: z._default(z.enum(declarationKinds), 'wages'),
    layout: z._default(z.enum(declarationLayouts), '29'),
  }),
  output: z.object({
    oss_path: z.string(),
    file_name: z.string(),
    rows: z.int(),
    /** Number of members for whom a required cell stays empty because the roster has no identity card. */
    missing_id_card_count: z.int(),
  }),
  errors: ['not_found', 'not_permitted', 'wrong_state', 'view_locked'],
})

export const revealMemberTax = defineView('POST /api/tax/showMemberTax', payroll, {
  summary:
    "Returns a member's stored deductions and insurance bases unmasked. Each view is recorded in the member's history, and the member is notified.",
  input: z.object({ member_id: id }),
  output: z.object({
    deductions: z.array(deductionItem),
    /** The last year for which the deductions were confirmed. */
    confirmed_year: z.nullable(z.int()),
    /** By month, newest first. */
    insurance: z.array(insuranceEntry),
  }),
  errors: ['not_found'],
})
export type MemberTax = CallOutput<typeof revealMemberTax>
