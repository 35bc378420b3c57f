/** Months with what they came to, and the people of a month. */
import { sql } from 'kysely'
import * as contract from '../../../contract/wage/tax/tax-history.ts'
import { type Ctx, handle } from '../../../runtime/handle.ts'
import { personCalled, personWithin, roster } from '../../member/index.ts'
import { amountsOf, type PersonResult, sheetTaxOf } from '../rules/amounts.ts'
import { openIncome, openResult, openTotals } from './documents.ts'
import { headFields, headOf, isWhole, keptIncome, peopleIn, periodOf, staleFor } from './rows.ts'

export const getHistoryList = handle(contract.getHistoryList, async (ctx, { year, status, page, pagesize }) => {
  const { db, company_id, vault } = ctx
  const found = db
    .selectFrom('tax_period')
    .where('company_id', '=', company_id)
    .$if(year !== undefined, (query) => query.where('month', 'like', `${year}-%`))
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'draft'))
  const { total } = await found.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const counts = peopleIn(ctx)
  const rows = await found
    .select([...headFields, 'totals', counts.people.as('people'), counts.done.as('done'), staleFor(company_id).as('stale')])
    .orderBy('month', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  const list = []
  for (const row of rows)
    list.push({
      ...headOf(row),
      totals: row.totals && (await isWhole(ctx, row.id)) ? openTotals(vault, row.id, row.totals) : null,
    })
  return { list, page: { page, pagesize, total: Number(total) } }
})

export const getHistoryDetail = handle(
  contract.getHistoryDetail,
  async (ctx, { period_id, name, department_id, page, pagesize }) => {
    const { db, company_id, vault } = ctx
    const period = await periodOf(ctx, period_id)
    const person = sql`tax_income.member_id`
    const found = db
      .selectFrom('tax_income')
      .where('company_id', '=', company_id)
      .where('period_id', '=', period_id)
      .where(keptIncome(ctx))
      .$if(name !== undefined && name !== '', (query) => query.where(personCalled(ctx, person, name ?? '')))
      .$if(department_id !== undefined, (query) => query.where(personWithin(ctx, person, department_id ?? '')))
    const { total } = await found.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
    const rows = await found
      .select(['id', 'member_id', 'income', 'result'])
      .orderBy('member_id')
      .limit(pagesize)
      .offset((page - 1) * pagesize)
      .execute()
    const totals = period.totals && (await isWhole(ctx, period_id)) ? openTotals(vault, period_id, period.totals) : null
    return { list: await linesOf(ctx, rows), page: { page, pagesize, total: Number(total) }, totals }
  },
)

export type RawIncome = {
  readonly id: string
  readonly member_id: string
  readonly income: Buffer
  readonly result: Buffer | null
}

/** People of a month as lists show them. */
export async function linesOf(ctx: Ctx, rows: readonly RawIncome[]) {
  const people = await roster(
    ctx,
    rows.map(({ member_id }) => member_id),
  )
  const known = new Map(people.map((one) => [one.id, one]))
  return rows.map((row) => {
    const kept = openIncome(ctx.vault, row)
    const amounts = amountsOf(kept)
    const who = known.get(row.member_id)
    return {
      member_id: row.member_id,
      name: who?.name ?? '',
      employee_no: who?.employee_no ?? '',
      departments: who?.departments ?? '',
      left: who?.status === 'left',
      by_hand: kept.own !== null || kept.additional_cumulative_fen !== null || kept.withheld_fen !== null,
      income_fen: amounts.income_fen,
      bonus_fen: amounts.bonus_fen,
      sheet_tax_fen: sheetTaxOf(kept),
      result: shownResult(openResult(ctx.vault, row)),
    }
  })
}

const shownResult = (result: PersonResult | null) =>
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
