/** At startup, continues the sending that was in progress when the last process ended. */

import type { Database, Tx } from '../../../database/database.ts'
import { listAllCompanyIds } from '../../../jobs/companies.ts'
import type { JobQueue } from '../../../jobs/queue.ts'
import type { Log } from '../../../observability/log.ts'
import { countFutureInstants, releaseDeadLeases } from '../../../outbox/index.ts'
import type { Clock } from '../../../shared/clock.ts'
import { batchView } from '../../sheets/read-model.ts'
import { toStartOptions } from './ledger.ts'

const companiesInParallel = 4

/**
 * Queues a job for every batch with open deliveries. `sole`: no other server uses this database, so leases outside this
 * process's `activeOwners` belong to dead processes and are released at once; otherwise they expire within a minute.
 */
export async function resumeSending(
  {
    database,
    jobs,
    clock,
    log,
  }: { readonly database: Database; readonly jobs: JobQueue; readonly clock: Clock; readonly log: Pick<Log, 'warn'> },
  { sole }: { readonly sole: boolean },
  activeOwners: ReadonlySet<string>,
): Promise<void> {
  const companies = await listAllCompanyIds(database)
  let futureRows = 0
  const resumeCompany = (company_id: string): Promise<void> =>
    database.inCompany(company_id, async (tx) => {
      const now = clock.now()
      futureRows += await countFutureInstants({ db: tx, company_id, now }, 'delivery')
      if (sole) await releaseDeadLeases({ db: tx, company_id, now }, 'delivery', activeOwners)
      for (const batch of await selectOpenBatches(tx, company_id)) {
        if (batch.sent_at) await jobs.send(tx, 'send', { company_id, batch_id: batch.id })
        const wait_ms = batch.status === 'scheduled' && batch.scheduled_at ? batch.scheduled_at.getTime() - now.getTime() : 0
        await jobs.send(tx, 'send', { company_id, batch_id: batch.id }, toStartOptions(wait_ms))
      }
    })
  for (let at = 0; at < companies.length; at += companiesInParallel)
    await Promise.all(companies.slice(at, at + companiesInParallel).map(resumeCompany))
  if (futureRows > 0) log.warn({ deliveries: futureRows }, 'the clock was set back: deliveries have instants in the future')
  jobs.wake('send')
}

const selectOpenBatches = (tx: Tx, company_id: string) =>
  tx
    .selectFrom(batchView)
    .select(['id', 'status', 'scheduled_at', 'sent_at'])
    .where('company_id', '=', company_id)
    .where((eb) =>
      eb.or([
        eb('status', 'in', ['sending', 'scheduled']),
        eb.exists(
          eb
            .selectFrom('delivery')
            .select('delivery.id')
            .where('delivery.company_id', '=', company_id)
            .whereRef('delivery.batch_id', '=', 'batch.id')
            .where('delivery.status', 'in', ['queued', 'leased']),
        ),
      ]),
    )
    .execute()
