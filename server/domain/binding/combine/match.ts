/** The rules of combining, applied to everybody who is linked to nobody. Writes platform_person. */
import { sql } from 'kysely'
import type { Tx } from '../../../runtime/db.ts'
import { everybodyTellable, followLeaders, membersOfAccounts } from '../../member/index.ts'
import { type Link, link, linked, ofCorp, type PlatformCorp } from '../links.ts'
import { type CombineStanding, certain, openCombining } from '../rules/combine.ts'
import { followWhere } from '../sync/follow.ts'
import { dropTaken } from './taken.ts'

export type MatchCtx = { readonly db: Tx; readonly company_id: string; readonly now: Date }
/** Who has signed in through the platform by himself, told by the accounts. */
export type Proofs = (
  here: Pick<MatchCtx, 'db' | 'company_id'>,
) => Promise<readonly { readonly account_id: string; readonly provider: string; readonly user_id: string }[]>

type There = {
  readonly user_id: string
  readonly name: string
  readonly mobile: string
  readonly employee_no: string
  readonly departments: string[]
  readonly isIgnored: boolean
}
type Proof = Awaited<ReturnType<Proofs>>[number]
/** Read at once: so few that nobody waits for them. */
const people_a_page = 500
/** Written at once. */
const people_a_turn = 2_000

/** Answers how many were linked by it. Both sides are read some at a time, and whoever else is waiting comes in between. */
export async function matchAll(here: MatchCtx, corp: PlatformCorp, proofs: Proofs): Promise<number> {
  const proved = await provedLinks(
    here,
    corp,
    (await proofs(here)).filter(({ provider }) => provider === corp.provider),
  )
  await linkAll(here, corp, proved)
  const held = new Set((await linked(here, corp)).map(({ member_id }) => member_id))
  const combining = openCombining()
  for await (const page of everybodyTellable(here)) combining.know(page.filter(({ member_id }) => !held.has(member_id)))
  for await (const page of freePeople(here, corp)) combining.hear(page)
  const matched: CombineStanding[] = []
  for await (const page of freePeople(here, corp)) {
    const standings = combining.standings(page)
    matched.push(...standings.filter(({ kind }) => kind === 'matched'))
    await note(here, corp, standings)
  }
  const sure = certain(matched)
  await note(here, corp, sure)
  const links = sure.flatMap((one): Link[] =>
    one.kind === 'matched' ? [{ user_id: one.user_id, member_id: one.member_id, by: 'matched' }] : [],
  )
  await linkAll(here, corp, links)
  for (const some of turnsOf([...proved, ...links]))
    await followWhere(
      here,
      corp,
      some.map(({ user_id }) => user_id),
    )
  await dropTaken(here, corp)
  await leaders(here, corp)
  return proved.length + links.length
}

const turnsOf = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / people_a_turn) }, (_, at) =>
    all.slice(at * people_a_turn, (at + 1) * people_a_turn),
  )
async function linkAll(here: MatchCtx, corp: PlatformCorp, links: readonly Link[]): Promise<void> {
  for (const some of turnsOf(links)) await link(here, corp, some)
}

/** Who is there and is nobody's yet, some at a time. */
async function* freePeople(here: MatchCtx, corp: PlatformCorp): AsyncGenerator<There[]> {
  const { db, company_id } = here
  for (let after = ''; ; ) {
    const { rows } = await sql<There>`
      select person.user_id, person.name, person.mobile, person.employee_no, person.standing = 'ignored' as "isIgnored",
        array(select name from platform_department as place where place.company_id = ${company_id} and place.provider = ${corp.provider}
          and place.corp_id = ${corp.corp_id} and place.key in (select jsonb_array_elements_text(person.said->'departments'))) as departments
      from platform_person as person where ${ofCorp(here, corp)} and person.gone_at is null and person.member_id is null
        and person.user_id > ${after}
      order by person.user_id limit ${people_a_page}`.execute(db)
    if (rows.length === 0) return
    yield rows
    after = rows.at(-1)?.user_id ?? ''
  }
}

/** Certain, and stronger than what anybody has said; those that stand already are none. */
async function provedLinks(here: MatchCtx, corp: PlatformCorp, proofs: readonly Proof[]): Promise<Link[]> {
  const found: Link[] = []
  for (const some of turnsOf(proofs)) {
    const byAccount = await membersOfAccounts(
      here,
      some.map(({ account_id }) => account_id),
    )
    const { rows } = await sql<{ user_id: string; member_id: string | null; linked_by: string | null }>`
      select user_id, member_id, linked_by from platform_person where ${ofCorp(here, corp)} and gone_at is null
        and user_id = any(${some.map(({ user_id }) => user_id)}::text[])`.execute(here.db)
    const byUser = new Map(rows.map((one) => [one.user_id, one]))
    for (const { account_id, user_id } of some) {
      const member_id = byAccount.get(account_id)
      const one = byUser.get(user_id)
      if (!member_id || !one || (one.member_id === member_id && one.linked_by === 'proved')) continue
      found.push({ user_id, member_id, by: 'proved' })
    }
  }
  return found
}

async function note(here: MatchCtx, corp: PlatformCorp, standings: readonly CombineStanding[]): Promise<void> {
  const rows = standings.flatMap((one) =>
    one.kind === 'matched'
      ? []
      : [{ user_id: one.user_id, standing: one.kind, ...('why' in one ? one : { why: null, candidates: [] }) }],
  )
  const a_statement = 2_000
  for (let from = 0; from < rows.length; from += a_statement)
    await sql`
      update platform_person as person set standing = told.standing, why = told.why,
        candidates = array(select jsonb_array_elements_text(told.candidates)::uuid)
      from jsonb_to_recordset(${JSON.stringify(rows.slice(from, from + a_statement))}::jsonb)
        as told (user_id text, standing text, why text, candidates jsonb)
      where person.company_id = ${here.company_id} and person.provider = ${corp.provider} and person.corp_id = ${corp.corp_id}
        and person.user_id = told.user_id and person.member_id is null
        and not (person.why is not distinct from 'search' and told.standing = 'new')`.execute(here.db)
}

/** Who leads a department there leads it here, as soon as he is known. */
async function leaders(here: MatchCtx, corp: PlatformCorp): Promise<void> {
  const { rows } = await sql<{ id: string; leader_id: string }>`
    with says as (
      select key, unnest(leader_keys) as user_id, 0 as turn from platform_department where ${ofCorp(here, corp)} and gone_at is null
      union all
      select jsonb_array_elements_text(said->'leads'), user_id, 1 from platform_person where ${ofCorp(here, corp)} and gone_at is null)
    select distinct on (place.department_id) place.department_id as id, person.member_id as leader_id
    from says
    join platform_department as place on place.company_id = ${here.company_id} and place.provider = ${corp.provider}
      and place.corp_id = ${corp.corp_id} and place.key = says.key and place.gone_at is null and place.department_id is not null
    join platform_person as person on person.company_id = ${here.company_id} and person.provider = ${corp.provider}
      and person.corp_id = ${corp.corp_id} and person.user_id = says.user_id and person.member_id is not null and person.gone_at is null
    order by place.department_id, says.turn, person.user_id`.execute(here.db)
  await followLeaders(here, rows)
}
