/** What the check of a wage sheet asks of a person's tax year: what is closed, deductions, what was said of the year. Sheets do not know tax. */
import { sql } from 'kysely'
import type { KnownTaxYear } from '../../../rules/law/wages/known-year.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { employedOf } from '../../member/index.ts'
import { titlesOfRuns } from '../../sheet/index.ts'
import { type TaxKeeper } from '../../sheet/ready/index.ts'
import { deductionsFor } from '../deduction/reader.ts'
import { insuranceFor } from '../insurance/reader.ts'
import { noFacts } from '../rules/amounts.ts'
import { keptOf, type TaxStanding } from '../rules/kept.ts'
import { factsOf } from './compute.ts'
import { openIncome, openResult } from './documents.ts'
import { sourcesOf } from './periods.ts'

type Here = Pick<Ctx, 'db' | 'company_id' | 'vault'>
const monthsAfter = (month: string, count: number): string => {
  const at = Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1 + count
  return `${Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`
}

/** In which month a run is paid: where it was taken into a period, in that one; else as the newest that was taken; else it is not known. */
async function paidIn({ db, company_id, vault }: Here, run: { readonly id: string; readonly month: string }): Promise<string[]> {
  const rows = await db
    .selectFrom('tax_period')
    .select(['month', 'sources'])
    .where('company_id', '=', company_id)
    .where('month', '<=', monthsAfter(run.month, 1))
    .orderBy('month', 'desc')
    .limit(12)
    .execute()
  const taken = rows.flatMap(({ month, sources }) => sourcesOf(sources).map(({ batch_id, way }) => ({ month, batch_id, way })))
  const own = taken.find(({ batch_id }) => batch_id === run.id)
  if (own) return [own.month]
  const titles = await titlesOfRuns(
    { db, company_id, vault },
    taken.map(({ batch_id }) => batch_id),
  )
  for (const { month, batch_id, way } of taken) {
    const title = titles.get(batch_id)?.month
    if (way !== 'wages' || !title) continue
    for (const late of [0, 1]) if (monthsAfter(title, late) === month) return [monthsAfter(run.month, late)]
  }
  return [run.month, monthsAfter(run.month, 1)]
}

/** The months of a year before one that are closed. */
async function closedBefore({ db, company_id }: Here, month: string): Promise<number[]> {
  const rows = await db
    .selectFrom('tax_period')
    .select('month')
    .where('company_id', '=', company_id)
    .where('status', '=', 'locked')
    .where('month', '<', month)
    .where('month', '>=', `${month.slice(0, 4)}-01`)
    .execute()
  return rows.map((one) => Number(one.month.slice(5)))
}

/** Of each person the last closed month of the year before one. */
async function lastClosed({ db, company_id, vault }: Here, people: readonly string[], month: string) {
  const rows = await db
    .selectFrom('tax_income')
    .innerJoin('tax_period', (join) =>
      join.onRef('tax_period.company_id', '=', 'tax_income.company_id').onRef('tax_period.id', '=', 'tax_income.period_id'),
    )
    .distinctOn('tax_income.member_id')
    .select(['tax_income.id', 'tax_income.member_id', 'tax_income.result', 'tax_period.month'])
    .where('tax_income.company_id', '=', company_id)
    .where('tax_period.status', '=', 'locked')
    .where('tax_period.month', '<', month)
    .where('tax_period.month', '>=', `${month.slice(0, 4)}-01`)
    .where(sql<boolean>`tax_income.member_id = any(${[...people]}::uuid[])`)
    .orderBy('tax_income.member_id')
    .orderBy('tax_period.month', 'desc')
    .execute()
  return new Map(
    rows.map((row) => [row.member_id, { month: Number(row.month.slice(5)), result: openResult(vault, row) }] as const),
  )
}

/** What somebody entered for people in the month itself: the sum of 专项附加扣除 that the official client tells wins over our own. */
async function enteredIn({ db, company_id, vault }: Here, people: readonly string[], month: string) {
  const rows = await db
    .selectFrom('tax_income')
    .innerJoin('tax_period', (join) =>
      join.onRef('tax_period.company_id', '=', 'tax_income.company_id').onRef('tax_period.id', '=', 'tax_income.period_id'),
    )
    .select(['tax_income.id', 'tax_income.member_id', 'tax_income.income'])
    .where('tax_income.company_id', '=', company_id)
    .where('tax_period.month', '=', month)
    .where(sql<boolean>`tax_income.member_id = any(${[...people]}::uuid[])`)
    .execute()
  return new Map(rows.map((row) => [row.member_id, openIncome(vault, row).additional_cumulative_fen]))
}

/** Whoever keeps nothing here is asked for nothing. */
async function keepsTax({ db, company_id }: Here): Promise<boolean> {
  const { rows } = await sql<{ keeps: boolean }>`
    select exists (select from tax_period where company_id = ${company_id})
      or exists (select from member_deduction where company_id = ${company_id})
      or exists (select from tax_year where company_id = ${company_id}) as keeps`.execute(db)
  return rows[0]?.keeps ?? false
}

async function inMonth(here: Here, month: string, { people, insured }: Parameters<TaxKeeper['of']>[2]) {
  const employed = await employedOf(here, people)
  const spans = people.map((member_id) => ({
    member_id,
    hired: employed.get(member_id)?.entry_on?.slice(0, 7) ?? null,
    left: employed.get(member_id)?.left_on?.slice(0, 7) ?? null,
  }))
  const [closed, last] = [await closedBefore(here, month), await lastClosed(here, people, month)]
  const facts = await factsOf(here, people, Number(month.slice(0, 4)))
  const entered = await enteredIn(here, people, month)
  const deductions = await deductionsFor(here, month, spans)
  const insurance = insured ? await insuranceFor(here, month, people) : new Map<string, never>()
  return new Map(
    spans.flatMap(({ member_id, hired, left }): (readonly [string, KnownTaxYear])[] => {
      const standing: TaxStanding = {
        month,
        hired,
        left,
        closed,
        last: last.get(member_id) ?? null,
        facts: facts.get(member_id) ?? noFacts,
        entered: entered.get(member_id) ?? null,
        deductions: deductions.get(member_id) ?? null,
        insurance: insurance.get(member_id) ?? null,
      }
      const kept = keptOf(standing)
      return kept ? [[member_id, kept]] : []
    }),
  )
}

export const taxKept: TaxKeeper = {
  async digest({ db, company_id }) {
    const of = async (
      table: 'tax_period' | 'tax_year' | 'member_deduction' | 'member_insurance' | 'insurance_scheme',
      what: string,
    ) =>
      (
        await sql<{ digest: string | null }>`
          select md5(string_agg(${sql.raw(what)}, ',' order by ${sql.raw(what)})) as digest from ${sql.table(table)}
          where company_id = ${company_id}`.execute(db)
      ).rows[0]?.digest
    const rows = await sql<{ digest: string | null }>`
      select md5(string_agg(tax_income.id::text, ',' order by tax_income.id)) as digest from tax_income
      join tax_period on tax_period.company_id = tax_income.company_id and tax_period.id = tax_income.period_id
      where tax_income.company_id = ${company_id} and tax_period.status <> 'locked'`.execute(db)
    return JSON.stringify([
      await of('tax_period', `month || status || locks || md5(sources::text)`),
      await of('tax_year', 'id::text'),
      await of('member_deduction', `member_id::text || version`),
      await of('member_insurance', `member_id::text || version`),
      await of('insurance_scheme', `id::text || version || coalesce(valid_to, '')`),
      rows.rows[0]?.digest,
    ])
  },
  /** Nothing certain of one of the months is nothing certain at all. */
  async of(here, run, asked) {
    if (!(await keepsTax(here))) return new Map()
    const months = await paidIn(here, run)
    const found: Awaited<ReturnType<typeof inMonth>>[] = []
    for (const month of months) found.push(await inMonth(here, month, asked))
    return new Map(
      asked.people.flatMap((member_id) => {
        const own = found.flatMap((one) => one.get(member_id) ?? [])
        return own.length === months.length ? [[member_id, own] as const] : []
      }),
    )
  },
}
