/** Reads the directory page by page; each page is stored together with the next cursor. Writes platform_sync_item. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { ChatApp, DirectoryDepartment, DirectoryUser, Paginated } from '../../../../platform/types.ts'
import type { CompanyTx } from '../../../database/company-tx.ts'
import type { NoTransaction } from '../../../database/no-transaction.ts'
import { asPlatformError, type ExternalDirectory } from '../external-platforms.ts'
import { advanceSync, isStaged, type SyncCursor, type SyncRow } from './sync-rows.ts'

export type DirectoryReading = {
  readonly app: ChatApp
  readonly directory: ExternalDirectory
  readonly noTransaction: NoTransaction
  readonly signal: AbortSignal
}

/** The platform shows nothing at all, which is a mistake in its console and not a company without members. */
export class EmptyVisibleRangeError extends Error {}

const retryDelaysMs = [1_000, 3_000, 10_000, 30_000]
/** A sync waits that long for a platform that asks for it: WeCom's limit per minute passes, and the job is not over. */
const maxRequestedDelayMs = 60_000
/** Returns how long to wait before the next attempt; null if there is none. */
export function getRetryDelayMs(
  attempt: number,
  error: { readonly kind: string; readonly retryAfterSeconds?: number | null } | null,
): number | null {
  const delayMs = retryDelaysMs[attempt]
  if (!error || delayMs === undefined) return null
  if (error.kind === 'rate_limited')
    return Math.max(delayMs, Math.min(maxRequestedDelayMs, (error.retryAfterSeconds ?? 0) * 1000))
  return error.kind === 'temporary' ? delayMs : null
}
/** Stays within the platform's rate limit; retries a few times when the platform asks to slow down or does not respond. */
export function createRateLimitedCaller({ directory, app, signal }: DirectoryReading): <T>(ask: () => Promise<T>) => Promise<T> {
  const { count, perMs } = directory.describe(app).rateLimit
  let nextCallAt = 0
  return async (request) => {
    for (let attempt = 0; ; attempt += 1) {
      const delayMs = nextCallAt - performance.now()
      if (delayMs > 1) await sleep(delayMs, undefined, { signal })
      nextCallAt = performance.now() + perMs / count
      try {
        return await request()
      } catch (error) {
        const retryDelayMs = getRetryDelayMs(attempt, asPlatformError(error))
        if (retryDelayMs === null) throw error
        await sleep(retryDelayMs, undefined, { signal })
      }
    }
  }
}

type DirectoryPage = {
  readonly departments?: readonly DirectoryDepartment[]
  /** Additional details of departments that were already read. */
  readonly orders?: readonly DirectoryDepartment[]
  readonly people?: readonly {
    readonly user_id: string
    readonly content: DirectoryUser | null
    readonly department_id: string | null
  }[]
  readonly calls: number
  readonly next: SyncCursor
}
type RateLimitedCaller = ReturnType<typeof createRateLimitedCaller>
/** Number of individual users or departments requested in one step. */
const itemsPerStep = 20
const firstPeopleCursor: SyncCursor = { step: 'people', after: '', department: null, next: null, done: 0 }

type PageSelectors = {
  /** Returns the next department whose users are to be read. */
  readonly getNextDepartment: (after: string) => Promise<string | null>
  /** Returns departments whose position among their siblings must be requested. */
  readonly listUnorderedDepartments: () => Promise<string[]>
}
/** Performs the calls of a reading step and returns what they returned. */
export async function readDirectoryPage(
  reading: DirectoryReading,
  request: RateLimitedCaller,
  cursor: SyncCursor,
  { getNextDepartment, listUnorderedDepartments }: PageSelectors,
): Promise<(DirectoryPage & { readonly range?: Awaited<ReturnType<ExternalDirectory['getVisibleRange']>> }) | null> {
  const { directory, noTransaction, app } = reading
  if (cursor.step === 'range') {
    const range = await request(() => directory.getVisibleRange(noTransaction, app))
    if (!range.isFull && range.department_ids.length + range.user_ids.length === 0) throw new EmptyVisibleRangeError()
    return { calls: 1, range, next: { step: 'departments', next: null } }
  }
  if (cursor.step === 'departments') {
    const { items, next } = await request(() => directory.listDepartments(noTransaction, app, cursor.next))
    const then: SyncCursor = directory.describe(app).listsOrder ? firstPeopleCursor : { step: 'orders', ids: null }
    return { calls: 1, departments: items, next: next === null ? then : { step: 'departments', next } }
  }
  if (cursor.step === 'orders') {
    const ids = cursor.ids ?? (await listUnorderedDepartments())
    const chunk = ids.slice(0, itemsPerStep)
    const orders: DirectoryDepartment[] = []
    for (const id of chunk)
      orders.push(...[await request(() => directory.getDepartment(noTransaction, app, id))].filter((one) => one !== null))
    const rest = ids.slice(itemsPerStep)
    return { calls: chunk.length, orders, next: rest.length > 0 ? { step: 'orders', ids: rest } : firstPeopleCursor }
  }
  if (cursor.step === 'people') {
    const department = cursor.department ?? (await getNextDepartment(cursor.after))
    if (department === null) return null
    const page: Paginated<DirectoryUser> = await request(() => directory.listUsers(noTransaction, app, department, cursor.next))
    const next: SyncCursor =
      page.next === null
        ? { step: 'people', after: department, department: null, next: null, done: cursor.done + 1 }
        : { ...cursor, department, next: page.next }
    return {
      calls: 1,
      next,
      people: page.items.map((content) => ({ user_id: content.user_id, content, department_id: department })),
    }
  }
  if (cursor.step === 'singles') {
    const chunk = cursor.ids.slice(0, itemsPerStep)
    const people = []
    for (const user_id of chunk)
      people.push({ user_id, content: await request(() => directory.getUser(noTransaction, app, user_id)), department_id: null })
    const ids = cursor.ids.slice(itemsPerStep)
    return { calls: chunk.length, people, next: ids.length > 0 ? { step: 'singles', ids } : { step: 'compare', after: '' } }
  }
  return null
}

/** Stores a page and the next cursor; nothing if another worker has advanced the sync meanwhile. */
export async function saveDirectoryPage(
  companyTx: CompanyTx,
  sync: SyncRow,
  { departments = [], orders = [], people = [], calls, next }: DirectoryPage,
): Promise<boolean> {
  const { db, company_id } = companyTx
  const isCurrent = await advanceSync(companyTx, sync, {
    cursor: next,
    calls,
    departments: departments.length,
    people: people.length,
  })
  if (!isCurrent) return false
  // A single statement must not contain the same key twice.
  const rows = new Map<string, { kind: 'department' | 'person'; key: string; message: unknown; memberships: string[] }>()
  for (const one of [...departments, ...orders])
    rows.set(`d ${one.id}`, { kind: 'department', key: one.id, message: one, memberships: [] })
  for (const { user_id, content, department_id: departmentId } of people)
    rows.set(`p ${user_id}`, {
      kind: 'person',
      key: user_id,
      message: content,
      memberships: departmentId === null ? [] : [departmentId],
    })
  if (rows.size === 0) return true
  await db
    .insertInto('platform_sync_item')
    .values(
      [...rows.values()].map(({ message: content, ...row }) => ({
        company_id,
        sync_id: sync.id,
        ...row,
        details: JSON.stringify(content),
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['company_id', 'sync_id', 'kind', 'key']).doUpdateSet({
        details: sql`excluded.details`,
        memberships: sql`array(select distinct unnest(platform_sync_item.memberships || excluded.memberships))`,
      }),
    )
    .execute()
  return true
}

/** Returns the department that follows another one in reading order. */
export async function getNextStagedDepartment(companyTx: CompanyTx, sync_id: string, after: string): Promise<string | null> {
  const row = await companyTx.db
    .selectFrom('platform_sync_item')
    .select('key')
    .where(isStaged(companyTx, sync_id, 'department'))
    .where('key', '>', after)
    .orderBy('key')
    .limit(1)
    .executeTakeFirst()
  return row?.key ?? null
}

/** Lookups per sync: few additional calls for a large company, and enough for all departments of most companies. */
const maxOrderLookups = 200

/** Lists departments with siblings of unknown position: siblings of one named in an event, then the longest not looked up. */
export async function listUnorderedStagedDepartments(
  { db, company_id }: CompanyTx,
  sync_id: string,
  { provider, corp_id }: Pick<ChatApp, 'provider' | 'corp_id'>,
): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    with listed as (
      select key, details->>'parent_id' as parent, details->>'sort' as sort, count(*) over (partition by details->>'parent_id') as beside
      from platform_sync_item where company_id = ${company_id} and sync_id = ${sync_id} and kind = 'department'
    ), told as (
      select jsonb_array_elements_text(news->'ids') as key from platform_event
      where company_id = ${company_id} and sync_id = ${sync_id} and news->>'kind' = 'department')
    select listed.key from listed
    left join platform_department as known on known.company_id = ${company_id} and known.provider = ${provider}
      and known.corp_id = ${corp_id} and known.key = listed.key
    where listed.parent is not null and listed.sort is null and listed.beside > 1
    order by listed.parent in (select parent from listed join told using (key)) desc, known.sort_at asc nulls first, listed.parent, listed.key
    limit ${maxOrderLookups}`.execute(db)
  return rows.map(({ key }) => key)
}
