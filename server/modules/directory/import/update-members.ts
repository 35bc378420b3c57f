/** Bulk changes of members, with their previous values. Writes member, member_department and department. */

import { type RawBuilder, sql } from 'kysely'
import type { CompanyTx } from '../../../database/company-tx.ts'
import { fail, type HandlerContext } from '../../../http/handler.ts'
import { endSessions } from '../../../http/sessions.ts'
import { listAdminMemberIds, listSystemAdminIds } from '../../access/index.ts'
import { notify } from '../../notifications/index.ts'
import { openPrivateFields, sealPrivateFields } from '../add.ts'
import { getPhoneChangeFields, notifyOldPhone } from '../change.ts'
import { getFieldChanges, getMemberDepartmentNames, recordMemberEvents } from '../file/events.ts'
import { throwIfDuplicatePhone } from '../file/insert-members.ts'
import { getNameSpellings } from '../file/name-spelling.ts'
import { throwIfDepartmentDeleted } from '../move.ts'
import type { ImportField } from '../rules/import-changes.ts'
import type { RosterMemberData } from '../rules/import-plan.ts'
import { canManageAllMembers, isManageableDepartment, isManageableMember } from '../scope.ts'
import { type DepartmentLeader, markTerminated, removeAsLeaders } from '../terminate.ts'
import { chunkRows, type Snapshot } from './snapshots.ts'

const writtenColumns = [
  'name',
  'name_pinyin',
  'mobile',
  'employee_no',
  'email',
  'position',
  'entry_on',
  'status',
  'account_id',
  'private',
  'id_card_index',
  'bank_account_index',
  'unconfirmed_at',
  'unconfirmed_by',
  'former_mobile',
  'former_account',
  'left_at',
  'left_on',
] as const
const columnAssignments: RawBuilder<unknown> = sql.join(
  writtenColumns.map((column) => sql`${sql.ref(column)} = ${sql.ref(`wanted.${column}`)}`),
)

export async function restoreMembers({ db, company_id }: CompanyTx, previousRows: readonly Snapshot[]): Promise<void> {
  for (const chunk of chunkRows(previousRows))
    await sql`
      update member set ${columnAssignments} from jsonb_populate_recordset(null::member, ${JSON.stringify(chunk)}::jsonb) as wanted
      where member.company_id = ${company_id} and member.id = wanted.id`
      .execute(db)
      .catch(throwIfDuplicatePhone)
  await replaceMemberships(
    { db, company_id },
    previousRows.map(({ id }) => id),
    previousRows.flatMap(({ id, departments }) => departments.map((department_id) => ({ member_id: id, department_id }))),
    sql`true`,
  )
}

type Membership = { readonly member_id: string; readonly department_id: string }
/** Sets exactly these departments, among those that `departmentCondition` (a condition on `department`) allows to change. */
async function replaceMemberships(
  { db, company_id }: CompanyTx,
  ids: readonly string[],
  memberships: readonly Membership[],
  departmentCondition: RawBuilder<unknown>,
): Promise<void> {
  for (const chunk of chunkRows(ids))
    await sql`
      delete from member_department using department
      where member_department.company_id = ${company_id} and member_department.member_id = any(${chunk}::uuid[])
        and department.company_id = ${company_id} and department.id = member_department.department_id and ${departmentCondition}`.execute(
      db,
    )
  for (const chunk of chunkRows(memberships)) {
    const values = chunk.map((position) => ({ company_id, ...position }))
    await db
      .insertInto('member_department')
      .values(values)
      .onConflict((conflict) => conflict.columns(['company_id', 'member_id', 'department_id']).doNothing())
      .execute()
      .catch(throwIfDepartmentDeleted)
  }
}

/** The planned change of the member. */
export type MemberChange = RosterMemberData & {
  readonly person_id: string
  readonly fields: readonly ImportField[]
  readonly department_ids: readonly string[]
}

/** Locks the members in the order of their ids. */
async function lockManageableMembers(ctx: HandlerContext, ids: readonly string[]) {
  const rows = await ctx.db
    .selectFrom('member')
    .selectAll()
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('status', '<>', 'left')
    .where(isManageableMember(ctx))
    .orderBy('id')
    .forUpdate()
    .execute()
  if (rows.length < ids.length) throw createConflictError()
  return rows
}

const createConflictError = () => fail('wrong_state', '花名册刚刚有变化，请重试')
/**
 * The powers are checked after locking: granting powers locks the member too, so nobody has become an administrator
 * since the plan was made.
 */
async function assertNoAdmins(ctx: HandlerContext, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const admins = await listAdminMemberIds(ctx)
  if (ids.some((id) => admins.has(id))) throw createConflictError()
}

export async function updateMembers(ctx: HandlerContext, changes: readonly MemberChange[]): Promise<void> {
  if (changes.length === 0) return
  const { company_id, db } = ctx
  const byId = new Map(changes.map((one) => [one.person_id, one]))
  const rows = await lockManageableMembers(ctx, [...byId.keys()])
  await assertNoAdmins(
    ctx,
    rows.flatMap(({ id }) => (byId.get(id)?.fields.includes('mobile') ? [id] : [])),
  )
  const phoneChanges: { account_id: string; old: string; mobile: string }[] = []
  const next: unknown[] = []
  const before = await getMemberDepartmentNames(ctx, [...byId.keys()])
  for (const row of rows) {
    const one = byId.get(row.id)
    if (!one) continue
    const mobile = one.fields.includes('mobile') ? one.mobile : null
    if (mobile && row.account_id) phoneChanges.push({ account_id: row.account_id, old: row.mobile, mobile })
    next.push(await buildNextRow(ctx, row, one))
  }
  await sql`
    update member set ${columnAssignments} from jsonb_populate_recordset(null::member, ${JSON.stringify(next)}::jsonb) as wanted
    where member.company_id = ${company_id} and member.id = wanted.id`
    .execute(db)
    .catch(throwIfDuplicatePhone)
  await updateMemberships(
    ctx,
    changes.filter(({ fields }) => fields.includes('departments')),
  )
  const after = await getMemberDepartmentNames(ctx, [...byId.keys()])
  await recordMemberEvents(
    ctx,
    rows.map((row) => ({
      member_id: row.id,
      kind: 'changed',
      changes: listFieldChanges(row, byId.get(row.id), [before.get(row.id), after.get(row.id)]),
    })),
  )
  await notifyPhoneChanges(ctx, phoneChanges)
}

type LockedMember = Awaited<ReturnType<typeof lockManageableMembers>>[number]
/** Builds the member's row as it will be written. */
async function buildNextRow(ctx: HandlerContext, row: LockedMember, one: MemberChange) {
  const has = (field: ImportField) => one.fields.includes(field)
  const mobile = has('mobile') ? one.mobile : null
  const {
    private: privateBytes,
    id_card_index,
    bank_account_index,
    ...plain
  } = {
    ...row,
    ...(has('name') ? { name: one.name, name_pinyin: getNameSpellings(one.name) } : {}),
    ...(has('employee_no') ? { employee_no: one.employee_no ?? '' } : {}),
    ...(has('email') ? { email: one.email ?? '' } : {}),
    ...(has('position') ? { position: one.position ?? '' } : {}),
    ...(has('entry_on') ? { entry_on: one.entry_on } : {}),
    ...(has('id_card') || has('bank_account')
      ? sealPrivateFields(ctx.vault, row.id, openPrivateFields(ctx, row.id, row.private), {
          id_card: has('id_card') ? one.id_card : undefined,
          bank_account: has('bank_account') ? one.bank_account : undefined,
        })
      : {}),
    ...(mobile ? { mobile, ...(await getPhoneChangeFields(ctx, row.id, row, mobile)) } : {}),
  }
  return {
    ...plain,
    private: toHexLiteral(privateBytes),
    id_card_index: toHexLiteral(id_card_index),
    bank_account_index: toHexLiteral(bank_account_index),
  }
}

/** Moves members to departments in which the user may place members. */
async function updateMemberships(ctx: HandlerContext, moving: readonly MemberChange[]): Promise<void> {
  const ids = moving.flatMap(({ department_ids }) => department_ids)
  if (!canManageAllMembers(ctx) && ids.some((id) => !ctx.currentUser.scope.department_ids.includes(id)))
    throw fail('not_found', '没有找到所选的部门，请刷新后重选')
  await replaceMemberships(
    ctx,
    moving.map(({ person_id }) => person_id),
    moving.flatMap(({ person_id, department_ids }) =>
      department_ids.map((department_id) => ({ member_id: person_id, department_id })),
    ),
    isManageableDepartment(ctx),
  )
}

const listFieldChanges = (
  row: LockedMember,
  one: MemberChange | undefined,
  [before, after]: readonly [string | undefined, string | undefined],
) =>
  getFieldChanges([
    ...(['name', 'mobile', 'email', 'employee_no', 'position'] as const).map(
      (field) => [field, row[field], one?.fields.includes(field) ? one[field] : row[field]] as const,
    ),
    ['entry_date', row.entry_on, one?.fields.includes('entry_on') ? one.entry_on : row.entry_on],
    // The plan has found that the values differ.
    ['id_card', 'before', one?.fields.includes('id_card') ? 'after' : 'before'],
    ['bank_account', 'before', one?.fields.includes('bank_account') ? 'after' : 'before'],
    ['departments', before, after],
  ])

const toHexLiteral = (bytes: Buffer | null | undefined): string | null => (bytes ? `\\x${bytes.toString('hex')}` : null)

/** As in a manual change, the old phone and the system administrators are notified. */
async function notifyPhoneChanges(
  ctx: HandlerContext,
  phoneChanges: readonly { account_id: string; old: string; mobile: string }[],
): Promise<void> {
  if (phoneChanges.length === 0) return
  for (const { account_id, old, mobile } of phoneChanges) {
    await endSessions(ctx.db, { account_id, company_id: ctx.company_id }, 'left')
    await notifyOldPhone(ctx, old, mobile)
  }
  const text = `${ctx.currentUser.name} 导入花名册时更换了 ${phoneChanges.length} 位员工的手机号；确认是本人之前，新手机号看不到也收不到工资条。如非本人要求，请尽快核实`
  for (const admin_id of await listSystemAdminIds(ctx)) await notify(ctx, admin_id, { kind: 'phone', text, batch_id: null })
  ctx.addAuditDetails({ phone_changed: phoneChanges.length })
}

/** Like `clearMember`, for members who are not administrators. Returns the departments they led. */
export async function terminateMembers(ctx: HandlerContext, ids: readonly string[]): Promise<DepartmentLeader[]> {
  if (ids.length === 0) return []
  const { db, company_id } = ctx
  const rows = await lockManageableMembers(ctx, ids)
  await assertNoAdmins(ctx, ids)
  await markTerminated(ctx, ids)
  const leaders = await removeAsLeaders(ctx, ids)
  for (const { account_id } of rows) if (account_id) await endSessions(db, { account_id, company_id }, 'left')
  return leaders
}

export type MemberBankCard = { readonly member_id: string; readonly bank_account: string }

/**
 * Stores bank cards named by a wage sheet for active members within the user's scope; returns their number. For a
 * member named twice the last card counts.
 */
export async function saveMemberBankCards(ctx: HandlerContext, cards: readonly MemberBankCard[]): Promise<number> {
  const { db, company_id, vault } = ctx
  const cardByMember = new Map(cards.map(({ member_id, bank_account }) => [member_id, bank_account]))
  let done = 0
  for (const chunk of chunkRows([...cardByMember.keys()])) {
    const members = await db
      .selectFrom('member')
      .select(['id', 'private'])
      .where('company_id', '=', company_id)
      .where('id', '=', sql<string>`any(${chunk}::uuid[])`)
      .where('status', '<>', 'left')
      .where(isManageableMember(ctx))
      .orderBy('id')
      .forUpdate()
      .execute()
    const next = members.map(({ id, private: sealedFields }) => {
      const sealed = sealPrivateFields(vault, id, openPrivateFields(ctx, id, sealedFields), {
        bank_account: cardByMember.get(id),
      })
      return { id, private: toHexLiteral(sealed.private), bank_account_index: toHexLiteral(sealed.bank_account_index) }
    })
    await sql`
      update member set private = wanted.private, bank_account_index = wanted.bank_account_index
      from jsonb_populate_recordset(null::member, ${JSON.stringify(next)}::jsonb) as wanted
      where member.company_id = ${company_id} and member.id = wanted.id`.execute(db)
    await recordMemberEvents(
      ctx,
      members.map(({ id }) => ({ member_id: id, kind: 'changed', changes: [{ field: 'bank_account', from: null, to: null }] })),
    )
    done += members.length
  }
  return done
}
