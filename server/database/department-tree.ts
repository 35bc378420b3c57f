/** The tree of departments in SQL, once; `rules/departments.ts` is its twin for values, and a test holds the two together. */
import { type RawBuilder, sql } from 'kysely'

/**
 * Whether a value is among those that a query names. PostgreSQL makes a table of them once and looks each row up in it, whatever it believes of
 * their number: `in` alone it may turn into loops when its statistics are older than the last import, and an array that it has not seen yet
 * (`= any(array(…))`) is gone through for every row, 20,000 × 20,000 of them in a large company.
 */
export const isInSubquery = (column: RawBuilder<unknown>, query: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`((${column} in (${query})) is true)`

/**
 * A query of the ids of these departments and of everything below them. `ids` is an expression of `uuid[]`. Departments of other companies stay
 * out, whatever was asked for.
 */
export const selectDepartmentSubtree = (company_id: string, ids: RawBuilder<unknown>): RawBuilder<{ id: string }> => sql<{
  id: string
}>`
    with recursive below as (
      select id from department where company_id = ${company_id} and id = any(${ids})
      union
      select child.id from department as child join below on child.parent_id = below.id where child.company_id = ${company_id}
    ) select id from below`

/** For `with recursive`: a table `upward (id, above)`, each department (or each of `some`) with itself and with everything it belongs to. */
export const departmentAncestorsCte = (company_id: string, some?: RawBuilder<unknown>): RawBuilder<unknown> => sql`upward as (
      select id, id as above from department where company_id = ${company_id} and ${some ? isInSubquery(sql`id`, some) : sql`true`}
      union
      select upward.id, department.parent_id from upward
      join department on department.company_id = ${company_id} and department.id = upward.above
      where department.parent_id is not null
    )`
