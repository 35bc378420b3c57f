/** A reading of the directory carried out turn by turn, by a job that may be stopped, killed and gone on with. Writes platform_sync and binding. */
import type { Clock } from '../../../runtime/clock.ts'
import type { Database, Tx } from '../../../runtime/db.ts'
import type { JobContext, Jobs } from '../../../runtime/jobs.ts'
import type { Secrets } from '../../../runtime/secrets.ts'
import { allCompanies, appIn } from '../../company/index.ts'
import { matchAll, type Proofs } from '../combine/match.ts'
import { forgetEvents, namedBy, rename, settle, settleEvents, told_job, waitingNews } from '../events.ts'
import { asPlatformError, type Directories, platformSentence } from '../outside.ts'
import { bindingOf, type KeptBinding, mayDo, tellOf } from '../rows.ts'
import { unbind } from '../unbind.ts'
import { beginSync, type SyncData, sync_job } from './begin.ts'
import { compareTurn, decided } from './compare.ts'
import { followPeople, followTree } from './follow.ts'
import { departmentAfter, keepPage, NothingToSee, paced, readPage, unordered } from './read.ts'
import { countsOf, cursorOf, forgetStaged, goOn, type SyncCursor, type SyncRow, syncOf } from './rows.ts'

export type SyncParts = {
  readonly database: Database
  readonly jobs: Jobs
  readonly secrets: Secrets
  readonly clock: Clock
  readonly directories: Directories
  readonly proofs: Proofs
}
type Here = { readonly db: Tx; readonly company_id: string; readonly now: Date }
type Work = Here & { readonly sync: SyncRow; readonly binding: KeptBinding; readonly cursor: SyncCursor }

/** Then the rest is another job's: whoever is killed loses at most one page, and nobody takes this one for dead. */
const a_job_ms = 240_000
/** A turn of the largest company: its people compared, its tree followed. */
const longest_statement_ms = 60_000
const retry_after_min = [5, 30, 120]
const retry_job = 'platform_sync_retry'
const daily_job = 'platform_sync_daily'

/**
 * Declares the jobs. Doing one twice is harmless: each turn keeps what it did together with where to go on, and only if nobody else has gone on
 * meanwhile; of a reading that was given up nothing is done any more. Answers how a job works in a transaction of a company.
 */
export function openSync(parts: SyncParts): Room['inside'] {
  const { database, jobs, clock } = parts
  const inside = <T>(company_id: string, work: (here: Here) => Promise<T>): Promise<T> =>
    database.inCompany(company_id, (db) => work({ db, company_id, now: clock.now() }), { timeout_ms: longest_statement_ms })
  const send = (here: Here) => ({
    ...here,
    jobs: { send: (name: string, data: Record<string, unknown>) => jobs.send(here.db, name, data) },
  })

  jobs.on<SyncData>(sync_job, (data, context) => goThrough({ ...parts, inside }, data, context), { expire_s: 600 })

  jobs.on<{ company_id: string }>(told_job, async ({ company_id }) => inside(company_id, (here) => heard(send(here))))

  jobs.on<{ company_id: string }>(retry_job, async ({ company_id }) =>
    inside(company_id, async (here) => {
      const binding = await bindingOf(here, 'held')
      if (binding?.status === 30) await beginSync(send(here), { ...binding, mode: 'full', by: '' })
    }),
  )

  jobs.daily(daily_job, '40 4 * * *', async ({ signal }) => {
    for (const company_id of await allCompanies(database)) {
      signal.throwIfAborted()
      await inside(company_id, async (here) => {
        await forgetEvents(here)
        const binding = await bindingOf(here, 'held')
        // What waits to be looked at goes on waiting; what failed has its own hours.
        if (binding?.status === 10 && !(await isWaiting(here, binding)))
          await beginSync(send(here), { ...binding, mode: 'full', by: '' })
      })
    }
  })
  return inside
}

/** What the platform has told is a reason to look again, in whatever order it came. */
async function heard(here: Here & Parameters<typeof beginSync>[0]): Promise<void> {
  const binding = await bindingOf(here, 'held')
  if (!binding) return
  const all = await waitingNews(here, binding)
  const done: string[] = []
  for (const { id, news } of all) {
    if (news.kind === 'person_renamed') await rename(here, binding, news)
    if (news.kind !== 'app') continue
    done.push(id)
    if (news.change === 'removed') return unbind(here, binding, { by: '', why: 'platform' })
    if (await mayDo(here, binding, news.change === 'enabled' ? 'resume' : 'stop'))
      await tellOf(here, binding.id, { kind: news.change === 'enabled' ? 'resumed' : 'stopped' })
  }
  await settle(here, done)
  const now = await bindingOf(here)
  // What is being read finds the rest when it has done; what waits to be looked at, and what is stopped, is read anew later.
  if (!now || (now.status !== 10 && now.status !== 30) || all.length === done.length || (await isWaiting(here, now))) return
  const ids = now.status === 10 ? namedBy(all) : null
  await beginSync(here, ids ? { ...now, mode: 'incremental', by: '', ids } : { ...now, mode: 'full', by: '' })
}

const isWaiting = async ({ db, company_id }: Here, { id }: KeptBinding): Promise<boolean> =>
  (await db
    .selectFrom('platform_sync')
    .select('id')
    .where('company_id', '=', company_id)
    .where('binding_id', '=', id)
    .where('state', 'in', ['reading', 'held', 'applying'])
    .executeTakeFirst()) !== undefined

type Room = SyncParts & { inside<T>(company_id: string, work: (here: Here) => Promise<T>): Promise<T> }

async function goThrough(room: Room, data: SyncData, { outdoors, signal }: JobContext): Promise<void> {
  const { company_id, sync_id } = data
  const { inside, database, secrets, jobs, directories } = room
  const work = <T>(fn: (work: Work) => Promise<T>): Promise<T | null> =>
    inside(company_id, async (here) => {
      const sync = await syncOf(here, sync_id)
      const binding = sync && (await bindingOf(here))
      if (!binding || binding.id !== sync.binding_id || !['reading', 'applying'].includes(sync.state)) return null
      return fn({ ...here, sync, binding, cursor: cursorOf(sync) })
    })
  const app = await work(async ({ db, binding }) =>
    binding.app_id ? appIn({ db, company_id, vault: await secrets.vault(db, company_id) }, binding.app_id) : null,
  )
  if (!app) return
  const reading = { app, directory: directories[app.provider], outdoors, signal }
  const ask = paced(reading)
  const ends_at = performance.now() + a_job_ms
  for (;;) {
    signal.throwIfAborted()
    const now = await work(async (found) => found)
    if (!now) return
    if (!isReading(now.cursor)) {
      const more = await work((at) => turn(room, at))
      if (!more) return
    } else {
      try {
        const page = await readPage(reading, ask, now.cursor, {
          departmentAfter: (after) => inside(company_id, (here) => departmentAfter(here, sync_id, after)),
          unordered: () => inside(company_id, (here) => unordered(here, sync_id, app)),
        })
        await work((at) => kept(at, now.sync, page))
      } catch (error) {
        const said = failureOf(error)
        if (!said) throw error
        await work((at) => failed(at, said, jobs))
        return
      }
    }
    if (performance.now() > ends_at) {
      await database.inCompany(company_id, (tx) => jobs.send(tx, sync_job, { ...data }))
      return
    }
  }
}

const isReading = ({ step }: SyncCursor): boolean => ['range', 'departments', 'orders', 'people', 'singles'].includes(step)

type Page = Awaited<ReturnType<typeof readPage>>
async function kept(here: Work, sync: SyncRow, page: Page): Promise<void> {
  const { db, company_id, binding } = here
  if (!page) {
    // All departments are read: who may be seen alone follows.
    const ids = [...(binding.visible?.user_ids ?? [])]
    await goOn(here, sync, { cursor: ids.length > 0 ? { step: 'singles', ids } : { step: 'compare', after: '' } })
    return
  }
  if (page.range)
    await db
      .updateTable('binding')
      .set({ visible: JSON.stringify(page.range) })
      .where('company_id', '=', company_id)
      .where('id', '=', binding.id)
      .execute()
  await keepPage(here, sync, page)
}

/** What needs nobody outside. Answers whether there is more to do. */
async function turn({ proofs, jobs }: Room, here: Work): Promise<boolean> {
  const { sync, binding, cursor, now } = here
  if (cursor.step === 'compare') {
    const after = await compareTurn(here, sync, binding, cursor.after)
    return goOn(here, sync, { cursor: after === null ? { step: 'decide' } : { step: 'compare', after } })
  }
  if (cursor.step === 'decide') {
    const { counts, held_for } = await decided(here, sync, binding)
    const next: SyncCursor = sync.mode === 'full' ? { step: 'departments_follow' } : { step: 'people_follow', after: '' }
    const state = held_for ? ('held' as const) : ('applying' as const)
    if (!(await goOn(here, sync, { counts, held_for, state, cursor: next }))) return false
    if (!held_for) return true
    await mayDo(here, binding, 'synced')
    await tellOf(here, binding.id, { kind: 'sync_held', detail: { ...counts, first: held_for === 'first' ? 1 : 0 } })
    return false
  }
  if (cursor.step === 'departments_follow') {
    await followTree(here, sync, binding)
    return goOn(here, sync, { cursor: { step: 'people_follow', after: '' } })
  }
  if (cursor.step === 'people_follow') {
    const after = await followPeople(here, sync, binding, cursor.after)
    return goOn(here, sync, { cursor: after === null ? { step: 'match' } : { step: 'people_follow', after } })
  }
  const linked = await matchAll(here, binding, proofs)
  if (!(await goOn(here, sync, { state: 'done', ended_at: now, error: null }))) throw new Error('another one has done it')
  if (await settleEvents(here, sync.id)) await jobs.send(here.db, told_job, { company_id: here.company_id })
  await forgetStaged(here, sync.id)
  await mayDo(here, binding, 'synced')
  await tellOf(here, binding.id, { kind: 'synced', by: sync.by_name, detail: { ...countsOf(sync), linked } })
  return false
}

type Failure = { readonly code: string; readonly words: string }
function failureOf(error: unknown): Failure | null {
  if (error instanceof NothingToSee)
    return { code: 'empty', words: '应用的可见范围是空的，没有读到任何人；请在办公平台的管理后台设置可见范围后再同步' }
  const said = asPlatformError(error)
  return said && { code: said.code, words: platformSentence(said) }
}

/** Nothing that was known is forgotten. It is tried again by itself, less and less often, until somebody does. */
async function failed(here: Work, error: Failure, jobs: Jobs): Promise<void> {
  const { db, company_id, sync, binding, now } = here
  if (!(await goOn(here, sync, { state: 'failed', ended_at: now, error }))) return
  await forgetStaged(here, sync.id)
  await mayDo(here, binding, 'sync_failed')
  await tellOf(here, binding.id, { kind: 'sync_failed', by: sync.by_name, detail: { code: error.code } })
  const { tries } = await db
    .selectFrom('platform_sync')
    .select(({ fn }) => fn.countAll<number>().as('tries'))
    .where('company_id', '=', company_id)
    .where('binding_id', '=', binding.id)
    .where('state', '=', 'failed')
    .where('started_at', '>', new Date(now.getTime() - 6 * 3_600_000))
    .executeTakeFirstOrThrow()
  const minutes = retry_after_min[tries - 1]
  if (minutes) await jobs.send(db, retry_job, { company_id }, { start_after: new Date(now.getTime() + minutes * 60_000) })
}
