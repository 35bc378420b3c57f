/** Reading the directory, page by page; each page is kept together with where to go on. Writes platform_staged. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { App, DirectoryDepartment, DirectoryPerson, Paged } from '../../../../platform/types.ts'
import type { Outdoors } from '../../../runtime/data/outdoors.ts'
import type { Tx } from '../../../runtime/db.ts'
import { asPlatformError, type OutsideDirectory } from '../outside.ts'
import { goOn, type SyncCursor, type SyncRow, stagedOf } from './rows.ts'

type Here = { readonly db: Tx; readonly company_id: string }
export type DirectoryReading = {
  readonly app: App
  readonly directory: OutsideDirectory
  readonly outdoors: Outdoors
  readonly signal: AbortSignal
}

/** The platform shows nothing at all: a mistake in its console, not a company without people. */
export class NothingToSee extends Error {}

const patience_ms = [1_000, 3_000, 10_000, 30_000]
/** At most so fast as the platform allows; where it asks for patience, or says nothing, again a few times. */
export function paced({ directory, app, signal }: DirectoryReading): <T>(ask: () => Promise<T>) => Promise<T> {
  const { count, per_ms } = directory.describe(app).pace
  let free_at = 0
  return async (ask) => {
    for (let tried = 0; ; tried += 1) {
      const rest = free_at - performance.now()
      if (rest > 1) await sleep(rest, undefined, { signal })
      free_at = performance.now() + per_ms / count
      try {
        return await ask()
      } catch (error) {
        const said = asPlatformError(error)
        const wait = said && (said.kind === 'rate_limited' || said.kind === 'temporary') ? patience_ms[tried] : undefined
        if (wait === undefined) throw error
        await sleep(wait, undefined, { signal })
      }
    }
  }
}

type Page = {
  readonly departments?: readonly DirectoryDepartment[]
  /** Of departments that were read before: said more of. */
  readonly orders?: readonly DirectoryDepartment[]
  readonly people?: readonly { readonly user_id: string; readonly said: DirectoryPerson | null; readonly place: string | null }[]
  readonly calls: number
  readonly next: SyncCursor
}
type Ask = ReturnType<typeof paced>
/** Some single people, or departments, are asked after in one turn. */
const singles_a_turn = 20
const people: SyncCursor = { step: 'people', after: '', department: null, next: null, done: 0 }

type Chosen = {
  /** Which department's people follow. */
  readonly departmentAfter: (after: string) => Promise<string | null>
  /** Whose place among its siblings is to be asked after. */
  readonly unordered: () => Promise<string[]>
}
/** What a turn that reads has to ask, and what it heard. */
export async function readPage(
  reading: DirectoryReading,
  ask: Ask,
  cursor: SyncCursor,
  { departmentAfter, unordered }: Chosen,
): Promise<(Page & { readonly range?: Awaited<ReturnType<OutsideDirectory['range']>> }) | null> {
  const { directory, outdoors, app } = reading
  if (cursor.step === 'range') {
    const range = await ask(() => directory.range(outdoors, app))
    if (!range.whole && range.department_ids.length + range.user_ids.length === 0) throw new NothingToSee()
    return { calls: 1, range, next: { step: 'departments', next: null } }
  }
  if (cursor.step === 'departments') {
    const { items, next } = await ask(() => directory.departments(outdoors, app, cursor.next))
    const then: SyncCursor = directory.describe(app).lists_order ? people : { step: 'orders', ids: null }
    return { calls: 1, departments: items, next: next === null ? then : { step: 'departments', next } }
  }
  if (cursor.step === 'orders') {
    const ids = cursor.ids ?? (await unordered())
    const some = ids.slice(0, singles_a_turn)
    const orders: DirectoryDepartment[] = []
    for (const id of some)
      orders.push(...[await ask(() => directory.department(outdoors, app, id))].filter((one) => one !== null))
    const rest = ids.slice(singles_a_turn)
    return { calls: some.length, orders, next: rest.length > 0 ? { step: 'orders', ids: rest } : people }
  }
  if (cursor.step === 'people') {
    const department = cursor.department ?? (await departmentAfter(cursor.after))
    if (department === null) return null
    const page: Paged<DirectoryPerson> = await ask(() => directory.people(outdoors, app, department, cursor.next))
    const next: SyncCursor =
      page.next === null
        ? { step: 'people', after: department, department: null, next: null, done: cursor.done + 1 }
        : { ...cursor, department, next: page.next }
    return { calls: 1, next, people: page.items.map((said) => ({ user_id: said.user_id, said, place: department })) }
  }
  if (cursor.step === 'singles') {
    const some = cursor.ids.slice(0, singles_a_turn)
    const people = []
    for (const user_id of some)
      people.push({ user_id, said: await ask(() => directory.person(outdoors, app, user_id)), place: null })
    const ids = cursor.ids.slice(singles_a_turn)
    return { calls: some.length, people, next: ids.length > 0 ? { step: 'singles', ids } : { step: 'compare', after: '' } }
  }
  return null
}

/** Keeps a page and where to go on; nothing of it where somebody else has gone on meanwhile. */
export async function keepPage(
  here: Here,
  sync: SyncRow,
  { departments = [], orders = [], people = [], calls, next }: Page,
): Promise<boolean> {
  const { db, company_id } = here
  const isMine = await goOn(here, sync, { cursor: next, calls, departments: departments.length, people: people.length })
  if (!isMine) return false
  // Nobody may be named twice by one statement.
  const rows = new Map<string, { kind: 'department' | 'person'; key: string; said: unknown; places: string[] }>()
  for (const one of [...departments, ...orders])
    rows.set(`d ${one.id}`, { kind: 'department', key: one.id, said: one, places: [] })
  for (const { user_id, said, place } of people)
    rows.set(`p ${user_id}`, { kind: 'person', key: user_id, said, places: place === null ? [] : [place] })
  if (rows.size === 0) return true
  await db
    .insertInto('platform_staged')
    .values([...rows.values()].map(({ said, ...row }) => ({ company_id, sync_id: sync.id, ...row, said: JSON.stringify(said) })))
    .onConflict((conflict) =>
      conflict.columns(['company_id', 'sync_id', 'kind', 'key']).doUpdateSet({
        said: sql`excluded.said`,
        places: sql`array(select distinct unnest(platform_staged.places || excluded.places))`,
      }),
    )
    .execute()
  return true
}

/** The first department after another one, in the order in which they are read. */
export async function departmentAfter(here: Here, sync_id: string, after: string): Promise<string | null> {
  const row = await here.db
    .selectFrom('platform_staged')
    .select('key')
    .where(stagedOf(here, sync_id, 'department'))
    .where('key', '>', after)
    .orderBy('key')
    .limit(1)
    .executeTakeFirst()
  return row?.key ?? null
}

/** A reading asks after so many: hardly more calls for a large company, and of most companies all of them. */
const most_orders = 200

/**
 * Departments with siblings whose place was not listed: first those beside one that the platform has told us of, then whoever was asked after the longest
 * ago.
 */
export async function unordered(
  { db, company_id }: Here,
  sync_id: string,
  { provider, corp_id }: Pick<App, 'provider' | 'corp_id'>,
): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    with listed as (
      select key, said->>'parent_id' as parent, said->>'sort' as sort, count(*) over (partition by said->>'parent_id') as beside
      from platform_staged where company_id = ${company_id} and sync_id = ${sync_id} and kind = 'department'
    ), told as (
      select jsonb_array_elements_text(news->'ids') as key from platform_event
      where company_id = ${company_id} and sync_id = ${sync_id} and news->>'kind' = 'department')
    select listed.key from listed
    left join platform_department as known on known.company_id = ${company_id} and known.provider = ${provider}
      and known.corp_id = ${corp_id} and known.key = listed.key
    where listed.parent is not null and listed.sort is null and listed.beside > 1
    order by listed.parent in (select parent from listed join told using (key)) desc, known.sort_at asc nulls first, listed.parent, listed.key
    limit ${most_orders}`.execute(db)
  return rows.map(({ key }) => key)
}
