/** The user's to-dos: applications first, then join requests, then pay. */

import { hasPower } from '../../contract/access.ts'
import * as contract from '../../contract/agency/agency.ts'
import { defineHandler } from '../../http/handler.ts'
import { countDecidableApprovals } from '../approvals/index.ts'
import { listTodos } from '../company/index.ts'
import { countPendingJoinRequests } from '../invites/index.ts'

export const getTodoList = defineHandler(contract.getTodoList, async (ctx) => {
  const { currentUser } = ctx
  const count = await countDecidableApprovals(ctx)
  const approvals = count > 0 ? [{ kind: 'approval' as const, count, batch_id: null }] : []
  // An agency has no pay runs of its own, and power 1 alone manages the company but not its pay.
  const isPayrollAdmin = currentUser.corp_role === 10 && hasPower(currentUser.power, ['2'])
  const joinCount = await countPendingJoinRequests(ctx)
  const joins = joinCount > 0 ? [{ kind: 'join' as const, count: joinCount, batch_id: null }] : []
  return { list: [...approvals, ...joins, ...(isPayrollAdmin ? await listTodos(ctx) : [])] }
})
