/** What becomes of an agency's wish to serve: the terms are the decider's. */

import type { InputOf } from '../../contract/call.ts'
import type * as contract from '../../contract/corp/approval.ts'
import { dayOf } from '../../runtime/clock.ts'
import { invalid, type RightsCtx, refuse } from '../../runtime/handle.ts'
import { agencyOfSeat, beginService, refuseService } from '../role/index.ts'

type Serving = InputOf<typeof contract.setApprovalStatusByApprovalNo>['serving']
/** Longer is asked for again. */
const most_days = 366 * 2

export async function decideServing(ctx: RightsCtx, applicant_id: string, status: 1 | 2 | 3, serving: Serving): Promise<void> {
  const agency_id = await agencyOfSeat(ctx, applicant_id)
  if (!agency_id) throw refuse('not_found', '没有找到申请的代理企业，请刷新')
  if (status !== 1) return refuseService(ctx, agency_id)
  if (!serving) throw invalid('serving', '请选择代理的范围和截止日期')
  const { scope, until } = serving
  if (!scope.all && scope.department_ids.length === 0) throw invalid('serving.scope', '请选择代理的范围：全公司，或至少一个部门')
  const today = dayOf(ctx.now)
  if (until < today) throw invalid('serving.until', '截止日期不能早于今天')
  if (until > dayOf(new Date(ctx.now.getTime() + most_days * 86_400_000)))
    throw invalid('serving.until', '一次最多授权两年，到期可以再申请')
  await beginService(ctx, agency_id, { scope, until })
  ctx.about({ agency_id })
}
