/** Which recipients a message reached, as far as reported: acceptance by a carrier is not delivery. */
import { sql } from 'kysely'
import type { DeliveryStatus } from '../../../contract/shared/schemas.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { isEmployedOrTerminationStored } from '../../directory/index.ts'
import { selectVisiblePayslips } from '../send/ledger.ts'

/** Selects payslips that a reminder can reach: not viewed, the member receives messages and is active. */
const selectRemindable = (ctx: HandlerContext, batch_id: string) =>
  selectVisiblePayslips(ctx)
    .select(sql<number>`count(*)::int`.as('count'))
    .where('payslip.batch_id', '=', batch_id)
    .where(
      sql<boolean>`payslip.status = 'sent' and payslip.channel <> 'link' and ${isEmployedOrTerminationStored(ctx.company_id)}`,
    )
    .executeTakeFirstOrThrow()

/** Selects payslips not viewed whose message has arrived as far as the carrier reports. */
const selectDelivered = (ctx: HandlerContext, batch_id: string) =>
  selectVisiblePayslips(ctx)
    .innerJoin('delivery', (join) =>
      join.onRef('delivery.company_id', '=', 'payslip.company_id').onRef('delivery.salary_id', '=', 'payslip.id'),
    )
    .select(sql<number>`count(distinct payslip.id)::int`.as('count'))
    .where('payslip.batch_id', '=', batch_id)
    .where('payslip.status', '=', 'sent')
    .where('delivery.batch_id', '=', batch_id)
    .where('delivery.purpose', 'in', ['slip', 'corrected'])
    .where('delivery.delivered_at', 'is not', null)
    .whereRef('delivery.version', '=', 'payslip.version')
    .executeTakeFirstOrThrow()

/** Counts the unviewed payslips that a reminder can reach, and those whose message has arrived. */
export const countReached = async (ctx: HandlerContext, batch_id: string) => ({
  remindable: (await selectRemindable(ctx, batch_id)).count,
  delivered: (await selectDelivered(ctx, batch_id)).count,
})

type DeliveryInfo = {
  readonly delivery: DeliveryStatus | null
  readonly failure: string | null
  readonly code: string | null
  readonly delivered_at: Date | null
}
/** The status of the message itself. `failure`: why it did or may not have arrived; `delayed`: why it has not arrived yet. */
export const toDeliveryView = ({ delivery, failure, code, delivered_at }: DeliveryInfo) => ({
  delivery,
  failure_message: delivery === 'failed' || delivery === 'unknown' ? failure : null,
  delivered_at: delivered_at && toIsoTimestamp(delivered_at),
  delay_message: delivery === 'accepted' && code === 'delayed' ? failure : null,
})
