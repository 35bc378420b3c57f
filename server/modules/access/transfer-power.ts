/** Transfers of powers. The caller transfers what belongs to them (pay runs, applications, sessions) in the same transaction. */
import type { Power } from '../../contract/access.ts'
import { type AccessContext, fail } from '../../http/handler.ts'
import { type AdminRow, getScope, listLockedAdmins, lockJoinedMembers, removePower, savePowers } from './admin-rows.ts'
import { mergeScopes } from './rules/scopes.ts'

export type PowerTransfer = {
  readonly from: Pick<AdminRow, 'id' | 'member_id' | 'account_id'>
  /** Whether `from` still held the power, or only owns what they created while holding it. */
  readonly hadPower: boolean
  readonly to: { readonly id: string; readonly name: string }
}

/**
 * Transfers power 2 of an administrator to a member, who keeps their own powers; the scopes are merged. `from` may have
 * lost the power before: then only their property remains to be transferred.
 */
export async function transferPayrollPower(ctx: AccessContext, from_id: string, to_member_id: string): Promise<PowerTransfer> {
  return transferPower(ctx, from_id, to_member_id, '2')
}

/** Transfers the current user's power 4 to a member. Both keep their other powers and scopes; power 4 needs none. */
export async function transferSystemPower(ctx: AccessContext, to_member_id: string): Promise<PowerTransfer> {
  return transferPower(ctx, ctx.currentUser.admin_id ?? '', to_member_id, '4')
}

async function transferPower(ctx: AccessContext, from_id: string, to_member_id: string, power: Power): Promise<PowerTransfer> {
  const [member] = await lockJoinedMembers(ctx, [to_member_id])
  const admins = await listLockedAdmins(ctx)
  if (!ctx.currentUser.power.includes('4')) throw fail('not_permitted', '您已不是系统管理员，不能移交')
  const from = admins.find((one) => one.id === from_id)
  if (!from || !member) throw fail('not_found', '没有找到这位管理员，列表可能已更新，请刷新')
  if (from.member_id === member.id) throw fail('wrong_state', '不能移交给本人，请选择其他人', { status: 'self' })
  const before = admins.find((one) => one.member_id === member.id)
  const targetScope = before ? await getScope(ctx, before) : { all: false, department_ids: [] }
  const sourceScope = await getScope(ctx, from)
  const hadPower = from.power.includes(power)
  const id = await savePowers(ctx, { member_id: member.id, account_id: member.account_id }, before, {
    power: [...(before?.power ?? []), power],
    scope: power === '2' ? mergeScopes(targetScope, sourceScope) : targetScope,
  })
  if (hadPower) await savePowers(ctx, from, from, removePower(from.power, power, sourceScope))
  return { from, hadPower, to: { id, name: member.name } }
}
