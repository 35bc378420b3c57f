/** Members' average monthly earnings of last year from their payslips: the base that a city requires next year (§11). */
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { paidStatuses } from '../../../contract/shared/statuses.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { isPayablePayslip } from '../../directory/index.ts'
import { openPayslipContent, selectMemberPayslips } from '../../payslip-records/index.ts'
import { listVisibleBatches } from '../../sheets/index.ts'

/** Payslips decrypted between yields to the event loop. */
const payslipsPerRound = 300

export type LastYearAverage = { readonly average_fen: number; readonly months: number }

/**
 * Divides by the months with a payslip, as averages use months worked; covers batches and members visible to the user.
 * Members without any gross pay are left out.
 */
export async function getLastYearAverages(
  ctx: HandlerContext,
  member_ids: readonly string[],
  year: number,
): Promise<Map<string, LastYearAverage>> {
  const batches = new Map((await listVisibleBatches(ctx, `${year}-01`, `${year}-12`)).map(({ id, month }) => [id, month]))
  if (batches.size === 0 || member_ids.length === 0) return new Map()
  const slips = await selectMemberPayslips(ctx, member_ids)
    .select(['payslip.id', 'payslip.member_id', 'payslip.version', 'payslip.cells', 'payslip.batch_id'])
    .where('payslip.batch_id', '=', sql<string>`any(${[...batches.keys()]}::uuid[])`)
    .where('payslip.status', 'in', paidStatuses)
    .where(isPayablePayslip(ctx))
    .execute()
  const sums = new Map<string, Map<string, number>>()
  for (const [at, slip] of slips.entries()) {
    if (at % payslipsPerRound === payslipsPerRound - 1) await setImmediate()
    const { gross_fen } = openPayslipContent(ctx.vault, slip)
    const month = batches.get(slip.batch_id)
    if (gross_fen === null || month === undefined) continue
    const memberSums = sums.get(slip.member_id) ?? new Map<string, number>()
    memberSums.set(month, (memberSums.get(month) ?? 0) + gross_fen)
    sums.set(slip.member_id, memberSums)
  }
  return new Map([...sums].map(([member_id, months]) => [member_id, toAverage([...months.values()])]))
}

const toAverage = (months: readonly number[]): LastYearAverage => ({
  average_fen: Math.round(months.reduce((sum, one) => sum + one, 0) / months.length),
  months: months.length,
})
