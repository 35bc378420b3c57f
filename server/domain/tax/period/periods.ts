/** Months of withholding: begun, locked, opened again. Writes tax_period. */

import { sql } from 'kysely'
import * as z from 'zod/mini'
import * as contract from '../../../contract/wage/periods.ts'
import { canTax } from '../../../contract/wage/tax/tax-states.ts'
import { incomeWays } from '../../../contract/wage/tax/tax-words.ts'
import { statutes } from '../../../rules/law/tables/law.ts'
import { isoOf, monthOf } from '../../../runtime/clock.ts'
import { type Ctx, handle, invalid, must, Refusal, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { batchOfSlips } from '../../sheet/index.ts'
import { schemesUsed } from '../insurance/schemes.ts'
import { openReason, openResult } from './documents.ts'
import { headFields, headOf, incomesOf, isWhole, mustBeWhole, peopleIn, periodOf, staleFor, tell } from './rows.ts'

export const getPeriodList = handle(contract.getPeriodList, async (ctx, { year, page, pagesize }) => {
  const { db, company_id } = ctx
  const found = db
    .selectFrom('tax_period')
    .where('company_id', '=', company_id)
    .$if(year !== undefined, (query) => query.where('month', 'like', `${year}-%`))
  const { total } = await found.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const counts = peopleIn(ctx)
  const rows = await found
    .select([...headFields, counts.people.as('people'), counts.done.as('done'), staleFor(company_id).as('stale')])
    .orderBy('month', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return { list: rows.map(headOf), page: { page, pagesize, total: Number(total) } }
})

/** Ids and counts; in the clear. */
const sources = z.array(z.object({ batch_id: z.string(), way: z.enum(incomeWays), people: z.int(), taken_at: z.string() }))
export type IncomeSource = z.infer<typeof sources>[number]
export const sourcesOf = (kept: unknown): IncomeSource[] => sources.parse(kept)

export const getPeriod = handle(contract.getPeriod, async (ctx, { period_id }) => {
  const { db, company_id, vault } = ctx
  const counts = peopleIn(ctx)
  const row = await db
    .selectFrom('tax_period')
    .select([...headFields, 'sources', counts.people.as('people'), counts.done.as('done'), staleFor(company_id).as('stale')])
    .where('company_id', '=', company_id)
    .where('id', '=', period_id)
    .executeTakeFirst()
  if (!row) throw refuse('not_found', '没有找到这一期，可能已被删除')
  const events = await db
    .selectFrom('tax_period_event')
    .select(['id', 'at', 'kind', 'by_name', 'reason'])
    .where('company_id', '=', company_id)
    .where('period_id', '=', period_id)
    .orderBy('id', 'desc')
    .limit(50)
    .execute()
  const told = []
  for (const source of sourcesOf(row.sources)) {
    const title = await titleFor(ctx, source.batch_id)
    told.push({ ...source, batch_id: title === null ? null : source.batch_id, title })
  }
  return {
    ...headOf(row),
    whole: await isWhole(ctx, period_id),
    sources: told,
    events: events.map(({ id, at, kind, by_name, reason }) => ({
      at: isoOf(at),
      kind,
      by: by_name,
      reason: openReason(vault, id, reason),
    })),
  }
})

/** What a run is called, for whoever may see it; null for everybody else, and where it is gone. */
async function titleFor(ctx: Ctx, batch_id: string): Promise<string | null> {
  try {
    const { title_name, file_name } = await batchOfSlips(ctx, batch_id, 'view')
    return title_name ?? file_name
  } catch (error) {
    if (error instanceof Refusal && error.refusal === 'not_found') return null
    throw error
  }
}

/** Since when wages are withheld cumulatively; and wages of the month after next are paid by nobody yet. */
const first_month = statutes.annual_rates.rows[0]?.valid_from ?? ''
function latestMonth(now: Date): string {
  const [year = 0, month = 0] = monthOf(now).split('-').map(Number)
  const next = month === 12 ? [year + 1, 1] : [year, month + 1]
  return `${next[0]}-${String(next[1]).padStart(2, '0')}`
}

export const createPeriod = handle(contract.createPeriod, async (ctx, { month }) => {
  const { db, company_id, now } = ctx
  if (month < first_month) throw invalid('month', `累计预扣法自 ${first_month} 起适用，请选择之后的月份`)
  if (month > latestMonth(now)) throw invalid('month', `最晚只能建到 ${latestMonth(now)}；税款所属期是发工资的月份`)
  const id = newId()
  const made = await db
    .insertInto('tax_period')
    .values({ company_id, id, month, status: 'draft', created_at: now })
    .onConflict((conflict) => conflict.columns(['company_id', 'month']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!made) throw invalid('month', `${month} 已经有一期，请在列表里打开它`)
  await tell(ctx, id, 'created')
  ctx.about({ period_id: id })
  return { period_id: id }
})

export const clearPeriod = handle(contract.clearPeriod, async (ctx, { period_id }) => {
  const { db, company_id } = ctx
  const { status } = await periodOf(ctx, period_id, true)
  must(canTax.edit(status), { status })
  await mustBeWhole(ctx, period_id)
  const locked = await db
    .selectFrom('tax_period_event')
    .select('id')
    .where('company_id', '=', company_id)
    .where('period_id', '=', period_id)
    .where('kind', '=', 'locked')
    .limit(1)
    .executeTakeFirst()
  if (locked) throw refuse('wrong_state', '这一期曾经锁定过，不能删除；可以修改后重新计算', { status })
  await db.deleteFrom('tax_period').where('company_id', '=', company_id).where('id', '=', period_id).execute()
  return {}
})

/** Earlier months of its year that are there and not locked. */
export async function openBefore({ db, company_id }: Pick<Ctx, 'db' | 'company_id'>, month: string): Promise<string[]> {
  const rows = await db
    .selectFrom('tax_period')
    .select('month')
    .where('company_id', '=', company_id)
    .where('month', '<', month)
    .where('month', '>=', `${month.slice(0, 4)}-01`)
    .where('status', '<>', 'locked')
    .orderBy('month')
    .execute()
  return rows.map((row) => row.month)
}
/** The year's sums come from locked months: one that may still change makes every later one wrong. */
export async function mustFollowLocked(ctx: Pick<Ctx, 'db' | 'company_id'>, month: string, status: string): Promise<void> {
  const [first] = await openBefore(ctx, month)
  if (first) throw refuse('wrong_state', `${first} 这一期还没有锁定，本期的累计数要从它接着算；请先锁定 ${first}`, { status })
}

export const lockPeriod = handle(contract.lockPeriod, async (ctx, { period_id }) => {
  const { db, company_id, now, me } = ctx
  const period = await periodOf(ctx, period_id, true)
  const { status, month } = period
  must(canTax.lock(status), { status })
  await mustBeWhole(ctx, period_id)
  await mustFollowLocked(ctx, month, status)
  const [stale] = await staleMonths(ctx, period_id)
  if (stale) throw refuse('wrong_state', `${stale} 在本期计算之后改过；请重新计算本期再锁定`, { status })
  await mustBeComplete(ctx, period_id, status)
  await db
    .updateTable('tax_period')
    .set({ status: 'locked', locked_at: now, locked_by: me.name, locks: period.locks + 1 })
    .where('company_id', '=', company_id)
    .where('id', '=', period_id)
    .execute()
  await tell(ctx, period_id, 'locked')
  return { locked_at: isoOf(now) }
})

async function staleMonths({ db, company_id }: Ctx, period_id: string): Promise<string[]> {
  const { stale } = await db
    .selectFrom('tax_period')
    .select(staleFor(company_id).as('stale'))
    .where('company_id', '=', company_id)
    .where('id', '=', period_id)
    .executeTakeFirstOrThrow()
  return stale
}

/** Everybody has an answer. The insurance schemes that were used are said so: from now on they do not change. */
async function mustBeComplete(ctx: Ctx, period_id: string, status: string): Promise<void> {
  const schemes = new Set<string>()
  let [people, refused] = [0, 0]
  for await (const page of incomesOf(ctx, period_id))
    for (const row of page) {
      const result = openResult(ctx.vault, row)
      people += 1
      if (!result || result.refused !== null) refused += 1
      else if (result.scheme_id) schemes.add(result.scheme_id)
    }
  if (people === 0) throw refuse('wrong_state', '这一期里还没有人；请先取入或填写收入', { status })
  if (refused > 0) throw refuse('wrong_state', `还有 ${refused} 人没有算出结果；请在「核对」里处理后重新计算`, { status })
  const { month } = await periodOf(ctx, period_id)
  if (schemes.size > 0) await schemesUsed(ctx, month, [...schemes])
}

export const reopenPeriod = handle(contract.reopenPeriod, async (ctx, { period_id, reason }) => {
  const { db, company_id } = ctx
  const { status, month } = await periodOf(ctx, period_id, true)
  must(canTax.reopen(status), { status })
  await mustBeWhole(ctx, period_id)
  await db
    .updateTable('tax_period')
    .set({ status: 'computed', locked_at: null, locked_by: null })
    .where('company_id', '=', company_id)
    .where('id', '=', period_id)
    .execute()
  await tell(ctx, period_id, 'reopened', reason)
  const later = await db
    .selectFrom('tax_period')
    .select('month')
    .where('company_id', '=', company_id)
    .where('month', '>', month)
    .where('month', '<=', `${month.slice(0, 4)}-12`)
    .where(sql<boolean>`computed_at is not null`)
    .orderBy('month')
    .execute()
  return { later: later.map((row) => row.month) }
})
