/** Resends withdrawn payslips in their current state, as the next version with a new message. */

import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { HandlerContext } from '../../../http/handler.ts'
import { newId } from '../../../shared/ids.ts'
import { chargeSms } from '../../billing/index.ts'
import { isPayablePayslip } from '../../directory/index.ts'
import { openPayslipContent, sealPayslipContent } from '../../payslip-records/index.ts'
import { type BatchRow, setBatchStatus } from '../../sheets/index.ts'
import { queueDeliveries } from '../send/ledger.ts'
import { getSegmentCount } from '../send/message-source.ts'
import { appendToHistory } from './version-history.ts'

const rowsPerStatement = 300

/** Resends these payslips, or all if none are given, in the user's scope; the caller locks the batch. Returns their number. */
export async function resendWithdrawn(
  ctx: HandlerContext,
  batch: BatchRow,
  salary_ids: readonly string[] | undefined,
): Promise<number> {
  const { db, company_id, vault } = ctx
  const rows = await db
    .selectFrom('payslip')
    .select(['id', 'version', 'cells', 'past', 'viewed_at', 'confirmed_at', 'confirmed_auto', 'withdrawn_at', 'withdrawn_reason'])
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch.id)
    .where('status', '=', 'withdrawn')
    .where(isPayablePayslip(ctx))
    .$if(salary_ids !== undefined, (query) => query.where('id', '=', sql<string>`any(${[...(salary_ids ?? [])]}::uuid[])`))
    .forUpdate()
    .execute()
  if (rows.length === 0) return 0
  for (let from = 0; from < rows.length; from += rowsPerStatement) {
    const nextVersions = rows.slice(from, from + rowsPerStatement).map((row) => {
      const nextVersion = row.version + 1
      return {
        id: row.id,
        next: nextVersion,
        cells: sealPayslipContent(vault, row.id, nextVersion, openPayslipContent(vault, row)),
        past: appendToHistory(row),
      }
    })
    await sql`
      update payslip set status = 'queued', version = again.next, cells = again.cells, past = again.past, sent_at = null, viewed_at = null,
        confirmed_at = null, confirmed_version = null, confirmed_auto = false, confirmed_hash = null, signature = null, corrected_at = null,
        withdrawn_at = null, withdrawn_reason = null
      from unnest(${nextVersions.map(({ id }) => id)}::uuid[], ${nextVersions.map(({ next: nextVersion }) => nextVersion)}::int[], ${nextVersions.map(({ cells }) => cells)}::bytea[],
        ${nextVersions.map(({ past }) => past)}::jsonb[]) as again (id, next, cells, past)
      where payslip.company_id = ${company_id} and payslip.id = again.id`.execute(db)
    await setImmediate()
  }
  const ids = rows.map(({ id }) => id)
  const queued = await queueDeliveries(ctx, batch.id, sql<boolean>`payslip.id = any(${ids}::uuid[])`, {
    purpose: sql<string>`'slip'`,
    segments: await getSegmentCount(ctx, batch.id, 'slip'),
  })
  await chargeSms(ctx, queued.sms, 'again', { id: newId(), batch_id: batch.id })
  // A withdrawn batch becomes active again when its payslips are resent; a batch that is being sent includes them.
  await setBatchStatus(ctx, batch.id, ['sent', 'withdrawn'], 'sending', { withdrawn_at: null, withdrawn_reason: null })
  await ctx.jobs.send('send', { company_id, batch_id: batch.id })
  return queued.count
}
