/** Who an administrator is, for what is said about handing his authority over. Reads admin, member and department. */
import { sql } from 'kysely'
import type { Power } from '../../contract/who.ts'
import { type Ctx, refuse } from '../../runtime/handle.ts'

type Here = Pick<Ctx, 'db' | 'company_id'>
export type Administrator = {
  readonly id: string
  readonly name: string
  readonly mobile: string
  readonly power: readonly Power[]
  readonly scope: { readonly all: boolean; readonly departments: string[] }
}

const admins = ({ db, company_id }: Here) =>
  db
    .selectFrom('admin')
    .innerJoin('member', (join) =>
      join.onRef('member.company_id', '=', 'admin.company_id').onRef('member.id', '=', 'admin.member_id'),
    )
    .select(['admin.id', 'member.name', 'member.mobile', 'admin.power', 'admin.scope_all'])
    .select(
      sql<string[]>`array(
        select department.name from admin_department join department
          on department.company_id = admin_department.company_id and department.id = admin_department.department_id
        where admin_department.company_id = ${company_id} and admin_department.admin_id = admin.id
        order by department.place, department.id)`.as('departments'),
    )
    .where('admin.company_id', '=', company_id)

type Row = Awaited<ReturnType<ReturnType<typeof admins>['executeTakeFirstOrThrow']>>
const read = ({ scope_all, departments, power, ...row }: Row): Administrator => ({
  ...row,
  power: power,
  scope: { all: scope_all || power.includes('4'), departments },
})

/** Also one whose powers were all taken: he may own pay runs still. */
export async function administrator(here: Here, id: string): Promise<Administrator> {
  const row = await admins(here).where('admin.id', '=', id).executeTakeFirst()
  if (!row) throw refuse('not_found', '没有找到这位管理员，列表可能已更新，请刷新')
  return read(row)
}

/** Of those who hold power 2 the one who has it for longest. */
export async function firstWageManager(here: Here): Promise<Administrator> {
  const row = await admins(here)
    .where(sql<boolean>`'2' = any(admin.power)`)
    .orderBy('admin.created_at')
    .orderBy('admin.id')
    .limit(1)
    .executeTakeFirst()
  if (!row) throw refuse('not_found', '还没有薪酬管理员，请先在「角色管理」中添加')
  return read(row)
}
