/** The department tree. */
import { sql } from 'kysely'
import * as contract from '../../contract/member.ts'
import { upward } from '../../runtime/data/departments.ts'
import { handle } from '../../runtime/handle.ts'
import { readableDepartment } from './scope.ts'

type Row = { id: string; parent_id: string | null; name: string; source: string; count: number }

/** Whoever sees a part of the tree gets its highest departments as roots. A person in two of them counts once in what holds both. */
export const getDepartList = handle(contract.getDepartList, async (ctx) => {
  const { db, company_id } = ctx
  const { rows } = await sql<Row>`
    with recursive ${upward(company_id)}, people as (
      select upward.above as id, count(distinct member.id) as count from upward
      join member_department on member_department.company_id = ${company_id} and member_department.department_id = upward.id
      join member on member.company_id = ${company_id} and member.id = member_department.member_id and member.status <> 'left'
      group by upward.above
    )
    select department.id, parent_id, name, source, coalesce(people.count, 0) as count
    from department left join people on people.id = department.id
    where department.company_id = ${company_id} and ${readableDepartment(ctx)}
    order by place, department.id`.execute(db)
  return { list: treeOf(rows) }
})

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
