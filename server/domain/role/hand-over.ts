/** Powers that change hands. What goes with them (pay runs, applications, sessions) is the caller's, in the same transaction. */
import type { Power } from '../../contract/who.ts'
import { type RightsCtx, refuse } from '../../runtime/handle.ts'
import { type AdminRow, heldAdmins, joinedPeople, scopeOf, without, writeRights } from './rows.ts'
import { union } from './rules/scopes.ts'

export type Handed = {
  readonly from: Pick<AdminRow, 'id' | 'member_id' | 'account_id'>
  /** Whether `from` held the power, or only what he made while he did. */
  readonly held: boolean
  readonly to: { readonly id: string; readonly name: string }
}

/**
 * Power 2 of one administrator goes to a person, who keeps what he has: his scope becomes what both of them had. `from` may have lost
 * the power before: then only what he owns is still to be handed over.
 */
export async function handWagePowerOver(ctx: RightsCtx, from_id: string, to_member_id: string): Promise<Handed> {
  return hand(ctx, from_id, to_member_id, '2')
}

/** My power 4 goes to a person. He keeps his powers, I keep mine; the scope of either stays, 4 needs none. */
export async function handSystemPowerOver(ctx: RightsCtx, to_member_id: string): Promise<Handed> {
  return hand(ctx, ctx.me.admin_id ?? '', to_member_id, '4')
}

async function hand(ctx: RightsCtx, from_id: string, to_member_id: string, power: Power): Promise<Handed> {
  const [person] = await joinedPeople(ctx, [to_member_id])
  const admins = await heldAdmins(ctx)
  if (!ctx.me.power.includes('4')) throw refuse('not_permitted', '您已不是系统管理员，不能移交')
  const from = admins.find((one) => one.id === from_id)
  if (!from || !person) throw refuse('not_found', '没有找到这位管理员，列表可能已更新，请刷新')
  if (from.member_id === person.id) throw refuse('wrong_state', '不能移交给本人，请选择其他人', { status: 'self' })
  const before = admins.find((one) => one.member_id === person.id)
  const has = before ? await scopeOf(ctx, before) : { all: false, department_ids: [] }
  const his = await scopeOf(ctx, from)
  const held = from.power.includes(power)
  const id = await writeRights(ctx, { member_id: person.id, account_id: person.account_id }, before, {
    power: [...(before?.power ?? []), power],
    scope: power === '2' ? union(has, his) : has,
  })
  if (held) await writeRights(ctx, from, from, without(from.power, power, his))
  return { from, held, to: { id, name: person.name } }
}
