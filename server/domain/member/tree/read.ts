/** The department tree, read. */
import { type RawBuilder, sql } from 'kysely'
import * as contract from '../../../contract/people/member.ts'
import { departmentsBelow, isAmong, upward } from '../../../runtime/data/departments.ts'
import { type Ctx, handle, refuse } from '../../../runtime/handle.ts'
import { readable, readableDepartment } from '../scope.ts'

type Row = { id: string; parent_id: string | null; name: string; source: string; count: number; child_count: number }

/**
 * Departments that I may see, in their order, each with the number of people in it and below it: a person in two of them counts once in what
 * holds both. `below`: only what belongs to this one, without itself, and of that only what hangs directly below it.
 */
async function counted(ctx: Ctx, below?: string): Promise<Row[]> {
  const { db, company_id } = ctx
  const some = below ? departmentsBelow(company_id, sql`array[${below}::uuid]`) : undefined
  const { rows } = await sql<Row>`
    with recursive ${upward(company_id, some)}, people as (
      select upward.above as id, count(distinct member.id)::int as count from upward
      join member_department on member_department.company_id = ${company_id} and member_department.department_id = upward.id
      join member on member.company_id = ${company_id} and member.id = member_department.member_id and member.status <> 'left'
      group by upward.above
    ), children as (
      select parent_id as id, count(*)::int as count from department where company_id = ${company_id} group by parent_id
    )
    select department.id, parent_id, name, source, coalesce(people.count, 0) as count, coalesce(children.count, 0) as child_count
    from department left join people on people.id = department.id left join children on children.id = department.id
    where department.company_id = ${company_id} and ${readableDepartment(ctx)}
      and ${below ? sql<boolean>`parent_id = ${below}` : sql<boolean>`true`}
    order by place, department.id`.execute(db)
  return rows
}

/** Whoever sees a part of the tree gets its highest departments as roots. */
export const getDepartList = handle(contract.getDepartList, async (ctx) => ({ list: treeOf(await counted(ctx)) }))

function treeOf(rows: readonly Row[]): contract.Department[] {
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

export const noDepartment = () => refuse('not_found', '没有找到这个部门，可能已被删除，请刷新后重选')

export const getSonDepartList = handle(contract.getSonDepartList, async (ctx, { id }) => {
  await one(ctx, id)
  const rows = await counted(ctx, id)
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

export const getDepartment = handle(contract.getDepartment, async (ctx, { id }) => {
  const { parent_id, name, source, leader_id, leader_name, ...figures } = await one(ctx, id)
  return {
    ID: id,
    NAME: name,
    PID: parent_id,
    SOURCE: source,
    LEADER: leader_id && leader_name ? { ID: leader_id, NAME: leader_name } : null,
    ...figures,
  }
})

/** One department that I may see; whoever leads it only where I may see him, too. */
async function one(ctx: Ctx, id: string) {
  const { db, company_id } = ctx
  const placed = (condition: RawBuilder<boolean>, where: RawBuilder<boolean>) => sql<number>`(
    select count(distinct member.id)::int from member_department
    join member on member.company_id = ${company_id} and member.id = member_department.member_id and ${condition}
    where member_department.company_id = ${company_id} and ${where})`
  const at = sql`member_department.department_id`
  const [here, below, staff, gone] = [
    sql<boolean>`${at} = ${id}`,
    isAmong(at, departmentsBelow(company_id, sql`array[${id}::uuid]`)),
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
        .on(readable(ctx)),
    )
    .select(['department.name', 'department.source', 'member.id as leader_id', 'member.name as leader_name'])
    .select([
      sql<string | null>`(select parent.id from department as parent
        where parent.company_id = ${company_id} and parent.id = department.parent_id and ${readableDepartment(ctx, 'parent')})`.as(
        'parent_id',
      ),
      placed(staff, below).as('count'),
      placed(staff, here).as('own_count'),
      placed(gone, here).as('left_count'),
      sql<number>`(select count(*)::int from department as child
        where child.company_id = ${company_id} and child.parent_id = department.id)`.as('child_count'),
    ])
    .where('department.company_id', '=', company_id)
    .where('department.id', '=', id)
    .where(readableDepartment(ctx))
    .executeTakeFirst()
  if (!row) throw noDepartment()
  return row
}

/** All departments of the company, as they stand among their siblings. */
export const departmentsInOrder = ({ db, company_id }: Pick<Ctx, 'db' | 'company_id'>) =>
  db
    .selectFrom('department')
    .select(['id', 'parent_id', 'name'])
    .where('company_id', '=', company_id)
    .orderBy('place')
    .orderBy('id')
    .execute()
