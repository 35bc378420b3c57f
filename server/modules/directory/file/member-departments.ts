/** All members with departments and employment dates, for company statistics. The caller decides whose names are shown. */

import type { CompanyTx } from '../../../database/company-tx.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { toShanghaiDate } from '../../../shared/clock.ts'
import { canManageAllMembers } from '../scope.ts'
import { listOrderedDepartments } from '../tree/read.ts'

type MemberWithDepartments = {
  readonly id: string
  readonly name: string
  /** The first and last day of employment; null if the roster does not contain them. */
  readonly entry_on: string | null
  readonly left_on: string | null
  /** The member's departments, in tree order. */
  readonly department_ids: readonly string[]
  /** The user may manage this member's pay. */
  readonly is_manageable: boolean
}
export type RosterDepartment = {
  readonly id: string
  readonly parent_id: string | null
  readonly name: string
  readonly is_manageable: boolean
}

type ScopedTx = CompanyTx & {
  readonly currentUser: Pick<HandlerContext['currentUser'], 'power' | 'scope'>
}

/** Lists the departments only, in tree order. */
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
