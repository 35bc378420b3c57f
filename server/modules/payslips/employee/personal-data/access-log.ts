/** Who accessed the employee's data, read from the audit log entries that every access has left (server/http/audit-log.ts). */
import { listPayslipReceipts } from '../../../../contract/api-v1/payslips.ts'
import type { Call } from '../../../../contract/call.ts'
import { revealIdCard } from '../../../../contract/directory/member-history.ts'
import * as contract from '../../../../contract/payslips/employee-data.ts'
import { exportEvidencePackage } from '../../../../contract/payslips/evidence-package.ts'
import * as feedback from '../../../../contract/payslips/feedback.ts'
import * as slip from '../../../../contract/payslips/send.ts'
import { readableStatuses } from '../../../../contract/shared/statuses.ts'
import { revealMemberTax } from '../../../../contract/tax/history.ts'
import { listAccessLog } from '../../../../http/audit-log.ts'
import { defineHandler, type HandlerContext } from '../../../../http/handler.ts'
import { toIsoTimestamp } from '../../../../shared/clock.ts'
import { openTitle } from '../../../sheets/display/index.ts'
import { assertPhoneConfirmed, getOwnMemberIds } from '../payslip-access.ts'
import { selectOwnPayslips } from '../payslips.ts'

type CallKinds = readonly (readonly [call: Call, what: contract.AccessKind])[]
/**
 * Calls whose audit log entries contain a payslip, a member or a batch. Programs with an API key also follow the status
 * of payslips; those calls show nothing of their content.
 */
const payslipCalls: CallKinds = [
  [slip.getSalary, 'slip'],
  [slip.editSalaryDetail, 'corrected'],
  [slip.getSalaryModifyLog, 'log'],
  [feedback.getFeedBackDetail, 'question'],
  [feedback.handleFeedback, 'question'],
  [listPayslipReceipts, 'receipt'],
]
const memberCalls: CallKinds = [
  [slip.getMemberSlips, 'person'],
  [revealIdCard, 'id_card'],
  [revealMemberTax, 'tax'],
  [exportEvidencePackage, 'export'],
]
const batchCalls: CallKinds = [
  [slip.getWageDetail, 'list'],
  [slip.exportWageDetail, 'export'],
  [exportEvidencePackage, 'export'],
]
const kindByRoute = new Map([...payslipCalls, ...memberCalls, ...batchCalls].map(([call, what]) => [call.route, what]))
const getCalls = (callKinds: CallKinds): Call[] => callKinds.map(([call]) => call)

/** Covers payslips that the employee can read now; nothing is revealed about withdrawn ones. */
export async function listOwnAccess(ctx: HandlerContext, page: { readonly limit: number; readonly offset: number }) {
  const payslips = await selectOwnPayslips(ctx)
    .where('payslip.status', 'in', readableStatuses)
    .select(['payslip.id', 'payslip.batch_id', 'title.id as title_id', 'title.name as title', 'title.month'])
    .execute()
  const titleInfoById = new Map(
    payslips.flatMap(({ id, batch_id, title_id, title, month }) => {
      const titleInfo = { title: openTitle(ctx.vault, title_id, title), month }
      return [[id, titleInfo] as const, [batch_id, titleInfo] as const]
    }),
  )
  const { lines, total } = await listAccessLog(
    ctx,
    [
      { calls: getCalls(payslipCalls), ids: payslips.map(({ id }) => id) },
      { calls: getCalls(memberCalls), ids: getOwnMemberIds(ctx.currentUser) },
      { calls: getCalls(batchCalls), ids: payslips.map(({ batch_id }) => batch_id) },
    ],
    page,
  )
  const list = lines.flatMap(({ call, subject_id, name, at, times }) => {
    const kind = kindByRoute.get(call)
    const { title = null, month = null } = titleInfoById.get(subject_id) ?? {}
    return kind ? [{ at: toIsoTimestamp(at), count: times, by: name, kind, title, month }] : []
  })
  return { list, total }
}

export const getAccessLog = defineHandler(contract.getAccessLog, async (ctx, { page, pagesize }) => {
  assertPhoneConfirmed(ctx)
  const { list, total } = await listOwnAccess(ctx, { limit: pagesize, offset: (page - 1) * pagesize })
  return { list, page: { page, pagesize, total } }
})
