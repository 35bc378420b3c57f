/** A member's month with each computation step, and the member's yearly data. Writes tax_year. */
import { sql } from 'kysely'
import * as contract from '../../../contract/tax/history.ts'
import { defineHandler, fail, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { newId } from '../../../shared/ids.ts'
import { filterManageableMembers, getEmployments, getMemberRowIds, recordInFile } from '../../directory/index.ts'
import { deductionStore } from '../deduction/store.ts'
import { insuranceStore } from '../insurance/store.ts'
import { defaultTaxYearProfile, getEffectiveAmounts } from '../rules/amounts.ts'
import { getBonusSteps, getWageSteps } from '../rules/member-tax.ts'
import { loadEarlierMonths, loadYearProfiles } from './compute.ts'
import { decryptTaxResult, openIncome, sealYearProfile } from './documents.ts'
import { toMemberTaxResults } from './history.ts'
import { isManagedIncome, requirePeriod, resetToDraft } from './period-rows.ts'

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
  const { db, company_id, vault } = ctx
  if (!(await filterManageableMembers(ctx, [member_id])).has(member_id)) throw fail('not_found', '没有找到这位员工')
  if (yearProfile.first_income_of_year && yearProfile.prior_year_under_60000)
    throw invalidInput('first_income_of_year', '「当年首次取得工资」和「上年收入不超过六万元」不能同时适用；请只选一项')
  const periods = await lockMemberPeriods(ctx, member_id, year)
  const locked = periods.find(
    ({ month, status }) => status === 'locked' && Number(month.slice(5)) <= (yearProfile.opening?.through_month ?? 0),
  )
  if (locked)
    throw invalidInput('opening.through_month', `${locked.month} 已经在这里锁定，不能再包含在期初累计里；请填到它之前的月份`)
  // Each member and year has one row, which is written again because the encrypted value is bound to it.
  await db
    .deleteFrom('tax_year')
    .where('company_id', '=', company_id)
    .where('member_id', '=', member_id)
    .where('year', '=', year)
    .execute()
  const id = newId()
  await db
    .insertInto('tax_year')
    .values({ company_id, id, member_id, year, details: sealYearProfile(vault, id, yearProfile) })
    .execute()
  return { months_to_recompute: await resetMemberResults(ctx, member_id, periods) }
})

type PeriodStatusRow = { readonly id: string; readonly month: string; readonly status: string }
/** Locks the months of a year that contain the member until the transaction ends. */
const lockMemberPeriods = ({ db, company_id }: HandlerContext, member_id: string, year: number): Promise<PeriodStatusRow[]> =>
  db
    .selectFrom('tax_period')
    .select(['id', 'month', 'status'])
    .where('company_id', '=', company_id)
    .where('month', 'like', `${year}-%`)
    .where(
      sql<boolean>`exists (select from tax_income where tax_income.company_id = ${company_id}
        and tax_income.period_id = tax_period.id and tax_income.member_id = ${member_id})`,
    )
    .orderBy('month')
    .forUpdate()
    .execute()

/** In open months the member awaits computation; a running computation includes them again at its end. */
async function resetMemberResults(
  ctx: HandlerContext,
  member_id: string,
  periods: readonly PeriodStatusRow[],
): Promise<string[]> {
  const open = periods.filter(({ status }) => status !== 'locked')
  const ids = open.map(({ id }) => id)
  await ctx.db
    .updateTable('tax_income')
    .set({ result: null, run_id: null })
    .where('company_id', '=', ctx.company_id)
    .where('member_id', '=', member_id)
    .where(sql<boolean>`period_id = any(${ids}::uuid[])`)
    .execute()
  await resetToDraft(
    ctx,
    open.filter(({ status }) => status === 'computed').map(({ id }) => id),
  )
  return open.map(({ month }) => month)
}

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
