/**
 * Handing authority over. All of it moves in one transaction: power and scope (role), pay runs and shares (sheet), what lies on the desk
 * about them, applications, sessions. Locks are taken in one order everywhere: administrators, applications, people, batches, titles, sessions.
 */
import * as contract from '../../contract/corp/approval.ts'
import { handleOutside, handleRights, type RightsCtx, refuse } from '../../runtime/handle.ts'
import { endSessions } from '../../runtime/request/sessions.ts'
import { provePassword } from '../account/index.ts'
import { moveNotices, notify } from '../desk/index.ts'
import { handSystemPowerOver, handWagePowerOver, joinedPeople } from '../role/index.ts'
import { batchesOf, handOver, runsOf } from '../sheet/index.ts'
import { lockWaiting, settleAll } from './applications.ts'
import { administrator } from './who.ts'

/** Power 2 with all that belongs to it. The former holder's sessions in this company end as transferred. */
export async function transfer(ctx: RightsCtx, from_id: string, to_member_id: string): Promise<{ batches: number }> {
  const { db, company_id } = ctx
  await lockWaiting(ctx, from_id)
  const former = await administrator(ctx, from_id)
  const { from, held, to } = await handWagePowerOver(ctx, from_id, to_member_id)
  const owned = await runsOf(ctx, from.id)
  if (!held && owned.batches + owned.titles === 0)
    throw refuse('wrong_state', `${former.name} 没有薪酬管理权限，也没有工资记录，无需移交`, { status: 'nothing' })
  const { batches, shares } = await handOver(ctx, { from: from.id, to: to.id, from_name: former.name })
  await moveNotices(ctx, from.id, to.id, await batchesOf(ctx, to.id))
  await settleAll(ctx, from.id, to_member_id)
  const what = batches > 0 ? `，包括 ${batches} 批工资记录` : ''
  await notify(ctx, to.id, { kind: 'role', text: `${former.name} 的薪酬管理权限已移交给您${what}`, batch_id: null })
  if (held) {
    await notify(ctx, from.id, { kind: 'role', text: `您的薪酬管理权限已移交给 ${to.name}${what}`, batch_id: null })
    await endSessions(db, { account_id: from.account_id, company_id }, 'transferred')
  }
  ctx.about({ from_user_id: from.id, to_user_id: to.id, batches, shares })
  return { batches }
}

export const transferManagerBySystemManager = handleRights(
  contract.transferManagerBySystemManager,
  async (ctx, { id, member_id }) => transfer(ctx, id, member_id),
)

/**
 * A refusal rolls back, and the answer of success is the refusal `transferred`: so the work is committed first. The password is asked
 * for again, because who finds an open computer must not become the head of the company; the tries count with those for a new password.
 */
export const transferSystemManager = handleOutside(contract.transferSystemManager, async (ctx, { member_id, password }) => {
  const { me } = ctx
  if (!me) throw refuse('signed_out')
  // Whoever chose the wrong person hears of it before he spends a try.
  await ctx.inTransaction((inner) => joinedPeople(inner, [member_id]))
  await provePassword(ctx, me.account_id, password, { field: 'password', say: '登录密码不正确' })
  await ctx.deedOnRights('transferred', async (inner) => {
    const { from, to } = await handSystemPowerOver(inner, member_id)
    ctx.about({ from_user_id: from.id, to_user_id: to.id })
    await notify(inner, to.id, {
      kind: 'role',
      text: `${me.name} 已把系统管理员权限移交给您，您现在拥有全部权限`,
      batch_id: null,
    })
    await endSessions(inner.db, { account_id: from.account_id, company_id: me.company_id }, 'transferred')
  })
  throw refuse('transferred')
})
