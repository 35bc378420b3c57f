/** Powers that change hands. What goes with them (pay runs, applications, sessions) is the caller's, in the same transaction. */
import type { Power } from '../../contract/access.ts'
import { type AccessContext, fail } from '../../http/handler.ts'
import { type AdminRow, getScope, listLockedAdmins, lockJoinedMembers, removePower, savePowers } from './admin-rows.ts'
import { mergeScopes } from './rules/scopes.ts'

export type PowerTransfer = {
  readonly from: Pick<AdminRow, 'id' | 'member_id' | 'account_id'>
  /** Whether `from` held the power, or only what he made while he did. */
  readonly hadPower: boolean
  readonly to: { readonly id: string; readonly name: string }
}

/**
 * Power 2 of one administrator goes to a person, who keeps what he has: his scope becomes what both of them had. `from` may have lost
 * the power before: then only what he owns is still to be handed over.
 */
export async function transferPayrollPower(ctx: AccessContext, from_id: string, to_member_id: string): Promise<PowerTransfer> {
  return transferPower(ctx, from_id, to_member_id, '2')
}

/** My power 4 goes to a person. He keeps his powers, I keep mine; the scope of either stays, 4 needs none. */
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
  return { from, hadPower: hadPower, to: { id, name: member.name } }
}
