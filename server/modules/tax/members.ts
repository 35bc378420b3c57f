/** The members whose pay the user manages, for the lists of the tax module. Scope is a condition of the query. */
import type { HandlerContext } from '../../http/handler.ts'
import { fail } from '../../http/handler.ts'
import { departmentCondition, loadRoster, peopleVisible } from '../directory/index.ts'

type MemberFilter = { readonly name?: string | undefined; readonly department_id?: string | undefined }
export type TaxMember = {
  readonly member_id: string
  readonly name: string
  readonly employee_no: string
  readonly departments: string
  readonly entry_on: string | null
}

/** Returns the ids of active members that match the search, in roster order. */
export async function listManagedMemberIds(ctx: HandlerContext, { name, department_id }: MemberFilter): Promise<string[]> {
  const query = await peopleVisible(ctx, { name, department_id, with_children: true })
  const rows = await query.where(departmentCondition(ctx)).select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}

/** Returns the names of these members in this order. */
export async function loadTaxMembers(ctx: HandlerContext, member_ids: readonly string[]): Promise<TaxMember[]> {
  if (member_ids.length === 0) return []
  const byId = new Map((await loadRoster(ctx, member_ids)).map((one) => [one.id, one]))
  return member_ids.flatMap((member_id) => {
    const one = byId.get(member_id)
    return one
      ? [{ member_id, name: one.name, employee_no: one.employee_no, departments: one.departments, entry_on: one.entry_on }]
      : []
  })
}

/** Throws not found if one of them belongs to another company or is out of scope. */
export async function assertManaged(ctx: HandlerContext, member_ids: readonly string[]): Promise<void> {
  const ids = new Set(member_ids)
  const rows = await loadRoster(ctx, [...ids])
  if (rows.filter(({ in_scope }) => in_scope).length !== ids.size) throw fail('not_found', '没有找到这位员工，请刷新后重试')
}

export const createConcurrentChangeError = () => fail('wrong_state', '这位员工的资料刚刚被其他人改过，请刷新后核对再保存')
