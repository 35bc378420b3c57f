/** Adding, changing and parting people, by hand. */

import { sql } from 'kysely'
import * as contract from '../../contract/people/member.ts'
import { holds } from '../../contract/who.ts'
import { normalBankCard } from '../../rules/bank-card.ts'
import { normalIdCard } from '../../rules/id-card.ts'
import { dayOf } from '../../runtime/clock.ts'
import { type Ctx, handle, handleRights, invalid, refuse } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import { endSessions } from '../../runtime/request/sessions.ts'
import { notify, tell } from '../desk/index.ts'
import { hasSlips } from '../pay/index.ts'
import { adminOf, headsOf, takeRightsAway } from '../role/index.ts'
import { addMember, mustBeFree, privateOf, sealPrivate } from './add.ts'
import { differences, placeNames, record } from './file/events.ts'
import { alreadyThere } from './file/inserted.ts'
import { spelledOf } from './file/spelled.ts'
import { leadNothing, markLeft } from './leave.ts'
import { move } from './move.ts'
import { confirmed } from './own/confirm.ts'
import { keepable, noMember } from './scope.ts'

export const insertMember = handle(contract.insertMember, async (ctx, { entry_date, ...person }) => ({
  id: await addMember(ctx, { ...person, entry_on: entry_date ?? null }),
}))

/** The person, locked for the change, if within my scope. */
async function kept(ctx: Ctx, id: string) {
  const row = await ctx.db
    .selectFrom('member')
    .select([
      'name',
      'mobile',
      'email',
      'employee_no',
      'position',
      'entry_on',
      'status',
      'account_id',
      'private',
      'unconfirmed_at',
    ])
    .select(['former_mobile', 'former_account'])
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', id)
    .where(keepable(ctx))
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw noMember()
  return row
}

export const editMemberInfo = handle(
  contract.editMemberInfo,
  async (ctx, { id, department_ids, entry_date, id_card, bank_account, ...given }) => {
    const { db, company_id, vault } = ctx
    const member = await kept(ctx, id)
    if (member.status === 'left') throw refuse('not_found', '这位员工已经离职，资料不能再修改')
    const mobile = given.mobile && given.mobile !== member.mobile ? given.mobile : undefined
    // The administrator's rights hang on the account: another phone here would hand them, or the slips, to whoever holds it.
    if (mobile && (await adminOf(ctx, id))) throw refuse('not_permitted', '管理员的手机号只能由本人更换')
    const renamed = given.name !== undefined && given.name !== member.name
    // Slips belong to the person: whoever another name and another phone make of this row would read them, and get those that are planned.
    if (mobile && renamed && (await hasSlips(ctx, id)))
      throw invalid('mobile', '姓名和手机号不能一起更改；如果换了人，请把原员工标记为离职，再新增这位员工')
    if (mobile || id_card) await mustBeFree(ctx, [{ name: member.name, mobile: mobile ?? '', id_card: id_card ?? null }], id)

    const change = {
      ...given,
      ...(given.name === undefined ? {} : { spelled: spelledOf(given.name) }),
      ...(entry_date === undefined ? {} : { entry_on: entry_date }),
      ...(id_card === undefined && bank_account === undefined
        ? {}
        : sealPrivate(vault, id, privateOf(ctx, id, member.private), { id_card, bank_account })),
      ...(mobile ? await anotherPhone(ctx, id, member, mobile) : {}),
    }
    const places = department_ids && (await placeNames(ctx, [id])).get(id)
    if (Object.values(change).some((value) => value !== undefined))
      await db
        .updateTable('member')
        .set(change)
        .where('company_id', '=', company_id)
        .where('id', '=', id)
        .execute()
        .catch(alreadyThere)
    if (department_ids) await move(ctx, id, department_ids)
    const known = privateOf(ctx, id, member.private)
    const changes = differences([
      ['name', member.name, given.name ?? member.name],
      ['mobile', member.mobile, mobile ?? member.mobile],
      ['employee_no', member.employee_no, given.employee_no ?? member.employee_no],
      ['position', member.position, given.position ?? member.position],
      ['entry_date', member.entry_on, entry_date === undefined ? member.entry_on : entry_date],
      ['id_card', known.id_card, id_card === undefined ? known.id_card : id_card && normalIdCard(id_card)],
      [
        'bank_account',
        known.bank_account,
        bank_account === undefined ? known.bank_account : bank_account && normalBankCard(bank_account),
      ],
      ['email', member.email, given.email ?? member.email],
      ['departments', places, department_ids && (await placeNames(ctx, [id])).get(id)],
    ])
    await record(ctx, [{ member_id: id, kind: 'changed', changes }])
    // The old account must not read another minute what now belongs to a new phone.
    if (mobile && member.account_id) {
      await endSessions(db, { account_id: member.account_id, company_id }, 'left')
      await tellOfNewPhone(ctx, id, member, mobile)
    }
    return {}
  },
)

type Kept = Awaited<ReturnType<typeof kept>>
type Phoned = Pick<Kept, 'mobile' | 'account_id' | 'unconfirmed_at' | 'former_mobile' | 'former_account'>

/**
 * What another phone makes of a row. Of somebody who has been here, or has slips, it is only somebody else's word: nothing is shown or
 * sent until the person has confirmed it, or a second administrator has. Taken back to the phone that it was, nothing is left to confirm.
 */
export async function anotherPhone(ctx: Ctx, id: string, member: Phoned, mobile: string) {
  const parted = { account_id: null, status: 'invited' as const }
  if (member.unconfirmed_at && mobile === member.former_mobile) {
    const back = (await holdersOfPhones(ctx, [mobile])).get(mobile)
    if ((back ?? null) === member.former_account)
      return {
        ...confirmed,
        account_id: member.former_account,
        status: member.former_account ? ('active' as const) : ('invited' as const),
      }
  }
  if (!member.unconfirmed_at && !member.account_id && !(await hasSlips(ctx, id))) return parted
  return {
    ...parted,
    unconfirmed_at: ctx.now,
    unconfirmed_by: ctx.me.admin_id,
    // The phone and account of before, however often it is changed in between.
    former_mobile: member.unconfirmed_at ? member.former_mobile : member.mobile,
    former_account: member.unconfirmed_at ? member.former_account : member.account_id,
  }
}

/** The accounts that have these phones now, by the phone. */
export async function holdersOfPhones({ db }: Pick<Ctx, 'db'>, mobiles: readonly string[]): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('account')
    .select(['id', 'mobile'])
    .where('mobile', '=', sql<string>`any(${mobiles}::text[])`)
    .execute()
  return new Map(rows.map(({ id, mobile }) => [mobile ?? '', id]))
}

/**
 * Who can give a person another phone can sign in as him. So it never happens in silence: the old phone hears of it,
 * paid by us and not by the company's prepaid messages, and so do those who may do everything; the call's audit line says it too.
 */
async function tellOfNewPhone(ctx: Ctx, id: string, member: { name: string; mobile: string }, mobile: string): Promise<void> {
  const tail = mobile.slice(-4)
  await tellOldPhone(ctx, member.mobile, mobile)
  const text = `${ctx.me.name} 把 ${member.name} 的手机号改为 尾号${tail}；确认是本人之前，新手机号看不到也收不到工资条。如非本人要求，请尽快核实`
  for (const admin_id of await headsOf(ctx)) await notify(ctx, admin_id, { kind: 'phone', text, batch_id: null })
  ctx.about({ phone_changed: 1 })
}

/** Whoever answers at the phone of before hears that there is another one now. */
export const tellOldPhone = (ctx: Ctx, old: string, mobile: string): Promise<void> =>
  tell(ctx, {
    id: newId(),
    channel: 'sms',
    to: old,
    kind: 'phone_changed',
    params: { corp: ctx.me.company_name, tail: mobile.slice(-4) },
  })

export const clearMember = handleRights(contract.clearMember, async (ctx, { id, left_on = dayOf(ctx.now) }) => {
  const { db, company_id, me } = ctx
  const member = await kept(ctx, id)
  if (id === me.member_id) throw refuse('wrong_state', '不能把自己标记为离职，请由其他管理员操作', { status: member.status })
  // Otherwise a keeper of people could put an administrator out of the company.
  if ((await adminOf(ctx, id)) && !holds(me.power, ['1']))
    throw refuse('not_permitted', '这位员工是管理员，请由企业管理员先取消其管理员权限')
  if (left_on > dayOf(ctx.now)) throw invalid('left_on', '离职日期不能晚于今天；请在最后工作日当天或之后标记')
  if (member.entry_on && left_on < member.entry_on) throw invalid('left_on', `离职日期不能早于入职日期 ${member.entry_on}`)
  if ((await markLeft(ctx, [id], left_on)) === 0) throw refuse('wrong_state', '这位员工已经是离职状态', { status: 'left' })
  await takeRightsAway(ctx, id)
  await leadNothing(ctx, [id])
  if (member.account_id) await endSessions(db, { account_id: member.account_id, company_id }, 'left')
  return {}
})
