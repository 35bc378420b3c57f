/** Administrators' rows: reads and writes powers and scope. Changes lock all from the access check on (`locks: 'access'`). */
import { sql } from 'kysely'
import { type Power, powers } from '../../contract/access.ts'
import type { AccessContext, HandlerContext } from '../../http/handler.ts'
import { fail } from '../../http/handler.ts'
import type { DepartmentTreeNode } from '../../rules/departments.ts'
import { newId } from '../../shared/ids.ts'
import { departmentView } from '../directory/read-model.ts'
import type { PowerHolder, PowerRuleResult } from './rules/powers.ts'
import type { Scope } from './rules/scopes.ts'

export type CompanyTx = Pick<HandlerContext, 'db' | 'company_id'>
type LockedCompanyTx = Pick<AccessContext, 'db' | 'company_id' | 'accessLock'>
export type AdminRow = {
  readonly id: string
  readonly member_id: string
  readonly account_id: string
  readonly power: Power[]
  readonly scope_all: boolean
}
export type JoinedMember = { readonly id: string; readonly account_id: string; readonly name: string }

export function assertPowerRule(result: PowerRuleResult): void {
  if (result !== true) throw fail(result.code, result.message, { status: result.status })
}

/** Returns all administrators of the company, locked: two concurrent changes are serialized. */
export async function listLockedAdmins({ db, company_id }: LockedCompanyTx): Promise<AdminRow[]> {
  const all = await db
    .selectFrom('admin')
    .where('company_id', '=', company_id)
    .orderBy('id')
    .select(['id', 'member_id', 'account_id', 'power', 'scope_all'])
    .execute()
  return all
}

/** Returns the current user with their powers, which stay locked during the transaction. */
export const toCurrentAdmin = ({ currentUser }: Pick<AccessContext, 'currentUser' | 'accessLock'>): PowerHolder => ({
  id: currentUser.admin_id,
  power: currentUser.power,
})

/**
 * Locks these members. Powers belong to the account, so only a member who has signed in with a code can have any:
 * before that nobody has proven to own the phone.
 */
export async function lockJoinedMembers({ db, company_id }: CompanyTx, member_ids: readonly string[]): Promise<JoinedMember[]> {
  const ids = [...new Set(member_ids)]
  const rows = await db
    .selectFrom('member')
    .select(['id', 'name', 'status', 'account_id'])
    .where('company_id', '=', company_id)
    .where('id', 'in', ids)
    .orderBy('id')
    .forShare()
    .execute()
  if (rows.length < ids.length) throw fail('not_found', '没有找到所选的员工，请刷新后重选')
  return rows.map(({ id, name, status, account_id }) => {
    if (status === 'left') throw fail('wrong_state', `${name} 已离职，不能成为管理员，请重新选择`, { status })
    if (!account_id)
      throw fail('wrong_state', `${name} 还没有登录过，请先邀请其用手机验证码登录一次，再设置权限`, { status: 'invited' })
    return { id, name, account_id }
  })
}

export async function getScope({ db, company_id }: CompanyTx, admin: Pick<AdminRow, 'id' | 'scope_all'>): Promise<Scope> {
  const rows = await db
    .selectFrom('admin_department')
    .select('department_id')
    .where('company_id', '=', company_id)
    .where('admin_id', '=', admin.id)
    .orderBy('id')
    .execute()
  return { all: admin.scope_all, department_ids: rows.map((row) => row.department_id) }
}

/** Lists the names of administrators whose scope contains exactly this department; nobody gains or loses it meanwhile. */
export async function listDepartmentAdminNames({ db, company_id }: LockedCompanyTx, department_id: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct member.name from admin_department
    join admin on admin.company_id = ${company_id} and admin.id = admin_department.admin_id
    join member on member.company_id = ${company_id} and member.id = admin.member_id
    where admin_department.company_id = ${company_id} and admin_department.department_id = ${department_id} order by member.name`.execute(
    db,
  )
  return rows.map(({ name }) => name)
}

/** Returns those departments that are in no administrator's scope, by the rule of `listDepartmentAdminNames`. */
export async function filterUnmanagedDepartments({ db, company_id }: LockedCompanyTx, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('admin_department')
    .select('department_id')
    .distinct()
    .where('company_id', '=', company_id)
    .where('department_id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute()
  const managed = new Set(rows.map(({ department_id }) => department_id))
  return ids.filter((id) => !managed.has(id))
}

export const listDepartments = ({ db, company_id }: CompanyTx): Promise<(DepartmentTreeNode & { name: string })[]> =>
  db
    .selectFrom(departmentView)
    .select(['id', 'parent_id', 'name'])
    .where('company_id', '=', company_id)
    .orderBy('position')
    .execute()

/** Returns each department once, and only departments of this company. The whole company needs no list. */
export function validateScope({ all, department_ids }: Scope, tree: readonly DepartmentTreeNode[]): Scope {
  const ids = all ? [] : [...new Set(department_ids)]
  if (ids.some((id) => !tree.some((branch) => branch.id === id))) throw fail('not_found', '没有找到所选的部门，请刷新后重选')
  return { all, department_ids: ids }
}

export const formatScope = ({ all, department_ids }: Scope, tree: readonly { id: string; name: string }[]): string =>
  all
    ? '全公司'
    : tree
        .filter((one) => department_ids.includes(one.id))
        .map((one) => one.name)
        .join('、')

/**
 * Writes an administrator's powers; a member without a row becomes an administrator. The account is written again,
 * because a row without powers may date from before a change of phone. Returns the row's id.
 */
export async function savePowers(
  { db, company_id, now }: CompanyTx & Pick<HandlerContext, 'now'>,
  member: { readonly member_id: string; readonly account_id: string },
  admin: Pick<AdminRow, 'id'> | undefined,
  grant: { readonly power: readonly Power[]; readonly scope: Scope },
): Promise<string> {
  const id = admin?.id ?? newId()
  const { scope } = grant
  const row = {
    account_id: member.account_id,
    power: powers.filter((power) => grant.power.includes(power)),
    scope_all: scope.all,
  }
  if (admin) await db.updateTable('admin').set(row).where('company_id', '=', company_id).where('id', '=', id).execute()
  else
    await db
      .insertInto('admin')
      .values({ company_id, id, member_id: member.member_id, ...row, created_at: now })
      .execute()
  await db.deleteFrom('admin_department').where('company_id', '=', company_id).where('admin_id', '=', id).execute()
  if (!scope.all && scope.department_ids.length > 0)
    await db
      .insertInto('admin_department')
      .values(scope.department_ids.map((department_id) => ({ company_id, id: newId(), admin_id: id, department_id })))
      .execute()
  return id
}

/** Returns the powers and scope left after one power is removed: without powers there is no scope. */
export const removePower = (power: readonly Power[], removed: Power, scope: Scope): { power: Power[]; scope: Scope } => {
  const remaining = power.filter((one) => one !== removed)
  return { power: remaining, scope: remaining.length > 0 ? scope : { all: false, department_ids: [] } }
}

/** SQL condition: whether the administrator in this column is a system administrator. */
export const isSystemAdmin = (company_id: string, column: string) => sql<boolean>`exists (select from admin as head
  where head.company_id = ${company_id} and head.id = ${sql.ref(column)} and '4' = any(head.power))`

/**
 * SQL condition for `admin`: the administrators with this power. A row without powers only preserves ownership and does
 * not make anybody an administrator.
 */
export const selectHasPower = (power: Power) => sql<boolean>`${power} = any(admin.power)`
export const selectHasAnyPower = sql<boolean>`cardinality(admin.power) > 0`
