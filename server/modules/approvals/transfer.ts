/**
 * Transfers of authority. Everything moves in one transaction: power and scope (role), pay runs and shares (sheet),
 * notifications about them, applications and sessions. Locks are always taken in the same order: administrators,
 * applications, members, batches, titles, sessions.
 */

import * as contract from '../../contract/approvals/approvals.ts'
import { type AccessContext, defineHandler, fail } from '../../http/handler.ts'
import { endSessions } from '../../http/sessions.ts'
import { lockJoinedMembers, transferPayrollPower, transferSystemPower } from '../access/index.ts'
import { assertPasswordCorrect } from '../auth/index.ts'
import { moveNotifications, notify } from '../notifications/index.ts'
import { countOwned, listOwnedBatchIds, transferOwnership } from '../sheets/index.ts'
import { getAdminProfile } from './admin-profile.ts'
import { closeTransferredApprovals, lockPendingApprovals } from './approval-rows.ts'

/** Transfers power 2 with everything that belongs to it. The previous one's sessions here end with `transferred`. */
export async function transferPayrollAdmin(
  ctx: AccessContext,
  from_id: string,
  to_member_id: string,
): Promise<{ batches: number }> {
  const { db, company_id } = ctx
  await lockPendingApprovals(ctx, from_id)
  const former = await getAdminProfile(ctx, from_id)
  const { from, hadPower, to } = await transferPayrollPower(ctx, from_id, to_member_id)
  const owned = await countOwned(ctx, from.id)
  if (!hadPower && owned.batches + owned.titles === 0)
    throw fail('wrong_state', `${former.name} 没有薪酬管理权限，也没有工资记录，无需移交`, { status: 'nothing' })
  const { batches, shares } = await transferOwnership(ctx, { from: from.id, to: to.id, from_name: former.name })
  await moveNotifications(ctx, from.id, to.id, await listOwnedBatchIds(ctx, to.id))
  await closeTransferredApprovals(ctx, from.id, to_member_id)
  const suffix = batches > 0 ? `，包括 ${batches} 批工资记录` : ''
  await notify(ctx, to.id, { kind: 'role', text: `${former.name} 的薪酬管理权限已移交给您${suffix}`, batch_id: null })
  if (hadPower) {
    await notify(ctx, from.id, { kind: 'role', text: `您的薪酬管理权限已移交给 ${to.name}${suffix}`, batch_id: null })
    await endSessions(db, { account_id: from.account_id, company_id }, 'transferred')
  }
  ctx.addAuditDetails({ from_user_id: from.id, to_user_id: to.id, batches, shares })
  return { batches }
}

export const transferManagerBySystemManager = defineHandler(
  contract.transferManagerBySystemManager,
  { locks: 'access' },
  async (ctx, { id, member_id }) => transferPayrollAdmin(ctx, id, member_id),
)

/**
 * The success response is the error `transferred`, and an error rolls back a transaction: so the work is committed
 * first. The password is required again, so that nobody who finds an unlocked computer becomes the system
 * administrator; the attempts count together with those for changing the password.
 */
export const transferSystemManager = defineHandler(
  contract.transferSystemManager,
  { kind: 'external' },
  async (ctx, { member_id, password }) => {
    const { me } = ctx
    if (!me) throw fail('signed_out')
    // A wrongly chosen member is reported before an attempt is counted.
    await ctx.inTransaction((handlerTx) => lockJoinedMembers(handlerTx, [member_id]))
    await assertPasswordCorrect(ctx, me.account_id, password, { field: 'password', message: '登录密码不正确' })
    await ctx.mutateAccess('transferred', async (handlerTx) => {
      const { from, to } = await transferSystemPower(handlerTx, member_id)
      ctx.addAuditDetails({ from_user_id: from.id, to_user_id: to.id })
      await notify(handlerTx, to.id, {
        kind: 'role',
        text: `${me.name} 已把系统管理员权限移交给您，您现在拥有全部权限`,
        batch_id: null,
      })
      await endSessions(handlerTx.db, { account_id: from.account_id, company_id: me.company_id }, 'transferred')
    })
    throw fail('transferred')
  },
)
