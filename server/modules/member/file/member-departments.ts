/** Everybody with where he belongs and since when, for figures of the company. Three plain readings; whoever asks says whose names are shown. */

import type { HandlerContext } from '../../../http/handler.ts'
import { toShanghaiDate } from '../../../shared/clock.ts'
import { canManageAllMembers } from '../scope.ts'
import { listOrderedDepartments } from '../tree/read.ts'

type MemberWithDepartments = {
  readonly id: string
  readonly name: string
  /** His first and his last day; null where the roster does not know of one. */
  readonly entry_on: string | null
  readonly left_on: string | null
  /** His departments, in their order. */
  readonly department_ids: readonly string[]
  /** I may pay him. */
  readonly is_manageable: boolean
}
export type RosterDepartment = {
  readonly id: string
  readonly parent_id: string | null
  readonly name: string
  readonly is_manageable: boolean
}

type ScopedTx = Pick<HandlerContext, 'db' | 'company_id'> & {
  readonly currentUser: Pick<HandlerContext['currentUser'], 'power' | 'scope'>
}

/** The departments alone, in the order of the tree. */
export async function listRosterDepartments(ctx: ScopedTx): Promise<RosterDepartment[]> {
  const all = canManageAllMembers(ctx)
  const managedIds = new Set(ctx.currentUser.scope.department_ids)
  return (await listOrderedDepartments(ctx)).map((one) => ({ ...one, is_manageable: all || managedIds.has(one.id) }))
}

export async function loadMembersWithDepartments(
  ctx: ScopedTx,
): Promise<{ people: MemberWithDepartments[]; departments: RosterDepartment[] }> {
  const { db, company_id, currentUser } = ctx
  const members = await db
    .selectFrom('member')
    .select(['id', 'name', 'entry_on', 'status', 'left_on', 'left_at'])
    .where('company_id', '=', company_id)
    .orderBy('id')
    .execute()
  const departments = await listRosterDepartments(ctx)
  const memberships = await db
    .selectFrom('member_department')
    .select(['member_id', 'department_id'])
    .where('company_id', '=', company_id)
    .execute()
  const all = canManageAllMembers(ctx)
  const managedIds = new Set(currentUser.scope.department_ids)
  const order = new Map(departments.map(({ id }, at) => [id, at]))
  const membershipsByMember = Map.groupBy(memberships, ({ member_id }) => member_id)
  return {
    people: members.map(({ id, name, entry_on, status, left_on, left_at }) => {
      const department_ids = (membershipsByMember.get(id) ?? [])
        .map(({ department_id }) => department_id)
        .toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
      return {
        id,
        name,
        entry_on,
        left_on: status === 'left' ? (left_on ?? (left_at && toShanghaiDate(left_at))) : null,
        department_ids,
        is_manageable: all || department_ids.some((one) => managedIds.has(one)),
      }
    }),
    departments,
  }
}
