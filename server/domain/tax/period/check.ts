/** A month before it is locked: everybody of it beside last month, the slips and the sheets. Nothing is kept of what is found. */

import { setImmediate } from 'node:timers/promises'
import * as contract from '../../../contract/wage/periods.ts'
import { type TaxProblemKind, taxProblemKinds } from '../../../contract/wage/tax/tax-states.ts'
import { type Ctx, handle, Refusal } from '../../../runtime/handle.ts'
import { employedOf } from '../../member/index.ts'
import { deductionsFor } from '../deduction/reader.ts'
import { insuranceFor } from '../insurance/reader.ts'
import { amountsOf, noFacts, sheetTaxOf, type TakenIncome } from '../rules/amounts.ts'
import { type CheckedPerson, missingPerson, problemsOf, type TaxProblem } from '../rules/check.ts'
import { TotalsOf } from '../rules/totals.ts'
import { factsOf, monthsBefore } from './compute.ts'
import { openResult } from './documents.ts'
import { sourcesOf } from './periods.ts'
import { type IncomeRow, incomesOf, type PeriodRow, periodOf } from './rows.ts'
import { takenFrom } from './taken.ts'

export const checkPeriod = handle(contract.checkPeriod, async (ctx, { period_id, kind, page, pagesize }) => {
  const period = await periodOf(ctx, period_id)
  const runs = await runsNow(ctx, period)
  const last = await lastMonth(ctx, period.month)
  const problems: TaxProblem[] = []
  const totals = new TotalsOf()
  const here = new Set<string>()
  let sheet_tax_fen: number | null = null
  for await (const rows of incomesOf(ctx, period_id)) {
    for (const one of await checked(ctx, rows, { period, runs, last })) {
      here.add(one.member_id)
      totals.add(one.result)
      if (one.sheet_tax_fen !== null) sheet_tax_fen = (sheet_tax_fen ?? 0) + one.sheet_tax_fen
      problems.push(...problemsOf(one, { month: period.month, last: last !== null }))
    }
    await setImmediate()
  }
  if (last) problems.push(...(await missing(ctx, last, here)))
  const kinds = countKinds(problems)
  const wanted = ordered(problems).filter((one) => kind === undefined || one.kind === kind)
  return {
    list: wanted.slice((page - 1) * pagesize, page * pagesize),
    page: { page, pagesize, total: wanted.length },
    kinds,
    now: totals.sums,
    last: last && { ...last.sums, month: last.month },
    sheet_tax_fen,
  }
})

const order = new Map(taxProblemKinds.map((one, at) => [one, at]))
const ordered = (problems: readonly TaxProblem[]): TaxProblem[] =>
  problems.toSorted(
    (a, b) => Number(b.level === 'error') - Number(a.level === 'error') || (order.get(a.kind) ?? 0) - (order.get(b.kind) ?? 0),
  )

function countKinds(problems: readonly TaxProblem[]) {
  const counts = new Map<TaxProblemKind, { kind: TaxProblemKind; level: 'error' | 'warning'; count: number }>()
  for (const { kind, level } of ordered(problems)) {
    const known = counts.get(kind)
    if (known) known.count += 1
    else counts.set(kind, { kind, level, count: 1 })
  }
  return [...counts.values()]
}

type Runs = ReadonlyMap<string, ReadonlyMap<string, TakenIncome>>
/** What the runs say now. One that is not mine to see is not compared; one that is gone or withdrawn says nothing of anybody. */
async function runsNow(ctx: Ctx, period: PeriodRow): Promise<Runs> {
  const runs = new Map<string, ReadonlyMap<string, TakenIncome>>()
  for (const { batch_id, way } of sourcesOf(period.sources))
    try {
      runs.set(batch_id, await takenFrom(ctx, batch_id, way))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.refusal === 'wrong_state') runs.set(batch_id, new Map())
    }
  return runs
}

type Last = {
  readonly month: string
  readonly income: ReadonlyMap<string, number>
  readonly sums: TotalsOf['sums']
}
/** Null where there is no period of the month before. */
async function lastMonth(ctx: Ctx, month: string): Promise<Last | null> {
  const before = monthBefore(month)
  const row = await ctx.db
    .selectFrom('tax_period')
    .select('id')
    .where('company_id', '=', ctx.company_id)
    .where('month', '=', before)
    .executeTakeFirst()
  if (!row) return null
  const [income, totals] = [new Map<string, number>(), new TotalsOf()]
  for await (const page of incomesOf(ctx, row.id))
    for (const one of page) {
      income.set(one.member_id, amountsOf(one.kept).income_fen)
      totals.add(openResult(ctx.vault, one))
    }
  return { month: before, income, sums: totals.sums }
}
function monthBefore(month: string): string {
  const [year = 0, of = 0] = month.split('-').map(Number)
  return of === 1 ? `${year - 1}-12` : `${year}-${String(of - 1).padStart(2, '0')}`
}

type Beside = { readonly period: PeriodRow; readonly runs: Runs; readonly last: Last | null }
async function checked(ctx: Ctx, rows: readonly IncomeRow[], { period, runs, last }: Beside): Promise<CheckedPerson[]> {
  const { month } = period
  const ids = rows.map(({ member_id }) => member_id)
  const employed = await employedOf(ctx, ids)
  const facts = await factsOf(ctx, ids, Number(month.slice(0, 4)))
  const before = await monthsBefore(ctx, ids, month)
  const spans = ids.map((member_id) => ({
    member_id,
    hired: employed.get(member_id)?.entry_on?.slice(0, 7) ?? null,
    left: employed.get(member_id)?.left_on?.slice(0, 7) ?? null,
  }))
  const deductions = await deductionsFor(ctx, month, spans)
  const insurance = await insuranceFor(ctx, month, ids)
  return rows.map((row, at): CheckedPerson => {
    const { member_id, kept } = row
    const { first_income_of_year, prior_year_under_60000, opening } = facts.get(member_id) ?? noFacts
    const months = (before.get(member_id) ?? []).filter((one) => one.month > (opening?.through_month ?? 0))
    const known = kept.taken.every(({ batch_id }) => runs.has(batch_id))
    return {
      member_id,
      name: employed.get(member_id)?.name ?? '',
      has_card: employed.get(member_id)?.has_card ?? false,
      hired: spans[at]?.hired ?? null,
      left: spans[at]?.left ?? null,
      taken: kept.taken,
      by_hand: kept.own !== null,
      amounts: amountsOf(kept),
      sheet_tax_fen: sheetTaxOf(kept),
      result: openResult(ctx.vault, row),
      now: known ? nowOf(runs, member_id) : null,
      months_known: months.length + (opening?.through_month ?? 0),
      first_income_of_year,
      prior_year_under_60000,
      deductions: deductions.get(member_id) ?? null,
      insurance: insurance.get(member_id) ?? null,
      last_income_fen: last?.income.get(member_id) ?? null,
    }
  })
}

function nowOf(runs: Runs, member_id: string): ReadonlyMap<string, TakenIncome> {
  return new Map(
    [...runs].flatMap(([batch_id, people]) => {
      const own = people.get(member_id)
      return own ? [[batch_id, own] as const] : []
    }),
  )
}

/** Who had an income in the month before, is not here and has not left. */
async function missing(ctx: Ctx, last: Last, here: ReadonlySet<string>): Promise<TaxProblem[]> {
  const gone = [...last.income].filter(([member_id]) => !here.has(member_id))
  const employed = await employedOf(
    ctx,
    gone.map(([member_id]) => member_id),
  )
  return gone.flatMap(([member_id, income_fen]) => {
    const who = employed.get(member_id)
    return who && who.left_on === null ? [missingPerson({ member_id, name: who.name }, income_fen)] : []
  })
}
