/** Snapshots of members, to be compared with a later state. */
import { sql } from 'kysely'
import type { CompanyTx } from '../../../database/company-tx.ts'

/** A member's row as JSON from the database, with departments: used only for comparison and restoring. */
export type Snapshot = { readonly id: string; readonly departments: readonly string[] } & Readonly<Record<string, unknown>>

export async function loadSnapshots({ db, company_id }: CompanyTx, ids: readonly string[]): Promise<Snapshot[]> {
  const all: Snapshot[] = []
  for (const chunkIds of chunkRows(ids)) {
    const { rows } = await sql<{ one: Snapshot }>`
      select to_jsonb(member) || jsonb_build_object('departments', coalesce((
        select jsonb_agg(placed.department_id order by placed.department_id) from member_department as placed
        where placed.company_id = ${company_id} and placed.member_id = member.id), '[]')) as one
      from member where member.company_id = ${company_id} and member.id = any(${chunkIds}::uuid[]) order by member.id`.execute(db)
    for (const { one } of rows) all.push(one)
  }
  return all
}

/**
 * For members created by an import only one question matters: whether they are unchanged. They are identified by the
 * transaction that wrote the row, plus the departments.
 */
export type ArrivalMark = {
  readonly id: string
  readonly name: string
  /** `x` and the transaction's number. */
  readonly row_mark: string
  /** The members are sorted by their ids. */
  readonly departments: readonly string[]
}
export const isArrivalMark = (one: ArrivalMark | Snapshot): one is ArrivalMark => 'row_mark' in one

/** A row written again belongs to another transaction. After a restore the numbers differ: then nothing can be undone. */
const writerMark = sql<string>`'x' || member.xmin::text`

/** Returns the mark of all members written by this transaction, taken from one of them. */
export async function getArrivalMark({ db, company_id }: CompanyTx, id: string): Promise<string> {
  const { rows } = await sql<{ mark: string }>`
    select ${writerMark} as mark from member where company_id = ${company_id} and id = ${id}`.execute(db)
  return rows[0]?.mark ?? ''
}

/** Loads the current state of members, in the form of their marks. */
export async function loadMemberStateHashes(
  { db, company_id }: CompanyTx,
  marked: readonly ArrivalMark[],
): Promise<ArrivalMark[]> {
  const all: ArrivalMark[] = []
  for (const chunk of chunkRows(marked, 20_000)) {
    const chunkIds = chunk.map(({ id }) => id)
    const { rows } = await sql<Omit<ArrivalMark, 'departments'>>`
      select id, name, ${writerMark} as row_mark
      from member where company_id = ${company_id} and id = any(${chunkIds}::uuid[])`.execute(db)
    const memberships = await db
      .selectFrom('member_department')
      .select(['member_id', 'department_id'])
      .where('company_id', '=', company_id)
      .where('member_id', '=', sql<string>`any(${chunkIds}::uuid[])`)
      .execute()
    const membershipsByMember = Map.groupBy(memberships, ({ member_id }) => member_id)
    for (const row of rows) {
      const departments = (membershipsByMember.get(row.id) ?? []).map(({ department_id }) => department_id)
      all.push({ ...row, departments: departments.toSorted() })
    }
  }
  return all
}

const rowsPerStatement = 2_000
/** Limits the rows per statement so that none exceeds its timeout. */
export const chunkRows = <T>(all: readonly T[], size = rowsPerStatement): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size))
