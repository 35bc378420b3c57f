/** Schemas shared by the tax calls: amounts, the contents of a month, the progress of a month. */

import * as z from 'zod/mini'
import { fen, id, month, time } from '../shared/schemas.ts'
import { taxPeriodStatuses } from './statuses.ts'

export const taxYear = z.int().check(z.gte(2019, '年份不正确'), z.lte(2099, '年份不正确'))
/** Ten billion yuan: above any wage, and far below the limit of safe integers. */
const most_fen = 1_000_000_000_000
export const amount = fen.check(z.gte(-most_fen, '金额太大，请核对'), z.lte(most_fen, '金额太大，请核对'))
export const amountOrZero = z._default(amount, 0)
/** If null, the contribution is calculated by the member's insurance scheme. */
const amountOrSchemeDefault = z._default(z.nullable(amount), null)

/** The amounts of a member's tax period; deductions are positive. */
export const taxAmounts = {
  income_fen: amountOrZero,
  exempt_fen: amountOrZero,
  pension_fen: amountOrSchemeDefault,
  medical_fen: amountOrSchemeDefault,
  unemployment_fen: amountOrSchemeDefault,
  housing_fund_fen: amountOrSchemeDefault,
  /** The employee's social insurance that a wage sheet states as one sum. */
  social_fen: amountOrZero,
  annuity_fen: amountOrZero,
  health_fen: amountOrZero,
  other_fen: amountOrZero,
  donation_fen: amountOrZero,
  reduction_fen: amountOrZero,
  /** 全年一次性奖金, taxed separately. */
  bonus_fen: amountOrZero,
}

export type TaxAmountName = keyof typeof taxAmounts

const status = z.enum(taxPeriodStatuses)
export const periodSummary = {
  period_id: id,
  month,
  status,
  member_count: z.int(),
  /** Members computed so far. */
  done: z.int(),
  computed_at: z.nullable(time),
  locked_at: z.nullable(time),
  locked_by: z.nullable(z.string()),
  /** Earlier months that were reopened or locked again since this one was computed: these results rest on their former values. */
  needs_recompute: z.array(month),
}
export const periodTotals = z.object({
  people: z.int(),
  income_fen: fen,
  tax_fen: fen,
  bonus_fen: fen,
  bonus_tax_fen: fen,
  /** Withheld in excess so far, total of all members. */
  credit_fen: fen,
})
export const incomeKinds = ['wages', 'bonus'] as const
