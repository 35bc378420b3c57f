/** Tax comparisons: a month with the official client's result file, a year with its annual reconciliation. calls.md §10. */

import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineView } from '../call.ts'
import { fen, id, month, optionalText, pageParams, paginatedList } from '../shared/schemas.ts'
import { amountOrZero, taxYear } from './schemas.ts'

/** The compared values, in the order in which they derive from each other. Amounts in fen, `rate` in parts per million. */
export const withholdingFields = [
  'income',
  'exempt',
  'pension',
  'medical',
  'unemployment',
  'housing_fund',
  /** The employee's total insurance of the month, where its items are not known. */
  'special',
  'cum_income',
  'cum_exempt',
  'cum_basic',
  'cum_special',
  'cum_additional',
  'cum_other',
  'cum_donation',
  'cum_taxable',
  'rate',
  'quick',
  'full_tax',
  'cum_reduction',
  'cum_tax',
  'cum_withheld',
  'due',
  'bonus',
  'bonus_tax',
] as const
const count = z.int().check(z.gte(0))
export type WithholdingDifference = {
  readonly field: (typeof withholdingFields)[number]
  readonly computed: number
  readonly declared: number
}

const withholdingComparison = z.object({
  /** The value is null if the member is in the period but not in the file. */
  row: z.nullable(count),
  sheet: z.string(),
  /** The value is null if the member of the row is unknown. */
  member_id: z.nullable(id),
  name: z.string(),
  kind: z.enum(['differs', 'only_file', 'only_here', 'fault']),
  /** The recommended action for the difference. */
  message: z.string(),
  fields: z.array(z.object({ field: z.enum(withholdingFields), computed: z.int(), declared: z.int() })),
})
export type WithholdingComparison = z.infer<typeof withholdingComparison>

export const compareWithholding = defineView('POST /api/tax/compareWithheld', requirePower('2'), {
  summary:
    'Compares the result file of the official withholding client with a computed month, by member and figure. Stores nothing.',
  requiredFeature: 'tax',
  rateLimit: 'costly',
  requestType: 'file',
  input: z.object({ period_id: id }),
  output: z.object({
    month,
    counts: z.object({ same: count, differs: count, only_file: count, only_here: count, fault: count }),
    /** Totals over all members. */
    ours_due_fen: fen,
    theirs_due_fen: fen,
    /** The first rows; identical ones are only counted. */
    rows: z.array(withholdingComparison),
    /** Rows of other kinds of income, which are not withheld here. */
    other_items: count,
    other_sheets: z.array(z.string()),
  }),
  errors: ['not_found', 'wrong_state', 'unreadable_sheet'],
})

export const reconciliationKinds = ['owes', 'back', 'even', 'other_way'] as const
export type ReconciliationKind = (typeof reconciliationKinds)[number]

const reconciliationItem = {
  member_id: id,
  name: z.string(),
  employee_no: z.string(),
  departments: z.string(),
  left: z.boolean(),
  /** Number of the year's locked months that include the member. */
  months: count,
  /** Without exempt income. */
  wages_fen: fen,
  bonus_fen: fen,
  special_fen: fen,
  additional_fen: fen,
  other_fen: fen,
  donation_fen: fen,
  reduction_fen: fen,
  /** For wages and bonus. */
  withheld_fen: fen,
  /** The amount with the bonus taxed separately; null where there was none, or where that is not allowed. */
  separate_fen: z.nullable(fen),
  merged_fen: fen,
  better_bonus_method: z.enum(['separate', 'merged', 'same']),
  tax_fen: fen,
  /** A positive amount is tax to pay; a negative amount is a refund. */
  due_fen: fen,
  /** The amount due, or the income, is below the limit up to which no payment is required. */
  payment_exempt: z.boolean(),
}

export const getReconciliationList = defineView('POST /api/tax/getYearEndList', requirePower('2'), {
  summary:
    "Lists the annual reconciliation of all members in the caller's scope, from the locked months of the year: who owes, who gets a refund, and whose bonus is better merged.",
  rateLimit: 'costly',
  input: z.object({
    year: taxYear,
    kind: z.optional(z.enum(reconciliationKinds)),
    name: z.optional(optionalText(50)),
    ...pageParams,
  }),
  output: z.object({
    ...paginatedList(z.object(reconciliationItem)).shape,
    /** Locked months, and open months that the result does not include. */
    locked: z.array(month),
    open: z.array(month),
    counts: z.object({ owes: count, back: count, even: count, other_way: count }),
    payable_fen: fen,
    refund_fen: fen,
    /** Total saving of all members whose bonus is better merged. */
    saved_fen: fen,
  }),
})

export const getReconciliationDetail = defineView('POST /api/tax/getYearEndPerson', requirePower('2'), {
  summary:
    'Returns the annual reconciliation of one member step by step, with income from elsewhere if the member reports it. That income is not stored.',
  input: z.object({
    member_id: id,
    year: taxYear,
    /** Amounts at other employers: wages, the employee's insurance, tax withheld. */
    elsewhere_fen: amountOrZero,
    elsewhere_special_fen: amountOrZero,
    elsewhere_withheld_fen: amountOrZero,
    labor_fen: amountOrZero,
    /** Medical expenses borne by the employee. */
    illness_fen: amountOrZero,
    /** 专项附加扣除 and other deductions that the employer does not know. */
    more_fen: amountOrZero,
  }),
  output: z.object({
    ...reconciliationItem,
    /** The income and the amount due up to which no payment is required in that year. */
    exemption_limits: z.nullable(z.object({ income_fen: fen, due_fen: fen })),
    steps: z.array(z.string()),
  }),
  errors: ['not_found'],
})
