/** Revoking powers, changing a scope, signing out: a reduction ends the sessions. Writes admin and admin_department. */

import * as contract from '../../contract/access/administrators.ts'
import type { Power } from '../../contract/access.ts'
import { type AccessContext, defineHandler, fail, invalidInput } from '../../http/handler.ts'
import { endSessions } from '../../http/sessions.ts'
import { notify } from '../notifications/index.ts'
import {
  type AdminRow,
  assertPowerRule,
  formatScope,
  getScope,
  listDepartments,
  listLockedAdmins,
  removePower,
  savePowers,
  toCurrentAdmin,
  validateScope,
} from './admin-rows.ts'
import { canGrantScope, canManageAdmin, canRevokePower, formatPowers } from './rules/powers.ts'
import { isEmptyScope, isScopeReduced, needsScope } from './rules/scopes.ts'

/** Returns the administrator and all others of the company, locked. Rows without powers do not count. */
async function requireAdmin(ctx: AccessContext, user_id: string): Promise<{ admin: AdminRow; all: AdminRow[] }> {
  const all = await listLockedAdmins(ctx)
  const admin = all.find((one) => one.id === user_id && one.power.length > 0)
  if (!admin) throw fail('not_found', '没有找到这位管理员，列表可能已更新，请刷新')
  return { admin, all }
}

async function revokePower(ctx: AccessContext, user_id: string, power: Power): Promise<void> {
  const { db, company_id, currentUser } = ctx
  const { admin, all } = await requireAdmin(ctx, user_id)
  assertPowerRule(canRevokePower(toCurrentAdmin(ctx), admin, power, all))
  await savePowers(ctx, admin, admin, removePower(admin.power, power, await getScope(ctx, admin)))
  await endSessions(db, { account_id: admin.account_id, company_id }, 'role')
  await notify(ctx, admin.id, {
    kind: 'role',
    text: `${currentUser.name} 取消了您的${formatPowers([power])}权限`,
    batch_id: null,
  })
  ctx.addAuditDetails({ powers: power })
}

export const clearRole = defineHandler(contract.clearRole, { locks: 'access' }, async (ctx, { user_id, power }) => {
  await revokePower(ctx, user_id, power)
  return {}
})

export const clearHrManager = defineHandler(contract.clearHrManager, { locks: 'access' }, async (ctx, { user_id }) => {
  await revokePower(ctx, user_id, '3')
  return {}
})

export const editUserScope = defineHandler(
  contract.editUserScope,
  { locks: 'access' },
  async (ctx, { user_id, scope: requested }) => {
    const { db, company_id, currentUser } = ctx
    const { admin } = await requireAdmin(ctx, user_id)
    assertPowerRule(canManageAdmin(toCurrentAdmin(ctx), admin))
    if (admin.power.includes('4')) throw fail('wrong_state', '系统管理员管理全公司，无需设置管理范围', { status: 'head' })
    if (needsScope(admin.power) && isEmptyScope(requested)) throw invalidInput('scope', '请选择管理范围：全公司，或至少一个部门')
    const tree = await listDepartments(ctx)
    const scope = validateScope(requested, tree)
    const before = await getScope(ctx, admin)
    if (currentUser.corp_role === 20) assertPowerRule(canGrantScope(currentUser.scope, { before, after: scope }, tree))
    await savePowers(ctx, admin, admin, { power: admin.power, scope })
    const isReduced = isScopeReduced(before, scope, tree)
    if (isReduced) await endSessions(db, { account_id: admin.account_id, company_id }, 'role')
    await notify(ctx, admin.id, {
      kind: 'role',
      text: `${currentUser.name} 把您的管理范围改为：${formatScope(scope, tree)}`,
      batch_id: null,
    })
    ctx.addAuditDetails({ departments: scope.department_ids.length, smaller: isReduced ? 1 : 0 })
    return {}
  },
)

/** Users may end their own sessions too, because they gain nothing by it. */
export const endUserSessions = defineHandler(contract.endUserSessions, { locks: 'access' }, async (ctx, { user_id }) => {
  const { db, company_id, currentUser } = ctx
  const { admin } = await requireAdmin(ctx, user_id)
  if (admin.id !== currentUser.admin_id) assertPowerRule(canManageAdmin(toCurrentAdmin(ctx), admin))
  const ended = await endSessions(db, { account_id: admin.account_id, company_id }, 'kicked')
  ctx.addAuditDetails({ ended })
  return { ended }
})
