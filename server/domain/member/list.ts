/** People within one's scope. */
import { type RawBuilder, sql } from 'kysely'
import * as contract from '../../contract/member.ts'
import type { MemberStatus } from '../../contract/words.ts'
import { maskIdCard } from '../../rules/id-card.ts'
import { type Ctx, handle, refuse } from '../../runtime/handle.ts'
import { type Private, privatePlace } from './add.ts'
import { inDepartment, readable, readableDepartment } from './scope.ts'

/** For queries on `member`: the departments of each row, as JSON. */
const departmentsAt = (company_id: string) => sql<{ ID: string; NAME: string }[]>`coalesce((
  select json_agg(json_build_object('ID', department.id, 'NAME', department.name) order by department.place, department.id)
  from member_department join department
    on department.company_id = member_department.company_id and department.id = member_department.department_id
  where member_department.company_id = ${company_id} and member_department.member_id = member.id), '[]')`

const fields = ['id', 'name', 'mobile', 'employee_no', 'position', 'entry_on', 'status', 'source', 'unconfirmed_at'] as const
type Row = { [field in Exclude<(typeof fields)[number], 'entry_on' | 'status' | 'unconfirmed_at'>]: string } & {
  status: MemberStatus
  entry_on: string | null
  unconfirmed_at: Date | null
  departments: { ID: string; NAME: string }[]
}
const shown = (row: Row) => ({
  ID: row.id,
  NAME: row.name,
  MOBILE: row.mobile,
  DEPARTMENTS: row.departments,
  EMPLOYEE_NO: row.employee_no,
  POSITION: row.position,
  ENTRY_DATE: row.entry_on,
  STATUS: row.status,
  SOURCE: row.source,
  UNCONFIRMED: row.unconfirmed_at !== null,
})

/** What a person types into a search box, for `like`: nothing in it is a wildcard. */
export const literal = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

export const getMemberList = handle(contract.getMemberList, async (ctx, input) => {
  const { db, company_id } = ctx
  const { page, pagesize, status, with_children, department_id, name } = input
  let found = db.selectFrom('member').where('company_id', '=', company_id).where(readable(ctx))
  if (department_id) found = found.where(await within(ctx, department_id, with_children))
  if (name) {
    const like = literal(name)
    found = found.where((eb) => eb.or([eb('name', 'ilike', like), eb('mobile', 'like', like), eb('employee_no', 'ilike', like)]))
  }
  // Who has left is shown only where he is asked for.
  found = status ? found.where('status', '=', status) : found.where('status', '<>', 'left')
  const { total } = await found.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await found
    .select([...fields, departmentsAt(company_id).as('departments')])
    .orderBy('id')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return { list: rows.map(shown), page: { page, pagesize, total } }
})

/** The people of a department that I may see; with everything below it where asked. */
async function within(ctx: Ctx, department_id: string, with_children: boolean): Promise<RawBuilder<boolean>> {
  const { db, company_id } = ctx
  const root = await db
    .selectFrom('department')
    .select('id')
    .where('company_id', '=', company_id)
    .where('id', '=', department_id)
    .where(readableDepartment(ctx))
    .executeTakeFirst()
  if (!root) throw refuse('not_found', '没有找到这个部门，请刷新后重选')
  return inDepartment(ctx, department_id, with_children)
}

export const getMemberInfo = handle(contract.getMemberInfo, async (ctx, { id }) => {
  const { db, company_id, vault } = ctx
  const row = await db
    .selectFrom('member')
    .select([...fields, 'private', 'account_id', departmentsAt(company_id).as('departments')])
    .where('company_id', '=', company_id)
    .where('id', '=', id)
    .where(readable(ctx))
    .executeTakeFirst()
  if (!row) throw refuse('not_found', '没有找到这位员工')
  const { id_card } = row.private ? vault.open<Private>(privatePlace(id), row.private) : {}
  return {
    ...shown(row),
    ID_CARD_MASKED: id_card ? maskIdCard(id_card) : null,
    JOINED: row.account_id !== null,
  }
})
