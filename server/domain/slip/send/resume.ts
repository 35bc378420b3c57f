/** After a start: what was being sent when the last process ended goes on. */
import type { Clock } from '../../../runtime/clock.ts'
import type { Database, Tx } from '../../../runtime/db.ts'
import type { Jobs } from '../../../runtime/jobs.ts'
import { takeBack } from '../../../runtime/post/index.ts'
import { allCompanies } from '../../company/index.ts'
import { startIn } from './ledger.ts'

const at_once = 4

/**
 * Asks for a turn for every batch with something open. `sole`: no other server works on this database, so leases that are not of this
 * process's own `turns` belong to the dead and are free at once; otherwise they run out within a minute.
 */
export async function resumeAll(
  { database, jobs, clock }: { readonly database: Database; readonly jobs: Jobs; readonly clock: Clock },
  { sole }: { readonly sole: boolean },
  turns: ReadonlySet<string>,
): Promise<void> {
  const companies = await allCompanies(database)
  const resume = (company_id: string): Promise<void> =>
    database.inCompany(company_id, async (tx) => {
      const now = clock.now()
      if (sole) await takeBack({ db: tx, company_id, now }, 'delivery', turns)
      for (const batch of await openBatches(tx, company_id)) {
        const wait_ms = batch.status === 'scheduled' && batch.scheduled_at ? batch.scheduled_at.getTime() - now.getTime() : 0
        await jobs.send(tx, 'send', { company_id, batch_id: batch.id }, startIn(wait_ms))
      }
    })
  for (let at = 0; at < companies.length; at += at_once) await Promise.all(companies.slice(at, at + at_once).map(resume))
  jobs.wake('send')
}

const openBatches = (tx: Tx, company_id: string) =>
  tx
    .selectFrom('batch')
    .select(['id', 'status', 'scheduled_at'])
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
