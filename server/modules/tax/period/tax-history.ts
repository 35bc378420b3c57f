/**
 * Writes a tax year that is known from elsewhere in one go: deductions, opening balances, and months that are computed
 * by the product's own rules and locked. Writes member_deduction, tax_year, tax_period, tax_income and tax_period_event.
 */
import type { DeductionItem } from '../../../contract/tax/deductions.ts'
import type { CompanyVaultTx } from '../../../database/company-tx.ts'
import type { TaxAmounts } from '../../../rules/law/wages/amounts.ts'
import { deductionStore } from '../deduction/store.ts'
import { createImportedIncome, defaultTaxYearProfile, zeroAmounts } from '../rules/amounts.ts'
import type { OpeningBalance } from '../rules/opening.ts'
import { computeAllMembers } from './compute.ts'
import { sealIncome, sealYearProfile } from './documents.ts'
import { emptyIncome } from './income.ts'
import { createIncomeSource } from './periods.ts'

type PaidIncome = { readonly member_id: string; readonly amounts: Partial<TaxAmounts>; readonly tax_fen: number }
export type LockedMonth = {
  readonly month: string
  readonly batch_id: string
  readonly paid_at: Date
  readonly locked_at: Date
  readonly incomes: readonly PaidIncome[]
}
export type TaxHistory = {
  readonly deductions: readonly { readonly member_id: string; readonly items: DeductionItem[] }[]
  readonly openings: readonly { readonly member_id: string; readonly opening: OpeningBalance }[]
  /** Months of the openings and confirmed deductions. */
  readonly year: number
  /** Oldest first. */
  readonly months: readonly LockedMonth[]
  readonly by: { readonly name: string; readonly account_id: string }
  readonly makeId: () => string
}
const rowsPerStatement = 300

export async function writeTaxHistory(companyTx: CompanyVaultTx, history: TaxHistory): Promise<void> {
  const { db, company_id, vault } = companyTx
  const { deductions, openings, year, months, makeId } = history
  const [firstMonth] = months
  if (!firstMonth) return
  await deductionStore.keep(
    { ...companyTx, now: firstMonth.paid_at },
    deductions.map(({ member_id, items }) => ({ member_id, version: 0, value: { items, confirmed_year: year } })),
  )
  const profiles = openings.map(({ member_id, opening }) => {
    const id = makeId()
    return { company_id, id, member_id, year, details: sealYearProfile(vault, id, { ...defaultTaxYearProfile, opening }) }
  })
  for (let from = 0; from < profiles.length; from += rowsPerStatement)
    await db
      .insertInto('tax_year')
      .values(profiles.slice(from, from + rowsPerStatement))
      .execute()
  for (const month of months) await writeLockedMonth(companyTx, month, history)
}

async function writeLockedMonth(
  companyTx: CompanyVaultTx,
  { month, batch_id, paid_at, locked_at, incomes }: LockedMonth,
  { by, makeId }: Pick<TaxHistory, 'by' | 'makeId'>,
): Promise<void> {
  const { db, company_id, vault } = companyTx
  const [period_id, run_id] = [makeId(), makeId()]
  await db
    .insertInto('tax_period')
    .values({
      company_id,
      id: period_id,
      month,
      status: 'computing',
      run_id,
      sources: JSON.stringify([createIncomeSource(batch_id, 'wages', incomes.length, paid_at)]),
      created_at: paid_at,
    })
    .execute()
  const rows = incomes.map(({ member_id, amounts, tax_fen }) => {
    const id = makeId()
    const accepted = [createImportedIncome(batch_id, 'wages', { ...zeroAmounts, ...amounts }, tax_fen)]
    return { company_id, id, period_id, member_id, income: sealIncome(vault, id, { ...emptyIncome, accepted }) }
  })
  for (let from = 0; from < rows.length; from += rowsPerStatement)
    await db
      .insertInto('tax_income')
      .values(rows.slice(from, from + rowsPerStatement))
      .execute()
  await computeAllMembers(companyTx, { company_id, period_id, run_id }, locked_at)
  await db
    .updateTable('tax_period')
    .set({ status: 'locked', locked_at, locked_by: by.name, locks: 1 })
    .where('company_id', '=', company_id)
    .where('id', '=', period_id)
    .execute()
  const events = [
    { kind: 'created' as const, at: paid_at },
    { kind: 'locked' as const, at: locked_at },
  ].map((event) => ({ company_id, id: makeId(), period_id, by_name: by.name, account_id: by.account_id, ...event }))
  await db.insertInto('tax_period_event').values(events).execute()
}
