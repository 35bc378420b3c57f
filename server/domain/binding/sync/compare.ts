/** What was read beside what is known, some people at a time. Writes platform_staged. */
import { sql } from 'kysely'
import type { Tx } from '../../../runtime/db.ts'
import { seenPerson, toldPerson } from '../kept.ts'
import { ofCorp, type PlatformCorp } from '../links.ts'
import { comparePerson } from '../rules/compare.ts'
import { isManyLeft } from '../rules/state.ts'
import { countsOf, type SyncRow, stagedOf } from './rows.ts'

type Here = { readonly db: Tx; readonly company_id: string }
const people_a_turn = 1_000

type Beside = {
  readonly key: string
  readonly told: unknown
  readonly places: string[]
  readonly was: unknown
  readonly gone: boolean | null
}
/** Of a whole reading who is known and was not heard of is gone; of one about a few people only they are looked at. */
async function pageAfter(here: Here, { id, mode }: SyncRow, corp: PlatformCorp, after: string): Promise<Beside[]> {
  const known = sql`(select user_id as key from platform_person where ${ofCorp(here, corp)} and user_id > ${after}
    order by user_id limit ${people_a_turn})`
  const heard = sql`(select key from platform_staged where ${stagedOf(here, id, 'person')} and key > ${after} order by key limit ${people_a_turn})`
  const { rows } = await sql<Beside>`
    with keys as (select key from (${heard} ${mode === 'full' ? sql`union ${known}` : sql``}) as together order by key limit ${people_a_turn})
    select keys.key, staged.said as told, coalesce(staged.places, '{}') as places, person.said as was, person.gone_at is not null as gone
    from keys
    left join platform_staged as staged on staged.company_id = ${here.company_id} and staged.sync_id = ${id}
      and staged.kind = 'person' and staged.key = keys.key
    left join platform_person as person on person.company_id = ${here.company_id} and person.provider = ${corp.provider}
      and person.corp_id = ${corp.corp_id} and person.user_id = keys.key
    order by keys.key`.execute(here.db)
  return rows
}

/** Answers the last one looked at; null when there is nobody left. */
export async function compareTurn(here: Here, sync: SyncRow, corp: PlatformCorp, after: string): Promise<string | null> {
  const page = await pageAfter(here, sync, corp, after)
  const rows = page.flatMap(({ key, told, places, was, gone }) => {
    const before = was === null ? null : { said: seenPerson.parse(was), gone: gone === true }
    const { next, ...compared } = comparePerson(before, told === null ? null : { ...toldPerson.parse(told), places })
    return next ? [{ key, said: next, ...compared }] : []
  })
  if (rows.length > 0)
    await here.db
      .insertInto('platform_staged')
      .values(
        rows.map(({ said, fields, ...row }) => ({
          company_id: here.company_id,
          sync_id: sync.id,
          kind: 'person' as const,
          ...row,
          said: JSON.stringify(said),
          fields: [...fields],
        })),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['company_id', 'sync_id', 'kind', 'key'])
          .doUpdateSet({ said: sql`excluded.said`, verdict: sql`excluded.verdict`, fields: sql`excluded.fields` }),
      )
      .execute()
  return page.at(-1)?.key ?? null
}

/** What it comes to, and whether somebody has to look first. */
export async function decided(here: Here, sync: SyncRow, corp: PlatformCorp) {
  const { rows: verdicts } = await sql<{ verdict: string | null; people: number }>`
    select verdict, count(*) as people from platform_staged where ${stagedOf(here, sync.id, 'person')} group by verdict`.execute(
    here.db,
  )
  const of = (verdict: string) => verdicts.find((one) => one.verdict === verdict)?.people ?? 0
  const counts = countsOf({ counts: { created: of('new'), updated: of('changed'), left: of('left'), back: of('back') } })
  const { before } = await here.db
    .selectFrom('platform_person')
    .select(({ fn }) => fn.countAll<number>().as('before'))
    .where(ofCorp(here, corp))
    .where('gone_at', 'is', null)
    .executeTakeFirstOrThrow()
  const done = await here.db
    .selectFrom('platform_sync')
    .select('id')
    .where('company_id', '=', here.company_id)
    .where('binding_id', '=', sync.binding_id)
    .where('state', '=', 'done')
    .limit(1)
    .executeTakeFirst()
  const held_for = !done ? ('first' as const) : isManyLeft({ before, left: counts.left }) ? ('many_left' as const) : null
  return { counts, held_for }
}
