/** Granting powers. It signs nobody out unless a scope shrinks. Writes admin and admin_department. */

import * as contract from '../../contract/access/administrators.ts'
import type { Power } from '../../contract/access.ts'
import { type AccessContext, defineHandler, invalidInput } from '../../http/handler.ts'
import { endSessions } from '../../http/sessions.ts'
import { notify } from '../notifications/index.ts'
import {
  type AdminRow,
  assertPowerRule,
  formatScope,
  getScope,
  type JoinedMember,
  listDepartments,
  listLockedAdmins,
  lockJoinedMembers,
  savePowers,
  toCurrentAdmin,
  validateScope,
} from './admin-rows.ts'
import { canGrantPowers, canGrantScope, formatPowers, type PowerHolder } from './rules/powers.ts'
import { chooseGrantedScope, isEmptyScope, isScopeReduced, needsScope, type Scope } from './rules/scopes.ts'

type PowerGrant = { readonly power: readonly Power[]; readonly scope: Scope }

/** Grants the same powers to all of these members or to none. Returns their administrator ids in the given order. */
async function grantPowers(ctx: AccessContext, member_ids: readonly string[], grant: PowerGrant): Promise<string[]> {
  if (needsScope(grant.power) && isEmptyScope(grant.scope)) throw invalidInput('scope', '请选择管理范围：全公司，或至少一个部门')
  const members = await lockJoinedMembers(ctx, member_ids)
  const admins = await listLockedAdmins(ctx)
  const tree = await listDepartments(ctx)
  const scope = validateScope(grant.scope, tree)
  const me = toCurrentAdmin(ctx)
  const idByMember = new Map<string, string>()
  for (const member of members) {
    const admin = admins.find((one) => one.member_id === member.id)
    idByMember.set(member.id, await grantPowersToMember(ctx, me, member, admin, { power: grant.power, scope }, tree))
  }
  const ids = [...new Set(member_ids)].flatMap((id) => idByMember.get(id) ?? [])
  ctx.addAuditDetails({ user_ids: ids.join(' '), powers: grant.power.join(), departments: scope.department_ids.length })
  return ids
}

async function grantPowersToMember(
  ctx: AccessContext,
  me: PowerHolder,
  member: JoinedMember,
  admin: AdminRow | undefined,
  grant: PowerGrant,
  tree: Awaited<ReturnType<typeof listDepartments>>,
): Promise<string> {
  const { db, company_id } = ctx
  const current = admin?.power ?? []
  const isAgency = ctx.currentUser.corp_role === 20
  assertPowerRule(canGrantPowers(me, { id: admin?.id ?? null, power: current }, grant.power, { isAgency }))
  const before = admin ? await getScope(ctx, admin) : { all: false, department_ids: [] }
  const scope = chooseGrantedScope(grant.power, grant.scope, before)
  if (isAgency) assertPowerRule(canGrantScope(ctx.currentUser.scope, { before, after: scope }, tree))
  const id = await savePowers(ctx, { member_id: member.id, account_id: member.account_id }, admin, {
    power: [...current, ...grant.power],
    scope,
  })
  if (needsScope(current) && isScopeReduced(before, scope, tree))
    await endSessions(db, { account_id: member.account_id, company_id }, 'role')
  const where = needsScope(grant.power) ? `，管理范围：${formatScope(scope, tree)}` : ''
  const text = `${ctx.currentUser.name} 为您设置了${formatPowers(grant.power)}权限${where}`
  await notify(ctx, id, { kind: 'role', text, batch_id: null })
  return id
}

export const insertRole = defineHandler(contract.insertRole, { locks: 'access' }, async (ctx, { member_id, power, scope }) => {
  const [user_id = ''] = await grantPowers(ctx, [member_id], { power, scope })
  return { user_id }
})

export const addAmin = defineHandler(contract.addAmin, { locks: 'access' }, async (ctx, { member_ids, power, scope }) => ({
  user_ids: await grantPowers(ctx, member_ids, { power, scope }),
}))
