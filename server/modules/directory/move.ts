/** Moving members between departments. */
import { sql } from 'kysely'
import * as contract from '../../contract/directory/members.ts'
import { isInSubquery, selectDepartmentSubtree } from '../../database/department-tree.ts'
import { defineHandler, fail, type HandlerContext, invalidInput } from '../../http/handler.ts'
import { getErrorCode } from '../../shared/error-code.ts'
import { getMemberDepartmentNames, recordDepartmentChanges } from './file/events.ts'
import { canManageAllMembers, isManageableDepartment, isManageableMember } from './scope.ts'

/** PostgreSQL's error code for a row that references a missing row, or that is referenced when deleted. */
export const isForeignKeyError = (error: unknown): boolean => getErrorCode(error) === '23503'

/**
 * Another administrator deleted the department at this moment: the lookup found it, but the foreign key was violated.
 */
export function throwIfDepartmentDeleted(error: unknown): never {
  if (isForeignKeyError(error)) throw fail('not_found', '所选的部门刚刚被删除，请刷新后重选')
  throw error
}

/** Sets exactly these departments for a member, within the user's scope; memberships outside the scope stay unchanged. */
export async function setMemberDepartments(
  ctx: HandlerContext,
  member_id: string,
  department_ids: readonly string[],
): Promise<void> {
  const { db, company_id } = ctx
  const requestedIds = [...new Set(department_ids)]
  const manageable = await db
    .selectFrom('department')
    .select('id')
    .where('company_id', '=', company_id)
    .where(isManageableDepartment(ctx))
    .execute()
  const manageableIds = manageable.map((row) => row.id)
  if (requestedIds.some((id) => !manageableIds.includes(id))) throw fail('not_found', '没有找到所选的部门，请刷新后重选')
  if (requestedIds.length === 0 && !canManageAllMembers(ctx)) throw invalidInput('department_ids', '请至少选择一个您管理的部门')
  if (manageableIds.length > 0)
    await db
      .deleteFrom('member_department')
      .where('company_id', '=', company_id)
      .where('member_id', '=', member_id)
      .where('department_id', 'in', manageableIds)
      .execute()
  if (requestedIds.length > 0)
    await db
      .insertInto('member_department')
      .values(requestedIds.map((department_id) => ({ company_id, member_id, department_id })))
      .execute()
      .catch(throwIfDepartmentDeleted)
}

export const moveMembers = defineHandler(contract.moveMembers, async (ctx, { member_ids, department_id, from_id }) => {
  const { db, company_id } = ctx
  const requestedIds = [...new Set(member_ids)]
  const manageable = await db
    .selectFrom('department')
    .select('id')
    .where('company_id', '=', company_id)
    .where('id', 'in', from_id ? [department_id, from_id] : [department_id])
    .where(isManageableDepartment(ctx))
    .execute()
  if ([department_id, from_id ?? department_id].some((id) => !manageable.some((one) => one.id === id)))
    throw fail('not_found', '没有找到所选的部门，请刷新后重选')
  // The rows are locked in the order of their ids, as in changes of a single member.
  const members = await db
    .selectFrom('member')
    .select(['id', 'status'])
    .where('company_id', '=', company_id)
    .where('id', 'in', requestedIds)
    .where(isManageableMember(ctx))
    .orderBy('id')
    .forUpdate()
    .execute()
  if (members.length < requestedIds.length) throw fail('not_found', '没有找到所选的员工，请刷新后重选')
  if (members.some(({ status }) => status === 'left'))
    throw fail('wrong_state', '所选的员工里有人已经离职，请刷新后重选', { status: 'left' })
  const from = from_id ? selectDepartmentSubtree(company_id, sql`array[${from_id}::uuid]`) : null
  const before = await getMemberDepartmentNames(ctx, requestedIds)
  await sql`
    delete from member_department using department
    where member_department.company_id = ${company_id} and member_department.member_id = any(${requestedIds}::uuid[])
      and member_department.department_id <> ${department_id}
      and department.company_id = ${company_id} and department.id = member_department.department_id
      and ${isManageableDepartment(ctx)} and ${from ? isInSubquery(sql`department.id`, from) : sql`true`}`.execute(db)
  const inserted = await db
    .insertInto('member_department')
    .values(requestedIds.map((member_id) => ({ company_id, member_id, department_id })))
    .onConflict((conflict) => conflict.columns(['company_id', 'member_id', 'department_id']).doNothing())
    .executeTakeFirst()
    .catch(throwIfDepartmentDeleted)
  const moved = Number(inserted?.numInsertedOrUpdatedRows ?? 0)
  await recordDepartmentChanges(ctx, before)
  ctx.addAuditDetails({ moved })
  return { moved }
})
