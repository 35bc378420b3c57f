/** The whole company as others need it: to match the rows of a sheet to people. */
import { sql } from 'kysely'
import type { MemberStatus } from '../../contract/words.ts'
import type { Ctx } from '../../runtime/handle.ts'
import { keepsAll } from './scope.ts'

export type RosterEntry = {
  readonly id: string
  readonly name: string
  readonly mobile: string
  readonly employee_no: string
  /** Compare with `vault.index('id_card', number in capitals)`; null where none is known. */
  readonly id_card_index: Buffer | null
  readonly status: MemberStatus
  /** Names, joined by 、. */
  readonly departments: string
  readonly department_ids: readonly string[]
  /** Whether me may pay this person. Names of people out of scope are for matching, not for showing. */
  readonly in_scope: boolean
}

/** Everybody of the company, those who left included, in one query. */
export async function roster(ctx: Pick<Ctx, 'db' | 'me' | 'company_id'>): Promise<RosterEntry[]> {
  const { db, company_id } = ctx
  // What is below a department of mine is mine as well, also when it was made a moment ago by this very request.
  const mine = sql`${[...ctx.me.scope.department_ids]}::uuid[]`
  const { rows } = await sql<RosterEntry>`
    select member.id, member.name, mobile, employee_no, id_card_index, status,
      coalesce(string_agg(department.name, '、' order by department.place, department.id), '') as departments,
      coalesce(array_agg(department.id::text) filter (where department.id is not null), '{}') as department_ids,
      ${keepsAll(ctx)}::boolean or coalesce(bool_or(department.id = any(${mine}) or department.parent_id = any(${mine})), false) as in_scope
    from member
    left join member_department on member_department.company_id = member.company_id and member_department.member_id = member.id
    left join department on department.company_id = member.company_id and department.id = member_department.department_id
    where member.company_id = ${company_id}
    group by member.company_id, member.id
    order by member.id`.execute(db)
  return rows
}
