/** An employee's own tax: closed months with the computation steps. */
import { sql } from 'kysely'
import type { EmployeeTax } from '../../../contract/payslips/employee-tax.ts'
import type { CompanyVaultTx } from '../../../database/company-tx.ts'
import { getEffectiveAmounts, type MemberTaxResult } from '../rules/amounts.ts'
import { getBonusSteps, getWageSteps } from '../rules/member-tax.ts'
import { decryptTaxResult, openIncome } from './documents.ts'

type OwnTaxQuery = { readonly ids: readonly string[]; readonly year?: number; readonly batch_id?: string }

/** Returns the newest closed month for these rows, of a year, or of the batch's period; null if there is none. */
export async function getOwnTax(
  { db, company_id, vault }: CompanyVaultTx,
  { ids, year, batch_id }: OwnTaxQuery,
): Promise<EmployeeTax | null> {
  const row = await db
    .selectFrom('tax_income')
    .innerJoin('tax_period', (join) =>
      join.onRef('tax_period.company_id', '=', 'tax_income.company_id').onRef('tax_period.id', '=', 'tax_income.period_id'),
    )
    .select(['tax_income.id', 'tax_income.income', 'tax_income.result', 'tax_period.month'])
    .where('tax_income.company_id', '=', company_id)
    .where('tax_income.member_id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .where('tax_period.status', '=', 'locked')
    .$if(year !== undefined, (query) =>
      query.where('tax_period.month', '>=', `${year}-01`).where('tax_period.month', '<=', `${year}-12`),
    )
    .$if(batch_id !== undefined, (query) =>
      query.where(sql<boolean>`tax_period.sources @> ${JSON.stringify([{ batch_id }])}::jsonb`),
    )
    .orderBy('tax_period.month', 'desc')
    .limit(1)
    .executeTakeFirst()
  const result = row ? decryptTaxResult(vault, row) : null
  return row && result ? toEmployeeTax(row.month, result, getEffectiveAmounts(openIncome(vault, row)).bonus_fen) : null
}

function toEmployeeTax(month: string, result: MemberTaxResult, bonus_fen: number): EmployeeTax | null {
  const { figures, used, tax_fen, credit_fen, bonus } = result
  if (!figures) return null
  const { sums } = figures
  return {
    month,
    income_fen: used.income,
    cum_income_fen: sums.income,
    cum_basic_fen: figures.cum_basic,
    cum_special_fen: sums.special,
    cum_additional_fen: sums.additional,
    cum_other_fen: sums.other + sums.exempt + sums.donation,
    cum_taxable_fen: figures.cum_taxable,
    rate_ppm: figures.rate_ppm,
    cum_tax_fen: figures.cum_tax,
    cum_withheld_fen: figures.cum_withheld,
    tax_fen,
    credit_fen,
    bonus_fen,
    bonus_tax_fen: bonus?.tax_fen ?? 0,
    steps: [...getWageSteps(result), ...getBonusSteps(result, month)],
  }
}
