/** The third wall for people: which departments and which persons one may read or keep. A condition of the query, never a filter. */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../database/database.ts'
import { isInSubquery, selectDepartmentSubtree } from '../../database/department-tree.ts'
import { fail, type HandlerContext } from '../../http/handler.ts'

type ScopeContext = { readonly currentUser: Pick<HandlerContext['currentUser'], 'scope' | 'power'>; readonly company_id: string }

/** Power 4 and an unlimited scope see everybody; power 1 reads everybody (calls.md §4). */
export const canViewAllMembers = ({ currentUser }: ScopeContext): boolean =>
  currentUser.scope.all || currentUser.power.includes('4') || currentUser.power.includes('1')
export const canManageAllMembers = ({ currentUser }: ScopeContext): boolean =>
  currentUser.scope.all || currentUser.power.includes('4')

const always = sql<boolean>`true`
// As a table that is made once. As `exists` it would be asked for every person, and on a table whose statistics are older than its last
// import that was 49 s for 10,000 people.
const selectScopeMembers = ({ company_id, currentUser }: ScopeContext): RawBuilder<unknown> => sql`
  select mine.member_id from member_department as mine
  where mine.company_id = ${company_id} and mine.department_id = any(${[...currentUser.scope.department_ids]}::uuid[])`
const isInScopeDepartment = (ctx: ScopeContext): RawBuilder<boolean> => isInSubquery(sql`member.id`, selectScopeMembers(ctx))

/** For queries on `member`: the people whom I may see. */
export const isVisibleMember = (ctx: ScopeContext): RawBuilder<boolean> =>
  canViewAllMembers(ctx) ? always : isInScopeDepartment(ctx)
/** For queries on `member`: the people whom I may change, and pay. */
export const isManageableMember = (ctx: ScopeContext): RawBuilder<boolean> =>
  canManageAllMembers(ctx) ? always : isInScopeDepartment(ctx)

export const createMemberNotFoundError = () => fail('not_found', '没有找到这位员工')
/** Another company's, one out of my scope and none at all are the same. */
export async function assertCanViewMember(
  ctx: Pick<HandlerContext, 'db' | 'currentUser' | 'company_id'>,
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
 * For queries on `salary`: slips of people whom I may pay now. Whose scope was cut loses the slips of what he lost, also those that he
 * sent himself; who moved to another department takes his slips along.
 */
export const isPayablePayslip = (ctx: ScopeContext): RawBuilder<boolean> =>
  canManageAllMembers(ctx) ? always : isInSubquery(sql`payslip.member_id`, selectScopeMembers(ctx))

/** For queries on `salary`: its person works here, or was known to have left when it was planned. */
export const isEmployedOrTerminationStored = (company_id: string): RawBuilder<boolean> => sql<boolean>`exists (
  select from member where member.company_id = ${company_id} and member.id = payslip.member_id
    and (member.status <> 'left' or coalesce(payslip.identity ->> 'left', '') <> ''))`

/** The same for other tables: `memberId` is the column with the id of the person. */
export const isManageableMemberId = (ctx: ScopeContext, memberId: RawBuilder<unknown>): RawBuilder<boolean> =>
  canManageAllMembers(ctx) ? always : isInSubquery(memberId, selectScopeMembers(ctx))
/** For other tables: rows of people in a department, children included; a department out of scope matches nobody. */
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
 * Whether I keep all of these departments; one that is under another roof now counts as where it stands, one that was deleted as the place
 * where its people went.
 */
export const canManageDepartments = ({ company_id, currentUser }: ScopeContext, ids: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`not exists (select from department where department.company_id = ${company_id} and department.id = any(${ids})
    and department.id <> all(${[...currentUser.scope.department_ids]}::uuid[]))
    and not exists (select from removed_department where removed_department.company_id = ${company_id} and removed_department.id = any(${ids})
    and removed_department.merged_into_id <> all(${[...currentUser.scope.department_ids]}::uuid[]))`

/** For queries on `department` (or on what they call it): those I may see. */
export const isVisibleDepartment = (ctx: ScopeContext, name = 'department'): RawBuilder<boolean> =>
  canViewAllMembers(ctx)
    ? always
    : sql<boolean>`${sql.ref(`${name}.id`)} = any(${[...ctx.currentUser.scope.department_ids]}::uuid[])`
/** For queries on `department`: those I may put people into. */
export const isManageableDepartment = (ctx: ScopeContext): RawBuilder<boolean> =>
  canManageAllMembers(ctx) ? always : sql<boolean>`department.id = any(${[...ctx.currentUser.scope.department_ids]}::uuid[])`

/** For queries on `member`: the people of a department, with everything below it where asked. Scope is the caller's condition. */
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
 * For queries on `member`, in other domains: within a department (children included), or within my scope where none is given.
 * A department out of scope matches nobody.
 */
export function departmentCondition(ctx: ScopeContext, department_id?: string): RawBuilder<boolean> {
  if (!department_id) return isManageableMember(ctx)
  if (!canManageAllMembers(ctx) && !ctx.currentUser.scope.department_ids.includes(department_id)) return sql<boolean>`false`
  return sql<boolean>`(${isManageableMember(ctx)} and ${isInDepartment(ctx, department_id)})`
}

/** How many people one sees in the roster who have not left. */
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
