/** An employee's own tax: the year's sums up to a month, and each step. calls.md lacks the call. */
import * as z from 'zod/mini'
import { defineView } from '../call.ts'
import { fen, id, month } from '../shared/schemas.ts'

/** Tax of a month that the company has closed. */
export const employeeTax = z.object({
  month,
  income_fen: fen,
  cum_income_fen: fen,
  cum_basic_fen: fen,
  cum_special_fen: fen,
  cum_additional_fen: fen,
  cum_other_fen: fen,
  cum_taxable_fen: fen,
  rate_ppm: z.int(),
  cum_tax_fen: fen,
  /** Withheld in earlier months of the year. */
  cum_withheld_fen: fen,
  tax_fen: fen,
  /** Withheld in excess so far. */
  credit_fen: fen,
  bonus_fen: fen,
  bonus_tax_fen: fen,
  /** The steps are in Chinese, each with the legal article that it is based on. */
  steps: z.array(z.string()),
})
export type EmployeeTax = z.infer<typeof employeeTax>

export const getSlipTax = defineView('POST /Api/Mobile/getSlipTax', 'employee', {
  summary:
    'Explains the tax on a payslip of the caller step by step: the cumulative amounts of the year up to its month of payment.',
  input: z.object({ slip_id: id }),
  /**
   * The value is null if the company has not closed that month here, or a payslip of the year requires verification
   * first.
   */
  output: z.object({ tax: z.nullable(employeeTax), is_hidden: z.boolean() }),
  errors: ['not_found', 'unconfirmed_holder', 'view_locked', 'closes_after_view', 'slip_closed'],
})
