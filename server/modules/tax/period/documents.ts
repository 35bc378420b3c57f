/** Encrypted documents of a tax period: inputs, results, a member's yearly data, and the totals of the month. */
import * as z from 'zod/mini'
import { defineDocument } from '../../../crypto/sealed-document.ts'
import type { Vault } from '../../../crypto/secrets.ts'
import type { TaxAmounts } from '../../../rules/law/wages/amounts.ts'
import type { ImportedIncome, MemberTaxResult, TaxYearProfile } from '../rules/amounts.ts'

const fenSchema = z.int()
const nullableFenSchema = z.nullable(fenSchema)
const amountsSchema = z.object({
  income_fen: fenSchema,
  exempt_fen: fenSchema,
  pension_fen: nullableFenSchema,
  medical_fen: nullableFenSchema,
  unemployment_fen: nullableFenSchema,
  housing_fund_fen: nullableFenSchema,
  social_fen: fenSchema,
  annuity_fen: fenSchema,
  health_fen: fenSchema,
  other_fen: fenSchema,
  donation_fen: fenSchema,
  reduction_fen: fenSchema,
  bonus_fen: fenSchema,
}) satisfies z.ZodMiniType<TaxAmounts>

export type StoredIncome = {
  /** The income from each batch, with one entry per batch. */
  readonly accepted: readonly ImportedIncome[]
  /** Entered manually; replaces the imported amounts. */
  readonly own: TaxAmounts | null
  readonly additional_cumulative_fen: number | null
  readonly withheld_fen: number | null
}
const taxIncomeDocument = defineDocument<StoredIncome>({
  kind: 'tax income',
  version: 1,
  schema: z.object({
    accepted: z.array(
      z.object({ batch_id: z.string(), way: z.enum(['wages', 'bonus']), amounts: amountsSchema, tax_fen: nullableFenSchema }),
    ),
    own: z.nullable(amountsSchema),
    additional_cumulative_fen: nullableFenSchema,
    withheld_fen: nullableFenSchema,
  }),
})

const sumsSchema = {
  income: fenSchema,
  exempt: fenSchema,
  special: fenSchema,
  additional: fenSchema,
  other: fenSchema,
  donation: fenSchema,
  reduction: fenSchema,
}
const taxResultDocument = defineDocument<MemberTaxResult>({
  kind: 'tax result',
  version: 1,
  schema: z.object({
    refused: z.nullable(z.string()),
    used: z.object(sumsSchema),
    special: z.object({
      pension: fenSchema,
      medical: fenSchema,
      unemployment: fenSchema,
      housing_fund: fenSchema,
      social: fenSchema,
    }),
    other: z.object({ annuity: fenSchema, health: fenSchema, other: fenSchema, personal_pension: fenSchema }),
    /** The cumulative values of the year up to this month. */
    cumulative: z.object({
      child_education: fenSchema,
      infant_care: fenSchema,
      continuing_education: fenSchema,
      housing_loan: fenSchema,
      housing_rent: fenSchema,
      elderly: fenSchema,
      personal_pension: fenSchema,
    }),
    figures: z.nullable(
      z.object({
        month: z.int(),
        months_counted: z.int(),
        month_basic: fenSchema,
        basic_rule: z.enum(['wage_months', 'wage_first_income', 'wage_under_60000']),
        sums: z.object(sumsSchema),
        cum_basic: fenSchema,
        cum_taxable: fenSchema,
        rate_ppm: z.int(),
        quick_fen: fenSchema,
        full_tax: fenSchema,
        cum_tax: fenSchema,
        cum_withheld: fenSchema,
      }),
    ),
    tax_fen: fenSchema,
    credit_fen: fenSchema,
    bonus: z.nullable(z.object({ amount_fen: fenSchema, tax_fen: fenSchema, rate_ppm: z.int(), quick_fen: fenSchema })),
    withheld_fen: fenSchema,
    notes: z.array(z.string()),
    scheme_id: z.nullable(z.string()),
  }),
})

const taxYearDocument = defineDocument<TaxYearProfile>({
  kind: 'tax year of a member',
  version: 1,
  schema: z.object({
    first_income_of_year: z.boolean(),
    prior_year_under_60000: z.boolean(),
    opening: z.nullable(
      z.object({
        through_month: z.int(),
        income_fen: fenSchema,
        exempt_fen: fenSchema,
        special_fen: fenSchema,
        additional_fen: fenSchema,
        other_fen: fenSchema,
        donation_fen: fenSchema,
        reduction_fen: fenSchema,
        withheld_fen: fenSchema,
      }),
    ),
  }),
})

const totalsSchema = z.object({
  people: z.int(),
  income_fen: fenSchema,
  tax_fen: fenSchema,
  bonus_fen: fenSchema,
  bonus_tax_fen: fenSchema,
  credit_fen: fenSchema,
})
export type PeriodTotals = z.infer<typeof totalsSchema>
const periodTotalsDocument = defineDocument<PeriodTotals>({ kind: 'totals of a tax period', version: 1, schema: totalsSchema })
const eventReasonDocument = defineDocument<{ reason: string }>({
  kind: 'reason of a tax period',
  version: 1,
  schema: z.object({ reason: z.string() }),
})

const getSealPosition = (table: string, row: string, column: string) => ({ table, row, column })
export const sealIncome = (vault: Vault, id: string, value: StoredIncome): Buffer =>
  taxIncomeDocument.seal(vault, getSealPosition('tax_income', id, 'income'), value)
export const openIncome = (vault: Vault, { id, income }: { readonly id: string; readonly income: Buffer }): StoredIncome =>
  taxIncomeDocument.open(vault, getSealPosition('tax_income', id, 'income'), income)

export const sealResult = (vault: Vault, id: string, value: MemberTaxResult): Buffer =>
  taxResultDocument.seal(vault, getSealPosition('tax_income', id, 'result'), value)
export const decryptTaxResult = (
  vault: Vault,
  { id, result }: { readonly id: string; readonly result: Buffer | null },
): MemberTaxResult | null =>
  result === null ? null : taxResultDocument.open(vault, getSealPosition('tax_income', id, 'result'), result)

export const sealYearProfile = (vault: Vault, id: string, value: TaxYearProfile): Buffer =>
  taxYearDocument.seal(vault, getSealPosition('tax_year', id, 'details'), value)
export const openYearProfile = (
  vault: Vault,
  { id, details: sealed }: { readonly id: string; readonly details: Buffer },
): TaxYearProfile => taxYearDocument.open(vault, getSealPosition('tax_year', id, 'details'), sealed)

export const sealTotals = (vault: Vault, id: string, value: PeriodTotals): Buffer =>
  periodTotalsDocument.seal(vault, getSealPosition('tax_period', id, 'totals'), value)
export const decryptPeriodTotals = (vault: Vault, id: string, totals: Buffer): PeriodTotals =>
  periodTotalsDocument.open(vault, getSealPosition('tax_period', id, 'totals'), totals)

export const sealReason = (vault: Vault, id: string, reason: string): Buffer =>
  eventReasonDocument.seal(vault, getSealPosition('tax_period_event', id, 'reason'), { reason })
export const openReason = (vault: Vault, id: string, reason: Buffer | null): string | null =>
  reason === null ? null : eventReasonDocument.open(vault, getSealPosition('tax_period_event', id, 'reason'), reason).reason
