/** The tree of departments in SQL, once; `rules/departments.ts` is its twin for values, and a test holds the two together. */
import { type RawBuilder, sql } from 'kysely'

/**
 * For queries: the ids of these departments and of everything below them, as an array, which is made once a query (as `exists` it would be
 * asked for every row). `ids` is an expression of `uuid[]`. Departments of other companies stay out, whatever was asked for.
 */
export const departmentsBelow = (company_id: string, ids: RawBuilder<unknown>): RawBuilder<string[]> => sql<string[]>`array(
    with recursive below as (
      select id from department where company_id = ${company_id} and id = any(${ids})
      union
      select child.id from department as child join below on child.parent_id = below.id where child.company_id = ${company_id}
    ) select id from below)`

/** For `with recursive`: a table `upward (id, above)`, each department (or each of `some`) with itself and with everything it belongs to. */
export const upward = (company_id: string, some?: RawBuilder<string[]>): RawBuilder<unknown> => sql`upward as (
      select id, id as above from department where company_id = ${company_id} and ${some ? sql`id = any(${some})` : sql`true`}
      union
      select upward.id, department.parent_id from upward
      join department on department.company_id = ${company_id} and department.id = upward.above
      where department.parent_id is not null
    )`
