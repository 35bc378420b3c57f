/**
 * Row-level security, layer 3, for members: which departments and members a user may view or manage. A condition of the
 * query, never a filter on its result.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../database/database.ts'
import { isInSubquery, selectDepartmentSubtree } from '../../database/department-tree.ts'
import type { CompanyUserTx } from '../../http/current-user.ts'
import { fail, type HandlerContext } from '../../http/handler.ts'

type ScopeContext = { readonly currentUser: Pick<HandlerContext['currentUser'], 'scope' | 'power'>; readonly company_id: string }

/** Power 4 and an unlimited scope view all members; power 1 reads all members (calls.md §4). */
export const canViewAllMembers = ({ currentUser }: ScopeContext): boolean =>
  currentUser.scope.all || currentUser.power.includes('4') || currentUser.power.includes('1')
export const canManageAllMembers = ({ currentUser }: ScopeContext): boolean =>
  currentUser.scope.all || currentUser.power.includes('4')

const always = sql<boolean>`true`
// The subquery is computed once. As `exists` it would run for every member, which took 49 s for 10,000 members on a
// table with statistics older than its last import.
const selectScopeMembers = ({ company_id, currentUser }: ScopeContext): RawBuilder<unknown> => sql`
  select mine.member_id from member_department as mine
  where mine.company_id = ${company_id} and mine.department_id = any(${[...currentUser.scope.department_ids]}::uuid[])`
const isInScopeDepartment = (ctx: ScopeContext): RawBuilder<boolean> => isInSubquery(sql`member.id`, selectScopeMembers(ctx))

/** SQL condition for `member`: the members the user may view. */
export const isVisibleMember = (ctx: ScopeContext): RawBuilder<boolean> =>
  canViewAllMembers(ctx) ? always : isInScopeDepartment(ctx)
/** SQL condition for `member`: the members the user may change and pay. */
export const isManageableMember = (ctx: ScopeContext): RawBuilder<boolean> =>
  canManageAllMembers(ctx) ? always : isInScopeDepartment(ctx)

export const createMemberNotFoundError = () => fail('not_found', '没有找到这位员工')
/** Another company's member, one out of scope and a nonexistent one get the same error. */
export async function assertCanViewMember(
  ctx: CompanyUserTx,
  member_id: string,
  condition: RawBuilder<boolean> = isVisibleMember(ctx),
): Promise<void> {
  const row = await ctx.db
    .selectFrom('member')
    .select('id')
    .where('company_id', '=', ctx.company_id)
    .where('id', '=', member_id)
    .where(condition)
    .executeTakeFirst()
  if (!row) throw createMemberNotFoundError()
}

/**
 * SQL condition for `payslip`: payslips of members the user may pay now. A reduced scope removes access to the payslips
 * of the removed members, including those the user sent; a member who moves to another department takes their payslips
 * along.
 */
export const isPayablePayslip = (ctx: ScopeContext): RawBuilder<boolean> =>
  canManageAllMembers(ctx) ? always : isInSubquery(sql`payslip.member_id`, selectScopeMembers(ctx))

/** SQL condition for `payslip`: the member is active, or was known to be terminated when the payslip was planned. */
export const isEmployedOrTerminationStored = (company_id: string): RawBuilder<boolean> => sql<boolean>`exists (
  select from member where member.company_id = ${company_id} and member.id = payslip.member_id
    and (member.status <> 'left' or coalesce(payslip.identity ->> 'left', '') <> ''))`

/** SQL condition for other tables; `memberId` is the column with the member's id. */
export const isManageableMemberId = (ctx: ScopeContext, memberId: RawBuilder<unknown>): RawBuilder<boolean> =>
  canManageAllMembers(ctx) ? always : isInSubquery(memberId, selectScopeMembers(ctx))
/** SQL condition for other tables: rows of members in a department and below it; a department out of scope matches nobody. */
export const isMemberInDepartment = (
  ctx: ScopeContext,
  memberId: RawBuilder<unknown>,
  department_id: string,
): RawBuilder<boolean> =>
  isInSubquery(
    memberId,
    sql`select member.id from member where member.company_id = ${ctx.company_id} and ${departmentCondition(ctx, department_id)}`,
  )

/**
 * SQL condition: whether the user manages all of these departments; a moved department counts at its present position,
 * a deleted one as the department its members were moved to.
 */
export const canManageDepartments = ({ company_id, currentUser }: ScopeContext, ids: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`not exists (select from department where department.company_id = ${company_id} and department.id = any(${ids})
    and department.id <> all(${[...currentUser.scope.department_ids]}::uuid[]))
    and not exists (select from removed_department where removed_department.company_id = ${company_id} and removed_department.id = any(${ids})
    and removed_department.merged_into_id <> all(${[...currentUser.scope.department_ids]}::uuid[]))`

/** SQL condition for `department` (or its alias): the departments the user may view. */
export const isVisibleDepartment = (ctx: ScopeContext, name = 'department'): RawBuilder<boolean> =>
  canViewAllMembers(ctx)
    ? always
    : sql<boolean>`${sql.ref(`${name}.id`)} = any(${[...ctx.currentUser.scope.department_ids]}::uuid[])`
/** SQL condition for `department`: those the user may add members to. */
export const isManageableDepartment = (ctx: ScopeContext): RawBuilder<boolean> =>
  canManageAllMembers(ctx) ? always : sql<boolean>`department.id = any(${[...ctx.currentUser.scope.department_ids]}::uuid[])`

/** SQL condition for `member`: members of a department, with subdepartments if requested. The caller adds the scope. */
export function isInDepartment(
  { company_id }: Pick<ScopeContext, 'company_id'>,
  department_id: string,
  with_children = true,
): RawBuilder<boolean> {
  const one = sql`array[${department_id}::uuid]`
  const membershipDepartment = sql`there.department_id`
  return isInSubquery(
    sql`member.id`,
    sql`select there.member_id from member_department as there
    where there.company_id = ${company_id}
      and ${with_children ? isInSubquery(membershipDepartment, selectDepartmentSubtree(company_id, one)) : sql`${membershipDepartment} = any(${one})`}`,
  )
}

/**
 * SQL condition for `member` in other modules: within a department (subdepartments included), or within the user's
 * scope if none is given. A department out of scope matches nobody.
 */
export function departmentCondition(ctx: ScopeContext, department_id?: string): RawBuilder<boolean> {
  if (!department_id) return isManageableMember(ctx)
  if (!canManageAllMembers(ctx) && !ctx.currentUser.scope.department_ids.includes(department_id)) return sql<boolean>`false`
  return sql<boolean>`(${isManageableMember(ctx)} and ${isInDepartment(ctx, department_id)})`
}

/** Counts the active members the user sees in the roster. */
export async function countVisibleMembers(ctx: ScopeContext & { readonly db: Tx }): Promise<number> {
  const { people } = await ctx.db
    .selectFrom('member')
    .select(({ fn }) => fn.countAll<number>().as('people'))
    .where('company_id', '=', ctx.company_id)
    .where('status', '<>', 'left')
    .where(isVisibleMember(ctx))
    .executeTakeFirstOrThrow()
  return people
}
