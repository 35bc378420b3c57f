/** Links between platform users and members. Writes platform_user; message addresses belong to the roster. */
import { sql } from 'kysely'
import type { CompanyTx } from '../../database/company-tx.ts'
import { deletePlatformIdentities } from '../auth/index.ts'
import { syncPlatformUsers, unlinkAllPlatformUsers } from '../directory/index.ts'
import type { StoredBinding } from './binding-rows.ts'

export type PlatformCompany = Pick<StoredBinding, 'provider' | 'corp_id'>

/** SQL condition for `platform_user` and `platform_department`: rows of this company and its platform company. */
export const isPlatformCompany = ({ company_id }: Pick<CompanyTx, 'company_id'>, { provider, corp_id }: PlatformCompany) =>
  sql<boolean>`company_id = ${company_id} and provider = ${provider} and corp_id = ${corp_id}`

export type LinkMethod = 'proved' | 'chosen' | 'matched'
/** `member_id` null: unlinked. */
export type PlatformLink = { readonly user_id: string; readonly member_id: string | null; readonly by: LinkMethod | null }

/** Links and unlinks users, and updates message addresses. A user previously linked to one of these members is unlinked. */
export async function saveLinks(companyTx: CompanyTx, corp: PlatformCompany, links: readonly PlatformLink[]): Promise<void> {
  if (links.length === 0) return
  const { db } = companyTx
  const members = links.flatMap(({ member_id }) => member_id ?? [])
  const newMemberIds = new Set(members)
  const user_ids = links.map(({ user_id }) => user_id)
  const unlinked = await sql<{ member_id: string }>`
    with former as (
      select id, member_id from platform_user where ${isPlatformCompany(companyTx, corp)} and member_id is not null
        and (user_id = any(${user_ids}::text[]) or member_id = any(${members}::uuid[])) for update)
    update platform_user set member_id = null, linked_by = null, match_status = 'new', match_reason = null, candidates = '{}'
    from former where platform_user.company_id = ${companyTx.company_id} and platform_user.id = former.id returning former.member_id`.execute(
    db,
  )
  await sql`
    update platform_user set member_id = wanted.member_id, linked_by = wanted.by, match_reason = null, candidates = '{}',
      match_status = case when wanted.member_id is null then 'new' else 'same' end
    from jsonb_to_recordset(${JSON.stringify(links)}::jsonb) as wanted (user_id text, member_id uuid, by text)
    where ${isPlatformCompany(companyTx, corp)} and platform_user.user_id = wanted.user_id`.execute(db)
  await syncPlatformUsers(companyTx, [
    // A member that is linked again keeps the address, because each member has one row.
    ...unlinked.rows.flatMap(({ member_id }) => (newMemberIds.has(member_id) ? [] : [{ member_id, user_id: null }])),
    ...links.flatMap(({ member_id, user_id }) => (member_id ? [{ member_id, user_id }] : [])),
  ])
}

/** Restores links from an earlier binding of the same platform company, for members still in the roster. Returns their number. */
export async function restoreLinks(companyTx: CompanyTx, corp: PlatformCompany): Promise<number> {
  const rows = await listLinks(companyTx, corp)
  return syncPlatformUsers(companyTx, rows)
}

export const listLinks = async (companyTx: CompanyTx, corp: PlatformCompany) => {
  const { rows } = await sql<{ member_id: string; user_id: string }>`
    select member_id, user_id from platform_user where ${isPlatformCompany(companyTx, corp)} and member_id is not null and removed_at is null`.execute(
    companyTx.db,
  )
  return rows
}

/** Deletes all data of the platform's users and their links. */
export async function deleteDirectory(companyTx: CompanyTx, corp: PlatformCompany): Promise<void> {
  const { rows } = await sql<{
    user_id: string
  }>`delete from platform_user where ${isPlatformCompany(companyTx, corp)} returning user_id`.execute(companyTx.db)
  await sql`delete from platform_department where ${isPlatformCompany(companyTx, corp)}`.execute(companyTx.db)
  await companyTx.db.deleteFrom('platform_event').where('company_id', '=', companyTx.company_id).execute()
  const rowsPerStatement = 2_000
  for (let from = 0; from < rows.length; from += rowsPerStatement)
    await deletePlatformIdentities(
      companyTx,
      corp,
      rows.slice(from, from + rowsPerStatement).map(({ user_id }) => user_id),
    )
}

/** Keeps the links for a later binding; no messages are sent to them any more. */
export const suspendLinks = unlinkAllPlatformUsers
