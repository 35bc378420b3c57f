/** How people stand, to be compared with how they stood. */
import { sql } from 'kysely'
import type { Ctx } from '../../../runtime/handle.ts'
import { mark_of_member } from '../file/inserted.ts'

/** A person's row as the database writes it in JSON, with the departments: only to be compared, and to be put back. */
export type Snapshot = { readonly id: string; readonly departments: readonly string[] } & Readonly<Record<string, unknown>>

export async function snapshots({ db, company_id }: Pick<Ctx, 'db' | 'company_id'>, ids: readonly string[]): Promise<Snapshot[]> {
  const all: Snapshot[] = []
  for (const some of pieces(ids)) {
    const { rows } = await sql<{ one: Snapshot }>`
      select to_jsonb(member) || jsonb_build_object('departments', coalesce((
        select jsonb_agg(placed.department_id order by placed.department_id) from member_department as placed
        where placed.company_id = ${company_id} and placed.member_id = member.id), '[]')) as one
      from member where member.company_id = ${company_id} and member.id = any(${some}::uuid[]) order by member.id`.execute(db)
    for (const { one } of rows) all.push(one)
  }
  return all
}

/** A person's row and departments as a hash: of whoever came by an import only whether he is as he came is ever asked. */
export type ArrivalMark = {
  readonly id: string
  readonly name: string
  readonly row_mark: string
  /** In the order of their ids. */
  readonly departments: readonly string[]
}
export const isMark = (one: ArrivalMark | Snapshot): one is ArrivalMark => 'row_mark' in one

export async function marks({ db, company_id }: Pick<Ctx, 'db' | 'company_id'>, ids: readonly string[]): Promise<ArrivalMark[]> {
  const all: ArrivalMark[] = []
  for (const some of pieces(ids, 20_000)) {
    const { rows } = await sql<Omit<ArrivalMark, 'departments'>>`
      select id, name, ${mark_of_member} as row_mark
      from member where company_id = ${company_id} and id = any(${some}::uuid[])`.execute(db)
    const places = await db
      .selectFrom('member_department')
      .select(['member_id', 'department_id'])
      .where('company_id', '=', company_id)
      .where('member_id', '=', sql<string>`any(${some}::uuid[])`)
      .execute()
    const of = Map.groupBy(places, ({ member_id }) => member_id)
    for (const row of rows) {
      const departments = (of.get(row.id) ?? []).map(({ department_id }) => department_id)
      all.push({ ...row, departments: departments.toSorted() })
    }
  }
  return all
}

const a_statement = 2_000
/** So many at once that no statement runs out of its time. */
export const pieces = <T>(all: readonly T[], size = a_statement): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size))
