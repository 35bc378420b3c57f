/** What is sealed of a month of withholding: what went in, what came out, what is said of a person's year, what the month came to. */
import * as z from 'zod/mini'
import type { TaxAmounts } from '../../../rules/law/wages/amounts.ts'
import { documentKind } from '../../../runtime/data/document.ts'
import type { Vault } from '../../../runtime/secrets.ts'
import type { PersonResult, TakenIncome, YearFacts } from '../rules/amounts.ts'

const fen = z.int()
const fenOrNull = z.nullable(fen)
const amounts = z.object({
  income_fen: fen,
  exempt_fen: fen,
  pension_fen: fenOrNull,
  medical_fen: fenOrNull,
  unemployment_fen: fenOrNull,
  housing_fund_fen: fenOrNull,
  social_fen: fen,
  annuity_fen: fen,
  health_fen: fen,
  other_fen: fen,
  donation_fen: fen,
  reduction_fen: fen,
  bonus_fen: fen,
}) satisfies z.ZodMiniType<TaxAmounts>

export type KeptIncome = {
  /** What each pay run says, a line a run. */
  readonly taken: readonly TakenIncome[]
  /** Entered by somebody: stands in the place of what was taken. */
  readonly own: TaxAmounts | null
  readonly additional_cumulative_fen: number | null
  readonly withheld_fen: number | null
}
const taxIncome = documentKind<KeptIncome>({
  kind: 'tax income',
  version: 1,
  schema: z.object({
    taken: z.array(z.object({ batch_id: z.string(), way: z.enum(['wages', 'bonus']), amounts, tax_fen: fenOrNull })),
    own: z.nullable(amounts),
    additional_cumulative_fen: fenOrNull,
    withheld_fen: fenOrNull,
  }),
})

const sums = { income: fen, exempt: fen, special: fen, additional: fen, other: fen, donation: fen, reduction: fen }
const taxResult = documentKind<PersonResult>({
  kind: 'tax result',
  version: 1,
  schema: z.object({
    refused: z.nullable(z.string()),
    used: z.object(sums),
    special: z.object({ pension: fen, medical: fen, unemployment: fen, housing_fund: fen, social: fen }),
    other: z.object({ annuity: fen, health: fen, other: fen, personal_pension: fen }),
    /** Of the year up to this month. */
    cumulative: z.object({
      child_education: fen,
      infant_care: fen,
      continuing_education: fen,
      housing_loan: fen,
      housing_rent: fen,
      elderly: fen,
      personal_pension: fen,
    }),
    figures: z.nullable(
      z.object({
        month: z.int(),
        months_counted: z.int(),
        month_basic: fen,
        basic_rule: z.enum(['wage_months', 'wage_first_income', 'wage_under_60000']),
        sums: z.object(sums),
        cum_basic: fen,
        cum_taxable: fen,
        rate_ppm: z.int(),
        quick_fen: fen,
        full_tax: fen,
        cum_tax: fen,
        cum_withheld: fen,
      }),
    ),
    tax_fen: fen,
    credit_fen: fen,
    bonus: z.nullable(z.object({ amount_fen: fen, tax_fen: fen, rate_ppm: z.int(), quick_fen: fen })),
    withheld_fen: fen,
    notes: z.array(z.string()),
    scheme_id: z.nullable(z.string()),
  }),
})

const taxYear = documentKind<YearFacts>({
  kind: 'tax year of a person',
  version: 1,
  schema: z.object({
    first_income_of_year: z.boolean(),
    prior_year_under_60000: z.boolean(),
    opening: z.nullable(
      z.object({
        through_month: z.int(),
        income_fen: fen,
        exempt_fen: fen,
        special_fen: fen,
        additional_fen: fen,
        other_fen: fen,
        donation_fen: fen,
        reduction_fen: fen,
        withheld_fen: fen,
      }),
    ),
  }),
})

const totals = z.object({
  people: z.int(),
  income_fen: fen,
  tax_fen: fen,
  bonus_fen: fen,
  bonus_tax_fen: fen,
  credit_fen: fen,
})
export type PeriodTotals = z.infer<typeof totals>
const periodTotals = documentKind<PeriodTotals>({ kind: 'totals of a tax period', version: 1, schema: totals })
const eventReason = documentKind<{ reason: string }>({
  kind: 'reason of a tax period',
  version: 1,
  schema: z.object({ reason: z.string() }),
})

const at = (table: string, row: string, column: string) => ({ table, row, column })
export const sealIncome = (vault: Vault, id: string, value: KeptIncome): Buffer =>
  taxIncome.seal(vault, at('tax_income', id, 'income'), value)
export const openIncome = (vault: Vault, { id, income }: { readonly id: string; readonly income: Buffer }): KeptIncome =>
  taxIncome.open(vault, at('tax_income', id, 'income'), income)

export const sealResult = (vault: Vault, id: string, value: PersonResult): Buffer =>
  taxResult.seal(vault, at('tax_income', id, 'result'), value)
export const openResult = (
  vault: Vault,
  { id, result }: { readonly id: string; readonly result: Buffer | null },
): PersonResult | null => (result === null ? null : taxResult.open(vault, at('tax_income', id, 'result'), result))

export const sealFacts = (vault: Vault, id: string, value: YearFacts): Buffer =>
  taxYear.seal(vault, at('tax_year', id, 'facts'), value)
export const openFacts = (vault: Vault, { id, facts }: { readonly id: string; readonly facts: Buffer }): YearFacts =>
  taxYear.open(vault, at('tax_year', id, 'facts'), facts)

export const sealTotals = (vault: Vault, id: string, value: PeriodTotals): Buffer =>
  periodTotals.seal(vault, at('tax_period', id, 'totals'), value)
export const openTotals = (vault: Vault, id: string, totals: Buffer): PeriodTotals =>
  periodTotals.open(vault, at('tax_period', id, 'totals'), totals)

export const sealReason = (vault: Vault, id: string, reason: string): Buffer =>
  eventReason.seal(vault, at('tax_period_event', id, 'reason'), { reason })
export const openReason = (vault: Vault, id: string, reason: Buffer | null): string | null =>
  reason === null ? null : eventReason.open(vault, at('tax_period_event', id, 'reason'), reason).reason
