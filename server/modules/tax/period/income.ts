/** The income of a month: imported from batches, entered manually, removed. Writes tax_income and tax_period. */

import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { CallInput } from '../../../contract/call.ts'
import * as contract from '../../../contract/tax/periods.ts'
import { canTaxPeriod } from '../../../contract/tax/statuses.ts'
import type { CompanyUserTx } from '../../../http/current-user.ts'
import { assertAllowed, defineHandler, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { newId } from '../../../shared/ids.ts'
import { filterManageableMembers, lockMembersForReference } from '../../directory/index.ts'
import type { ImportedIncome } from '../rules/amounts.ts'
import { loadBatchIncome } from './batch-income.ts'
import { type StoredIncome, sealIncome } from './documents.ts'
import { isManagedIncome, type PeriodRow, requirePeriod, resetToDraft, streamIncomes } from './period-rows.ts'
import { createIncomeSource, parseSources } from './periods.ts'

type IncomeInput = CallInput<typeof contract.saveIncome>
export type IncomeInputRow = NonNullable<IncomeInput['rows']>[number]
export const emptyIncome: StoredIncome = { accepted: [], own: null, additional_cumulative_fen: null, withheld_fen: null }
const isEmptyIncome = ({ accepted: imported, own }: StoredIncome): boolean => imported.length === 0 && own === null
const rowsPerStatement = 300

export const saveIncome = defineHandler(contract.saveIncome, async (ctx, input) => {
  const period = await requirePeriod(ctx, input.period_id, true)
  assertAllowed(canTaxPeriod.edit(period.status), { status: period.status })
  const changes = new IncomeChanges()
  let sources = parseSources(period.sources)
  const removedBatchId = input.remove_batch?.batch_id
  if (removedBatchId) {
    changes.removeBatch(removedBatchId)
    sources = sources.filter(({ batch_id }) => batch_id !== removedBatchId)
  }
  if (input.from) {
    const { batch_id, income_kind: incomeKind } = input.from
    const imported = await loadBatchIncome(ctx, batch_id, incomeKind)
    if (imported.size === 0) throw invalidInput('from', '这一批里没有您可以引入的人；没有发送成功的和撤回的工资条不算')
    changes.importBatch(batch_id, imported)
    const source = createIncomeSource(batch_id, incomeKind, imported.size, ctx.now)
    sources = [...sources.filter((one) => one.batch_id !== batch_id), source]
  }
  if (input.rows) changes.setRows(await requireManagedRows(ctx, input.rows))
  for (const member_id of input.remove ?? []) changes.removed.add(member_id)
  const result = await saveChanges(ctx, period, changes)
  await ctx.db
    .updateTable('tax_period')
    .set({ sources: JSON.stringify(sources) })
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', period.id)
    .execute()
  if (result.saved + result.removed > 0) await resetToDraft(ctx, [period.id])
  ctx.addAuditDetails({ saved: result.saved, removed: result.removed })
  return { ...result, people: await countMembers(ctx, period.id) }
})

/** The pending changes of each member's income. */
export class IncomeChanges {
  readonly removed = new Set<string>()
  readonly #removedBatches = new Set<string>()
  readonly #imported = new Map<string, Map<string, ImportedIncome>>()
  readonly #rows = new Map<string, IncomeInputRow>()

  removeBatch(batch_id: string): void {
    this.#removedBatches.add(batch_id)
  }
  /** Replaces the income from this batch; members no longer in it have none. */
  importBatch(batch_id: string, accepted: Map<string, ImportedIncome>): void {
    this.#removedBatches.add(batch_id)
    this.#imported.set(batch_id, accepted)
  }
  setRows(rows: readonly IncomeInputRow[]): void {
    for (const row of rows) this.#rows.set(row.member_id, row)
  }
  get memberIds(): Set<string> {
    return new Set([...[...this.#imported.values()].flatMap((one) => [...one.keys()]), ...this.#rows.keys()])
  }
  /** The value is null if the member is no longer in the month. */
  applyTo(member_id: string, before: StoredIncome): StoredIncome | null {
    if (this.removed.has(member_id)) return null
    const accepted = [
      ...before.accepted.filter(({ batch_id }) => !this.#removedBatches.has(batch_id)),
      ...[...this.#imported.values()].flatMap((one) => one.get(member_id) ?? []),
    ]
    const row = this.#rows.get(member_id)
    const own = row
      ? { own: row.amounts, additional_cumulative_fen: row.additional_cumulative_fen, withheld_fen: row.withheld_fen }
      : { own: before.own, additional_cumulative_fen: before.additional_cumulative_fen, withheld_fen: before.withheld_fen }
    const next = { accepted, ...own }
    return isEmptyIncome(next) ? null : next
  }
}

/** Only members whose pay the user manages are included; others are reported as unknown. */
async function requireManagedRows(ctx: HandlerContext, rows: readonly IncomeInputRow[]): Promise<readonly IncomeInputRow[]> {
  const managed = await filterManageableMembers(
    ctx,
    rows.map(({ member_id }) => member_id),
  )
  const at = rows.findIndex(({ member_id }) => !managed.has(member_id))
  if (at >= 0) throw invalidInput(`rows.${at}.member_id`, '没有找到这位员工，可能已被删除或不在您管理的部门')
  return rows
}

export async function saveChanges(
  ctx: HandlerContext,
  period: PeriodRow,
  changes: IncomeChanges,
): Promise<{ saved: number; removed: number }> {
  const removedIds: string[] = []
  const next = new Map<string, StoredIncome>()
  const viewedMembers = new Set<string>()
  for await (const page of streamIncomes(ctx, period.id))
    for (const { id, member_id, stored } of page) {
      viewedMembers.add(member_id)
      const updated = changes.applyTo(member_id, stored)
      if (updated !== null && JSON.stringify(updated) === JSON.stringify(stored)) continue
      removedIds.push(id)
      if (updated) next.set(member_id, updated)
    }
  for (const member_id of changes.memberIds) {
    const updated = viewedMembers.has(member_id) ? null : changes.applyTo(member_id, emptyIncome)
    if (updated) next.set(member_id, updated)
  }
  await saveIncomeRows(ctx, period.id, removedIds, next)
  return { saved: next.size, removed: removedIds.length - [...next.keys()].filter((one) => viewedMembers.has(one)).length }
}

/** Rewrites the rows whose income changed, which discards their computed results. */
async function saveIncomeRows(
  ctx: HandlerContext,
  period_id: string,
  removedIds: readonly string[],
  next: ReadonlyMap<string, StoredIncome>,
): Promise<void> {
  const { db, company_id, vault } = ctx
  await lockMembersForReference(ctx, [...next.keys()])
  if (removedIds.length > 0)
    await db
      .deleteFrom('tax_income')
      .where('company_id', '=', company_id)
      .where('period_id', '=', period_id)
      .where(sql<boolean>`id = any(${[...removedIds]}::uuid[])`)
      .execute()
  const rows = [...next]
  for (let from = 0; from < rows.length; from += rowsPerStatement) {
    const values = rows.slice(from, from + rowsPerStatement).map(([member_id, stored]) => {
      const id = newId()
      return { company_id, id, period_id, member_id, income: sealIncome(vault, id, stored) }
    })
    await db.insertInto('tax_income').values(values).execute()
    await setImmediate()
  }
}

export async function countMembers(ctx: CompanyUserTx, period_id: string): Promise<number> {
  const { count } = await ctx.db
    .selectFrom('tax_income')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('company_id', '=', ctx.company_id)
    .where('period_id', '=', period_id)
    .where(isManagedIncome(ctx))
    .executeTakeFirstOrThrow()
  return Number(count)
}
