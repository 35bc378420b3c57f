/** The stored tax data about an employee, for their data export: deductions, contribution bases, yearly data, closed months. */
import { sql } from 'kysely'
import type { CompanyVaultTx } from '../../database/company-tx.ts'
import { toIsoTimestamp } from '../../shared/clock.ts'
import { deductionStore } from './deduction/store.ts'
import { insuranceStore } from './insurance/store.ts'
import { decryptTaxResult, openIncome, openYearProfile } from './period/documents.ts'
import { getEffectiveAmounts } from './rules/amounts.ts'

/** Reads exactly these rows. A month that is not closed is work in progress and might reveal pay that was not sent yet. */
export async function getMemberTaxData(ctx: CompanyVaultTx, ids: readonly string[]) {
  const { db, company_id, vault } = ctx
  const inIds = sql<string>`any(${[...ids]}::uuid[])`
  const months = await db
    .selectFrom('tax_income')
    .innerJoin('tax_period', (join) =>
      join.onRef('tax_period.company_id', '=', 'tax_income.company_id').onRef('tax_period.id', '=', 'tax_income.period_id'),
    )
    .select(['tax_income.id', 'tax_income.income', 'tax_income.result', 'tax_period.month', 'tax_period.locked_at'])
    .where('tax_income.company_id', '=', company_id)
    .where('tax_income.member_id', '=', inIds)
    .where('tax_period.status', '=', 'locked')
    .orderBy('tax_period.month', 'desc')
    .orderBy('tax_income.id')
    .execute()
  const years = await db
    .selectFrom('tax_year')
    .select(['id', 'year', 'details'])
    .where('company_id', '=', company_id)
    .where('member_id', '=', inIds)
    .orderBy('year', 'desc')
    .orderBy('id')
    .execute()
  return {
    deductions: (await deductionStore.sealed(ctx, ids)).flatMap((one) => deductionStore.open(ctx, one).items),
    insurance: (await insuranceStore.sealed(ctx, ids)).flatMap((one) => insuranceStore.open(ctx, one).entries),
    years: years.map((one) => ({ year: one.year, ...openYearProfile(vault, one) })),
    months: months.map((one) => ({
      month: one.month,
      locked_at: one.locked_at && toIsoTimestamp(one.locked_at),
      amounts: getEffectiveAmounts(openIncome(vault, one)),
      result: decryptTaxResult(vault, one),
    })),
  }
}
