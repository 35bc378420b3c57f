/** Months of withholding as they came out: per person the year's figures and each step, and the file for the tax office. calls.md §10. */

import * as z from 'zod/mini'
import { call, type OutputOf } from '../../call.ts'
import { holders } from '../../who.ts'
import { fen, id, listOf, month, pageInput, wordsOrNone } from '../../words/words.ts'
import { deductionItem } from '../deductions.ts'
import { insuranceEntry } from '../insurance.ts'
import { taxPeriodStatuses } from './tax-states.ts'
import { amountOrNone, incomeWays, periodHead, periodTotals, taxYear } from './tax-words.ts'

const payroll = holders('2')

export const getHistoryList = call('POST /api/tax/getHistoryList', {
  does: 'Months of withholding with what they came to',
  who: payroll,
  once: false,
  audit: 'view',
  input: z.object({ year: z.optional(taxYear), status: z.optional(z.enum(taxPeriodStatuses)), ...pageInput }),
  /** Sums are told to whoever keeps everybody in the month, and where it is computed. */
  output: listOf(z.object({ ...periodHead, totals: z.nullable(periodTotals) })),
  refuses: [],
})

/** A person's month: what went in, the year's sums, what comes out. */
const personLine = z.object({
  member_id: id,
  name: z.string(),
  employee_no: z.string(),
  departments: z.string(),
  left: z.boolean(),
  /** Somebody has entered figures for this month. */
  by_hand: z.boolean(),
  income_fen: fen,
  bonus_fen: fen,
  /** What the sheets withheld; null where they have no such column. */
  sheet_tax_fen: z.nullable(fen),
  /** Null: not computed since the last change. */
  result: z.nullable(
    z.object({
      /** Why nothing could be computed; null where all is well. */
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

export const getHistoryDetail = call('POST /api/tax/getHistoryDetail', {
  does: 'The people of a month with their cumulative figures and what is withheld',
  who: payroll,
  once: false,
  audit: 'view',
  input: z.object({
    period_id: id,
    name: z.optional(wordsOrNone(50)),
    department_id: z.optional(id),
    ...pageInput,
  }),
  output: z.object({ ...listOf(personLine).shape, totals: z.nullable(periodTotals) }),
  refuses: ['not_found'],
})

const opening = z.object({
  through_month: z.int().check(z.gte(1, '月份应在 1 到 11 之间'), z.lte(11, '月份应在 1 到 11 之间')),
  income_fen: amountOrNone,
  exempt_fen: amountOrNone,
  special_fen: amountOrNone,
  additional_fen: amountOrNone,
  other_fen: amountOrNone,
  donation_fen: amountOrNone,
  reduction_fen: amountOrNone,
  withheld_fen: amountOrNone,
})
/** What is said of a person for a whole year. */
const yearFacts = {
  first_income_of_year: z.boolean(),
  prior_year_under_60000: z.boolean(),
  /** The year's sums up to a month, of a company that begins in mid-year. */
  opening: z.nullable(opening),
}
const shownAmounts = {
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

export const getPersonTax = call('POST /api/tax/getPersonTax', {
  does: 'One person in a month: where the figures come from, each step with its paragraph, the months of the year',
  who: payroll,
  once: false,
  audit: 'view',
  input: z.object({ period_id: id, member_id: id }),
  output: z.object({
    ...personLine.shape,
    hire_month: z.nullable(month),
    leave_month: z.nullable(month),
    /** What holds: entered by hand, else the runs together. */
    amounts: z.object(shownAmounts),
    additional_cumulative_fen: z.nullable(fen),
    withheld_fen: z.nullable(fen),
    taken: z.array(
      z.object({
        batch_id: id,
        way: z.enum(incomeWays),
        amounts: z.object(shownAmounts),
        sheet_tax_fen: z.nullable(fen),
      }),
    ),
    /** How it came about, in Chinese; empty where it was not computed. */
    steps: z.array(z.string()),
    bonus_steps: z.array(z.string()),
    /** What counts of deductions and insurance, and why. */
    notes: z.array(z.string()),
    /** The year's locked months before this one. */
    months: z.array(
      z.object({ month, income_fen: fen, cum_taxable_fen: fen, tax_fen: fen, withheld_fen: fen, cum_tax_fen: fen }),
    ),
    ...yearFacts,
  }),
  refuses: ['not_found'],
})

export const saveTaxYear = call('POST /api/tax/saveTaxYear', {
  does: 'What is said of a person for a whole tax year: first wage, 60,000 rule, sums of before this product',
  who: payroll,
  once: true,
  audit: 'change',
  input: z.object({ member_id: id, tax_year: taxYear, ...yearFacts }),
  /** Open months of that year that must be computed again. */
  output: z.object({ again: z.array(month) }),
  refuses: ['not_found'],
})

/** `steps` is for those who check it, not for the client: how each person's tax came about, a line a step. */
export const declarationKinds = ['wages', 'bonus', 'people', 'steps'] as const
/** Layouts of the client as it was at different times, by their number of columns; 29 unless said: it has a place for everything that is kept here. */
export const wageLayouts = ['33', '29', '28', '24'] as const

export const exportDeclaration = call('POST /api/tax/exportDeclaration', {
  does: 'A computed month as the official withholding client imports it, or its steps to read',
  who: payroll,
  needs: 'tax',
  once: false,
  audit: 'view',
  rate: 'costly',
  input: z.object({
    period_id: id,
    kind: z._default(z.enum(declarationKinds), 'wages'),
    layout: z._default(z.enum(wageLayouts), '29'),
  }),
  output: z.object({
    oss_path: z.string(),
    file_name: z.string(),
    rows: z.int(),
    /** People of whom a required cell stays empty, because the roster has no identity card of them. */
    without_card: z.int(),
  }),
  refuses: ['not_found', 'not_permitted', 'wrong_state'],
})

export const showMemberTax = call('POST /api/tax/showMemberTax', {
  does: "A person's deductions and insurance bases as they are kept. Each look leaves a line in his file, and he is told of it",
  who: payroll,
  once: false,
  audit: 'view',
  input: z.object({ member_id: id }),
  output: z.object({
    deductions: z.array(deductionItem),
    /** The last year for which they were confirmed. */
    confirmed_year: z.nullable(z.int()),
    /** By their months, the newest first. */
    insurance: z.array(insuranceEntry),
  }),
  refuses: ['not_found'],
})
export type MemberTax = OutputOf<typeof showMemberTax>
