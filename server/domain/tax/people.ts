/** The people whose pay one keeps, as lists of tax name them. Scope is a condition of the query. */
import type { Ctx } from '../../runtime/handle.ts'
import { refuse } from '../../runtime/handle.ts'
import { departmentCondition, peopleShown, roster } from '../member/index.ts'

type Wanted = { readonly name?: string | undefined; readonly department_id?: string | undefined }
export type NamedPerson = {
  readonly member_id: string
  readonly name: string
  readonly employee_no: string
  readonly departments: string
  readonly entry_on: string | null
}

/** The ids of those who have not left and whom these words leave, in the order of the roster. */
export async function keptPeople(ctx: Ctx, { name, department_id }: Wanted): Promise<string[]> {
  const shown = await peopleShown(ctx, { name, department_id, with_children: true })
  const rows = await shown.where(departmentCondition(ctx)).select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}

/** How these are called, in this order. */
export async function namedPeople(ctx: Ctx, member_ids: readonly string[]): Promise<NamedPerson[]> {
  if (member_ids.length === 0) return []
  const byId = new Map((await roster(ctx, member_ids)).map((one) => [one.id, one]))
  return member_ids.flatMap((member_id) => {
    const one = byId.get(member_id)
    return one
      ? [{ member_id, name: one.name, employee_no: one.employee_no, departments: one.departments, entry_on: one.entry_on }]
      : []
  })
}

/** Not found where one of them is another company's or out of my scope. */
export async function mustKeep(ctx: Ctx, member_ids: readonly string[]): Promise<void> {
  const wanted = new Set(member_ids)
  const rows = await roster(ctx, [...wanted])
  if (rows.filter(({ in_scope }) => in_scope).length !== wanted.size) throw refuse('not_found', '没有找到这位员工，请刷新后重试')
}

export const changedMeanwhile = () => refuse('wrong_state', '这位员工的资料刚刚被其他人改过，请刷新后核对再保存')
