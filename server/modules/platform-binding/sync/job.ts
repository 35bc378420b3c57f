/** Runs a directory sync step by step, in a job that may be stopped, killed and resumed. Writes platform_sync and binding. */

import type { Secrets } from '../../../crypto/secrets.ts'
import type { CompanyTimeTx } from '../../../database/company-tx.ts'
import type { Database } from '../../../database/database.ts'
import { listAllCompanyIds } from '../../../jobs/companies.ts'
import type { JobContext, JobQueue } from '../../../jobs/queue.ts'
import type { Clock } from '../../../shared/clock.ts'
import { loadPlatformApp } from '../../company/index.ts'
import { applyAction, findBinding, type StoredBinding, saveBindingEvent } from '../binding-rows.ts'
import { type LoadVerifiedIdentities, matchPlatformUsers } from '../combine/match.ts'
import {
  completeEvents,
  completeSyncEvents,
  deleteOldEvents,
  getAffectedUserIds,
  listPendingUpdates,
  platformEventJob,
  renamePlatformUser,
} from '../events.ts'
import { asPlatformError, type ExternalDirectories, getPlatformErrorMessage } from '../external-platforms.ts'
import { endBinding } from '../unbind.ts'
import { applyDepartments, applyUsers } from './apply.ts'
import { compareNextPage, decideSync } from './compare.ts'
import {
  createRateLimitedCaller,
  EmptyVisibleRangeError,
  getNextStagedDepartment,
  listUnorderedStagedDepartments,
  readDirectoryPage,
  saveDirectoryPage,
} from './read-directory.ts'
import { type SyncJobData, startSync, syncJob } from './start.ts'
import {
  advanceSync,
  deleteStaged,
  findSync,
  parseSyncCounts,
  parseSyncCursor,
  type SyncCursor,
  type SyncRow,
} from './sync-rows.ts'

export type SyncDeps = {
  readonly database: Database
  readonly jobs: JobQueue
  readonly secrets: Secrets
  readonly clock: Clock
  readonly directories: ExternalDirectories
  readonly loadVerified: LoadVerifiedIdentities
}
type SyncStepTx = CompanyTimeTx & { readonly sync: SyncRow; readonly binding: StoredBinding; readonly cursor: SyncCursor }

/**
 * Afterwards another job continues: a killed job loses at most one page, and the queue does not consider this one dead.
 */
const maxJobMs = 240_000
/** One step for the largest company, which compares its users and applies its tree. */
const statementTimeoutMs = 60_000
const retryDelaysMinutes = [5, 30, 120]
const retryJob = 'platform_sync_retry'
const dailyJob = 'platform_sync_daily'

/**
 * Registers the jobs. Idempotent: each step stores its result together with the next cursor, and only if no other
 * worker has advanced it meanwhile; a discarded sync is not continued. Returns how a job runs in a company's
 * transaction.
 */
export function registerSyncJobs(deps: SyncDeps): SyncRunDeps['runInCompany'] {
  const { database, jobs, clock } = deps
  const runInCompany = <T>(company_id: string, run: (ctx: CompanyTimeTx) => Promise<T>): Promise<T> =>
    database.inCompany(company_id, (db) => run({ db, company_id, now: clock.now() }), { timeout_ms: statementTimeoutMs })
  const withJobs = (companyTx: CompanyTimeTx) => ({
    ...companyTx,
    jobs: { send: (name: string, data: Record<string, unknown>) => jobs.send(companyTx.db, name, data) },
  })

  jobs.register<SyncJobData>(syncJob, (data, context) => runSync({ ...deps, runInCompany }, data, context), {
    timeoutSeconds: 600,
  })

  jobs.register<{ company_id: string }>(platformEventJob, async ({ company_id }) =>
    runInCompany(company_id, (companyTx) => processPendingUpdates(withJobs(companyTx))),
  )

  jobs.register<{ company_id: string }>(retryJob, async ({ company_id }) =>
    runInCompany(company_id, async (companyTx) => {
      const binding = await findBinding(companyTx, 'held')
      if (binding?.status === 30) await startSync(withJobs(companyTx), { ...binding, mode: 'full', by: '' })
    }),
  )

  jobs.schedule(dailyJob, '40 4 * * *', async ({ signal }) => {
    for (const company_id of await listAllCompanyIds(database)) {
      signal.throwIfAborted()
      await runInCompany(company_id, async (companyTx) => {
        await deleteOldEvents(companyTx)
        const binding = await findBinding(companyTx, 'held')
        // A sync that awaits review keeps waiting; a failed one has its own retry times.
        if (binding?.status === 10 && !(await hasOpenSync(companyTx, binding)))
          await startSync(withJobs(companyTx), { ...binding, mode: 'full', by: '' })
      })
    }
  })
  return runInCompany
}

/** Events trigger a new read from the platform, so their order does not matter. */
async function processPendingUpdates(companyTx: CompanyTimeTx & Parameters<typeof startSync>[0]): Promise<void> {
  const binding = await findBinding(companyTx, 'held')
  if (!binding) return
  const pending = await listPendingUpdates(companyTx, binding)
  const processedIds: string[] = []
  for (const { id, update } of pending) {
    if (update.kind === 'person_renamed') await renamePlatformUser(companyTx, binding, update)
    if (update.kind !== 'app') continue
    processedIds.push(id)
    if (update.change === 'removed') return endBinding(companyTx, binding, { by: '', why: 'platform' })
    if (await applyAction(companyTx, binding, update.change === 'enabled' ? 'resume' : 'stop'))
      await saveBindingEvent(companyTx, binding.id, { kind: update.change === 'enabled' ? 'resumed' : 'stopped' })
  }
  await completeEvents(companyTx, processedIds)
  const current = await findBinding(companyTx)
  // A running sync finds the new events when it ends; a sync that awaits review and a stopped binding are read again
  // later.
  if (
    !current ||
    (current.status !== 10 && current.status !== 30) ||
    pending.length === processedIds.length ||
    (await hasOpenSync(companyTx, current))
  )
    return
  const ids = current.status === 10 ? getAffectedUserIds(pending) : null
  await startSync(companyTx, ids ? { ...current, mode: 'incremental', by: '', ids } : { ...current, mode: 'full', by: '' })
}

const hasOpenSync = async ({ db, company_id }: CompanyTimeTx, { id }: StoredBinding): Promise<boolean> =>
  (await db
    .selectFrom('platform_sync')
    .select('id')
    .where('company_id', '=', company_id)
    .where('binding_id', '=', id)
    .where('state', 'in', ['reading', 'held', 'applying'])
    .executeTakeFirst()) !== undefined

type SyncRunDeps = SyncDeps & { runInCompany<T>(company_id: string, work: (ctx: CompanyTimeTx) => Promise<T>): Promise<T> }

async function runSync(deps: SyncRunDeps, data: SyncJobData, { noTransaction, signal }: JobContext): Promise<void> {
  const { company_id, sync_id } = data
  const { runInCompany, database, secrets, jobs, directories } = deps
  const runStep = <T>(fn: (work: SyncStepTx) => Promise<T>): Promise<T | null> =>
    runInCompany(company_id, async (companyTx) => {
      const sync = await findSync(companyTx, sync_id)
      const binding = sync && (await findBinding(companyTx))
      if (!binding || binding.id !== sync.binding_id || !['reading', 'applying'].includes(sync.state)) return null
      return fn({ ...companyTx, sync, binding, cursor: parseSyncCursor(sync) })
    })
  const app = await runStep(async ({ db, binding }) =>
    binding.app_id ? loadPlatformApp({ db, company_id, vault: await secrets.vault(db, company_id) }, binding.app_id) : null,
  )
  if (!app) return
  const reading = { app, directory: directories[app.provider], noTransaction, signal }
  const request = createRateLimitedCaller(reading)
  const ends_at = performance.now() + maxJobMs
  for (;;) {
    signal.throwIfAborted()
    const current = await runStep(async (stepTx) => stepTx)
    if (!current) return
    if (!isReading(current.cursor)) {
      const hasMore = await runStep((at) => runLocalStep(deps, at))
      if (!hasMore) return
    } else {
      try {
        const page = await readDirectoryPage(reading, request, current.cursor, {
          getNextDepartment: (after) => runInCompany(company_id, (context) => getNextStagedDepartment(context, sync_id, after)),
          listUnorderedDepartments: () =>
            runInCompany(company_id, (context) => listUnorderedStagedDepartments(context, sync_id, app)),
        })
        await runStep((at) => saveStepPage(at, current.sync, page))
      } catch (error) {
        const failure = toSyncFailure(error)
        if (!failure) throw error
        await runStep((at) => recordSyncFailure(at, failure, jobs))
        return
      }
    }
    if (performance.now() > ends_at) {
      await database.inCompany(company_id, (tx) => jobs.send(tx, syncJob, { ...data }))
      return
    }
  }
}

const isReading = ({ step }: SyncCursor): boolean => ['range', 'departments', 'orders', 'people', 'singles'].includes(step)

type SyncPage = Awaited<ReturnType<typeof readDirectoryPage>>
async function saveStepPage(companyTx: SyncStepTx, sync: SyncRow, page: SyncPage): Promise<void> {
  const { db, company_id, binding } = companyTx
  if (!page) {
    // All departments are read; individually visible users follow.
    const ids = [...(binding.visible?.user_ids ?? [])]
    await advanceSync(companyTx, sync, { cursor: ids.length > 0 ? { step: 'singles', ids } : { step: 'compare', after: '' } })
    return
  }
  if (page.range)
    await db
      .updateTable('binding')
      .set({ visible: JSON.stringify(page.range) })
      .where('company_id', '=', company_id)
      .where('id', '=', binding.id)
      .execute()
  await saveDirectoryPage(companyTx, sync, page)
}

/** Runs a step without external calls. Returns whether there is more to do. */
async function runLocalStep({ loadVerified, jobs }: SyncRunDeps, companyTx: SyncStepTx): Promise<boolean> {
  const { sync, binding, cursor, now } = companyTx
  if (cursor.step === 'compare') {
    const after = await compareNextPage(companyTx, sync, binding, cursor.after)
    return advanceSync(companyTx, sync, { cursor: after === null ? { step: 'decide' } : { step: 'compare', after } })
  }
  if (cursor.step === 'decide') {
    const { counts, locked_for: reviewReason } = await decideSync(companyTx, sync, binding)
    const next: SyncCursor = sync.mode === 'full' ? { step: 'departments_follow' } : { step: 'people_follow', after: '' }
    const state = reviewReason ? ('held' as const) : ('applying' as const)
    if (!(await advanceSync(companyTx, sync, { counts, pause_reason: reviewReason, state, cursor: next }))) return false
    if (!reviewReason) return true
    await applyAction(companyTx, binding, 'synced')
    await saveBindingEvent(companyTx, binding.id, {
      kind: 'sync_held',
      detail: { ...counts, first: reviewReason === 'first' ? 1 : 0 },
    })
    return false
  }
  if (cursor.step === 'departments_follow') {
    await applyDepartments(companyTx, sync, binding)
    return advanceSync(companyTx, sync, { cursor: { step: 'people_follow', after: '' } })
  }
  if (cursor.step === 'people_follow') {
    const after = await applyUsers(companyTx, sync, binding, cursor.after)
    return advanceSync(companyTx, sync, { cursor: after === null ? { step: 'match' } : { step: 'people_follow', after } })
  }
  const linked = await matchPlatformUsers(companyTx, binding, loadVerified)
  if (!(await advanceSync(companyTx, sync, { state: 'done', ended_at: now, error: null })))
    throw new Error('another one has done it')
  if (await completeSyncEvents(companyTx, sync.id))
    await jobs.send(companyTx.db, platformEventJob, { company_id: companyTx.company_id })
  await deleteStaged(companyTx, sync.id)
  await applyAction(companyTx, binding, 'synced')
  await saveBindingEvent(companyTx, binding.id, {
    kind: 'synced',
    by: sync.by_name,
    detail: { ...parseSyncCounts(sync), linked },
  })
  return false
}

type SyncFailure = { readonly code: string; readonly words: string }
function toSyncFailure(error: unknown): SyncFailure | null {
  if (error instanceof EmptyVisibleRangeError)
    return { code: 'empty', words: '应用的可见范围是空的，没有读到任何人；请在办公平台的管理后台设置可见范围后再同步' }
  const platformError = asPlatformError(error)
  return platformError && { code: platformError.code, words: getPlatformErrorMessage(platformError) }
}

/** Records a failure; no stored data is lost. The sync is retried at increasing intervals, then only by an administrator. */
async function recordSyncFailure(companyTx: SyncStepTx, error: SyncFailure, jobs: JobQueue): Promise<void> {
  const { db, company_id, sync, binding, now } = companyTx
  if (!(await advanceSync(companyTx, sync, { state: 'failed', ended_at: now, error }))) return
  await deleteStaged(companyTx, sync.id)
  await applyAction(companyTx, binding, 'sync_failed')
  await saveBindingEvent(companyTx, binding.id, { kind: 'sync_failed', by: sync.by_name, detail: { code: error.code } })
  const { tries: attempts } = await db
    .selectFrom('platform_sync')
    .select(({ fn }) => fn.countAll<number>().as('tries'))
    .where('company_id', '=', company_id)
    .where('binding_id', '=', binding.id)
    .where('state', '=', 'failed')
    .where('started_at', '>', new Date(now.getTime() - 6 * 3_600_000))
    .executeTakeFirstOrThrow()
  const minutes = retryDelaysMinutes[attempts - 1]
  if (minutes) await jobs.send(db, retryJob, { company_id }, { start_after: new Date(now.getTime() + minutes * 60_000) })
}
