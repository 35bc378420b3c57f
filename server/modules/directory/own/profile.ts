/**
 * Changes of rosters caused by a user's own actions: founding a company, changing their phone, hiding amounts. Writes
 * department, member and member_department.
 */
import { sql } from 'kysely'
import { maskMobile } from '../../../contract/shared/schemas.ts'
import type { CompanyTimeTx } from '../../../database/company-tx.ts'
import { newId } from '../../../shared/ids.ts'
import { getAdminMemberId, listPayrollAdmins } from '../../access/index.ts'
import { getNameSpellings } from '../file/name-spelling.ts'

/** Creates the first member of a company in its root department. The phone was proven by a code. */
export async function createFirstMember(
  { db, company_id, now }: CompanyTimeTx,
  founder: { account_id: string; name: string; mobile: string; company_name: string },
): Promise<string> {
  const { company_name, ...member } = founder
  const [department_id, member_id] = [newId(), newId()]
  await db.insertInto('department').values({ company_id, id: department_id, name: company_name }).execute()
  await db
    .insertInto('member')
    .values({
      company_id,
      id: member_id,
      ...member,
      name_pinyin: getNameSpellings(member.name),
      status: 'active',
      created_at: now,
    })
    .execute()
  await db.insertInto('member_department').values({ company_id, member_id, department_id }).execute()
  return member_id
}

/**
 * Creates the row of an agency user who works for this company without being employed: it holds a name and appears in
 * no member list. Without phone and account it gives no access to a payslip.
 */
export async function createAgencyMember({ db, company_id, now }: CompanyTimeTx, name: string): Promise<string> {
  const id = newId()
  await db
    .insertInto('member')
    .values({
      company_id,
      id,
      name,
      mobile: '',
      name_pinyin: getNameSpellings(name),
      status: 'left',
      source: 'agency',
      left_at: now,
      created_at: now,
    })
    .execute()
  return id
}

/**
 * Gives the account's member the account's new phone, unless the roster has another member with it: then the row keeps
 * the old phone, and the result says so. No rows are linked. Returns null if the account is not on this roster.
 */
export async function updateAccountPhone(
  { db, company_id }: Pick<CompanyTimeTx, 'db' | 'company_id'>,
  { account_id, mobile }: { account_id: string; mobile: string },
): Promise<{ name: string; followed: boolean } | null> {
  const rows = await db
    .selectFrom('member')
    .select(['id', 'name', 'account_id', 'mobile'])
    .where('company_id', '=', company_id)
    .where('status', '<>', 'left')
    .where((eb) => eb.or([eb('account_id', '=', account_id), eb('mobile', '=', mobile)]))
    .orderBy('id')
    .forUpdate()
    .execute()
  const member = rows.find((row) => row.account_id === account_id)
  if (!member) return null
  if (rows.some((row) => row.id !== member.id && row.mobile === mobile)) return { name: member.name, followed: false }
  await db.updateTable('member').set({ mobile }).where('company_id', '=', company_id).where('id', '=', member.id).execute()
  return { name: member.name, followed: true }
}

/** Returns a member's name for display; null without a member. */
export async function getMemberName(
  { db, company_id }: Pick<CompanyTimeTx, 'db' | 'company_id'>,
  member_id: string | null,
): Promise<string | null> {
  const member = await db
    .selectFrom('member')
    .select('name')
    .where('company_id', '=', company_id)
    .where('id', '=', member_id)
    .executeTakeFirst()
  return member?.name ?? null
}

/** Returns names by id, with enough of the phone to distinguish namesakes. */
export async function getMemberNames(
  { db, company_id }: Pick<CompanyTimeTx, 'db' | 'company_id'>,
  member_ids: readonly string[],
) {
  const rows = await db
    .selectFrom('member')
    .select(['id', 'name', 'mobile'])
    .where('company_id', '=', company_id)
    .where(sql<boolean>`id = any(${[...member_ids]}::uuid[])`)
    .execute()
  return new Map(rows.map(({ id, name, mobile }) => [id, { name, mobile_masked: maskMobile(mobile) }]))
}

/** Returns the addresses of an active member other than the phone. */
export const getMemberAddresses = ({ db, company_id }: Pick<CompanyTimeTx, 'db' | 'company_id'>, member_id: string) =>
  db
    .selectFrom('member')
    .select(['email', 'platform_user_id'])
    .where('company_id', '=', company_id)
    .where('id', '=', member_id)
    .where('status', '<>', 'left')
    .executeTakeFirst()

/** Returns an administrator's name; null if there is none. */
export const getAdminMemberName = async (
  tx: Pick<CompanyTimeTx, 'db' | 'company_id'>,
  admin_id: string | null,
): Promise<string | null> => getMemberName(tx, await getAdminMemberId(tx, admin_id))

/** Lists payroll administrators by name; `whole` marks those who pay all members. */
export async function listNamedPayrollAdmins(tx: Pick<CompanyTimeTx, 'db' | 'company_id'>) {
  const rows = await listPayrollAdmins(tx)
  const names = await getMemberNames(
    tx,
    rows.map(({ member_id }) => member_id),
  )
  return rows.map(({ id, member_id, scope_all, all }) => ({
    user_id: id,
    name: names.get(member_id)?.name ?? '',
    mobile_masked: names.get(member_id)?.mobile_masked ?? '',
    isFull: scope_all || all,
    all,
  }))
}

/** Sets whether the member's own amounts are shown as **** until tapped. */
export async function setPayHidden(
  { db, company_id }: Pick<CompanyTimeTx, 'db' | 'company_id'>,
  member_id: string,
  hide: boolean,
): Promise<void> {
  await db
    .updateTable('member')
    .set({ pay_hide: hide })
    .where('company_id', '=', company_id)
    .where('id', '=', member_id)
    .execute()
}
