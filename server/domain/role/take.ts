/** Taking powers, changing a scope, signing out: what becomes less ends the sessions. Writes admin and admin_department. */
import * as contract from '../../contract/corp/role.ts'
import type { Power } from '../../contract/who.ts'
import { handleRights, invalid, type RightsCtx, refuse } from '../../runtime/handle.ts'
import { endSessions } from '../../runtime/request/sessions.ts'
import { notify } from '../desk/index.ts'
import {
  type AdminRow,
  departmentTree,
  heldAdmins,
  knownScope,
  mustBe,
  myselfOf,
  sayScope,
  scopeOf,
  without,
  writeRights,
} from './rows.ts'
import { mayTake, mayTouch, wordsOf } from './rules/powers.ts'
import { isEmpty, isSmaller, needsScope } from './rules/scopes.ts'

/** The administrator among all of the company, which are held. Whose powers were all taken is none any more. */
async function adminAmong(ctx: RightsCtx, user_id: string): Promise<{ admin: AdminRow; all: AdminRow[] }> {
  const all = await heldAdmins(ctx)
  const admin = all.find((one) => one.id === user_id && one.power.length > 0)
  if (!admin) throw refuse('not_found', '没有找到这位管理员，列表可能已更新，请刷新')
  return { admin, all }
}

async function take(ctx: RightsCtx, user_id: string, power: Power): Promise<void> {
  const { db, company_id, me } = ctx
  const { admin, all } = await adminAmong(ctx, user_id)
  mustBe(mayTake(myselfOf(ctx), admin, power, all))
  await writeRights(ctx, admin, admin, without(admin.power, power, await scopeOf(ctx, admin)))
  await endSessions(db, { account_id: admin.account_id, company_id }, 'role')
  await notify(ctx, admin.id, { kind: 'role', text: `${me.name} 取消了您的${wordsOf([power])}权限`, batch_id: null })
  ctx.about({ powers: power })
}

export const clearRole = handleRights(contract.clearRole, async (ctx, { user_id, power }) => {
  await take(ctx, user_id, power)
  return {}
})

export const clearHrManager = handleRights(contract.clearHrManager, async (ctx, { user_id }) => {
  await take(ctx, user_id, '3')
  return {}
})

export const editUserScope = handleRights(contract.editUserScope, async (ctx, { user_id, scope: asked }) => {
  const { db, company_id, me } = ctx
  const { admin } = await adminAmong(ctx, user_id)
  mustBe(mayTouch(myselfOf(ctx), admin))
  if (admin.power.includes('4')) throw refuse('wrong_state', '系统管理员管理全公司，无需设置管理范围', { status: 'head' })
  if (needsScope(admin.power) && isEmpty(asked)) throw invalid('scope', '请选择管理范围：全公司，或至少一个部门')
  const tree = await departmentTree(ctx)
  const scope = knownScope(asked, tree)
  const before = await scopeOf(ctx, admin)
  await writeRights(ctx, admin, admin, { power: admin.power, scope })
  const smaller = isSmaller(before, scope, tree)
  if (smaller) await endSessions(db, { account_id: admin.account_id, company_id }, 'role')
  await notify(ctx, admin.id, { kind: 'role', text: `${me.name} 把您的管理范围改为：${sayScope(scope, tree)}`, batch_id: null })
  ctx.about({ departments: scope.department_ids.length, smaller: smaller ? 1 : 0 })
  return {}
})

/** One's own sessions may be ended as well: nothing is gained by it. */
export const endUserSessions = handleRights(contract.endUserSessions, async (ctx, { user_id }) => {
  const { db, company_id, me } = ctx
  const { admin } = await adminAmong(ctx, user_id)
  if (admin.id !== me.admin_id) mustBe(mayTouch(myselfOf(ctx), admin))
  const ended = await endSessions(db, { account_id: admin.account_id, company_id }, 'kicked')
  ctx.about({ ended })
  return { ended }
})
