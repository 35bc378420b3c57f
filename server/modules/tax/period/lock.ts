/** Tax periods: locked and reopened. Writes tax_period. */

import { sql } from 'kysely'
import * as contract from '../../../contract/tax/periods.ts'
import { canTaxPeriod } from '../../../contract/tax/statuses.ts'
import { assertAllowed, defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { markSchemesUsed } from '../insurance/schemes.ts'
import { countIssueKinds, inspectPeriod } from './check.ts'
import { decryptTaxResult } from './documents.ts'
import {
  assertCoversEveryone,
  type PeriodRow,
  requirePeriod,
  savePeriodEvent,
  selectStaleMonths,
  streamIncomes,
} from './period-rows.ts'
import { assertEarlierMonthsLocked } from './periods.ts'

export const lockPeriod = defineHandler(contract.lockPeriod, async (ctx, { period_id, accepted_issues }) => {
  const { db, company_id, now, currentUser } = ctx
  const period = await requirePeriod(ctx, period_id, true)
  const { status, month } = period
  assertAllowed(canTaxPeriod.lock(status), { status })
  await assertCoversEveryone(ctx, period_id)
  await assertEarlierMonthsLocked(ctx, month, status)
  const [stale] = await getStaleMonths(ctx, period_id)
  if (stale) throw fail('wrong_state', `${stale} 在本期计算之后改过；请重新计算本期再锁定`, { status })
  await assertPeriodComplete(ctx, period_id, status)
  await assertIssuesAccepted(ctx, period, accepted_issues)
  await db
    .updateTable('tax_period')
    .set({ status: 'locked', locked_at: now, locked_by: currentUser.name, locks: period.locks + 1 })
    .where('company_id', '=', company_id)
    .where('id', '=', period_id)
    .execute()
  await savePeriodEvent(ctx, period_id, 'locked')
  return { locked_at: toIsoTimestamp(now) }
})

/** Whoever locks states the open issues: an issue that appeared since they looked is not accepted by them. */
async function assertIssuesAccepted(
  ctx: HandlerContext,
  period: PeriodRow,
  accepted: readonly contract.TaxIssueCount[],
): Promise<void> {
  const { issues } = await inspectPeriod(ctx, period)
  const open = countIssueKinds(issues).map(({ kind, count }) => ({ kind, count }))
  const isAccepted = ({ kind, count }: contract.TaxIssueCount) => accepted.some((one) => one.kind === kind && one.count === count)
  if (open.length === accepted.length && open.every(isAccepted)) return
  const total = open.reduce((sum, { count }) => sum + count, 0)
  throw fail(
    'wrong_state',
    total === 0 ? '这一期的问题都已处理，请刷新后再锁定' : `还有 ${total} 处没有处理；请核对后确认这些问题，再锁定`,
    { status: period.status, open_issues: open },
  )
}

async function getStaleMonths({ db, company_id }: HandlerContext, period_id: string): Promise<string[]> {
  const { stale } = await db
    .selectFrom('tax_period')
    .select(selectStaleMonths(company_id).as('stale'))
    .where('company_id', '=', company_id)
    .where('id', '=', period_id)
    .executeTakeFirstOrThrow()
  return stale
}

/** Requires a result for every member. Marks the insurance schemes used: from now on they do not change. */
async function assertPeriodComplete(ctx: HandlerContext, period_id: string, status: string): Promise<void> {
  const schemes = new Set<string>()
  let [people, refused] = [0, 0]
  for await (const page of streamIncomes(ctx, period_id))
    for (const row of page) {
      const result = decryptTaxResult(ctx.vault, row)
      people += 1
      if (!result || result.refused !== null) refused += 1
      else if (result.scheme_id) schemes.add(result.scheme_id)
    }
  if (people === 0) throw fail('wrong_state', '这一期里还没有人；请先引入或填写收入', { status })
  if (refused > 0) throw fail('wrong_state', `还有 ${refused} 人没有算出结果；请在「核对」里处理后重新计算`, { status })
  const { month } = await requirePeriod(ctx, period_id)
  if (schemes.size > 0) await markSchemesUsed(ctx, month, [...schemes])
}

export const reopenPeriod = defineHandler(contract.reopenPeriod, async (ctx, { period_id, reason }) => {
  const { db, company_id } = ctx
  const { status, month } = await requirePeriod(ctx, period_id, true)
  assertAllowed(canTaxPeriod.reopen(status), { status })
  await assertCoversEveryone(ctx, period_id)
  await db
    .updateTable('tax_period')
    .set({ status: 'computed', locked_at: null, locked_by: null })
    .where('company_id', '=', company_id)
    .where('id', '=', period_id)
    .execute()
  await savePeriodEvent(ctx, period_id, 'reopened', reason)
  const later = await db
    .selectFrom('tax_period')
    .select('month')
    .where('company_id', '=', company_id)
    .where('month', '>', month)
    .where('month', '<=', `${month.slice(0, 4)}-12`)
    .where(sql<boolean>`computed_at is not null`)
    .orderBy('month')
    .execute()
  return { months_to_recompute: later.map((row) => row.month) }
})
