/** The annual reconciliation of people, by the locked months of a year. Nothing of it is kept: it follows from them. */
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import * as contract from '../../../contract/wage/tax/tax-results.ts'
import { stayLimits } from '../../../rules/law/income/settlement.ts'
import { said } from '../../../rules/law/steps.ts'
import { type Ctx, handle, refuse } from '../../../runtime/handle.ts'
import { personCalled, roster } from '../../member/index.ts'
import { isOf, type LockedMonth, nothingElsewhere, type YearEnd, yearEndOf } from '../rules/year-end.ts'
import { openResult } from './documents.ts'
import { keptIncome } from './rows.ts'

/** People whose months are opened at once. */
const people_a_turn = 200

const lockedIncome = (ctx: Ctx, year: number) =>
  ctx.db
    .selectFrom('tax_income')
    .innerJoin('tax_period', (join) =>
      join.onRef('tax_period.company_id', '=', 'tax_income.company_id').onRef('tax_period.id', '=', 'tax_income.period_id'),
    )
    .where('tax_income.company_id', '=', ctx.company_id)
    .where('tax_period.status', '=', 'locked')
    .where('tax_period.month', '>=', `${year}-01`)
    .where('tax_period.month', '<=', `${year}-12`)
    .where(keptIncome(ctx))

async function monthsOf(ctx: Ctx, year: number, people: readonly string[]): Promise<Map<string, LockedMonth[]>> {
  const rows = await lockedIncome(ctx, year)
    .select(['tax_income.id', 'tax_income.member_id', 'tax_income.result', 'tax_period.month'])
    .where(sql<boolean>`tax_income.member_id = any(${[...people]}::uuid[])`)
    .orderBy('tax_period.month')
    .execute()
  const found = new Map<string, LockedMonth[]>()
  for (const row of rows) {
    const result = openResult(ctx.vault, row)
    if (!result) continue
    const known = found.get(row.member_id) ?? []
    found.set(row.member_id, [...known, { month: Number(row.month.slice(5)), result }])
  }
  return found
}

type Found = { readonly member_id: string; readonly end: YearEnd }
/** Everybody of my scope in the year, in the order of what is due. */
async function everybody(ctx: Ctx, year: number, name: string | undefined): Promise<Found[]> {
  const ids = await lockedIncome(ctx, year)
    .select('tax_income.member_id')
    .distinct()
    .$if(name !== undefined && name !== '', (query) => query.where(personCalled(ctx, sql`tax_income.member_id`, name ?? '')))
    .orderBy('tax_income.member_id')
    .execute()
  const found: Found[] = []
  for (let from = 0; from < ids.length; from += people_a_turn) {
    const some = ids.slice(from, from + people_a_turn).map(({ member_id }) => member_id)
    for (const [member_id, months] of await monthsOf(ctx, year, some)) {
      const end = yearEndOf(year, months)
      if (end) found.push({ member_id, end })
    }
    await setImmediate()
  }
  return found.toSorted((a, b) => b.end.found.due - a.end.found.due || (a.member_id < b.member_id ? -1 : 1))
}

export const getYearEndList = handle(contract.getYearEndList, async (ctx, { year, kind, name, page, pagesize }) => {
  const periods = await ctx.db
    .selectFrom('tax_period')
    .select(['month', 'status'])
    .where('company_id', '=', ctx.company_id)
    .where('month', '>=', `${year}-01`)
    .where('month', '<=', `${year}-12`)
    .orderBy('month')
    .execute()
  const all = await everybody(ctx, year, name)
  const count = (of: contract.YearEndKind) => all.filter(({ end }) => isOf(of, end)).length
  const wanted = kind === undefined ? all : all.filter(({ end }) => isOf(kind, end))
  const due = all.map(({ end }) => end.found.due)
  return {
    list: await linesOf(ctx, wanted.slice((page - 1) * pagesize, page * pagesize)),
    page: { page, pagesize, total: wanted.length },
    locked: periods.flatMap(({ month, status }) => (status === 'locked' ? [month] : [])),
    open: periods.flatMap(({ month, status }) => (status === 'locked' ? [] : [month])),
    counts: { owes: count('owes'), back: count('back'), even: count('even'), other_way: count('other_way') },
    owed_fen: due.reduce((sum, one) => sum + Math.max(0, one), 0),
    back_fen: due.reduce((sum, one) => sum + Math.max(0, -one), 0),
    saved_fen: all.reduce((sum, { end }) => sum + (isOf('other_way', end) ? (end.found.separate ?? 0) - end.found.merged : 0), 0),
  }
})

async function linesOf(ctx: Ctx, found: readonly Found[]) {
  const people = await roster(
    ctx,
    found.map(({ member_id }) => member_id),
  )
  const known = new Map(people.map((one) => [one.id, one]))
  return found.map(({ member_id, end: { months, of, found: settled } }) => {
    const who = known.get(member_id)
    return {
      member_id,
      name: who?.name ?? '',
      employee_no: who?.employee_no ?? '',
      departments: who?.departments ?? '',
      left: who?.status === 'left',
      months,
      wages_fen: of.wages,
      bonus_fen: of.bonus,
      special_fen: of.special,
      additional_fen: of.additional,
      other_fen: of.other,
      donation_fen: of.donation,
      reduction_fen: of.reduction,
      withheld_fen: of.withheld,
      separate_fen: settled.separate,
      merged_fen: settled.merged,
      better: settled.better,
      tax_fen: settled.tax,
      due_fen: settled.due,
      may_stay: settled.may_stay,
    }
  })
}

export const getYearEndPerson = handle(contract.getYearEndPerson, async (ctx, { member_id, year, ...told }) => {
  const months = (await monthsOf(ctx, year, [member_id])).get(member_id) ?? []
  const end = yearEndOf(year, months, {
    ...nothingElsewhere,
    wages: told.elsewhere_fen,
    special: told.elsewhere_special_fen,
    withheld: told.elsewhere_withheld_fen,
    labor: told.labor_fen,
    illness: told.illness_fen,
    more: told.more_fen,
  })
  const [line] = end ? await linesOf(ctx, [{ member_id, end }]) : []
  if (!end || !line) throw refuse('not_found', `${year} 年还没有他锁定的月份`)
  return { ...line, stay_limits: stayLimits(year), steps: end.found.steps.map(said) }
})
