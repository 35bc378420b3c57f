/** Who of the platform is whom here. Writes platform_person; where messages go is the roster's. */
import { sql } from 'kysely'
import type { Tx } from '../../runtime/db.ts'
import { forgetIdentities } from '../account/index.ts'
import { followPlatform, leavePlatform } from '../member/index.ts'
import type { KeptBinding } from './rows.ts'

type Here = { readonly db: Tx; readonly company_id: string }
export type PlatformCorp = Pick<KeptBinding, 'provider' | 'corp_id'>

/** For queries on `platform_person` and `platform_department`: those of this company of this platform. */
export const ofCorp = ({ company_id }: Pick<Here, 'company_id'>, { provider, corp_id }: PlatformCorp) =>
  sql<boolean>`company_id = ${company_id} and provider = ${provider} and corp_id = ${corp_id}`

export type LinkGround = 'proved' | 'chosen' | 'matched'
/** `member_id` null: parted. */
export type Link = { readonly user_id: string; readonly member_id: string | null; readonly by: LinkGround | null }

/** Links and parts people, and lets messages follow. Whoever was linked to one of these members before is parted from him. */
export async function link(here: Here, corp: PlatformCorp, links: readonly Link[]): Promise<void> {
  if (links.length === 0) return
  const { db } = here
  const members = links.flatMap(({ member_id }) => member_id ?? [])
  const among = new Set(members)
  const user_ids = links.map(({ user_id }) => user_id)
  const before = await sql<{ member_id: string }>`
    with former as (
      select id, member_id from platform_person where ${ofCorp(here, corp)} and member_id is not null
        and (user_id = any(${user_ids}::text[]) or member_id = any(${members}::uuid[])) for update)
    update platform_person set member_id = null, linked_by = null, standing = 'new', why = null, candidates = '{}'
    from former where platform_person.company_id = ${here.company_id} and platform_person.id = former.id returning former.member_id`.execute(
    db,
  )
  await sql`
    update platform_person set member_id = wanted.member_id, linked_by = wanted.by, why = null, candidates = '{}',
      standing = case when wanted.member_id is null then 'new' else 'same' end
    from jsonb_to_recordset(${JSON.stringify(links)}::jsonb) as wanted (user_id text, member_id uuid, by text)
    where ${ofCorp(here, corp)} and platform_person.user_id = wanted.user_id`.execute(db)
  await followPlatform(here, [
    // Whoever is said to be the same again keeps his address: one row a member.
    ...before.rows.flatMap(({ member_id }) => (among.has(member_id) ? [] : [{ member_id, user_id: null }])),
    ...links.flatMap(({ member_id, user_id }) => (member_id ? [{ member_id, user_id }] : [])),
  ])
}

/** The same company was bound before: who was linked to somebody who is still here is so again. Answers how many. */
export async function restoreLinks(here: Here, corp: PlatformCorp): Promise<number> {
  const rows = await linked(here, corp)
  return followPlatform(here, rows)
}

export const linked = async (here: Here, corp: PlatformCorp) => {
  const { rows } = await sql<{ member_id: string; user_id: string }>`
    select member_id, user_id from platform_person where ${ofCorp(here, corp)} and member_id is not null and gone_at is null`.execute(
    here.db,
  )
  return rows
}

/** All that the platform told of its people, and who of it is whom. */
export async function forgetDirectory(here: Here, corp: PlatformCorp): Promise<void> {
  const { rows } = await sql<{
    user_id: string
  }>`delete from platform_person where ${ofCorp(here, corp)} returning user_id`.execute(here.db)
  await sql`delete from platform_department where ${ofCorp(here, corp)}`.execute(here.db)
  await here.db.deleteFrom('platform_event').where('company_id', '=', here.company_id).execute()
  const a_statement = 2_000
  for (let from = 0; from < rows.length; from += a_statement)
    await forgetIdentities(
      here,
      corp,
      rows.slice(from, from + a_statement).map(({ user_id }) => user_id),
    )
}

/** The links are kept, for whoever binds it again; nothing goes there any more. */
export const restLinks = leavePlatform
