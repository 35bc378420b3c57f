/** How new people come into the database: a column is one value of a statement. Writes member and member_department. */
import { sql } from 'kysely'
import { arrayText } from '../../../runtime/data/array-text.ts'
import { constraintOf } from '../../../runtime/data/failure.ts'
import { type Ctx, invalid, refuse } from '../../../runtime/handle.ts'
import { departmentGone } from '../move.ts'

type Where = Pick<Ctx, 'db' | 'company_id' | 'now'>

export type MemberRow = {
  readonly id: string
  readonly name: string
  readonly spelled: string
  readonly mobile: string
  readonly employee_no: string
  readonly position: string
  readonly entry_on: string | null
  readonly email: string
  readonly private: Buffer | null
  readonly id_card_index: Buffer | null
  readonly bank_account_index: Buffer | null
  readonly unconfirmed_at: Date | null
  readonly unconfirmed_by: string | null
  readonly former_mobile: string | null
  readonly former_account: string | null
}

/** What one statement writes of people, and one of their places: a column is one value of it, as the database reads it. */
export type MemberColumns = {
  readonly ids: readonly string[]
  readonly column: Readonly<Record<keyof MemberRow, string>>
  readonly places: { readonly count: number; readonly member_id: string; readonly department_id: string }
}

export function columnsOf(rows: readonly MemberRow[], departments: readonly (readonly string[])[]): MemberColumns {
  const all = (column: keyof MemberRow) => arrayText(rows.map((row) => row[column]))
  const places = rows.flatMap(({ id }, at) => (departments[at] ?? []).map((department_id) => ({ member_id: id, department_id })))
  return {
    ids: rows.map(({ id }) => id),
    column: {
      id: all('id'),
      name: all('name'),
      spelled: all('spelled'),
      mobile: all('mobile'),
      employee_no: all('employee_no'),
      position: all('position'),
      entry_on: all('entry_on'),
      email: all('email'),
      private: all('private'),
      id_card_index: all('id_card_index'),
      bank_account_index: all('bank_account_index'),
      unconfirmed_at: all('unconfirmed_at'),
      unconfirmed_by: all('unconfirmed_by'),
      former_mobile: all('former_mobile'),
      former_account: all('former_account'),
    },
    places: {
      count: places.length,
      member_id: arrayText(places.map(({ member_id }) => member_id)),
      department_id: arrayText(places.map(({ department_id }) => department_id)),
    },
  }
}

/**
 * Twenty thousand people are ten statements, and the same text each time. A department stands beside them so that in a cluster its node writes them
 * (docs/scale.md). A column in which nobody has anything has no values: `unnest` goes on with null.
 */
export async function insertMembers(
  { db, company_id, now }: Where,
  { ids, column }: MemberColumns,
  beside: string,
): Promise<void> {
  const { numAffectedRows } = await sql`
    insert into member (company_id, created_at, id, name, spelled, mobile, employee_no, position, entry_on, email, private, id_card_index,
      bank_account_index, unconfirmed_at, unconfirmed_by, former_mobile, former_account)
    select beside.company_id, ${now}::timestamptz, one.* from department as beside, unnest(${column.id}::uuid[], ${column.name}::text[], ${column.spelled}::text[],
      ${column.mobile}::text[], ${column.employee_no}::text[], ${column.position}::text[], ${column.entry_on}::date[], ${column.email}::text[],
      ${column.private}::bytea[], ${column.id_card_index}::bytea[], ${column.bank_account_index}::bytea[],
      ${column.unconfirmed_at}::timestamptz[], ${column.unconfirmed_by}::uuid[], ${column.former_mobile}::text[],
      ${column.former_account}::uuid[]) as one where beside.company_id = ${company_id} and beside.id = ${beside}`
    .execute(db)
    .catch(alreadyThere)
  // The department is gone since it was looked up.
  if (numAffectedRows !== BigInt(ids.length)) throw refuse('not_found', '没有找到所选的部门，请刷新后重选')
}

export async function insertPlaces(
  { db, company_id }: Omit<Where, 'now'>,
  { places }: MemberColumns,
  beside: string,
): Promise<void> {
  if (places.count === 0) return
  await sql`
    insert into member_department (company_id, member_id, department_id)
    select beside.company_id, one.* from department as beside, unnest(${places.member_id}::uuid[], ${places.department_id}::uuid[]) as one
    where beside.company_id = ${company_id} and beside.id = ${beside}`
    .execute(db)
    .catch(departmentGone)
}

/** Two administrators at the same moment: the second one's look found nothing, the unique key did. */
export function alreadyThere(error: unknown): never {
  if (constraintOf(error) === 'member_mobile') throw invalid('mobile', '这个手机号刚刚被其他人录入，请刷新后核对')
  throw error
}
