/** Adds, changes and terminates members manually. */

import { sql } from 'kysely'
import { hasPower } from '../../contract/access.ts'
import * as contract from '../../contract/directory/members.ts'
import { defineHandler, fail, type HandlerContext, invalidInput } from '../../http/handler.ts'
import { endSessions } from '../../http/sessions.ts'
import { normalizeBankCard } from '../../rules/bank-card.ts'
import { normalizeIdCard } from '../../rules/id-card.ts'
import { toShanghaiDate } from '../../shared/clock.ts'
import { newId } from '../../shared/ids.ts'
import { findAdmin, listSystemAdminIds, revokeAllPowers } from '../access/index.ts'
import { accountView } from '../auth/read-model.ts'
import { notify, sendDirectMessage } from '../notifications/index.ts'
import { hasPayslips } from '../payslip-records/index.ts'
import { addMember, assertUniqueMembers, openPrivateFields, sealPrivateFields } from './add.ts'
import { getFieldChanges, getMemberDepartmentNames, recordMemberEvents } from './file/events.ts'
import { throwIfDuplicatePhone } from './file/insert-members.ts'
import { getNameSpellings } from './file/name-spelling.ts'
import { setMemberDepartments } from './move.ts'
import { confirmedPhoneFields } from './own/confirm.ts'
import { createMemberNotFoundError, isManageableMember } from './scope.ts'
import { markTerminated, removeAsLeaders } from './terminate.ts'

export const insertMember = defineHandler(contract.insertMember, async (ctx, { entry_date, ...person }) => ({
  id: await addMember(ctx, { ...person, entry_on: entry_date ?? null }),
}))

/** Locks the member for the change, if within the user's scope. */
async function lockMember(ctx: HandlerContext, id: string) {
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
    .where(isManageableMember(ctx))
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw createMemberNotFoundError()
  return row
}

export const editMemberInfo = defineHandler(
  contract.editMemberInfo,
  async (ctx, { id, department_ids, entry_date, id_card, bank_account, ...input }) => {
    const { db, company_id, vault } = ctx
    const member = await lockMember(ctx, id)
    if (member.status === 'left') throw fail('not_found', '这位员工已经离职，资料不能再修改')
    const mobile = input.mobile && input.mobile !== member.mobile ? input.mobile : undefined
    // An administrator's powers belong to the account: a new phone here would transfer them, or the payslips, to its
    // owner.
    if (mobile && (await findAdmin(ctx, id))) throw fail('not_permitted', '管理员的手机号只能由本人更换')
    const renamed = input.name !== undefined && input.name !== member.name
    // Payslips belong to the member: a new name together with a new phone would give another person access to them and
    // to planned ones.
    if (mobile && renamed && (await hasPayslips(ctx, id)))
      throw invalidInput('mobile', '姓名和手机号不能一起更改；如果换了人，请把原员工标记为离职，再新增这位员工')
    if (mobile || id_card)
      await assertUniqueMembers(ctx, [{ name: member.name, mobile: mobile ?? '', id_card: id_card ?? null }], id)

    const change = {
      ...input,
      ...(input.name === undefined ? {} : { name_pinyin: getNameSpellings(input.name) }),
      ...(entry_date === undefined ? {} : { entry_on: entry_date }),
      ...(id_card === undefined && bank_account === undefined
        ? {}
        : sealPrivateFields(vault, id, openPrivateFields(ctx, id, member.private), { id_card, bank_account })),
      ...(mobile ? await getPhoneChangeFields(ctx, id, member, mobile) : {}),
    }
    const departmentsBefore = department_ids && (await getMemberDepartmentNames(ctx, [id])).get(id)
    if (Object.values(change).some((value) => value !== undefined))
      await db
        .updateTable('member')
        .set(change)
        .where('company_id', '=', company_id)
        .where('id', '=', id)
        .execute()
        .catch(throwIfDuplicatePhone)
    if (department_ids) await setMemberDepartments(ctx, id, department_ids)
    const privateFields = openPrivateFields(ctx, id, member.private)
    const changes = getFieldChanges([
      ['name', member.name, input.name ?? member.name],
      ['mobile', member.mobile, mobile ?? member.mobile],
      ['employee_no', member.employee_no, input.employee_no ?? member.employee_no],
      ['position', member.position, input.position ?? member.position],
      ['entry_date', member.entry_on, entry_date === undefined ? member.entry_on : entry_date],
      ['id_card', privateFields.id_card, id_card === undefined ? privateFields.id_card : id_card && normalizeIdCard(id_card)],
      [
        'bank_account',
        privateFields.bank_account,
        bank_account === undefined ? privateFields.bank_account : bank_account && normalizeBankCard(bank_account),
      ],
      ['email', member.email, input.email ?? member.email],
      ['departments', departmentsBefore, department_ids && (await getMemberDepartmentNames(ctx, [id])).get(id)],
    ])
    await recordMemberEvents(ctx, [{ member_id: id, kind: 'changed', changes }])
    // The previous account must immediately lose access to everything that now belongs to the new phone.
    if (mobile && member.account_id) {
      await endSessions(db, { account_id: member.account_id, company_id }, 'left')
      await notifyPhoneChange(ctx, id, member, mobile)
    }
    return {}
  },
)

type LockedMember = Awaited<ReturnType<typeof lockMember>>
type PhoneFields = Pick<LockedMember, 'mobile' | 'account_id' | 'unconfirmed_at' | 'former_mobile' | 'former_account'>

/**
 * Returns the fields that change with a new phone. For a member who has joined or has payslips, the phone is only an
 * administrator's claim: nothing is shown or sent until the member or a second administrator has confirmed it.
 * Restoring the previous phone leaves nothing to confirm.
 */
export async function getPhoneChangeFields(ctx: HandlerContext, id: string, member: PhoneFields, mobile: string) {
  const unlinked = { account_id: null, status: 'invited' as const }
  if (member.unconfirmed_at && mobile === member.former_mobile) {
    const currentOwner = (await getPhoneOwners(ctx, [mobile])).get(mobile)
    if ((currentOwner ?? null) === member.former_account)
      return {
        ...confirmedPhoneFields,
        account_id: member.former_account,
        status: member.former_account ? ('active' as const) : ('invited' as const),
      }
  }
  if (!member.unconfirmed_at && !member.account_id && !(await hasPayslips(ctx, id))) return unlinked
  return {
    ...unlinked,
    unconfirmed_at: ctx.now,
    unconfirmed_by: ctx.currentUser.admin_id,
    // The original phone and account are kept, however often the phone changes in between.
    former_mobile: member.unconfirmed_at ? member.former_mobile : member.mobile,
    former_account: member.unconfirmed_at ? member.former_account : member.account_id,
  }
}

/** Returns the accounts that currently have these phones, by phone. */
export async function getPhoneOwners(
  { db }: Pick<HandlerContext, 'db'>,
  mobiles: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom(accountView)
    .select(['id', 'mobile'])
    .where('mobile', '=', sql<string>`any(${mobiles}::text[])`)
    .execute()
  return new Map(rows.map(({ id, mobile }) => [mobile ?? '', id]))
}

/**
 * Changing a member's phone allows signing in as that member, so it never happens silently: the old phone is notified,
 * at our cost and not from the company's prepaid messages, and so are system administrators; the call's audit log entry
 * records it too.
 */
async function notifyPhoneChange(
  ctx: HandlerContext,
  id: string,
  member: { name: string; mobile: string },
  mobile: string,
): Promise<void> {
  const tail = mobile.slice(-4)
  await notifyOldPhone(ctx, member.mobile, mobile)
  const text = `${ctx.currentUser.name} 把 ${member.name} 的手机号改为 尾号${tail}；确认是本人之前，新手机号看不到也收不到工资条。如非本人要求，请尽快核实`
  for (const admin_id of await listSystemAdminIds(ctx)) await notify(ctx, admin_id, { kind: 'phone', text, batch_id: null })
  ctx.addAuditDetails({ phone_changed: 1 })
}

/** Notifies the owner of the previous phone that it was replaced. */
export const notifyOldPhone = (ctx: HandlerContext, oldPhone: string, mobile: string): Promise<void> =>
  sendDirectMessage(ctx, {
    id: newId(),
    channel: 'sms',
    to: oldPhone,
    kind: 'phone_changed',
    params: { corp: ctx.currentUser.company_name, tail: mobile.slice(-4) },
  })

export const clearMember = defineHandler(
  contract.clearMember,
  { locks: 'access' },
  async (ctx, { id, terminated_on = toShanghaiDate(ctx.now) }) => {
    const { db, company_id, currentUser } = ctx
    const member = await lockMember(ctx, id)
    if (id === currentUser.member_id)
      throw fail('wrong_state', '不能把自己标记为离职，请由其他管理员操作', { status: member.status })
    // Otherwise a user who manages members could remove an administrator from the company.
    if ((await findAdmin(ctx, id)) && !hasPower(currentUser.power, ['1']))
      throw fail('not_permitted', '这位员工是管理员，请由企业管理员先取消其管理员权限')
    if (terminated_on > toShanghaiDate(ctx.now))
      throw invalidInput('terminated_on', '离职日期不能晚于今天；请在最后工作日当天或之后标记')
    if (member.entry_on && terminated_on < member.entry_on)
      throw invalidInput('terminated_on', `离职日期不能早于入职日期 ${member.entry_on}`)
    if ((await markTerminated(ctx, [id], terminated_on)) === 0)
      throw fail('wrong_state', '这位员工已经是离职状态', { status: 'left' })
    await revokeAllPowers(ctx, id)
    await removeAsLeaders(ctx, [id])
    if (member.account_id) await endSessions(db, { account_id: member.account_id, company_id }, 'left')
    return {}
  },
)
