/** Tax periods: listed, started, deleted. Writes tax_period. */

import * as z from 'zod/mini'
import * as contract from '../../../contract/tax/periods.ts'
import { incomeKinds } from '../../../contract/tax/schemas.ts'
import { canTaxPeriod } from '../../../contract/tax/statuses.ts'
import type { CompanyTx } from '../../../database/company-tx.ts'
import { AppError, assertAllowed, defineHandler, fail, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { currentLaw } from '../../../rules/law/tables/law.ts'
import { toIsoTimestamp, toShanghaiMonth } from '../../../shared/clock.ts'
import { newId } from '../../../shared/ids.ts'
import { requireBatchForPayslips } from '../../sheets/index.ts'
import { openReason } from './documents.ts'
import {
  assertCoversEveryone,
  coversEveryone,
  memberCountColumns,
  periodSummaryColumns,
  requirePeriod,
  savePeriodEvent,
  selectStaleMonths,
  toPeriodSummary,
} from './period-rows.ts'

export const getPeriodList = defineHandler(contract.getPeriodList, async (ctx, { year, page, pagesize }) => {
  const { db, company_id } = ctx
  const matches = db
    .selectFrom('tax_period')
    .where('company_id', '=', company_id)
    .$if(year !== undefined, (query) => query.where('month', 'like', `${year}-%`))
  const { total } = await matches.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const counts = memberCountColumns(ctx)
  const rows = await matches
    .select([
      ...periodSummaryColumns,
      counts.people.as('people'),
      counts.done.as('done'),
      selectStaleMonths(company_id).as('stale'),
    ])
    .orderBy('month', 'desc')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return { list: rows.map(toPeriodSummary), page: { page, pagesize, total: Number(total) } }
})

/** Ids and counts, not encrypted. */
const sourcesSchema = z.array(z.object({ batch_id: z.string(), way: z.enum(incomeKinds), people: z.int(), taken_at: z.string() }))
export type IncomeSource = z.infer<typeof sourcesSchema>[number]
export const createIncomeSource = (
  batch_id: string,
  incomeKind: IncomeSource['way'],
  people: number,
  at: Date,
): IncomeSource => ({
  batch_id,
  way: incomeKind,
  people,
  taken_at: toIsoTimestamp(at),
})
export const parseSources = (stored: unknown): IncomeSource[] => sourcesSchema.parse(stored)

export const getPeriod = defineHandler(contract.getPeriod, async (ctx, { period_id }) => {
  const { db, company_id, vault } = ctx
  const counts = memberCountColumns(ctx)
  const row = await db
    .selectFrom('tax_period')
    .select([
      ...periodSummaryColumns,
      'sources',
      counts.people.as('people'),
      counts.done.as('done'),
      selectStaleMonths(company_id).as('stale'),
    ])
    .where('company_id', '=', company_id)
    .where('id', '=', period_id)
    .executeTakeFirst()
  if (!row) throw fail('not_found', '没有找到这一期，可能已被删除')
  const events = await db
    .selectFrom('tax_period_event')
    .select(['id', 'at', 'kind', 'by_name', 'reason'])
    .where('company_id', '=', company_id)
    .where('period_id', '=', period_id)
    .orderBy('id', 'desc')
    .limit(50)
    .execute()
  const sourceViews = []
  for (const source of parseSources(row.sources)) {
    const title = await getSourceTitle(ctx, source.batch_id)
    sourceViews.push({ ...source, batch_id: title === null ? null : source.batch_id, title })
  }
  return {
    ...toPeriodSummary(row),
    covers_everyone: await coversEveryone(ctx, period_id),
    uncovered_months: await listUncoveredMonths(ctx, row.month),
    sources: sourceViews,
    events: events.map(({ id, at, kind, by_name, reason }) => ({
      at: toIsoTimestamp(at),
      kind,
      by: by_name,
      reason: openReason(vault, id, reason),
    })),
  }
})

/** Lists the earlier months of the year that are not locked, whether a period of them exists or not. */
async function listUncoveredMonths({ db, company_id }: CompanyTx, month: string): Promise<string[]> {
  const year = month.slice(0, 4)
  const locked = await db
    .selectFrom('tax_period')
    .select('month')
    .where('company_id', '=', company_id)
    .where('month', 'like', `${year}-%`)
    .where('status', '=', 'locked')
    .execute()
  const covered = new Set(locked.map((one) => one.month))
  return Array.from({ length: Number(month.slice(5)) - 1 }, (_, at) => `${year}-${String(at + 1).padStart(2, '0')}`).filter(
    (one) => !covered.has(one),
  )
}

/** Returns a batch's title if the user may view it; null otherwise, and for deleted batches. */
async function getSourceTitle(ctx: HandlerContext, batch_id: string): Promise<string | null> {
  try {
    const { title_name, file_name } = await requireBatchForPayslips(ctx, batch_id, 'view')
    return title_name ?? file_name
  } catch (error) {
    if (error instanceof AppError && error.error === 'not_found') return null
    throw error
  }
}

/** Cumulative withholding started in this month, and nobody pays the wages of the month after next yet. */
const firstPeriodMonth = currentLaw.annual_rates.rows[0]?.valid_from ?? ''
function getLatestPeriodMonth(now: Date): string {
  const [year = 0, month = 0] = toShanghaiMonth(now).split('-').map(Number)
  const next = month === 12 ? [year + 1, 1] : [year, month + 1]
  return `${next[0]}-${String(next[1]).padStart(2, '0')}`
}

export const createPeriod = defineHandler(contract.createPeriod, async (ctx, { month }) => {
  const { db, company_id, now } = ctx
  if (month < firstPeriodMonth) throw invalidInput('month', `累计预扣法自 ${firstPeriodMonth} 起适用，请选择之后的月份`)
  if (month > getLatestPeriodMonth(now))
    throw invalidInput('month', `最晚只能建到 ${getLatestPeriodMonth(now)}；税款所属期是发工资的月份`)
  const id = newId()
  const inserted = await db
    .insertInto('tax_period')
    .values({ company_id, id, month, status: 'draft', created_at: now })
    .onConflict((conflict) => conflict.columns(['company_id', 'month']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!inserted) throw invalidInput('month', `${month} 已经有一期，请在列表里打开它`)
  await savePeriodEvent(ctx, id, 'created')
  ctx.addAuditDetails({ period_id: id })
  return { period_id: id }
})

export const clearPeriod = defineHandler(contract.clearPeriod, async (ctx, { period_id }) => {
  const { db, company_id } = ctx
  const { status } = await requirePeriod(ctx, period_id, true)
  assertAllowed(canTaxPeriod.edit(status), { status })
  await assertCoversEveryone(ctx, period_id)
  const locked = await db
    .selectFrom('tax_period_event')
    .select('id')
    .where('company_id', '=', company_id)
    .where('period_id', '=', period_id)
    .where('kind', '=', 'locked')
    .limit(1)
    .executeTakeFirst()
  if (locked) throw fail('wrong_state', '这一期曾经锁定过，不能删除；可以修改后重新计算', { status })
  await db.deleteFrom('tax_period').where('company_id', '=', company_id).where('id', '=', period_id).execute()
  return {}
})

/** Lists existing earlier months of the year that are not locked. */
export async function listOpenEarlierMonths({ db, company_id }: CompanyTx, month: string): Promise<string[]> {
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
/** The year's cumulative amounts come from locked months: one that may still change would make every later one wrong. */
export async function assertEarlierMonthsLocked(ctx: CompanyTx, month: string, status: string): Promise<void> {
  const [first] = await listOpenEarlierMonths(ctx, month)
  if (first) throw fail('wrong_state', `${first} 这一期还没有锁定，本期的累计数要从它接着算；请先锁定 ${first}`, { status })
}
