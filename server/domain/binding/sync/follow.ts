/** What was read and agreed upon becomes what is known, and the roster follows. Writes platform_department and platform_person. */
import { sql } from 'kysely'
import type { Tx } from '../../../runtime/db.ts'
import { newId } from '../../../runtime/ids.ts'
import { forgetIdentities } from '../../account/index.ts'
import { followDepartments, followPlaces, followPlatform, heldDepartments } from '../../member/index.ts'
import { seenPerson, toldDepartment } from '../kept.ts'
import { ofCorp, type PlatformCorp } from '../links.ts'
import { followedDepartments } from '../rules/departments.ts'
import { placesHere, toldOrder } from '../rules/order.ts'
import { type SyncRow, stagedOf } from './rows.ts'

type Here = { readonly db: Tx; readonly company_id: string; readonly now: Date }

const a_statement = 1_000
const corpOf = ({ provider, corp_id }: PlatformCorp) => ({ provider, corp_id })

/** All departments in one turn: a tree is followed whole or not at all. */
export async function followTree(here: Here, sync: SyncRow, corp: PlatformCorp): Promise<void> {
  const { db, company_id, now } = here
  const staged = await db
    .selectFrom('platform_staged')
    .select('said')
    .where(stagedOf(here, sync.id, 'department'))
    .orderBy('key')
    .execute()
  const said = staged.map((one) => toldDepartment.parse(one.said))
  const known = await db
    .selectFrom('platform_department')
    .select(['key', 'department_id', 'parent_key', 'place', 'sort', 'sort_at'])
    .where(ofCorp(here, corp))
    .execute()
  const linked = new Map(known.flatMap(({ key, department_id }) => (department_id ? [[key, department_id] as const] : [])))
  const own = await heldDepartments(here)
  const before = new Map(known.map((one) => [one.key, one]))
  const placed = followedDepartments(toldOrder(said, before), { own, linked, newId })
  // WeCom tells applications of its store no names: a tree of nameless departments is of no use to anybody, and people stay where they are.
  const isNameless = said.length > 0 && said.every(({ name }) => !name)
  if (!isNameless) await followDepartments(here, placed, { places: placesHere(placed, own), source: corp.provider })
  const bySaid = new Map(said.map((one) => [one.id, one]))
  const rows = placed.map(({ key, id, name, place }) => {
    const { parent_id: parent_key = null, leader_ids: leader_keys = [], sort = null } = bySaid.get(key) ?? {}
    const was = before.get(key)
    const told = sort === null ? { sort: was?.sort ?? null, sort_at: was?.sort_at ?? null } : { sort, sort_at: now }
    const ours = isNameless ? { name: '', department_id: null } : { name, department_id: id }
    return { company_id, id: newId(), ...corpOf(corp), key, parent_key, place, ...told, leader_keys, ...ours }
  })
  for (let from = 0; from < rows.length; from += a_statement)
    await db
      .insertInto('platform_department')
      .values(rows.slice(from, from + a_statement))
      .onConflict((conflict) =>
        conflict.columns(['company_id', 'provider', 'corp_id', 'key']).doUpdateSet({
          parent_key: sql`excluded.parent_key`,
          name: sql`excluded.name`,
          place: sql`excluded.place`,
          sort: sql`excluded.sort`,
          sort_at: sql`excluded.sort_at`,
          leader_keys: sql`excluded.leader_keys`,
          department_id: sql`excluded.department_id`,
          gone_at: null,
        }),
      )
      .execute()
  await sql`
    update platform_department set gone_at = ${now} where ${ofCorp(here, corp)} and gone_at is null
      and not key = any(${placed.map(({ key }) => key)}::text[])`.execute(db)
}

const people_a_turn = 1_000

/** Some people; answers the last one, null when there is nobody left. */
export async function followPeople(here: Here, sync: SyncRow, corp: PlatformCorp, after: string): Promise<string | null> {
  const { db, company_id, now } = here
  const page = await db
    .selectFrom('platform_staged')
    .select(['key', 'said', 'verdict', 'fields'])
    .where(stagedOf(here, sync.id, 'person'))
    .where('key', '>', after)
    .where('verdict', 'in', ['new', 'changed', 'back', 'left'])
    .orderBy('key')
    .limit(people_a_turn)
    .execute()
  if (page.length === 0) return null
  const rows = page.map(({ key, said, verdict }) => {
    const { name, mobile, employee_no } = seenPerson.parse(said)
    const person = { user_id: key, name, mobile, employee_no, said: JSON.stringify(said) }
    return { company_id, id: newId(), ...corpOf(corp), ...person, gone_at: verdict === 'left' ? now : null }
  })
  const kept = await db
    .insertInto('platform_person')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['company_id', 'provider', 'corp_id', 'user_id']).doUpdateSet({
        name: sql`excluded.name`,
        mobile: sql`excluded.mobile`,
        employee_no: sql`excluded.employee_no`,
        said: sql`excluded.said`,
        gone_at: sql`excluded.gone_at`,
      }),
    )
    .returning(['user_id', 'member_id'])
    .execute()
  const memberOf = new Map(kept.flatMap(({ user_id, member_id }) => (member_id ? [[user_id, member_id] as const] : [])))
  const turned = page.flatMap(({ key, verdict }) => {
    const member_id = memberOf.get(key)
    return member_id && (verdict === 'left' || verdict === 'back')
      ? [{ member_id, user_id: verdict === 'left' ? null : key }]
      : []
  })
  await followPlatform(here, turned)
  await forgetIdentities(
    here,
    corp,
    page.flatMap(({ key, verdict }) => (verdict === 'left' ? [key] : [])),
  )
  await followWhere(
    here,
    corp,
    page.flatMap(({ key, verdict, fields }) => (verdict === 'back' || fields.includes('departments') ? [key] : [])),
  )
  return page.at(-1)?.key ?? null
}

/** Those who are linked stand in the departments in which they stand there. */
export async function followWhere(here: Here, corp: PlatformCorp, user_ids: readonly string[]): Promise<void> {
  if (user_ids.length === 0) return
  const { db } = here
  const departments = await db
    .selectFrom('platform_department')
    .select(['key', 'department_id'])
    .where(ofCorp(here, corp))
    .execute()
  const idOf = new Map(departments.flatMap(({ key, department_id }) => (department_id ? [[key, department_id] as const] : [])))
  const { rows } = await sql<{ member_id: string; departments: string[] }>`
    select member_id, array(select jsonb_array_elements_text(said->'departments')) as departments from platform_person
    where ${ofCorp(here, corp)} and member_id is not null and gone_at is null and user_id = any(${[...user_ids]}::text[])`.execute(
    db,
  )
  const places = rows.map(({ member_id, departments: keys }) => ({
    member_id,
    department_ids: [...new Set(keys.flatMap((key) => idOf.get(key) ?? []))],
  }))
  // Whoever stands in none that can be seen stays where he is.
  await followPlaces(
    here,
    places.filter(({ department_ids }) => department_ids.length > 0),
    [...new Set(idOf.values())],
  )
}
