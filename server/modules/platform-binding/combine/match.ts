/** Applies the matching rules to all unlinked platform users. Writes platform_user. */
import { sql } from 'kysely'
import type { CompanyTimeTx } from '../../../database/company-tx.ts'
import { getMembersByAccount, streamMatchCandidates, syncLeaders } from '../../directory/index.ts'
import { isPlatformCompany, listLinks, type PlatformCompany, type PlatformLink, saveLinks } from '../links.ts'
import { createMatcher, type MatchStatus, resolveDuplicateMatches } from '../rules/match.ts'
import { applyMemberDepartments } from '../sync/apply.ts'
import { removeLinkedCandidates } from './remove-linked-candidates.ts'

/** Loads the identities of members who have signed in through the platform; provided by the account module. */
export type LoadVerifiedIdentities = (
  ctx: Pick<CompanyTimeTx, 'db' | 'company_id'>,
) => Promise<readonly { readonly account_id: string; readonly provider: string; readonly user_id: string }[]>

type UnlinkedPlatformUser = {
  readonly user_id: string
  readonly name: string
  readonly mobile: string
  readonly employee_no: string
  readonly departments: string[]
  readonly isIgnored: boolean
}
type VerifiedIdentity = Awaited<ReturnType<LoadVerifiedIdentities>>[number]
/** Number of rows read at a time, small enough not to delay other requests. */
const usersPerPage = 500
/** Rows written at a time. */
const usersPerStep = 2_000

/** Returns how many users were linked. Reads both sides page by page, so that other work can run in between. */
export async function matchPlatformUsers(
  companyTx: CompanyTimeTx,
  corp: PlatformCompany,
  loadVerified: LoadVerifiedIdentities,
): Promise<number> {
  const verifiedLinks = await findVerifiedLinks(
    companyTx,
    corp,
    (await loadVerified(companyTx)).filter(({ provider }) => provider === corp.provider),
  )
  await saveAllLinks(companyTx, corp, verifiedLinks)
  const linkedMemberIds = new Set((await listLinks(companyTx, corp)).map(({ member_id }) => member_id))
  const matcher = createMatcher()
  for await (const page of streamMatchCandidates(companyTx))
    matcher.know(page.filter(({ member_id }) => !linkedMemberIds.has(member_id)))
  for await (const page of streamUnlinkedUsers(companyTx, corp)) matcher.hear(page)
  const matched: MatchStatus[] = []
  for await (const page of streamUnlinkedUsers(companyTx, corp)) {
    const standings = matcher.standings(page)
    matched.push(...standings.filter(({ kind }) => kind === 'matched'))
    await saveMatchStatuses(companyTx, corp, standings)
  }
  const certainMatches = resolveDuplicateMatches(matched)
  await saveMatchStatuses(companyTx, corp, certainMatches)
  const links = certainMatches.flatMap((one): PlatformLink[] =>
    one.kind === 'matched' ? [{ user_id: one.user_id, member_id: one.member_id, by: 'matched' }] : [],
  )
  await saveAllLinks(companyTx, corp, links)
  for (const chunk of splitIntoSteps([...verifiedLinks, ...links]))
    await applyMemberDepartments(
      companyTx,
      corp,
      chunk.map(({ user_id }) => user_id),
    )
  await removeLinkedCandidates(companyTx, corp)
  await syncDepartmentLeaders(companyTx, corp)
  return verifiedLinks.length + links.length
}

const splitIntoSteps = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / usersPerStep) }, (_, at) => all.slice(at * usersPerStep, (at + 1) * usersPerStep))
async function saveAllLinks(companyTx: CompanyTimeTx, corp: PlatformCompany, links: readonly PlatformLink[]): Promise<void> {
  for (const chunk of splitIntoSteps(links)) await saveLinks(companyTx, corp, chunk)
}

/** Streams the present, unlinked users page by page. */
async function* streamUnlinkedUsers(companyTx: CompanyTimeTx, corp: PlatformCompany): AsyncGenerator<UnlinkedPlatformUser[]> {
  const { db, company_id } = companyTx
  for (let after = ''; ; ) {
    const { rows } = await sql<UnlinkedPlatformUser>`
      select person.user_id, person.name, person.mobile, person.employee_no, person.match_status = 'ignored' as "isIgnored",
        array(select name from platform_department as place where place.company_id = ${company_id} and place.provider = ${corp.provider}
          and place.corp_id = ${corp.corp_id} and place.key in (select jsonb_array_elements_text(person.details->'departments'))) as departments
      from platform_user as person where ${isPlatformCompany(companyTx, corp)} and person.removed_at is null and person.member_id is null
        and person.match_reason is distinct from 'claimed' and person.user_id > ${after}
      order by person.user_id limit ${usersPerPage}`.execute(db)
    if (rows.length === 0) return
    yield rows
    after = rows.at(-1)?.user_id ?? ''
  }
}

/** Finds verified links, which take precedence over decisions of administrators; leaves out those that already exist. */
async function findVerifiedLinks(
  companyTx: CompanyTimeTx,
  corp: PlatformCompany,
  identities: readonly VerifiedIdentity[],
): Promise<PlatformLink[]> {
  const links: PlatformLink[] = []
  for (const chunk of splitIntoSteps(identities)) {
    const byAccount = await getMembersByAccount(
      companyTx,
      chunk.map(({ account_id }) => account_id),
    )
    const { rows } = await sql<{ user_id: string; member_id: string | null; linked_by: string | null }>`
      select user_id, member_id, linked_by from platform_user where ${isPlatformCompany(companyTx, corp)} and removed_at is null
        and user_id = any(${chunk.map(({ user_id }) => user_id)}::text[])`.execute(companyTx.db)
    const byUser = new Map(rows.map((one) => [one.user_id, one]))
    for (const { account_id, user_id } of chunk) {
      const member_id = byAccount.get(account_id)
      const one = byUser.get(user_id)
      if (!member_id || !one || (one.member_id === member_id && one.linked_by === 'proved')) continue
      links.push({ user_id, member_id, by: 'proved' })
    }
  }
  return links
}

async function saveMatchStatuses(
  companyTx: CompanyTimeTx,
  corp: PlatformCompany,
  statuses: readonly MatchStatus[],
): Promise<void> {
  const rows = statuses.flatMap((one) =>
    one.kind === 'matched'
      ? []
      : [
          {
            user_id: one.user_id,
            match_status: one.kind,
            match_reason: 'why' in one ? one.why : null,
            candidates: 'why' in one ? one.candidates : [],
          },
        ],
  )
  const rowsPerStatement = 2_000
  for (let from = 0; from < rows.length; from += rowsPerStatement)
    await sql`
      update platform_user as person set match_status = updated.match_status, match_reason = updated.match_reason,
        candidates = array(select jsonb_array_elements_text(updated.candidates)::uuid)
      from jsonb_to_recordset(${JSON.stringify(rows.slice(from, from + rowsPerStatement))}::jsonb)
        as updated (user_id text, match_status text, match_reason text, candidates jsonb)
      where person.company_id = ${companyTx.company_id} and person.provider = ${corp.provider} and person.corp_id = ${corp.corp_id}
        and person.user_id = updated.user_id and person.member_id is null
        and not (person.match_reason is not distinct from 'search' and updated.match_status = 'new')`.execute(companyTx.db)
}

/** Makes the platform's department leaders the leaders here as soon as they are linked. */
async function syncDepartmentLeaders(companyTx: CompanyTimeTx, corp: PlatformCompany): Promise<void> {
  const { rows } = await sql<{ id: string; leader_id: string }>`
    with says as (
      select key, unnest(leader_keys) as user_id, 0 as turn from platform_department where ${isPlatformCompany(companyTx, corp)} and removed_at is null
      union all
      select jsonb_array_elements_text(details->'leads'), user_id, 1 from platform_user where ${isPlatformCompany(companyTx, corp)} and removed_at is null)
    select distinct on (place.department_id) place.department_id as id, person.member_id as leader_id
    from says
    join platform_department as place on place.company_id = ${companyTx.company_id} and place.provider = ${corp.provider}
      and place.corp_id = ${corp.corp_id} and place.key = says.key and place.removed_at is null and place.department_id is not null
    join platform_user as person on person.company_id = ${companyTx.company_id} and person.provider = ${corp.provider}
      and person.corp_id = ${corp.corp_id} and person.user_id = says.user_id and person.member_id is not null and person.removed_at is null
    order by place.department_id, says.turn, person.user_id`.execute(companyTx.db)
  await syncLeaders(companyTx, rows)
}
