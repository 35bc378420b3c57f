/** Income tax preview: the tax that would be withheld. calls.md §10. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineRead } from '../call.ts'
import { fen, month } from '../shared/schemas.ts'
import { amount, amountOrZero } from './schemas.ts'

/** 1 to 12. */
const monthOfYear = z.int().check(z.gte(1, '月份应在 1 到 12 之间'), z.lte(12, '月份应在 1 到 12 之间'))
/** The fields of a month that can be changed; the increase of the month, not the year's sum. */
export const previewTaxFields = [
  'income_fen',
  'exempt_fen',
  'special_fen',
  'additional_fen',
  'other_fen',
  'donation_fen',
  'reduction_fen',
] as const
const amounts = {
  income_fen: amountOrZero,
  exempt_fen: amountOrZero,
  special_fen: amountOrZero,
  additional_fen: amountOrZero,
  other_fen: amountOrZero,
  donation_fen: amountOrZero,
  reduction_fen: amountOrZero,
}

const taxMonth = z.object({
  month: z.int(),
  months_counted: z.int(),
  cum_income_fen: fen,
  cum_basic_fen: fen,
  cum_taxable_fen: fen,
  rate_ppm: z.int(),
  quick_fen: fen,
  cum_tax_fen: fen,
  tax_fen: fen,
  /** Withheld in excess so far; credited in later months. */
  credit_fen: fen,
  /** The calculation in Chinese, each step with the article it rests on. */
  steps: z.array(z.string()),
})

export const previewTax = defineRead('POST /api/tax/previewTax', requirePower('2'), {
  summary:
    "Computes the tax that would be withheld from one member's wages month by month, and the effect of changing one figure. Stores nothing.",
  input: z.object({
    tax_year: z.int().check(z.gte(2000, '年份不正确'), z.lte(2099, '年份不正确')),
    /** Null: before this year. */
    hire_month: z.nullable(month),
    leave_month: z._default(z.nullable(month), null),
    first_income_of_year: z._default(z.boolean(), false),
    prior_year_under_60000: z._default(z.boolean(), false),
    /** The year's sums up to a month, for a company that started mid-year. */
    opening: z._default(z.nullable(z.object({ through_month: monthOfYear, ...amounts, withheld_fen: amountOrZero })), null),
    /** Entries can be in any order; two entries for the same month are two payments. */
    months: z
      .array(z.object({ month: monthOfYear, ...amounts, withheld_fen: z._default(z.nullable(amount), null) }))
      .check(z.minLength(1, '请至少填写一个月'), z.maxLength(60, '一年最多填写 60 笔')),
    change: z._default(z.nullable(z.object({ month: monthOfYear, field: z.enum(previewTaxFields), to_fen: amount })), null),
  }),
  output: z.object({
    months: z.array(taxMonth),
    total_fen: fen,
    /** The result with the change applied; null where no change was requested. */
    changed: z.nullable(z.object({ months: z.array(taxMonth), total_fen: fen, difference_fen: fen })),
  }),
})
