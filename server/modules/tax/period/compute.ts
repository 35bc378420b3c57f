/** Computes a month member by member, in a job that may be stopped, killed and resumed. Writes tax_period and tax_income. */

import { sql } from 'kysely'
import * as contract from '../../../contract/tax/periods.ts'
import { canTaxPeriod } from '../../../contract/tax/statuses.ts'
import type { Secrets, Vault } from '../../../crypto/secrets.ts'
import type { CompanyVaultTx } from '../../../database/company-tx.ts'
import type { Database, Tx } from '../../../database/database.ts'
import { assertAllowed, defineHandler, fail } from '../../../http/handler.ts'
import type { JobContext, JobQueue } from '../../../jobs/queue.ts'
import type { Clock } from '../../../shared/clock.ts'
import { newId } from '../../../shared/ids.ts'
import { getEmployments } from '../../directory/index.ts'
import { loadMonthDeductions } from '../deduction/reader.ts'
import { loadMonthInsurance } from '../insurance/reader.ts'
import { defaultTaxYearProfile, getEffectiveAmounts, type MemberTaxResult, type TaxYearProfile } from '../rules/amounts.ts'
import { computeMemberTax, type EarlierMonth } from '../rules/member-tax.ts'
import { TaxTotals } from '../rules/totals.ts'
import { decryptTaxResult, openIncome, openYearProfile, sealResult, sealTotals } from './documents.ts'
import { memberCountColumns, type PeriodRow, requirePeriod } from './period-rows.ts'
import { assertEarlierMonthsLocked } from './periods.ts'

const computeJob = 'tax_compute'
/** Members computed per transaction: a quarter of a second, after which a stop takes effect. */
const membersPerStep = 250
type ComputeJobData = { readonly company_id: string; readonly period_id: string; readonly run_id: string }

export const computePeriod = defineHandler(contract.computePeriod, async (ctx, { period_id, action }) => {
  const { db, company_id } = ctx
  const period = await requirePeriod(ctx, period_id, true)
  const { status } = period
  const update = (values: { status: 'computing' | 'stopped'; run_id?: string; totals?: null }) =>
    db.updateTable('tax_period').set(values).where('company_id', '=', company_id).where('id', '=', period_id).execute()
  if (action === 'stop') {
    assertAllowed(canTaxPeriod.stop(status), { status })
    await update({ status: 'stopped' })
  } else {
    assertAllowed(canTaxPeriod.edit(status), { status })
    await assertEarlierMonthsLocked(ctx, period.month, status)
    // After a stop, members with results keep them; changed members have none.
    const run_id = action === 'start' && status === 'stopped' && period.run_id !== null ? period.run_id : newId()
    await update({ status: 'computing', run_id, totals: null })
    await ctx.jobs.send(computeJob, { company_id, period_id, run_id })
  }
  const counts = memberCountColumns(ctx)
  const current = await db
    .selectFrom('tax_period')
    .select(['status', counts.people.as('people'), counts.done.as('done')])
    .where('company_id', '=', company_id)
    .where('id', '=', period_id)
    .executeTakeFirstOrThrow()
  if (current.people === 0 && action !== 'stop') throw fail('wrong_state', '这一期里还没有人；请先引入或填写收入', { status })
  return current
})

type ComputeDeps = { readonly database: Database; readonly jobs: JobQueue; readonly secrets: Secrets; readonly clock: Clock }

/**
 * Registers the job. Idempotent: each step locks the month and computes the members without a result of its run; a job
 * of an earlier run, or of a stopped month, finds nothing to do.
 */
export function registerComputeJob({ database, jobs, secrets, clock }: ComputeDeps): void {
  jobs.register<ComputeJobData>(
    computeJob,
    async (data: ComputeJobData, { signal }: JobContext) => {
      for (let hasMore = true; hasMore; ) {
        // The next attempt, in this process or another one, continues with the rest.
        signal.throwIfAborted()
        hasMore = await database.inCompany(data.company_id, async (tx) =>
          computeNextMembers(tx, await secrets.vault(tx, data.company_id), data, clock.now()),
        )
      }
    },
    { timeoutSeconds: 600 },
  )
}

/** Computes a whole period within one transaction. */
export async function computeAllMembers({ db, vault }: CompanyVaultTx, data: ComputeJobData, now: Date): Promise<void> {
  while (await computeNextMembers(db, vault, data, now));
}

/** Computes some members; returns whether there are more. */
async function computeNextMembers(
  db: Tx,
  vault: Vault,
  { company_id, period_id, run_id }: ComputeJobData,
  now: Date,
): Promise<boolean> {
  const companyTx: CompanyVaultTx = { db, company_id, vault }
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
    .limit(membersPerStep)
    .execute()
  if (rows.length === 0) {
    await completePeriod(companyTx, period, now)
    return false
  }
  const results = await computeResults(companyTx, period.month, rows)
  const ids = rows.map(({ id }) => id)
  const sealed = rows.map(({ id, member_id }) => sealResult(vault, id, results.get(member_id) ?? throwMissingResult()))
  await sql`
    update tax_income set result = given.result, run_id = ${run_id}
    from unnest(${ids}::uuid[], ${sealed}::bytea[]) as given (id, result)
    where tax_income.company_id = ${company_id} and tax_income.id = given.id`.execute(db)
  return true
}

function throwMissingResult(): never {
  throw new TypeError('a person without a result')
}

type SealedIncomeRow = { readonly id: string; readonly member_id: string; readonly income: Buffer }

/** Computes the results of these members with one query per kind of data, independent of their number. */
async function computeResults(
  companyTx: CompanyVaultTx,
  month: string,
  rows: readonly SealedIncomeRow[],
): Promise<Map<string, MemberTaxResult>> {
  const memberIds = rows.map(({ member_id }) => member_id)
  const [year, monthNumber] = [Number(month.slice(0, 4)), Number(month.slice(5))]
  const employed = await getEmployments(companyTx, memberIds)
  const yearProfiles = await loadYearProfiles(companyTx, memberIds, year)
  const earlierMonths = await loadEarlierMonths(companyTx, memberIds, month)
  const spans = memberIds.map((member_id) => ({
    member_id,
    hire_month: employed.get(member_id)?.entry_on?.slice(0, 7) ?? null,
    leave_month: employed.get(member_id)?.left_on?.slice(0, 7) ?? null,
  }))
  const deductions = await loadMonthDeductions(companyTx, month, spans)
  const insurance = await loadMonthInsurance(companyTx, month, memberIds)
  const spanByMember = new Map(spans.map((one) => [one.member_id, one]))
  return new Map(
    rows.map((row) => {
      const { member_id } = row
      const income = openIncome(companyTx.vault, row)
      const { hire_month = null, leave_month = null } = spanByMember.get(member_id) ?? {}
      const result = computeMemberTax({
        year,
        month: monthNumber,
        hire_month,
        leave_month,
        profile: yearProfiles.get(member_id) ?? defaultTaxYearProfile,
        earlier_months: earlierMonths.get(member_id) ?? [],
        amounts: getEffectiveAmounts(income),
        additional_cumulative_fen: income.additional_cumulative_fen,
        withheld_fen: income.withheld_fen,
        deductions: deductions.get(member_id) ?? null,
        insurance: insurance.get(member_id) ?? null,
      })
      return [member_id, result]
    }),
  )
}

/** Loads members' yearly tax data. */
export async function loadYearProfiles(
  { db, company_id, vault }: CompanyVaultTx,
  memberIds: readonly string[],
  year: number,
): Promise<Map<string, TaxYearProfile>> {
  const rows = await db
    .selectFrom('tax_year')
    .select(['id', 'member_id', 'details'])
    .where('company_id', '=', company_id)
    .where('year', '=', year)
    .where(sql<boolean>`member_id = any(${[...memberIds]}::uuid[])`)
    .execute()
  return new Map(rows.map((row) => [row.member_id, openYearProfile(vault, row)]))
}

/** Loads the year's locked months before this one, in order. */
export async function loadEarlierMonths(
  { db, company_id, vault }: CompanyVaultTx,
  memberIds: readonly string[],
  month: string,
): Promise<Map<string, EarlierMonth[]>> {
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
    .where(sql<boolean>`tax_income.member_id = any(${[...memberIds]}::uuid[])`)
    .orderBy('tax_period.month')
    .execute()
  const byMember = new Map<string, EarlierMonth[]>()
  for (const row of rows) {
    const result = decryptTaxResult(vault, row)
    if (!result) continue
    const one: EarlierMonth = { month: Number(row.month.slice(5)), result }
    const months = byMember.get(row.member_id)
    if (months) months.push(one)
    else byMember.set(row.member_id, [one])
  }
  return byMember
}

/** Completes the period: stores the totals, and the locked months they are based on. */
async function completePeriod(
  { db, company_id, vault }: CompanyVaultTx,
  period: Pick<PeriodRow, 'id' | 'month'>,
  now: Date,
): Promise<void> {
  const totals = new TaxTotals()
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('tax_income')
      .select(['id', 'result'])
      .where('company_id', '=', company_id)
      .where('period_id', '=', period.id)
      .$if(after !== '', (query) => query.where('id', '>', after))
      .orderBy('id')
      .limit(membersPerStep * 2)
      .execute()
    for (const row of rows) totals.add(decryptTaxResult(vault, row))
    after = rows.at(-1)?.id ?? ''
    if (rows.length < membersPerStep * 2) break
  }
  await db
    .updateTable('tax_period')
    .set({
      status: 'computed',
      computed_at: now,
      totals: sealTotals(vault, period.id, totals.sums),
      based_on: sql`coalesce((select json_object_agg(before.month, before.locks) from tax_period as before
        where before.company_id = ${company_id} and before.status = 'locked' and before.month < ${period.month}
          and before.month >= ${`${period.month.slice(0, 4)}-01`}), '{}')`,
    })
    .where('company_id', '=', company_id)
    .where('id', '=', period.id)
    .execute()
}
