/** Messages received by the employee: the deliveries about their payslips, and whether they have read the subject since. */
import * as contract from '../../../../contract/payslips/employee-data.ts'
import { defineHandler, type HandlerContext } from '../../../../http/handler.ts'
import { toIsoTimestamp } from '../../../../shared/clock.ts'
import { openTitle } from '../../../sheets/display/index.ts'
import { parsePurpose } from '../../rules/dispatch.ts'
import { listSentMessages } from '../../send/ledger.ts'
import { assertPhoneConfirmed } from '../payslip-access.ts'
import { selectListedPayslips } from '../payslips.ts'

/** Covers the payslips in the list, including recently withdrawn ones. */
export async function listReceivedMessages(ctx: HandlerContext, page: { readonly limit: number; readonly offset: number }) {
  const payslips = await selectListedPayslips(ctx)
    .select(['payslip.id', 'payslip.status', 'title.id as title_id', 'title.name as title', 'title.month'])
    .execute()
  const payslipById = new Map(payslips.map((one) => [one.id, one]))
  const { notified: messages, total } = await listSentMessages(ctx, [...payslipById.keys()], page)
  const list = messages.map(({ id, salary_id, at, purpose, channel, unsure, read }) => {
    const payslip = payslipById.get(salary_id)
    const isAvailable = payslip !== undefined && payslip.status !== 'withdrawn'
    return {
      message_id: id,
      at: toIsoTimestamp(at),
      kind: parsePurpose(purpose),
      title: (payslip && openTitle(ctx.vault, payslip.title_id, payslip.title)) ?? '',
      month: payslip?.month ?? null,
      slip_id: isAvailable ? salary_id : null,
      channel,
      delivery_unknown: unsure,
      read,
    }
  })
  return { list, total }
}

export const getReceivedMessageList = defineHandler(contract.getReceivedMessageList, async (ctx, { page, pagesize }) => {
  assertPhoneConfirmed(ctx)
  const { list, total } = await listReceivedMessages(ctx, { limit: pagesize, offset: (page - 1) * pagesize })
  return { list, page: { page, pagesize, total } }
})
