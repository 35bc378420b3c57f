/**
 * The pause after a restore. Messages that were waiting in the backup may have been sent since by the old installation,
 * so nothing is sent until somebody confirms that it is stopped.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { Database, Tx } from '../database/database.ts'
import type { Log } from '../observability/log.ts'
import { getErrorCode } from '../shared/error-code.ts'
import { listAllCompanyIds, systemCompanyId } from './companies.ts'
import type { JobQueue } from './queue.ts'

const pollIntervalMs = 2_000
/** Another server is ending the pause: it holds the row. */
const lockTimeoutCode = '55P03'

export type SendingPause = { readonly restored_at: Date; readonly confirmed_at: Date | null }

/** Returns the pause; null if jobs run. */
export const getSendingPause = async (tx: Tx): Promise<SendingPause | null> =>
  (await tx.selectFrom('sending_pause').select(['restored_at', 'confirmed_at']).executeTakeFirst()) ?? null

/** Requests the end of the pause; returns whether there was one. */
export async function confirmSending(tx: Tx, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx.updateTable('sending_pause').set({ confirmed_at: now }).executeTakeFirst()
  return numUpdatedRows > 0n
}

type PauseDeps = { readonly database: Database; readonly jobs: JobQueue; readonly clock: { now(): Date }; readonly log: Log }

/**
 * Starts the jobs of this server: at once, or after the pause. Returns the wait, which ends when the jobs have started
 * or the signal aborts; null if there is no pause.
 */
export async function startJobsAfterPause(
  deps: PauseDeps,
  startJobs: () => Promise<void>,
  signal: AbortSignal,
): Promise<{ readonly ended: Promise<void> } | null> {
  const { database, log } = deps
  if (!(await database.withoutCompany(getSendingPause))) {
    await startJobs()
    return null
  }
  log.warn('sending is paused after a restore, until it is confirmed')
  const ended = waitForSending(deps, signal)
    .then(() => (signal.aborted ? undefined : startJobs()))
    .catch((error: unknown) => log.error({ err: error }, 'sending could not be resumed'))
  return { ended }
}

/** Waits until no pause is left, and ends one that was confirmed; returns early when the signal aborts. */
async function waitForSending({ database, jobs, clock }: Omit<PauseDeps, 'log'>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const pause = await database.withoutCompany(getSendingPause)
    if (!pause) return
    if (pause.confirmed_at) await endPause({ database, jobs }, pause, clock.now())
    else await sleep(pollIntervalMs, undefined, { signal }).catch(() => undefined)
  }
}

async function endPause(
  { database, jobs }: { readonly database: Database; readonly jobs: JobQueue },
  { restored_at }: SendingPause,
  now: Date,
): Promise<void> {
  const companies = [systemCompanyId, ...(await listAllCompanyIds(database))]
  try {
    await database.withoutCompany(async (tx) => {
      const locked = await tx.selectFrom('sending_pause').select('id').forUpdate().executeTakeFirst()
      if (!locked) return
      for (const company_id of companies)
        await database.inCompany(company_id, (companyTx) => countAsAttempted(companyTx, { company_id, restored_at, now }))
      const restored = await tx.deleteFrom('restored_job').returning(['id', 'name', 'data', 'start_after']).execute()
      for (const { data, ...job } of restored) await jobs.restore(tx, { ...job, data: Object(data) as object })
      await tx.deleteFrom('sending_pause').execute()
    }, pauseTxOptions)
  } catch (error) {
    if (getErrorCode(error) !== lockTimeoutCode) throw error
  }
}
const pauseTxOptions = { timeout_ms: 600_000 }

/**
 * Messages of the backup that are due may have been sent since. Each counts as attempted once, so that the ledger first
 * asks the carrier for it, and does not repeat what the carrier cannot tell. Messages that are due later were not sent.
 */
async function countAsAttempted(
  tx: Tx,
  { company_id, restored_at, now }: { readonly company_id: string; readonly restored_at: Date; readonly now: Date },
): Promise<void> {
  const update = (table: RawBuilder<unknown>) => sql`
    update ${table} set attempts = greatest(attempts, 1), lease_until = coalesce(lease_until, created_at)
    where company_id = ${company_id} and status in ('queued', 'leased') and created_at <= ${restored_at} and due_at <= ${now}`
  await update(sql.table('delivery')).execute(tx)
  await update(sql.table('message')).execute(tx)
}
