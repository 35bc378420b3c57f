/** The pay of the employees who received the payslips of a batch. */
import { sql } from 'kysely'
import { paidStatuses } from '../../contract/shared/statuses.ts'
import type { HandlerContext } from '../../http/handler.ts'
import { payslipsLateral, sumBatchPay } from '../payslip-records/index.ts'
import { batchesInFullScope } from './access.ts'
import { decryptPeriodTotals } from './check/same-file.ts'
import { batchView } from './read-model.ts'

/** Null where the sum is unknown, or where it would reveal pay outside the scope of the user. */
type PaidTotals = { readonly gross_fen: number | null; readonly net_fen: number | null }
type CountedBatch = {
  readonly id: string
  readonly totals: Buffer | null
  readonly is_full: boolean
  readonly slips: number
  readonly is_corrected: boolean
}
const unknownTotals: PaidTotals = { gross_fen: null, net_fen: null }
/** Maximum number of payslips decrypted to compute totals, where the sheet's totals do not match the recipients. */
const maxOpenedPayslips = 2_000

/** Computes the totals of the paid employees: from the checked wage sheet if it covers exactly them, else by payslip. */
export async function computePaidTotals(
  ctx: HandlerContext,
  batches: readonly CountedBatch[],
): Promise<ReadonlyMap<string, PaidTotals>> {
  const all = new Map<string, PaidTotals>()
  let remaining = maxOpenedPayslips
  for (const { id, totals, is_full: inFullScope, slips, is_corrected } of batches) {
    const sheet = decryptPeriodTotals(ctx, { id, totals })
    // The sum of a batch that contains members outside the user's scope would reveal their pay.
    if (!inFullScope || !sheet) all.set(id, unknownTotals)
    else if (sheet.people === slips && !is_corrected) all.set(id, { gross_fen: sheet.gross_fen, net_fen: sheet.net_fen })
    else if (slips > remaining) all.set(id, unknownTotals)
    else {
      remaining -= slips
      const { gross_fen, net_fen } = await sumBatchPay(ctx, id)
      all.set(id, { gross_fen, net_fen })
    }
  }
  return all
}

/** Loads the totals of batches that the user may view. A batch without paid payslips has none. */
export async function loadPaidTotals(
  ctx: HandlerContext,
  batch_ids: readonly string[],
): Promise<ReadonlyMap<string, PaidTotals & { readonly people: number }>> {
  if (batch_ids.length === 0) return new Map()
  const batches = await ctx.db
    .selectFrom(batchView)
    .innerJoinLateral(payslipsLateral(ctx.company_id, { where: sql<boolean>`true`, statuses: paidStatuses }).as('slip'), (join) =>
      join.onTrue(),
    )
    .where('batch.company_id', '=', ctx.company_id)
    .where('batch.id', '=', sql<string>`any(${[...batch_ids]}::uuid[])`)
    .select(['batch.id', 'batch.totals', batchesInFullScope(ctx).as('is_full')])
    .select([sql<number>`count(*)::int`.as('slips'), sql<boolean>`bool_or(slip.version > 1)`.as('is_corrected')])
    .groupBy(['batch.company_id', 'batch.id', 'batch.status', 'batch.totals', 'batch.scope_all', 'batch.scope_ids'])
    .execute()
  const totals = await computePaidTotals(ctx, batches)
  return new Map(batches.map(({ id, slips }) => [id, { ...(totals.get(id) ?? unknownTotals), people: slips }]))
}
