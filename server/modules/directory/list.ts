/** Lists members within the user's scope. */
import { type RawBuilder, sql } from 'kysely'
import type { CallInput } from '../../contract/call.ts'
import * as contract from '../../contract/directory/members.ts'
import type { MemberStatus } from '../../contract/shared/schemas.ts'
import { defineHandler, fail, type HandlerContext } from '../../http/handler.ts'
import { toShanghaiDate } from '../../shared/clock.ts'
import { toSpellingPattern } from './file/name-spelling.ts'
import { isInDepartment, isVisibleDepartment, isVisibleMember } from './scope.ts'

/** SQL expression for `member`: the departments of each row as JSON. */
export const memberDepartmentsJson = (company_id: string) => sql<{ ID: string; NAME: string }[]>`coalesce((
  select json_agg(json_build_object('ID', department.id, 'NAME', department.name) order by department.position, department.id)
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
export const toMemberView = (row: Row) => ({
  ID: row.id,
  NAME: row.name,
  MOBILE: row.mobile,
  EMAIL: row.email,
  DEPARTMENTS: row.departments,
  EMPLOYEE_NO: row.employee_no,
  POSITION: row.position,
  ENTRY_DATE: row.entry_on,
  TERMINATED_ON: row.status === 'left' ? (row.left_on ?? (row.left_at && toShanghaiDate(row.left_at))) : null,
  STATUS: row.status,
  SOURCE: row.source,
  PHONE_UNCONFIRMED: row.unconfirmed_at !== null,
})

/** Converts search text to a `like` pattern; nothing in it acts as a wildcard. */
export const toLikePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

type MemberListFilter = Omit<CallInput<typeof contract.getMemberList>, 'page' | 'pagesize'>
/** Selects the members within the user's scope that match the filters. */
export async function selectListedMembers(ctx: HandlerContext, { status, with_children, department_id, name }: MemberListFilter) {
  const { db, company_id } = ctx
  // Members who act for an agency are not colleagues.
  let members = db
    .selectFrom('member')
    .where('company_id', '=', company_id)
    .where('source', '<>', 'agency')
    .where(isVisibleMember(ctx))
  if (department_id) members = members.where(await isInVisibleDepartment(ctx, department_id, with_children))
  if (name) {
    const pattern = toLikePattern(name)
    const spellingPattern = toSpellingPattern(name)
    // The cost grows with the number of members: only columns that can match are compared, and case-insensitively only
    // if the text contains letters.
    const operator = name.toLowerCase() === name.toUpperCase() ? 'like' : 'ilike'
    members = members.where((eb) =>
      eb.or([
        eb('name', operator, pattern),
        ...(/^[\d+\- ]+$/.test(name) ? [eb('mobile', 'like', pattern)] : []),
        eb('employee_no', operator, pattern),
        ...(spellingPattern ? [eb('name_pinyin', 'like', spellingPattern)] : []),
      ]),
    )
  }
  // Terminated members are shown only on request.
  return status ? members.where('status', '=', status) : members.where('status', '<>', 'left')
}

export const getMemberList = defineHandler(contract.getMemberList, async (ctx, input) => {
  const { page, pagesize } = input
  const members = await selectListedMembers(ctx, input)
  const { total } = await members.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await members
    .select([...memberColumns, memberDepartmentsJson(ctx.company_id).as('departments')])
    .orderBy('id')
    .limit(pagesize)
    .offset((page - 1) * pagesize)
    .execute()
  return { list: rows.map(toMemberView), page: { page, pagesize, total } }
})

/** Lists members in the order of their ids, which never changes: those after `after`, or only `ids`. */
export async function listMembersAfter(
  ctx: HandlerContext,
  filter: MemberListFilter,
  { after, ids, limit }: { readonly after: string | null; readonly ids: readonly string[] | null; readonly limit: number },
) {
  const members = await selectListedMembers(ctx, filter)
  const rows = await members
    .select([...memberColumns, memberDepartmentsJson(ctx.company_id).as('departments')])
    .$if(after !== null, (query) => query.where('id', '>', after))
    .$if(ids !== null, (query) => query.where('id', '=', sql<string>`any(${[...(ids ?? [])]}::uuid[])`))
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(toMemberView)
}

/** SQL condition: members of a department visible to the user, with its subdepartments if requested. */
async function isInVisibleDepartment(
  ctx: HandlerContext,
  department_id: string,
  with_children: boolean,
): Promise<RawBuilder<boolean>> {
  const { db, company_id } = ctx
  const root = await db
    .selectFrom('department')
    .select('id')
    .where('company_id', '=', company_id)
    .where('id', '=', department_id)
    .where(isVisibleDepartment(ctx))
    .executeTakeFirst()
  if (!root) throw fail('not_found', '没有找到这个部门，请刷新后重选')
  return isInDepartment(ctx, department_id, with_children)
}
