/** Shapes that calls of salary tax share: amounts, what a month consists of, how far a month is. */

import * as z from 'zod/mini'
import { fen, id, month, time } from '../shared/schemas.ts'
import { taxPeriodStatuses } from './statuses.ts'

export const taxYear = z.int().check(z.gte(2019, '年份不正确'), z.lte(2099, '年份不正确'))
/** Ten billion yuan: no wage, and far from where integers end. */
const most_fen = 1_000_000_000_000
export const amount = fen.check(z.gte(-most_fen, '金额太大，请核对'), z.lte(most_fen, '金额太大，请核对'))
export const amountOrZero = z._default(amount, 0)
/** Nothing entered: as the person's insurance scheme has it. */
const amountOrSchemeDefault = z._default(z.nullable(amount), null)

/** What somebody's month of withholding is made of; what is taken off has no sign. */
export const taxAmounts = {
  income_fen: amountOrZero,
  exempt_fen: amountOrZero,
  pension_fen: amountOrSchemeDefault,
  medical_fen: amountOrSchemeDefault,
  unemployment_fen: amountOrSchemeDefault,
  housing_fund_fen: amountOrSchemeDefault,
  /** Own insurance that a sheet has as one sum. */
  social_fen: amountOrZero,
  annuity_fen: amountOrZero,
  health_fen: amountOrZero,
  other_fen: amountOrZero,
  donation_fen: amountOrZero,
  reduction_fen: amountOrZero,
  /** 全年一次性奖金, taxed apart. */
  bonus_fen: amountOrZero,
}

export type TaxAmountName = keyof typeof taxAmounts

const status = z.enum(taxPeriodStatuses)
export const periodSummary = {
  period_id: id,
  month,
  status,
  member_count: z.int(),
  /** People computed so far. */
  done: z.int(),
  computed_at: z.nullable(time),
  locked_at: z.nullable(time),
  locked_by: z.nullable(z.string()),
  /** Months before that were opened or locked again since this one was computed: what is told here rests on what they said then. */
  needs_recompute: z.array(month),
}
export const periodTotals = z.object({
  people: z.int(),
  income_fen: fen,
  tax_fen: fen,
  bonus_fen: fen,
  bonus_tax_fen: fen,
  /** Withheld too much so far, all people together. */
  credit_fen: fen,
})
export const incomeKinds = ['wages', 'bonus'] as const
