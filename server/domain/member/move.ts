/** People from department to department. */
import { sql } from 'kysely'
import * as contract from '../../contract/people/member.ts'
import { departmentsBelow, isAmong } from '../../runtime/data/departments.ts'
import { codeOf } from '../../runtime/data/failure.ts'
import { type Ctx, handle, invalid, refuse } from '../../runtime/handle.ts'
import { placeNames, recordMoves } from './file/events.ts'
import { keepable, keepableDepartment, keepsAll } from './scope.ts'

/** PostgreSQL's word for a row that names another one which is not there, or is taken away while it is named. */
export const breaksReference = (error: unknown): boolean => codeOf(error) === '23503'

/** Somebody deletes the department at this very moment: the look found it, the key to it did not. */
export function departmentGone(error: unknown): never {
  if (breaksReference(error)) throw refuse('not_found', '所选的部门刚刚被删除，请刷新后重选')
  throw error
}

/** Puts a person into exactly these departments, as far as my scope goes; memberships out of it stay as they are. */
export async function move(ctx: Ctx, member_id: string, department_ids: readonly string[]): Promise<void> {
  const { db, company_id } = ctx
  const wanted = [...new Set(department_ids)]
  const mine = await db
    .selectFrom('department')
    .select('id')
    .where('company_id', '=', company_id)
    .where(keepableDepartment(ctx))
    .execute()
  const known = mine.map((row) => row.id)
  if (wanted.some((id) => !known.includes(id))) throw refuse('not_found', '没有找到所选的部门，请刷新后重选')
  if (wanted.length === 0 && !keepsAll(ctx)) throw invalid('department_ids', '请至少选择一个您管理的部门')
  if (known.length > 0)
    await db
      .deleteFrom('member_department')
      .where('company_id', '=', company_id)
      .where('member_id', '=', member_id)
      .where('department_id', 'in', known)
      .execute()
  if (wanted.length > 0)
    await db
      .insertInto('member_department')
      .values(wanted.map((department_id) => ({ company_id, member_id, department_id })))
      .execute()
      .catch(departmentGone)
}

export const moveMembers = handle(contract.moveMembers, async (ctx, { member_ids, department_id, from_id }) => {
  const { db, company_id } = ctx
  const wanted = [...new Set(member_ids)]
  const mine = await db
    .selectFrom('department')
    .select('id')
    .where('company_id', '=', company_id)
    .where('id', 'in', from_id ? [department_id, from_id] : [department_id])
    .where(keepableDepartment(ctx))
    .execute()
  if ([department_id, from_id ?? department_id].some((id) => !mine.some((one) => one.id === id)))
    throw refuse('not_found', '没有找到所选的部门，请刷新后重选')
  // Held in the order of their ids, as whoever changes one of them holds him.
  const people = await db
    .selectFrom('member')
    .select(['id', 'status'])
    .where('company_id', '=', company_id)
    .where('id', 'in', wanted)
    .where(keepable(ctx))
    .orderBy('id')
    .forUpdate()
    .execute()
  if (people.length < wanted.length) throw refuse('not_found', '没有找到所选的员工，请刷新后重选')
  if (people.some(({ status }) => status === 'left'))
    throw refuse('wrong_state', '所选的员工里有人已经离职，请刷新后重选', { status: 'left' })
  const from = from_id ? departmentsBelow(company_id, sql`array[${from_id}::uuid]`) : null
  const before = await placeNames(ctx, wanted)
  await sql`
    delete from member_department using department
    where member_department.company_id = ${company_id} and member_department.member_id = any(${wanted}::uuid[])
      and member_department.department_id <> ${department_id}
      and department.company_id = ${company_id} and department.id = member_department.department_id
      and ${keepableDepartment(ctx)} and ${from ? isAmong(sql`department.id`, from) : sql`true`}`.execute(db)
  const came = await db
    .insertInto('member_department')
    .values(wanted.map((member_id) => ({ company_id, member_id, department_id })))
    .onConflict((conflict) => conflict.columns(['company_id', 'member_id', 'department_id']).doNothing())
    .executeTakeFirst()
    .catch(departmentGone)
  const moved = Number(came?.numInsertedOrUpdatedRows ?? 0)
  await recordMoves(ctx, before)
  ctx.about({ moved })
  return { moved }
})
