/** Bulk insertion of new members: each column is one parameter of a statement. Writes member and member_department. */
import { sql } from 'kysely'
import type { CompanyTimeTx } from '../../../database/company-tx.ts'
import { formatPostgresArray } from '../../../database/postgres-array.ts'
import { fail, invalidInput } from '../../../http/handler.ts'
import { getConstraintName } from '../../../shared/error-code.ts'
import { throwIfDepartmentDeleted } from '../move.ts'

export type MemberRow = {
  readonly id: string
  readonly name: string
  readonly name_pinyin: string
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

/** The member columns of one statement, and one department each: a column is one parameter, in the database's format. */
export type MemberColumns = {
  readonly ids: readonly string[]
  readonly valuesByColumn: Readonly<Record<keyof MemberRow, string>>
  readonly memberships: { readonly count: number; readonly member_id: string; readonly department_id: string }
}

export function toMemberColumns(rows: readonly MemberRow[], departments: readonly (readonly string[])[]): MemberColumns {
  const formatColumn = (column: keyof MemberRow) => formatPostgresArray(rows.map((row) => row[column]))
  const memberships = rows.flatMap(({ id }, at) =>
    (departments[at] ?? []).map((department_id) => ({ member_id: id, department_id })),
  )
  return {
    ids: rows.map(({ id }) => id),
    valuesByColumn: {
      id: formatColumn('id'),
      name: formatColumn('name'),
      name_pinyin: formatColumn('name_pinyin'),
      mobile: formatColumn('mobile'),
      employee_no: formatColumn('employee_no'),
      position: formatColumn('position'),
      entry_on: formatColumn('entry_on'),
      email: formatColumn('email'),
      private: formatColumn('private'),
      id_card_index: formatColumn('id_card_index'),
      bank_account_index: formatColumn('bank_account_index'),
      unconfirmed_at: formatColumn('unconfirmed_at'),
      unconfirmed_by: formatColumn('unconfirmed_by'),
      former_mobile: formatColumn('former_mobile'),
      former_account: formatColumn('former_account'),
    },
    memberships: {
      count: memberships.length,
      member_id: formatPostgresArray(memberships.map(({ member_id }) => member_id)),
      department_id: formatPostgresArray(memberships.map(({ department_id }) => department_id)),
    },
  }
}

/**
 * Twenty thousand members are ten statements, with the same text each time. A department is joined so that in a cluster
 * the right node performs the write (docs/scale.md). A column without any values is passed empty: `unnest` fills it
 * with null.
 */
export async function insertMembers(
  { db, company_id, now }: CompanyTimeTx,
  { ids, valuesByColumn }: MemberColumns,
  anchorDepartment: string,
): Promise<void> {
  const { numAffectedRows } = await sql`
    insert into member (company_id, created_at, id, name, name_pinyin, mobile, employee_no, position, entry_on, email, private, id_card_index,
      bank_account_index, unconfirmed_at, unconfirmed_by, former_mobile, former_account)
    select beside.company_id, ${now}::timestamptz, one.* from department as beside, unnest(${valuesByColumn.id}::uuid[], ${valuesByColumn.name}::text[], ${valuesByColumn.name_pinyin}::text[],
      ${valuesByColumn.mobile}::text[], ${valuesByColumn.employee_no}::text[], ${valuesByColumn.position}::text[], ${valuesByColumn.entry_on}::date[], ${valuesByColumn.email}::text[],
      ${valuesByColumn.private}::bytea[], ${valuesByColumn.id_card_index}::bytea[], ${valuesByColumn.bank_account_index}::bytea[],
      ${valuesByColumn.unconfirmed_at}::timestamptz[], ${valuesByColumn.unconfirmed_by}::uuid[], ${valuesByColumn.former_mobile}::text[],
      ${valuesByColumn.former_account}::uuid[]) as one where beside.company_id = ${company_id} and beside.id = ${anchorDepartment}`
    .execute(db)
    .catch(throwIfDuplicatePhone)
  // The department was deleted since it was looked up.
  if (numAffectedRows !== BigInt(ids.length)) throw fail('not_found', '没有找到所选的部门，请刷新后重选')
}

export async function insertMemberships(
  { db, company_id }: Omit<CompanyTimeTx, 'now'>,
  { memberships }: MemberColumns,
  anchorDepartment: string,
): Promise<void> {
  if (memberships.count === 0) return
  await sql`
    insert into member_department (company_id, member_id, department_id)
    select beside.company_id, one.* from department as beside, unnest(${memberships.member_id}::uuid[], ${memberships.department_id}::uuid[]) as one
    where beside.company_id = ${company_id} and beside.id = ${anchorDepartment}`
    .execute(db)
    .catch(throwIfDepartmentDeleted)
}

/**
 * Two administrators acted at the same moment: the second one's lookup found nothing, but the unique key was violated.
 */
export function throwIfDuplicatePhone(error: unknown): never {
  if (getConstraintName(error) === 'member_mobile') throw invalidInput('mobile', '这个手机号刚刚被其他人录入，请刷新后核对')
  throw error
}
