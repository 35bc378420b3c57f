/** What waits for my hand: applications first, then people who want to join, then pay. */
import * as contract from '../../contract/corp/agency.ts'
import { holds } from '../../contract/who.ts'
import { handle } from '../../runtime/handle.ts'
import { waitingForMe } from '../approval/index.ts'
import { todosOf } from '../company/index.ts'
import { joinsWaiting } from '../invite/index.ts'

export const getTodoList = handle(contract.getTodoList, async (ctx) => {
  const { me } = ctx
  const count = await waitingForMe(ctx)
  const approvals = count > 0 ? [{ kind: 'approval' as const, count, batch_id: null }] : []
  // An agency has no pay runs of its own, and power 1 alone manages the company, not its pay.
  const pays = me.corp_role === 10 && holds(me.power, ['2'])
  const joining = await joinsWaiting(ctx)
  const joins = joining > 0 ? [{ kind: 'join' as const, count: joining, batch_id: null }] : []
  return { list: [...approvals, ...joins, ...(pays ? await todosOf(ctx) : [])] }
})
