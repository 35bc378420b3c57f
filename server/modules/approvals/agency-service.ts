/** Decides an agency's request for service; the approver sets the terms. */

import type * as contract from '../../contract/approvals/approvals.ts'
import type { CallInput } from '../../contract/call.ts'
import { type AccessContext, fail, invalidInput } from '../../http/handler.ts'
import { toShanghaiDate } from '../../shared/clock.ts'
import { getSeatAgencyId, rejectAgencyService, startAgencyService } from '../access/index.ts'

type ServiceTermsInput = CallInput<typeof contract.setApprovalStatusByApprovalNo>['serving']
/** A longer service needs a new request. */
const maxServiceDays = 366 * 2

export async function decideAgencyService(
  ctx: AccessContext,
  applicant_id: string,
  status: 1 | 2 | 3,
  terms: ServiceTermsInput,
): Promise<void> {
  const agency_id = await getSeatAgencyId(ctx, applicant_id)
  if (!agency_id) throw fail('not_found', '没有找到申请的代理企业，请刷新')
  if (status !== 1) return rejectAgencyService(ctx, agency_id)
  if (!terms) throw invalidInput('serving', '请选择代理的范围和截止日期')
  const { scope, until } = terms
  if (!scope.all && scope.department_ids.length === 0)
    throw invalidInput('serving.scope', '请选择代理的范围：全公司，或至少一个部门')
  const today = toShanghaiDate(ctx.now)
  if (until < today) throw invalidInput('serving.until', '截止日期不能早于今天')
  if (until > toShanghaiDate(new Date(ctx.now.getTime() + maxServiceDays * 86_400_000)))
    throw invalidInput('serving.until', '一次最多授权两年，到期可以再申请')
  await startAgencyService(ctx, agency_id, { scope, until })
  ctx.addAuditDetails({ agency_id })
}
