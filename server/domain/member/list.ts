/** People within one's scope. */
import { type RawBuilder, sql } from 'kysely'
import type { InputOf } from '../../contract/call.ts'
import * as contract from '../../contract/people/member.ts'
import type { MemberStatus } from '../../contract/words/words.ts'
import { dayOf } from '../../runtime/clock.ts'
import { type Ctx, handle, refuse } from '../../runtime/handle.ts'
import { spelledLike } from './file/spelled.ts'
import { inDepartment, readable, readableDepartment } from './scope.ts'

/** For queries on `member`: the departments of each row, as JSON. */
export const departmentsAt = (company_id: string) => sql<{ ID: string; NAME: string }[]>`coalesce((
  select json_agg(json_build_object('ID', department.id, 'NAME', department.name) order by department.place, department.id)
  from member_department join department
    on department.company_id = member_department.company_id and department.id = member_department.department_id
  where member_department.company_id = ${company_id} and member_department.member_id = member.id), '[]')`

export const memberColumns = [
  'id',
  'name',
  'mobile',
  'email',
  'employee_no',
  'position',
  'entry_on',
  'status',
  'source',
  'unconfirmed_at',
  'left_on',
  'left_at',
] as const
type Row = Record<'id' | 'name' | 'mobile' | 'email' | 'employee_no' | 'position' | 'source', string> & {
  status: MemberStatus
  entry_on: string | null
  unconfirmed_at: Date | null
  left_on: string | null
  left_at: Date | null
  departments: { ID: string; NAME: string }[]
}
export const shown = (row: Row) => ({
  ID: row.id,
  NAME: row.name,
  MOBILE: row.mobile,
  EMAIL: row.email,
  DEPARTMENTS: row.departments,
  EMPLOYEE_NO: row.employee_no,
  POSITION: row.position,
  ENTRY_DATE: row.entry_on,
  LEFT_ON: row.status === 'left' ? (row.left_on ?? (row.left_at && dayOf(row.left_at))) : null,
  STATUS: row.status,
  SOURCE: row.source,
  UNCONFIRMED: row.unconfirmed_at !== null,
})

/** What a person types into a search box, for `like`: nothing in it is a wildcard. */
export const literal = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

type Shown = Omit<InputOf<typeof contract.getMemberList>, 'page' | 'pagesize'>
/** The people within my scope that these filters leave. */
export async function listed(ctx: Ctx, { status, with_children, department_id, name }: Shown) {
  const { db, company_id } = ctx
  // Whoever works here for an agency is nobody's colleague.
  let found = db.selectFrom('member').where('company_id', '=', company_id).where('source', '<>', 'agency').where(readable(ctx))
  if (department_id) found = found.where(await within(ctx, department_id, with_children))
  if (name) {
    const like = literal(name)
    const letters = spelledLike(name)
    // Each costs the more people there are: only what can be met is compared, and letters of either case only where there are letters.
    const alike = name.toLowerCase() === name.toUpperCase() ? 'like' : 'ilike'
    found = found.where((eb) =>
      eb.or([
        eb('name', alike, like),
        ...(/^[\d+\- ]+$/.test(name) ? [eb('mobile', 'like', like)] : []),
        eb('employee_no', alike, like),
        ...(letters ? [eb('spelled', 'like', letters)] : []),
      ]),
    )
  }
  // Who has left is shown only where he is asked for.
  return status ? found.where('status', '=', status) : found.where('status', '<>', 'left')
}

export const getMemberList = handle(contract.getMemberList, async (ctx, input) => {
  const { page, pagesize } = input
  const found = await listed(ctx, input)
  const { total } = await found.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await found
    .select([...memberColumns, departmentsAt(ctx.company_id).as('departments')])
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
