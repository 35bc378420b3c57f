/** A month computed person by person, by a job that may be stopped, killed and gone on with. Writes tax_period and tax_income. */

import { sql } from 'kysely'
import * as contract from '../../../contract/wage/periods.ts'
import { canTax } from '../../../contract/wage/tax/tax-states.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { Database, Tx } from '../../../runtime/db.ts'
import { type Ctx, handle, must, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import type { JobContext, Jobs } from '../../../runtime/jobs.ts'
import type { Secrets, Vault } from '../../../runtime/secrets.ts'
import { employedOf } from '../../member/index.ts'
import { deductionsFor } from '../deduction/reader.ts'
import { insuranceFor } from '../insurance/reader.ts'
import { amountsOf, noFacts, type PersonResult, type YearFacts } from '../rules/amounts.ts'
import { type MonthBefore, taxOfPerson } from '../rules/person-tax.ts'
import { TotalsOf } from '../rules/totals.ts'
import { openFacts, openIncome, openResult, sealResult, sealTotals } from './documents.ts'
import { mustFollowLocked } from './periods.ts'
import { type PeriodRow, peopleIn, periodOf } from './rows.ts'

const job_name = 'tax_compute'
/** People computed in one transaction: a quarter of a second, after which a stop is heard. */
const people_a_turn = 250
type ComputeData = { readonly company_id: string; readonly period_id: string; readonly run_id: string }

export const computePeriod = handle(contract.computePeriod, async (ctx, { period_id, act }) => {
  const { db, company_id } = ctx
  const period = await periodOf(ctx, period_id, true)
  const { status } = period
  const set = (values: { status: 'computing' | 'stopped'; run_id?: string; totals?: null }) =>
    db.updateTable('tax_period').set(values).where('company_id', '=', company_id).where('id', '=', period_id).execute()
  if (act === 'stop') {
    must(canTax.stop(status), { status })
    await set({ status: 'stopped' })
  } else {
    must(canTax.edit(status), { status })
    await mustFollowLocked(ctx, period.month, status)
    // Where it was stopped, whoever has his figures keeps them; changed ones have none.
    const run_id = act === 'start' && status === 'stopped' && period.run_id !== null ? period.run_id : newId()
    await set({ status: 'computing', run_id, totals: null })
    await ctx.jobs.send(job_name, { company_id, period_id, run_id })
  }
  const counts = peopleIn(ctx)
  const now = await db
    .selectFrom('tax_period')
    .select(['status', counts.people.as('people'), counts.done.as('done')])
    .where('company_id', '=', company_id)
    .where('id', '=', period_id)
    .executeTakeFirstOrThrow()
  if (now.people === 0 && act !== 'stop') throw refuse('wrong_state', '这一期里还没有人；请先取入或填写收入', { status })
  return now
})

type Parts = { readonly database: Database; readonly jobs: Jobs; readonly secrets: Secrets; readonly clock: Clock }

/**
 * Declares the job. Doing it twice is harmless: each turn locks the month and computes those who do not bear its run yet; a job of an older run, or of
 * a month that was stopped, finds nothing to do.
 */
export function openComputing({ database, jobs, secrets, clock }: Parts): void {
  jobs.on<ComputeData>(
    job_name,
    async (data: ComputeData, { signal }: JobContext) => {
      for (let more = true; more; ) {
        // What is left is done by the next try, here or elsewhere.
        signal.throwIfAborted()
        more = await database.inCompany(data.company_id, async (tx) =>
          turn(tx, await secrets.vault(tx, data.company_id), data, clock.now()),
        )
      }
    },
    { expire_s: 600 },
  )
}

type Here = { readonly db: Tx; readonly company_id: string; readonly vault: Vault }

/** Some people; answers whether there are more. */
async function turn(db: Tx, vault: Vault, { company_id, period_id, run_id }: ComputeData, now: Date): Promise<boolean> {
  const here: Here = { db, company_id, vault }
  const period = await db
    .selectFrom('tax_period')
    .selectAll()
    .where('company_id', '=', company_id)
    .where('id', '=', period_id)
    .where('run_id', '=', run_id)
    .where('status', '=', 'computing')
    .forUpdate()
    .executeTakeFirst()
  if (!period) return false
  const rows = await db
    .selectFrom('tax_income')
    .select(['id', 'member_id', 'income'])
    .where('company_id', '=', company_id)
    .where('period_id', '=', period_id)
    .where(sql<boolean>`run_id is distinct from ${run_id}`)
    .orderBy('id')
    .limit(people_a_turn)
    .execute()
  if (rows.length === 0) {
    await finish(here, period, now)
    return false
  }
  const results = await resultsOf(here, period.month, rows)
  const ids = rows.map(({ id }) => id)
  const sealed = rows.map(({ id, member_id }) => sealResult(vault, id, results.get(member_id) ?? missing()))
  await sql`
    update tax_income set result = given.result, run_id = ${run_id}
    from unnest(${ids}::uuid[], ${sealed}::bytea[]) as given (id, result)
    where tax_income.company_id = ${company_id} and tax_income.id = given.id`.execute(db)
  return true
}

function missing(): never {
  throw new TypeError('a person without a result')
}

type Raw = { readonly id: string; readonly member_id: string; readonly income: Buffer }

/** What comes out for these people: one look at each of the things that are asked for, whatever their number. */
async function resultsOf(here: Here, month: string, rows: readonly Raw[]): Promise<Map<string, PersonResult>> {
  const people = rows.map(({ member_id }) => member_id)
  const [year, number] = [Number(month.slice(0, 4)), Number(month.slice(5))]
  const employed = await employedOf(here, people)
  const facts = await factsOf(here, people, year)
  const before = await monthsBefore(here, people, month)
  const spans = people.map((member_id) => ({
    member_id,
    hired: employed.get(member_id)?.entry_on?.slice(0, 7) ?? null,
    left: employed.get(member_id)?.left_on?.slice(0, 7) ?? null,
  }))
  const deductions = await deductionsFor(here, month, spans)
  const insurance = await insuranceFor(here, month, people)
  const spanOf = new Map(spans.map((one) => [one.member_id, one]))
  return new Map(
    rows.map((row) => {
      const { member_id } = row
      const kept = openIncome(here.vault, row)
      const { hired = null, left = null } = spanOf.get(member_id) ?? {}
      const result = taxOfPerson({
        year,
        month: number,
        hired,
        left,
        facts: facts.get(member_id) ?? noFacts,
        before: before.get(member_id) ?? [],
        amounts: amountsOf(kept),
        additional_cumulative_fen: kept.additional_cumulative_fen,
        withheld_fen: kept.withheld_fen,
        deductions: deductions.get(member_id) ?? null,
        insurance: insurance.get(member_id) ?? null,
      })
      return [member_id, result]
    }),
  )
}

/** What was said of people for the year. */
export async function factsOf(
  { db, company_id, vault }: Pick<Ctx, 'db' | 'company_id' | 'vault'>,
  people: readonly string[],
  year: number,
): Promise<Map<string, YearFacts>> {
  const rows = await db
    .selectFrom('tax_year')
    .select(['id', 'member_id', 'facts'])
    .where('company_id', '=', company_id)
    .where('year', '=', year)
    .where(sql<boolean>`member_id = any(${[...people]}::uuid[])`)
    .execute()
  return new Map(rows.map((row) => [row.member_id, openFacts(vault, row)]))
}

/** The year's locked months before this one, in order. */
export async function monthsBefore(
  { db, company_id, vault }: Pick<Ctx, 'db' | 'company_id' | 'vault'>,
  people: readonly string[],
  month: string,
): Promise<Map<string, MonthBefore[]>> {
  const rows = await db
    .selectFrom('tax_income')
    .innerJoin('tax_period', (join) =>
      join.onRef('tax_period.company_id', '=', 'tax_income.company_id').onRef('tax_period.id', '=', 'tax_income.period_id'),
    )
    .select(['tax_income.id', 'tax_income.member_id', 'tax_income.result', 'tax_period.month'])
    .where('tax_income.company_id', '=', company_id)
    .where('tax_period.status', '=', 'locked')
    .where('tax_period.month', '<', month)
    .where('tax_period.month', '>=', `${month.slice(0, 4)}-01`)
    .where(sql<boolean>`tax_income.member_id = any(${[...people]}::uuid[])`)
    .orderBy('tax_period.month')
    .execute()
  const found = new Map<string, MonthBefore[]>()
  for (const row of rows) {
    const result = openResult(vault, row)
    if (!result) continue
    const one: MonthBefore = { month: Number(row.month.slice(5)), result }
    const known = found.get(row.member_id)
    if (known) known.push(one)
    else found.set(row.member_id, [one])
  }
  return found
}

/** Everybody is done: the sums, and on which locked months they rest. */
async function finish({ db, company_id, vault }: Here, period: Pick<PeriodRow, 'id' | 'month'>, now: Date): Promise<void> {
  const totals = new TotalsOf()
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('tax_income')
      .select(['id', 'result'])
      .where('company_id', '=', company_id)
      .where('period_id', '=', period.id)
      .$if(after !== '', (query) => query.where('id', '>', after))
      .orderBy('id')
      .limit(people_a_turn * 2)
      .execute()
    for (const row of rows) totals.add(openResult(vault, row))
    after = rows.at(-1)?.id ?? ''
    if (rows.length < people_a_turn * 2) break
  }
  await db
    .updateTable('tax_period')
    .set({
      status: 'computed',
      computed_at: now,
      totals: sealTotals(vault, period.id, totals.sums),
      rests_on: sql`coalesce((select json_object_agg(before.month, before.locks) from tax_period as before
        where before.company_id = ${company_id} and before.status = 'locked' and before.month < ${period.month}
          and before.month >= ${`${period.month.slice(0, 4)}-01`}), '{}')`,
    })
    .where('company_id', '=', company_id)
    .where('id', '=', period.id)
    .execute()
}
