/** A member's month with each computation step, and the member's yearly data. */
import * as contract from '../../../contract/tax/history.ts'
import { defineHandler, fail, invalidInput } from '../../../http/handler.ts'
import { filterManageableMembers, getEmployments, getMemberRowIds, recordInFile } from '../../directory/index.ts'
import { deductionStore } from '../deduction/store.ts'
import { insuranceStore } from '../insurance/store.ts'
import { defaultTaxYearProfile, getEffectiveAmounts } from '../rules/amounts.ts'
import { getBonusSteps, getWageSteps } from '../rules/member-tax.ts'
import { loadEarlierMonths, loadYearProfiles } from './compute.ts'
import { decryptTaxResult, openIncome } from './documents.ts'
import { toMemberTaxResults } from './history.ts'
import { isManagedIncome, requirePeriod } from './period-rows.ts'
import { findLockedMonth, lockYearPeriods, saveYearProfiles } from './year-profiles.ts'

export const getMemberTaxDetail = defineHandler(contract.getMemberTaxDetail, async (ctx, { period_id, member_id }) => {
  const { db, company_id, vault } = ctx
  const { month } = await requirePeriod(ctx, period_id)
  const row = await db
    .selectFrom('tax_income')
    .select(['id', 'member_id', 'income', 'result'])
    .where('company_id', '=', company_id)
    .where('period_id', '=', period_id)
    .where('member_id', '=', member_id)
    .where(isManagedIncome(ctx))
    .executeTakeFirst()
  const [item] = row ? await toMemberTaxResults(ctx, [row]) : []
  if (!row || !item) throw fail('not_found', '这一期里没有这位员工')
  const income = openIncome(vault, row)
  const result = decryptTaxResult(vault, row)
  const employed = (await getEmployments(ctx, [member_id])).get(member_id)
  const year = Number(month.slice(0, 4))
  const yearProfile = (await loadYearProfiles(ctx, [member_id], year)).get(member_id) ?? defaultTaxYearProfile
  const earlierMonths = (await loadEarlierMonths(ctx, [member_id], month)).get(member_id) ?? []
  return {
    ...item,
    hire_month: employed?.entry_on?.slice(0, 7) ?? null,
    leave_month: employed?.left_on?.slice(0, 7) ?? null,
    amounts: getEffectiveAmounts(income),
    additional_cumulative_fen: income.additional_cumulative_fen,
    withheld_fen: income.withheld_fen,
    sources: income.accepted.map(({ tax_fen, ...one }) => ({ ...one, sheet_tax_fen: tax_fen })),
    steps: result ? getWageSteps(result) : [],
    bonus_steps: result ? getBonusSteps(result, month) : [],
    notes: [...(result?.notes ?? [])],
    months: earlierMonths.map(({ month: at, result: earlier }) => ({
      month: `${year}-${String(at).padStart(2, '0')}`,
      income_fen: earlier.used.income,
      cum_taxable_fen: earlier.figures?.cum_taxable ?? 0,
      tax_fen: earlier.tax_fen,
      withheld_fen: earlier.withheld_fen,
      cum_tax_fen: earlier.figures?.cum_tax ?? 0,
    })),
    ...yearProfile,
  }
})

export const saveTaxYear = defineHandler(contract.saveTaxYear, async (ctx, { member_id, tax_year: year, ...yearProfile }) => {
  if (!(await filterManageableMembers(ctx, [member_id])).has(member_id)) throw fail('not_found', '没有找到这位员工')
  if (yearProfile.first_income_of_year && yearProfile.prior_year_under_60000)
    throw invalidInput('first_income_of_year', '「当年首次取得工资」和「上年收入不超过六万元」不能同时适用；请只选一项')
  const periods = await lockYearPeriods(ctx, [member_id], year)
  const error = findLockedMonth(periods.get(member_id) ?? [], yearProfile.opening)
  if (error) throw invalidInput('opening.through_month', error)
  return { months_to_recompute: await saveYearProfiles(ctx, year, new Map([[member_id, yearProfile]]), periods) }
})

/** Returns a member's tax data that is independent of the month. The access is recorded in the access log. */
export const revealMemberTax = defineHandler(contract.revealMemberTax, async (ctx, { member_id }) => {
  // Throws not found if the user does not manage the member.
  await getMemberRowIds(ctx, member_id)
  const [deductions] = await deductionStore.sealed(ctx, [member_id])
  const [insurance] = await insuranceStore.sealed(ctx, [member_id])
  if (deductions || insurance) await recordInFile(ctx, [{ member_id, kind: 'looked_tax' }])
  const { items = [], confirmed_year = null } = deductions ? deductionStore.open(ctx, deductions) : {}
  return {
    deductions: items,
    confirmed_year,
    insurance: insurance ? insuranceStore.open(ctx, insurance).entries.toReversed() : [],
  }
})
