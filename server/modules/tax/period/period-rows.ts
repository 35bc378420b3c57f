/** A tax period in the database: access, and its members. Writes tax_period, tax_income and tax_period_event. */

import { setImmediate } from 'node:timers/promises'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { TaxPeriodStatus } from '../../../contract/tax/statuses.ts'
import type { TaxPeriod } from '../../../database/tables.ts'
import type { CompanyUserTx } from '../../../http/current-user.ts'
import { fail, type HandlerContext } from '../../../http/handler.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { newId } from '../../../shared/ids.ts'
import { isManageableMemberId } from '../../directory/index.ts'
import { openIncome, type StoredIncome, sealReason } from './documents.ts'

type TaxVaultTx = CompanyUserTx & Pick<HandlerContext, 'vault'>
export type PeriodRow = Omit<Selectable<TaxPeriod>, 'status'> & { readonly status: TaxPeriodStatus }

/**
 * SQL condition for `tax_income`: members whose pay the user manages. A tax period belongs to the company, independent
 * of the sender of the payslips; access to a member depends on the scope.
 */
export const isManagedIncome = (ctx: Pick<HandlerContext, 'currentUser' | 'company_id'>): RawBuilder<boolean> =>
  isManageableMemberId(ctx, sql`tax_income.member_id`)

/** With `lock`, nobody else changes the period until the transaction ends. */
export async function requirePeriod({ db, company_id }: CompanyUserTx, period_id: string, lock = false): Promise<PeriodRow> {
  const row = await db
    .selectFrom('tax_period')
    .selectAll()
    .where('company_id', '=', company_id)
    .where('id', '=', period_id)
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst()
  if (!row) throw fail('not_found', '没有找到这一期，可能已被删除')
  return row
}

/** Whether all members of the period are within the user's scope. */
export async function coversEveryone(ctx: CompanyUserTx, period_id: string): Promise<boolean> {
  const outOfScope = await ctx.db
    .selectFrom('tax_income')
    .select('id')
    .where('company_id', '=', ctx.company_id)
    .where('period_id', '=', period_id)
    .where(sql<boolean>`not ${isManagedIncome(ctx)}`)
    .limit(1)
    .executeTakeFirst()
  return outOfScope === undefined
}
export async function assertCoversEveryone(ctx: CompanyUserTx, period_id: string): Promise<void> {
  if (!(await coversEveryone(ctx, period_id)))
    throw fail('not_permitted', '这一期里有您不管理的部门的员工，不能由您锁定、重新打开或导出；请联系管理全公司的薪酬管理员')
}

/** SQL expressions for `tax_period`: the number of its members visible to the user, and how many of them are computed. */
export const memberCountColumns = (ctx: Pick<HandlerContext, 'currentUser' | 'company_id'>) => ({
  people: sql<number>`(select count(*)::int from tax_income where tax_income.company_id = ${ctx.company_id}
    and tax_income.period_id = tax_period.id and ${isManagedIncome(ctx)})`,
  done: sql<number>`(select count(*)::int from tax_income where tax_income.company_id = ${ctx.company_id}
    and tax_income.period_id = tax_period.id and tax_income.run_id = tax_period.run_id and ${isManagedIncome(ctx)})`,
})

/**
 * SQL expression for `tax_period`: earlier months of its year that are open, or were locked again since it was
 * computed. Its results are based on their earlier values.
 */
export const selectStaleMonths = (company_id: string): RawBuilder<string[]> => sql<string[]>`coalesce((
  select json_agg(before.month order by before.month) from tax_period as before
  where before.company_id = ${company_id} and left(before.month, 4) = left(tax_period.month, 4) and before.month < tax_period.month
    and tax_period.computed_at is not null
    and (before.status <> 'locked' or before.locks is distinct from (tax_period.based_on ->> before.month)::int)), '[]')`

type PeriodSummaryRow = Pick<PeriodRow, 'id' | 'month' | 'status' | 'computed_at' | 'locked_at' | 'locked_by'> & {
  readonly people: number
  readonly done: number
  readonly stale: string[]
}
export const periodSummaryColumns = ['id', 'month', 'status', 'computed_at', 'locked_at', 'locked_by'] as const
export const toPeriodSummary = ({ id, computed_at, locked_at, ...row }: PeriodSummaryRow) => ({
  period_id: id,
  month: row.month,
  status: row.status,
  member_count: row.people,
  done: row.done,
  computed_at: computed_at && toIsoTimestamp(computed_at),
  locked_at: locked_at && toIsoTimestamp(locked_at),
  locked_by: row.locked_by,
  needs_recompute: row.stale,
})

export type IncomeRow = {
  readonly id: string
  readonly member_id: string
  readonly stored: StoredIncome
  readonly result: Buffer | null
}
const rowsPerPage = 500

/** Streams the members of a month within scope, decrypted page by page; yields to the event loop in between. */
export async function* streamIncomes(ctx: TaxVaultTx, period_id: string): AsyncGenerator<IncomeRow[]> {
  for (let after = ''; ; ) {
    const rows = await ctx.db
      .selectFrom('tax_income')
      .select(['id', 'member_id', 'income', 'result'])
      .where('company_id', '=', ctx.company_id)
      .where('period_id', '=', period_id)
      .where(isManagedIncome(ctx))
      .$if(after !== '', (query) => query.where('id', '>', after))
      .orderBy('id')
      .limit(rowsPerPage)
      .execute()
    yield rows.map((row) => ({ ...row, stored: openIncome(ctx.vault, row) }))
    const last = rows.at(-1)
    if (!last || rows.length < rowsPerPage) return
    after = last.id
    await setImmediate()
  }
}

/** Records who did what, when and why; entries are never changed. */
export async function savePeriodEvent(
  { db, company_id, currentUser, now, vault }: HandlerContext,
  period_id: string,
  kind: 'created' | 'locked' | 'reopened',
  reason: string | null = null,
): Promise<void> {
  const id = newId()
  await db
    .insertInto('tax_period_event')
    .values({
      company_id,
      id,
      period_id,
      at: now,
      kind,
      by_name: currentUser.name,
      account_id: currentUser.account_id,
      reason: reason === null ? null : sealReason(vault, id, reason),
    })
    .execute()
}

/** Resets changed periods: they await computation, and their totals are deleted. */
export async function resetToDraft({ db, company_id }: CompanyUserTx, period_ids: readonly string[]): Promise<void> {
  if (period_ids.length === 0) return
  await db
    .updateTable('tax_period')
    .set({ status: 'draft', totals: null })
    .where('company_id', '=', company_id)
    .where(sql<boolean>`id = any(${[...period_ids]}::uuid[])`)
    .execute()
}
