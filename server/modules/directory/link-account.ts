/** Links a signed-in account to the roster members with its phone. */
import { sql } from 'kysely'
import { readableStatuses } from '../../contract/shared/statuses.ts'
import type { CompanyTimeTx, CompanyTx } from '../../database/company-tx.ts'
import type { Database, Tx } from '../../database/database.ts'
import { canStillJoin } from '../../rules/termination.ts'
import { toShanghaiDate } from '../../shared/clock.ts'
import { selectMemberPayslips } from '../payslip-records/index.ts'

/** Each roster belongs to its company; the user who signs in is outside all of them. */
const runInCompany = <T>(database: Database, company_id: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
  database.inCompany(company_id, work)

/**
 * A user is never two members of one company. A member who changes their phone to one that another row names does not
 * get that row: only the roster's administrators know whose payslips those are.
 */
const isNotMemberYet = (company_id: string, account_id: string) => sql<boolean>`not exists (
  select from member as other where other.company_id = ${company_id} and other.account_id = ${account_id} and other.status <> 'left')`

/**
 * Excludes the row of a former owner of this phone: it waits for that owner, under another phone or after others have
 * confirmed them. The current owner does not learn of it.
 */
const isNotFormerHolders = (mobile: string) =>
  sql<boolean>`not (member.unconfirmed_at is not null and coalesce(member.former_mobile, '') = ${mobile})`

const hasSameName = sql<boolean>`lower(regexp_replace(normalize(before.name, nfkc), '[\\s·•.]', '', 'g'))
  = lower(regexp_replace(normalize(member.name, nfkc), '[\\s·•.]', '', 'g'))`
/**
 * A user who has left this company under another name is not this member: a reassigned number does not transfer the
 * account, even if its user can prove their identity. The next owner declares to be another person (`next_holder`) and
 * starts with a new account.
 */
const isNotFormerMember = (company_id: string, account_id: string) => sql<boolean>`(
  select count(*) = 0 or bool_or(${hasSameName}) from member as before
  where before.company_id = ${company_id} and before.former_account = ${account_id} and before.status = 'left' and before.unconfirmed_at is null)`

/** SQL condition for other modules: nobody has this phone now, nor has had it since then. */
export const isPhoneUnusedSince = (company_id: string, mobile: string, since: string) => sql<boolean>`not exists (
  select from member where member.company_id = ${company_id} and member.mobile = ${sql.ref(mobile)}
    and (member.status <> 'left' or member.left_at > ${sql.ref(since)}))`

/** Lists the rows of all rosters that match this account or phone. */
export const listMembersByPhone = (database: Database, { account_id, mobile }: { account_id: string; mobile: string }) =>
  database.asPerson({ account_id, mobile }, (tx) =>
    tx
      .selectFrom('member')
      .select([
        'name',
        'mobile',
        'account_id',
        'former_account',
        'status',
        'left_at',
        'left_on',
        'id',
        'company_id',
        'former_mobile',
        'unconfirmed_at',
      ])
      .where((eb) => eb.or([eb('account_id', '=', account_id), eb('former_account', '=', account_id), eb('mobile', '=', mobile)]))
      .execute(),
  )

/**
 * Unlinks the row of a member whose phone has a new owner: it shows no payslips until the member is confirmed again.
 * Returns the name; null if the roster has another phone for them, or no longer has them.
 */
export async function unlinkPhone(
  { db, company_id, now }: CompanyTimeTx,
  { account_id, mobile }: { account_id: string; mobile: string },
): Promise<string | null> {
  const unlinked = await db
    .updateTable('member')
    .set((eb) => ({
      account_id: null,
      status: 'invited',
      unconfirmed_at: now,
      unconfirmed_by: null,
      former_mobile: eb.fn.coalesce('former_mobile', eb.val(mobile)),
      former_account: eb.fn.coalesce('former_account', eb.val(account_id)),
    }))
    .where('company_id', '=', company_id)
    .where('account_id', '=', account_id)
    .where('mobile', '=', mobile)
    .where('status', '<>', 'left')
    .returning('name')
    .executeTakeFirst()
  return unlinked?.name ?? null
}

/**
 * Links the account to the unlinked members with this phone in every company. Only after a code sent to this phone was
 * verified: numbers are reassigned, and an old password proves nothing about a phone.
 */
export async function linkMembers(database: Database, account: { id: string; mobile: string }): Promise<void> {
  const unlinked = await database.asPerson({ mobile: account.mobile }, (tx) =>
    tx
      .selectFrom('member')
      .select(['company_id', 'id'])
      .where('mobile', '=', account.mobile)
      .where('account_id', 'is', null)
      .where('status', '<>', 'left')
      .where(isNotFormerHolders(account.mobile))
      .execute(),
  )
  for (const { company_id, id } of unlinked) {
    await runInCompany(database, company_id, (tx) =>
      tx
        .updateTable('member')
        .set({ account_id: account.id, status: 'active' })
        .where('company_id', '=', company_id)
        .where('id', '=', id)
        .where('account_id', 'is', null)
        .where(isNotFormerHolders(account.mobile))
        .where(isNotMemberYet(company_id, account.id))
        .where(isNotFormerMember(company_id, account.id))
        .execute(),
    )
  }
}

/**
 * Links one member to the account whose phone was proven; returns false if the member is already linked, terminated,
 * has another phone, or the account is another member of the company.
 */
export async function linkMember(
  { db, company_id }: CompanyTx,
  member_id: string,
  account: { id: string; mobile: string },
): Promise<boolean> {
  const joined = await db
    .updateTable('member')
    .set({ account_id: account.id, status: 'active' })
    .where('company_id', '=', company_id)
    .where('id', '=', member_id)
    .where('mobile', '=', account.mobile)
    .where('account_id', 'is', null)
    .where('status', '<>', 'left')
    .where(isNotFormerHolders(account.mobile))
    .where(isNotMemberYet(company_id, account.id))
    .where(isNotFormerMember(company_id, account.id))
    .executeTakeFirst()
  return joined.numUpdatedRows === 1n
}

/** The row of a member who was terminated without ever having signed in. */
export type FormerMember = { readonly company_id: string; readonly id: string; readonly name: string }

/**
 * Finds rows of this phone that were terminated before anybody signed in with it, if one of their payslips can be
 * opened and nobody else in the company has the phone now. Excludes rows older than the period for which carriers hold
 * back a number, because then anybody may have it.
 */
export async function findUnclaimedFormerMembers(
  database: Database,
  account: { id: string; mobile: string },
  now: Date,
): Promise<FormerMember[]> {
  const rows = (await listMembersByPhone(database, { account_id: account.id, mobile: account.mobile })).filter(
    (row) => row.status === 'left' && row.mobile === account.mobile && !row.former_account && !row.unconfirmed_at,
  )
  const unclaimed: FormerMember[] = []
  for (const { company_id, id, name, left_on, left_at } of rows) {
    const on = left_on ?? (left_at && toShanghaiDate(left_at))
    if (!on || !canStillJoin(on, toShanghaiDate(now))) continue
    const row = await runInCompany(database, company_id, async (tx) => {
      const payslip = await selectMemberPayslips({ db: tx, company_id }, [id])
        .select('id')
        .where('status', 'in', readableStatuses)
        .limit(1)
        .executeTakeFirst()
      if (!payslip) return undefined
      return tx
        .selectFrom('member')
        .select('id')
        .where('company_id', '=', company_id)
        .where('id', '=', id)
        .where(isPhoneFree(company_id, account.mobile))
        .where(isNotMemberYet(company_id, account.id))
        .where(isNotFormerMember(company_id, account.id))
        .executeTakeFirst()
    })
    if (row) unclaimed.push({ company_id, id, name })
  }
  return unclaimed
}

const isPhoneFree = (company_id: string, mobile: string) => sql<boolean>`not exists (
  select from member as other where other.company_id = ${company_id} and other.mobile = ${mobile} and other.status <> 'left')`

/** Gives the account access to the payslips of former employers that its owner may still read. */
export async function linkFormerMembers(
  database: Database,
  account: { id: string },
  rows: readonly FormerMember[],
): Promise<void> {
  for (const { company_id, id } of rows)
    await runInCompany(database, company_id, (tx) =>
      tx
        .updateTable('member')
        .set({ former_account: account.id })
        .where('company_id', '=', company_id)
        .where('id', '=', id)
        .where('status', '=', 'left')
        .where('former_account', 'is', null)
        .execute(),
    )
}
