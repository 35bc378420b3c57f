/** Administrators with what they may do. */
import { sql } from 'kysely'
import * as contract from '../../contract/role.ts'
import type { Power } from '../../contract/who.ts'
import { maskMobile } from '../../contract/words.ts'
import { handle } from '../../runtime/handle.ts'

export const getUserList = handle(contract.getUserList, async ({ db, company_id }, { power, name, page, pagesize }) => {
  let found = db
    .selectFrom('admin')
    .innerJoin('member', (join) =>
      join.onRef('member.company_id', '=', 'admin.company_id').onRef('member.id', '=', 'admin.member_id'),
    )
    .where('admin.company_id', '=', company_id)
    // A row without powers is kept for the batches that name it; nobody is an administrator by it.
    .where(sql<boolean>`cardinality(admin.power) > 0`)
  if (power) found = found.where(sql<boolean>`${power} = any(admin.power)`)
  if (name) found = found.where(sql<boolean>`position(lower(${name}) in lower(member.name)) > 0`)
  const { total } = await found.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await found
    .select(['admin.id as user_id', 'admin.member_id', 'member.name', 'member.mobile', 'admin.power', 'admin.scope_all'])
    .select(
      sql<string[]>`array(
        select department.name from admin_department join department
          on department.company_id = admin_department.company_id and department.id = admin_department.department_id
        where admin_department.company_id = admin.company_id and admin_department.admin_id = admin.id
        order by department.place, department.id)`.as('departments'),
    )
    .orderBy('admin.created_at')
    .orderBy('admin.id')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return {
    list: rows.map((row) => ({
      user_id: row.user_id,
      member_id: row.member_id,
      name: row.name,
      mobile_masked: maskMobile(row.mobile),
      power: row.power as Power[],
      scope: { all: row.scope_all || row.power.includes('4'), departments: row.departments },
    })),
    page: { page, pagesize, total },
  }
})
