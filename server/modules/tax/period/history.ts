/** Months with their totals, and the members of a month. */
import { sql } from 'kysely'
import * as contract from '../../../contract/tax/history.ts'
import { defineHandler, type HandlerContext } from '../../../http/handler.ts'
import { isMemberInDepartment, loadRoster, matchesMemberName } from '../../directory/index.ts'
import { getEffectiveAmounts, type MemberTaxResult, sumSheetTax } from '../rules/amounts.ts'
import { decryptPeriodTotals, decryptTaxResult, openIncome } from './documents.ts'
import {
  coversEveryone,
  isManagedIncome,
  memberCountColumns,
  periodSummaryColumns,
  requirePeriod,
  selectStaleMonths,
  toPeriodSummary,
} from './period-rows.ts'

export const getHistoryList = defineHandler(contract.getHistoryList, async (ctx, { year, status, page, pagesize }) => {
  const { db, company_id, vault } = ctx
  const matches = db
    .selectFrom('tax_period')
    .where('company_id', '=', company_id)
    .$if(year !== undefined, (query) => query.where('month', 'like', `${year}-%`))
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'draft'))
  const { total } = await matches.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const counts = memberCountColumns(ctx)
  const rows = await matches
    .select([
      ...periodSummaryColumns,
      'totals',
      counts.people.as('people'),
      counts.done.as('done'),
      selectStaleMonths(company_id).as('stale'),
    ])
    .orderBy('month', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  const list = []
  for (const row of rows)
    list.push({
      ...toPeriodSummary(row),
      totals: row.totals && (await coversEveryone(ctx, row.id)) ? decryptPeriodTotals(vault, row.id, row.totals) : null,
    })
  return { list, page: { page, pagesize, total: Number(total) } }
})

export const getHistoryDetail = defineHandler(
  contract.getHistoryDetail,
  async (ctx, { period_id, name, department_id, page, pagesize }) => {
    const { db, company_id, vault } = ctx
    const period = await requirePeriod(ctx, period_id)
    const person = sql`tax_income.member_id`
    const matches = db
      .selectFrom('tax_income')
      .where('company_id', '=', company_id)
      .where('period_id', '=', period_id)
      .where(isManagedIncome(ctx))
      .$if(name !== undefined && name !== '', (query) => query.where(matchesMemberName(ctx, person, name ?? '')))
      .$if(department_id !== undefined, (query) => query.where(isMemberInDepartment(ctx, person, department_id ?? '')))
    const { total } = await matches.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
    const rows = await matches
      .select(['id', 'member_id', 'income', 'result'])
      .orderBy('member_id')
      .limit(pagesize)
      .offset((page - 1) * pagesize)
      .execute()
    const totals =
      period.totals && (await coversEveryone(ctx, period_id)) ? decryptPeriodTotals(vault, period_id, period.totals) : null
    return { list: await toMemberTaxResults(ctx, rows), page: { page, pagesize, total: Number(total) }, totals }
  },
)

/** Lists the results of a month in the order of the members' ids: those after `after`. Null where there is no period. */
export async function listMonthResultsAfter(
  ctx: HandlerContext,
  month: string,
  { after, limit }: { readonly after: string | null; readonly limit: number },
) {
  const { db, company_id } = ctx
  const period = await db
    .selectFrom('tax_period')
    .select(['id', 'status'])
    .where('company_id', '=', company_id)
    .where('month', '=', month)
    .executeTakeFirst()
  if (!period) return null
  const rows = await db
    .selectFrom('tax_income')
    .select(['id', 'member_id', 'income', 'result'])
    .where('company_id', '=', company_id)
    .where('period_id', '=', period.id)
    .where(isManagedIncome(ctx))
    .$if(after !== null, (query) => query.where('member_id', '>', after))
    .orderBy('member_id')
    .limit(limit)
    .execute()
  return { status: period.status, list: await toMemberTaxResults(ctx, rows) }
}

export type SealedIncomeRow = {
  readonly id: string
  readonly member_id: string
  readonly income: Buffer
  readonly result: Buffer | null
}

/** Converts the members of a month for lists. */
export async function toMemberTaxResults(ctx: HandlerContext, rows: readonly SealedIncomeRow[]) {
  const people = await loadRoster(
    ctx,
    rows.map(({ member_id }) => member_id),
  )
  const membersById = new Map(people.map((one) => [one.id, one]))
  return rows.map((row) => {
    const income = openIncome(ctx.vault, row)
    const amounts = getEffectiveAmounts(income)
    const member = membersById.get(row.member_id)
    return {
      member_id: row.member_id,
      name: member?.name ?? '',
      employee_no: member?.employee_no ?? '',
      departments: member?.departments ?? '',
      left: member?.status === 'left',
      is_manual: income.own !== null || income.additional_cumulative_fen !== null || income.withheld_fen !== null,
      income_fen: amounts.income_fen,
      bonus_fen: amounts.bonus_fen,
      sheet_tax_fen: sumSheetTax(income),
      result: toResultView(decryptTaxResult(ctx.vault, row)),
    }
  })
}

const toResultView = (result: MemberTaxResult | null) =>
  result && {
    refused: result.refused,
    months_counted: result.figures?.months_counted ?? 0,
    cum_income_fen: result.figures?.sums.income ?? 0,
    cum_basic_fen: result.figures?.cum_basic ?? 0,
    cum_special_fen: result.figures?.sums.special ?? 0,
    cum_additional_fen: result.figures?.sums.additional ?? 0,
    cum_other_fen: result.figures?.sums.other ?? 0,
    cum_taxable_fen: result.figures?.cum_taxable ?? 0,
    rate_ppm: result.figures?.rate_ppm ?? 0,
    quick_fen: result.figures?.quick_fen ?? 0,
    cum_tax_fen: result.figures?.cum_tax ?? 0,
    cum_withheld_fen: result.figures?.cum_withheld ?? 0,
    tax_fen: result.tax_fen,
    credit_fen: result.credit_fen,
    bonus_tax_fen: result.bonus?.tax_fen ?? 0,
    withheld_fen: result.withheld_fen,
  }
