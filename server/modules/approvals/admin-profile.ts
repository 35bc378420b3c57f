/** An administrator's profile, shown when authority is transferred. Reads admin, member and department. */

import { sql } from 'kysely'
import type { Power } from '../../contract/access.ts'
import { fail, type HandlerContext } from '../../http/handler.ts'
import { adminDepartmentView, adminView } from '../access/read-model.ts'
import { departmentView, memberView } from '../directory/read-model.ts'

type CompanyTx = Pick<HandlerContext, 'db' | 'company_id'>
export type AdminProfile = {
  readonly id: string
  readonly name: string
  readonly mobile: string
  readonly power: readonly Power[]
  readonly scope: { readonly all: boolean; readonly departments: string[] }
}

const selectAdmins = ({ db, company_id }: CompanyTx) =>
  db
    .selectFrom(adminView)
    .innerJoin(memberView, (join) =>
      join.onRef('member.company_id', '=', 'admin.company_id').onRef('member.id', '=', 'admin.member_id'),
    )
    .select(['admin.id', 'member.name', 'member.mobile', 'admin.power', 'admin.scope_all'])
    .select(
      sql<string[]>`array(
        select department.name from ${adminDepartmentView} join ${departmentView}
          on department.company_id = admin_department.company_id and department.id = admin_department.department_id
        where admin_department.company_id = ${company_id} and admin_department.admin_id = admin.id
        order by department.position, department.id)`.as('departments'),
    )
    .where('admin.company_id', '=', company_id)

type AdminProfileRow = Awaited<ReturnType<ReturnType<typeof selectAdmins>['executeTakeFirstOrThrow']>>
const toAdminProfile = ({ scope_all, departments, power, ...row }: AdminProfileRow): AdminProfile => ({
  ...row,
  power,
  scope: { all: scope_all || power.includes('4'), departments },
})

/** The administrator is also returned without any powers, because they may still own pay runs. */
export async function getAdminProfile(companyTx: CompanyTx, id: string): Promise<AdminProfile> {
  const row = await selectAdmins(companyTx).where('admin.id', '=', id).executeTakeFirst()
  if (!row) throw fail('not_found', '没有找到这位管理员，列表可能已更新，请刷新')
  return toAdminProfile(row)
}

/** Returns the administrator who has held power 2 the longest. */
export async function getFirstPayrollAdmin(companyTx: CompanyTx): Promise<AdminProfile> {
  const row = await selectAdmins(companyTx)
    .where(sql<boolean>`'2' = any(admin.power)`)
    .orderBy('admin.created_at')
    .orderBy('admin.id')
    .limit(1)
    .executeTakeFirst()
  if (!row) throw fail('not_found', '还没有薪酬管理员，请先在「角色管理」中添加')
  return toAdminProfile(row)
}
