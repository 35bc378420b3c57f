/** Reading the department tree. */
import { type RawBuilder, sql } from 'kysely'
import * as contract from '../../../contract/directory/members.ts'
import type { CompanyTx } from '../../../database/company-tx.ts'
import { departmentAncestorsCte, isInSubquery, selectDepartmentSubtree } from '../../../database/department-tree.ts'
import { defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import { isVisibleDepartment, isVisibleMember } from '../scope.ts'

type DepartmentRow = { id: string; parent_id: string | null; name: string; source: string; count: number; child_count: number }

/**
 * Loads the departments visible to the user, in order, each with its number of members including subdepartments: a
 * member of two departments counts once in a common parent. `below`: only the direct children of this department,
 * counted with everything below them.
 */
async function loadDepartmentCounts(ctx: HandlerContext, below?: string): Promise<DepartmentRow[]> {
  const { db, company_id } = ctx
  const some = below ? selectDepartmentSubtree(company_id, sql`array[${below}::uuid]`) : undefined
  const { rows } = await sql<DepartmentRow>`
    with recursive ${departmentAncestorsCte(company_id, some)}, people as (
      select upward.above as id, count(distinct member_id)::int as count from upward
      join member_department on member_department.company_id = ${company_id} and member_department.department_id = upward.id
      where ${isInSubquery(sql`member_id`, sql`select id from member where company_id = ${company_id} and status <> 'left'`)}
      group by upward.above
    ), children as (
      select parent_id as id, count(*)::int as count from department where company_id = ${company_id} group by parent_id
    )
    select department.id, parent_id, name, source, coalesce(people.count, 0) as count, coalesce(children.count, 0) as child_count
    from department left join people on people.id = department.id left join children on children.id = department.id
    where department.company_id = ${company_id} and ${isVisibleDepartment(ctx)}
      and ${below ? sql<boolean>`parent_id = ${below}` : sql<boolean>`true`}
    order by position, department.id`.execute(db)
  return rows
}

/** A user with access to part of the tree sees the highest accessible departments as roots. */
export const getDepartList = defineHandler(contract.getDepartList, async (ctx) => ({
  list: buildTree(await loadDepartmentCounts(ctx)),
}))

function buildTree(rows: readonly DepartmentRow[]): contract.Department[] {
  const nodes = new Map(
    rows.map((row): [string, contract.Department] => [row.id, { ID: row.id, NAME: row.name, count: row.count, child: [] }]),
  )
  const roots: contract.Department[] = []
  for (const row of rows) {
    const node = nodes.get(row.id)
    const parent = row.parent_id ? nodes.get(row.parent_id) : undefined
    if (!node) continue
    if (parent) parent.child.push(node)
    else roots.push(Object.assign(node, { PID: null, SOURCE: row.source }))
  }
  return roots
}

export const createDepartmentNotFoundError = () => fail('not_found', '没有找到这个部门，可能已被删除，请刷新后重选')

export const getSonDepartList = defineHandler(contract.getSonDepartList, async (ctx, { id }) => {
  await requireVisibleDepartment(ctx, id)
  const rows = await loadDepartmentCounts(ctx, id)
  return {
    list: rows.map((row) => ({
      ID: row.id,
      NAME: row.name,
      PID: id,
      SOURCE: row.source,
      count: row.count,
      child_count: row.child_count,
    })),
  }
})

export const getDepartment = defineHandler(contract.getDepartment, async (ctx, { id }) => {
  const { parent_id, name, source, leader_id, leader_name, ...counts } = await requireVisibleDepartment(ctx, id)
  return {
    ID: id,
    NAME: name,
    PID: parent_id,
    SOURCE: source,
    LEADER: leader_id && leader_name ? { ID: leader_id, NAME: leader_name } : null,
    ...counts,
  }
})

/** Returns a department visible to the user; its leader only if visible too. */
async function requireVisibleDepartment(ctx: HandlerContext, id: string) {
  const { db, company_id } = ctx
  const countMembers = (condition: RawBuilder<boolean>, where: RawBuilder<boolean>) => sql<number>`(
    select count(distinct member.id)::int from member_department
    join member on member.company_id = ${company_id} and member.id = member_department.member_id and ${condition}
    where member_department.company_id = ${company_id} and ${where})`
  const departmentColumn = sql`member_department.department_id`
  const [isInDepartment, isBelowDepartment, isActive, isTerminated] = [
    sql<boolean>`${departmentColumn} = ${id}`,
    isInSubquery(departmentColumn, selectDepartmentSubtree(company_id, sql`array[${id}::uuid]`)),
    sql<boolean>`member.status <> 'left'`,
    sql<boolean>`member.status = 'left'`,
  ]
  const row = await db
    .selectFrom('department')
    .leftJoin('member', (join) =>
      join
        .onRef('member.company_id', '=', 'department.company_id')
        .onRef('member.id', '=', 'department.leader_id')
        .on('member.status', '<>', 'left')
        .on(isVisibleMember(ctx)),
    )
    .select(['department.name', 'department.source', 'member.id as leader_id', 'member.name as leader_name'])
    .select([
      sql<string | null>`(select parent.id from department as parent
        where parent.company_id = ${company_id} and parent.id = department.parent_id and ${isVisibleDepartment(ctx, 'parent')})`.as(
        'parent_id',
      ),
      countMembers(isActive, isBelowDepartment).as('count'),
      countMembers(isActive, isInDepartment).as('own_count'),
      countMembers(isTerminated, isInDepartment).as('left_count'),
      sql<number>`(select count(*)::int from department as child
        where child.company_id = ${company_id} and child.parent_id = department.id)`.as('child_count'),
    ])
    .where('department.company_id', '=', company_id)
    .where('department.id', '=', id)
    .where(isVisibleDepartment(ctx))
    .executeTakeFirst()
  if (!row) throw createDepartmentNotFoundError()
  return row
}

/** Lists all departments of the company in sibling order. */
export const listOrderedDepartments = ({ db, company_id }: CompanyTx) =>
  db
    .selectFrom('department')
    .select(['id', 'parent_id', 'name'])
    .where('company_id', '=', company_id)
    .orderBy('position')
    .orderBy('id')
    .execute()
