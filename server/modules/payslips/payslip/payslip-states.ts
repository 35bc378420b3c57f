/** Payslips as the programs of a company follow them: delivery, viewing and confirmation, without their content. */
import { sql } from 'kysely'
import type { PayslipStatus } from '../../../contract/shared/schemas.ts'
import { sanitizeFileName } from '../../../files/stored-files.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { memberView } from '../../directory/read-model.ts'
import { formatReceiptFile, listReceiptKeys, listReceipts, parseReceipt } from '../../payslip-records/index.ts'
import { getVisiblePayslip, selectAnnouncement, selectVisiblePayslips } from '../send/ledger.ts'
import { toDeliveryView } from './delivery-status.ts'

const toIsoOrNull = (at: Date | null): string | null => at && toIsoTimestamp(at)

export type PayslipStateFilter = {
  readonly batch_id?: string | undefined
  readonly member_ids?: readonly string[] | undefined
  readonly payslip_id?: string | undefined
  readonly status?: PayslipStatus | undefined
  /** The id of the last payslip of the page before. */
  readonly after: string | null
  readonly limit: number
}

/** Lists the payslips within the user's scope that were sent or are being sent, in the order of their ids. */
export async function listPayslipStates(ctx: HandlerContext, filter: PayslipStateFilter) {
  const { batch_id, member_ids, payslip_id, status, after, limit } = filter
  const rows = await selectVisiblePayslips(ctx)
    .innerJoin(memberView, (join) =>
      join.onRef('member.company_id', '=', 'payslip.company_id').onRef('member.id', '=', 'payslip.member_id'),
    )
    .leftJoinLateral(selectAnnouncement(ctx.company_id), (join) => join.onTrue())
    .select(['payslip.id', 'payslip.batch_id', 'payslip.status', 'payslip.version', 'payslip.channel', 'payslip.has_feedback'])
    .select(['payslip.sent_at', 'payslip.viewed_at', 'payslip.confirmed_at', 'payslip.member_id'])
    .select(['member.name', 'member.employee_no'])
    .select(['message.delivery', 'message.failure', 'message.code', 'message.delivered_at'])
    // A payslip that is only planned is created again with every plan.
    .where('payslip.status', '<>', 'waiting')
    .$if(batch_id !== undefined, (query) => query.where('payslip.batch_id', '=', batch_id ?? ''))
    .$if(member_ids !== undefined, (query) =>
      query.where('payslip.member_id', '=', sql<string>`any(${[...(member_ids ?? [])]}::uuid[])`),
    )
    .$if(payslip_id !== undefined, (query) => query.where('payslip.id', '=', payslip_id ?? ''))
    .$if(status !== undefined, (query) => query.where('payslip.status', '=', status ?? 'sent'))
    .$if(after !== null, (query) => query.where('payslip.id', '>', after ?? ''))
    .orderBy('payslip.id')
    .limit(limit)
    .execute()
  return rows.map(({ id, sent_at, viewed_at, confirmed_at, delivery, failure, code, delivered_at, ...row }) => ({
    ...row,
    payslip_id: id,
    sent_at: toIsoOrNull(sent_at),
    viewed_at: toIsoOrNull(viewed_at),
    confirmed_at: toIsoOrNull(confirmed_at),
    ...toDeliveryView({ delivery, failure, code, delivered_at }),
  }))
}

/** Returns the receipts of all confirmed versions of a payslip that the user may view, newest first. */
export async function listPayslipReceipts(ctx: HandlerContext, payslip_id: string) {
  const { salary } = await getVisiblePayslip(ctx, payslip_id, 'view')
  const keys = await listReceiptKeys(ctx)
  return (await listReceipts(ctx, [payslip_id])).toReversed().map(({ receipt, version }) => {
    const { claims } = parseReceipt(receipt)
    return {
      version,
      current: version === salary.version,
      kind: claims.kind,
      confirmed_at: toIsoTimestamp(new Date(claims.confirmed_at)),
      file_name: sanitizeFileName(`确认回执-${claims.person}-${claims.month ?? ''}-第${version}版.json`),
      file: formatReceiptFile(receipt, keys),
      url: `${ctx.origin}/m/verify#${receipt}`,
    }
  })
}
