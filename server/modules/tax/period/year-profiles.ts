/** Saves what applies to members for a whole tax year, and resets the open months that depend on it. Writes tax_year. */
import { sql } from 'kysely'
import type { HandlerContext } from '../../../http/handler.ts'
import { newId } from '../../../shared/ids.ts'
import type { TaxYearProfile } from '../rules/amounts.ts'
import { sealYearProfile } from './documents.ts'
import { resetToDraft } from './period-rows.ts'

type MemberPeriod = { readonly id: string; readonly month: string; readonly status: string }
/** The periods of a year by member. */
type YearPeriods = ReadonlyMap<string, readonly MemberPeriod[]>
const rowsPerStatement = 300

/** Locks the months of a year that contain one of the members until the transaction ends. */
export async function lockYearPeriods(
  { db, company_id }: HandlerContext,
  member_ids: readonly string[],
  year: number,
): Promise<YearPeriods> {
  const ids = [...member_ids]
  const periods = await db
    .selectFrom('tax_period')
    .select(['id', 'month', 'status'])
    .where('company_id', '=', company_id)
    .where('month', 'like', `${year}-%`)
    .where(
      sql<boolean>`exists (select from tax_income where tax_income.company_id = ${company_id}
        and tax_income.period_id = tax_period.id and tax_income.member_id = any(${ids}::uuid[]))`,
    )
    .orderBy('month')
    .forUpdate()
    .execute()
  const rows = await db
    .selectFrom('tax_income')
    .select(['member_id', 'period_id'])
    .where('company_id', '=', company_id)
    .where(sql<boolean>`period_id = any(${periods.map(({ id }) => id)}::uuid[])`)
    .where(sql<boolean>`member_id = any(${ids}::uuid[])`)
    .execute()
  const periodIds = Map.groupBy(rows, ({ member_id }) => member_id)
  return new Map(
    [...periodIds].map(([member_id, own]) => [
      member_id,
      periods.filter(({ id }) => own.some(({ period_id }) => period_id === id)),
    ]),
  )
}

/** Returns why an opening balance cannot include a month that is locked here; null if it can be saved. */
export function findLockedMonth(periods: readonly MemberPeriod[], opening: TaxYearProfile['opening']): string | null {
  const locked = periods.find(
    ({ month, status }) => status === 'locked' && Number(month.slice(5)) <= (opening?.through_month ?? 0),
  )
  return locked ? `${locked.month} 已经在这里锁定，不能再包含在期初累计里；请填到它之前的月份` : null
}

/** Returns the open months that must be computed again. */
export async function saveYearProfiles(
  ctx: HandlerContext,
  year: number,
  profiles: ReadonlyMap<string, TaxYearProfile>,
  periods: YearPeriods,
): Promise<string[]> {
  const { db, company_id, vault } = ctx
  const ids = [...profiles.keys()]
  // Each member and year has one row, which is written again because the encrypted value is bound to it.
  await db
    .deleteFrom('tax_year')
    .where('company_id', '=', company_id)
    .where('year', '=', year)
    .where(sql<boolean>`member_id = any(${ids}::uuid[])`)
    .execute()
  const rows = [...profiles].map(([member_id, profile]) => {
    const id = newId()
    return { company_id, id, member_id, year, details: sealYearProfile(vault, id, profile) }
  })
  for (let from = 0; from < rows.length; from += rowsPerStatement)
    await db
      .insertInto('tax_year')
      .values(rows.slice(from, from + rowsPerStatement))
      .execute()
  return resetResults(ctx, ids, periods)
}

/** In open months the members await computation; a running computation includes them again at its end. */
async function resetResults(ctx: HandlerContext, member_ids: readonly string[], periods: YearPeriods): Promise<string[]> {
  const open = new Map(
    member_ids
      .flatMap((member_id) => periods.get(member_id) ?? [])
      .flatMap((period) => (period.status === 'locked' ? [] : [[period.id, period] as const])),
  )
  const ids = [...open.keys()]
  await ctx.db
    .updateTable('tax_income')
    .set({ result: null, run_id: null })
    .where('company_id', '=', ctx.company_id)
    .where(sql<boolean>`member_id = any(${[...member_ids]}::uuid[])`)
    .where(sql<boolean>`period_id = any(${ids}::uuid[])`)
    .execute()
  await resetToDraft(
    ctx,
    [...open.values()].filter(({ status }) => status === 'computed').map(({ id }) => id),
  )
  return [...open.values()].map(({ month }) => month).toSorted()
}
