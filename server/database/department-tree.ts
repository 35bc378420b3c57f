/** The department tree in SQL; `rules/departments.ts` is its counterpart for values, and a test compares the two. */
import { type RawBuilder, sql } from 'kysely'

/**
 * Builds a membership test against a subquery. PostgreSQL hashes the subquery once and looks each row up in it,
 * whatever row count it estimates: a plain `in` may become nested loops when statistics are older than the last import,
 * and an array built in the query (`= any(array(…))`) is scanned for every row, 20,000 × 20,000 comparisons in a large
 * company.
 */
export const isInSubquery = (column: RawBuilder<unknown>, query: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`((${column} in (${query})) is true)`

/**
 * Builds a query of the ids of these departments and all their descendants. `ids` is an expression of type `uuid[]`.
 * Departments of other companies are excluded, whatever was requested.
 */
export const selectDepartmentSubtree = (company_id: string, ids: RawBuilder<unknown>): RawBuilder<{ id: string }> => sql<{
  id: string
}>`
    with recursive below as (
      select id from department where company_id = ${company_id} and id = any(${ids})
      union
      select child.id from department as child join below on child.parent_id = below.id where child.company_id = ${company_id}
    ) select id from below`

/**
 * Builds a CTE for `with recursive`: a table `upward (id, above)` with each department (or each of `some`), itself and
 * all its ancestors.
 */
export const departmentAncestorsCte = (company_id: string, some?: RawBuilder<unknown>): RawBuilder<unknown> => sql`upward as (
      select id, id as above from department where company_id = ${company_id} and ${some ? isInSubquery(sql`id`, some) : sql`true`}
      union
      select upward.id, department.parent_id from upward
      join department on department.company_id = ${company_id} and department.id = upward.above
      where department.parent_id is not null
    )`
