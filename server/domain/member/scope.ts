/** The third wall for people: which departments and which persons one may read or keep. A condition of the query, never a filter. */
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../runtime/handle.ts'

type Here = Pick<Ctx, 'me' | 'company_id'>

/** Power 4 and an unlimited scope see everybody; power 1 reads everybody (calls.md §4). */
export const readsAll = ({ me }: Here): boolean => me.scope.all || me.power.includes('4') || me.power.includes('1')
export const keepsAll = ({ me }: Here): boolean => me.scope.all || me.power.includes('4')

const yes = sql<boolean>`true`
const someDepartment = ({ company_id, me }: Here): RawBuilder<boolean> => sql<boolean>`exists (
  select from member_department as mine where mine.company_id = ${company_id} and mine.member_id = member.id
    and mine.department_id = any(${[...me.scope.department_ids]}::uuid[]))`

/** For queries on `member`: the people whom I may see. */
export const readable = (ctx: Here): RawBuilder<boolean> => (readsAll(ctx) ? yes : someDepartment(ctx))
/** For queries on `member`: the people whom I may change, and pay. */
export const keepable = (ctx: Here): RawBuilder<boolean> => (keepsAll(ctx) ? yes : someDepartment(ctx))

/** For queries on `department`: those I may see. */
export const readableDepartment = (ctx: Here): RawBuilder<boolean> =>
  readsAll(ctx) ? yes : sql<boolean>`department.id = any(${[...ctx.me.scope.department_ids]}::uuid[])`
/** For queries on `department`: those I may put people into. */
export const keepableDepartment = (ctx: Here): RawBuilder<boolean> =>
  keepsAll(ctx) ? yes : sql<boolean>`department.id = any(${[...ctx.me.scope.department_ids]}::uuid[])`

/**
 * For queries on `member`, in other domains: within a department (children included), or within my scope where none is given.
 * A department out of scope matches nobody.
 */
export function departmentCondition(ctx: Here, department_id?: string): RawBuilder<boolean> {
  if (!department_id) return keepable(ctx)
  return sql<boolean>`${keepable(ctx)} and exists (
    with recursive below as (
      select department.id from department
      where department.company_id = ${ctx.company_id} and department.id = ${department_id} and ${keepableDepartment(ctx)}
      union
      select child.id from department as child join below on child.parent_id = below.id where child.company_id = ${ctx.company_id}
    )
    select from member_department as there where there.company_id = ${ctx.company_id} and there.member_id = member.id
      and there.department_id in (select id from below))`
}
