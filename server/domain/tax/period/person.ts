/** One person in a month, with each step; and what is said of him for a whole year. Writes tax_year. */
import { sql } from 'kysely'
import * as contract from '../../../contract/wage/tax/tax-history.ts'
import { type Ctx, handle, invalid, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { employedOf, keptAmong, recordInFile, rowsOfPerson } from '../../member/index.ts'
import { deductionsKept } from '../deduction/document.ts'
import { insuranceKept } from '../insurance/document.ts'
import { amountsOf, noFacts } from '../rules/amounts.ts'
import { bonusStepsOf, stepsOf } from '../rules/person-tax.ts'
import { factsOf, monthsBefore } from './compute.ts'
import { openIncome, openResult, sealFacts } from './documents.ts'
import { linesOf } from './lists.ts'
import { keptIncome, periodOf, toDraft } from './rows.ts'

export const getPersonTax = handle(contract.getPersonTax, async (ctx, { period_id, member_id }) => {
  const { db, company_id, vault } = ctx
  const { month } = await periodOf(ctx, period_id)
  const row = await db
    .selectFrom('tax_income')
    .select(['id', 'member_id', 'income', 'result'])
    .where('company_id', '=', company_id)
    .where('period_id', '=', period_id)
    .where('member_id', '=', member_id)
    .where(keptIncome(ctx))
    .executeTakeFirst()
  const [line] = row ? await linesOf(ctx, [row]) : []
  if (!row || !line) throw refuse('not_found', '这一期里没有这位员工')
  const kept = openIncome(vault, row)
  const result = openResult(vault, row)
  const employed = (await employedOf(ctx, [member_id])).get(member_id)
  const year = Number(month.slice(0, 4))
  const facts = (await factsOf(ctx, [member_id], year)).get(member_id) ?? noFacts
  const before = (await monthsBefore(ctx, [member_id], month)).get(member_id) ?? []
  return {
    ...line,
    hire_month: employed?.entry_on?.slice(0, 7) ?? null,
    leave_month: employed?.left_on?.slice(0, 7) ?? null,
    amounts: amountsOf(kept),
    additional_cumulative_fen: kept.additional_cumulative_fen,
    withheld_fen: kept.withheld_fen,
    taken: kept.taken.map(({ tax_fen, ...one }) => ({ ...one, sheet_tax_fen: tax_fen })),
    steps: result ? stepsOf(result) : [],
    bonus_steps: result ? bonusStepsOf(result, month) : [],
    notes: [...(result?.notes ?? [])],
    months: before.map(({ month: at, result: was }) => ({
      month: `${year}-${String(at).padStart(2, '0')}`,
      income_fen: was.used.income,
      cum_taxable_fen: was.figures?.cum_taxable ?? 0,
      tax_fen: was.tax_fen,
      withheld_fen: was.withheld_fen,
      cum_tax_fen: was.figures?.cum_tax ?? 0,
    })),
    ...facts,
  }
})

export const saveTaxYear = handle(contract.saveTaxYear, async (ctx, { member_id, tax_year: year, ...facts }) => {
  const { db, company_id, vault } = ctx
  if (!(await keptAmong(ctx, [member_id])).has(member_id)) throw refuse('not_found', '没有找到这位员工')
  if (facts.first_income_of_year && facts.prior_year_under_60000)
    throw invalid('first_income_of_year', '「当年首次取得工资」和「上年收入不超过六万元」不能同时适用；请只选一项')
  const open = await periodsOf(ctx, member_id, year)
  const locked = open.find(
    ({ month, status }) => status === 'locked' && Number(month.slice(5)) <= (facts.opening?.through_month ?? 0),
  )
  if (locked) throw invalid('opening.through_month', `${locked.month} 已经在这里锁定，不能再包含在期初累计里；请填到它之前的月份`)
  // One row a person and year: written anew, because what is sealed is bound to its row.
  await db
    .deleteFrom('tax_year')
    .where('company_id', '=', company_id)
    .where('member_id', '=', member_id)
    .where('year', '=', year)
    .execute()
  const id = newId()
  await db
    .insertInto('tax_year')
    .values({ company_id, id, member_id, year, facts: sealFacts(vault, id, facts) })
    .execute()
  return { again: await computeAgain(ctx, member_id, open) }
})

type Standing = { readonly id: string; readonly month: string; readonly status: string }
/** The months of a year that he is in; each of them is held until the transaction ends. */
const periodsOf = ({ db, company_id }: Ctx, member_id: string, year: number): Promise<Standing[]> =>
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

/** In open months he waits to be computed; what is computing takes him in once more at its end. */
async function computeAgain(ctx: Ctx, member_id: string, periods: readonly Standing[]): Promise<string[]> {
  const open = periods.filter(({ status }) => status !== 'locked')
  const ids = open.map(({ id }) => id)
  await ctx.db
    .updateTable('tax_income')
    .set({ result: null, run_id: null })
    .where('company_id', '=', ctx.company_id)
    .where('member_id', '=', member_id)
    .where(sql<boolean>`period_id = any(${ids}::uuid[])`)
    .execute()
  await toDraft(
    ctx,
    open.filter(({ status }) => status === 'computed').map(({ id }) => id),
  )
  return open.map(({ month }) => month)
}

/** What is kept of him whatever the month, for the page of one person. Who has looked stands in his file. */
export const showMemberTax = handle(contract.showMemberTax, async (ctx, { member_id }) => {
  // Not found where I do not keep him.
  await rowsOfPerson(ctx, member_id)
  const [deductions] = await deductionsKept.sealed(ctx, [member_id])
  const [insurance] = await insuranceKept.sealed(ctx, [member_id])
  if (deductions || insurance) await recordInFile(ctx, [{ member_id, kind: 'looked_tax' }])
  const { items = [], confirmed_year = null } = deductions ? deductionsKept.open(ctx, deductions) : {}
  return {
    deductions: items,
    confirmed_year,
    insurance: insurance ? insuranceKept.open(ctx, insurance).entries.toReversed() : [],
  }
})
