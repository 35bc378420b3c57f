/** A changed phone that two administrators stand for: one asks, another one decides. */
import * as contract from '../../contract/corp/approval.ts'
import { type Ctx, handle, refuse } from '../../runtime/handle.ts'
import { notify } from '../desk/index.ts'
import { confirmPhone, unconfirmed, unconfirmedOfMine } from '../member/index.ts'
import { headsOf } from '../role/index.ts'
import { takeDown } from './applications.ts'

export const applyConfirmPhone = handle(contract.applyConfirmPhone, async (ctx, { member_id }) => {
  const { db, company_id, me } = ctx
  if (!me.admin_id) throw refuse('not_permitted')
  const person = await unconfirmedOfMine(ctx, member_id)
  if (!person) throw refuse('wrong_state', '这位员工的手机号不需要确认，请刷新', { status: 'confirmed' })
  const waiting = await db
    .selectFrom('approval')
    .select('id')
    .where('company_id', '=', company_id)
    .where('member_id', '=', member_id)
    .where('kind', '=', 'phone')
    .where('status', '=', 0)
    .executeTakeFirst()
  if (waiting) throw refuse('wrong_state', '已经申请过确认，请等待另一位管理员审批', { status: 'waiting' })
  const { id, approval_no } = await takeDown(ctx, {
    kind: 'phone',
    applicant_id: me.admin_id,
    member_id,
    account_id: person.account_id,
  })
  const text = `${me.name} 申请确认 ${person.name} 的新手机号（尾号${person.mobile.slice(-4)}）是本人的，请向本人核实后审批`
  for (const head of await headsOf(ctx))
    if (head !== me.admin_id) await notify(ctx, head, { kind: 'approval', text, batch_id: null })
  ctx.about({ approval_id: id })
  return { approval_no, message: '已申请确认，请等待另一位管理员审批；也可以请本人登录后自己确认' }
})

/** It is confirmed as it was when it was asked for: a phone, or a holder, of later is not. */
export async function confirmChanged(
  ctx: Ctx,
  one: { readonly member_id: string | null; readonly created_at: Date; readonly named: string | null; readonly to_name: string },
): Promise<void> {
  const person = one.member_id ? await unconfirmed(ctx, one.member_id) : null
  if (!person) throw refuse('wrong_state', `${one.to_name} 的手机号已经确认过，或已离职，请驳回这份申请`, { status: 'confirmed' })
  const joined_since = one.named !== null && one.named !== person.account_id
  if (person.unconfirmed_at > one.created_at || joined_since || !(await confirmPhone(ctx, person)))
    throw refuse('wrong_state', `${one.to_name} 的手机号在申请之后又改过，请核实后驳回，再重新申请`, { status: 'changed' })
}
